import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf } from './settings.mjs';

const FOLDER = '/usr/share/java';
const JARS = ['quartz2', 'HikariCP', 'slf4j-api', 'slf4j-nop'];
const DATABASE_JARS = ['mariadb-java-client'];
const PACKAGES = 'libquartz2-java libhikaricp-java libslf4j-java libmariadb-java';
const HARNESS = fileURLToPath(new URL('../peers/java-quartz/', import.meta.url));

const pathOf = (jar) => join(FOLDER, `${jar}.jar`);

/** Why the real Quartz cannot run here, on a database if `database`, or null when it can. */
export function javaMissing(database = false) {
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
  } catch {
    return 'javac was not found (Debian: apt-get install default-jdk-headless)';
  }
  const missing = [...JARS, ...(database ? DATABASE_JARS : [])].map(pathOf).filter((jar) => !existsSync(jar));
  return missing.length === 0 ? null : `${missing.join(', ')} not found (Debian: apt-get install ${PACKAGES})`;
}

/** Compiles the harness; returns the arguments that start one of its modes. */
export function buildJava() {
  const classes = mkdtempSync(join(tmpdir(), 'quartz-java-'));
  process.on('exit', () => rmSync(classes, { recursive: true, force: true }));
  const sources = readdirSync(HARNESS).filter((file) => file.endsWith('.java'));
  const path = [...JARS, ...DATABASE_JARS].map(pathOf);
  const args = ['-nowarn', '-d', classes, '-cp', path.join(':'), ...sources.map((file) => join(HARNESS, file))];
  execFileSync('javac', args, { stdio: 'inherit' });
  return (mode, settings = {}) => [
    '-Xms256m',
    '-Xmx3g',
    '-cp',
    [classes, ...path].join(':'),
    'Bench',
    mode,
    ...argumentsOf(settings),
  ];
}
