import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf } from './settings.mjs';

const FOLDER = '/usr/share/java';
const JARS = ['quartz2', 'HikariCP', 'slf4j-api', 'slf4j-nop'];
const DATABASE_JARS = ['mariadb-java-client'];
const PACKAGES = 'libquartz2-java libhikaricp-java libslf4j-java libmariadb-java';
const HARNESS = fileURLToPath(new URL('../peers/java-quartz/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/quartz-ts/', import.meta.url));

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

/** Compiles the harness, unless an earlier run did; returns the arguments that start one of its modes. */
export function buildJava() {
  const path = [...JARS, ...DATABASE_JARS].map(pathOf).join(':');
  const classes = compiled(path);
  return (mode, settings = {}) => [
    '-Xms256m',
    '-Xmx3g',
    '-cp',
    `${classes}:${path}`,
    'Bench',
    mode,
    ...argumentsOf(settings),
  ];
}

/** The folder of the classes; named after the sources, so that changed ones are compiled again. */
function compiled(path) {
  const sources = readdirSync(HARNESS)
    .filter((file) => file.endsWith('.java'))
    .map((file) => join(HARNESS, file));
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  const folder = join(CACHE, `java-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, '.java-'));
  execFileSync('javac', ['-nowarn', '-d', fresh, '-cp', path, ...sources], { stdio: 'inherit' });
  renameSync(fresh, folder);
  return folder;
}
