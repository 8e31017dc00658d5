import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const JARS = ['quartz2', 'HikariCP', 'slf4j-api', 'slf4j-nop'].map((name) => `/usr/share/java/${name}.jar`);
const HARNESS = fileURLToPath(new URL('../peers/java-quartz/', import.meta.url));

/** Why the real Quartz cannot run here, or null when it can. */
export function javaMissing() {
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
  } catch {
    return 'javac was not found (Debian: apt-get install default-jdk-headless)';
  }
  const missing = JARS.filter((jar) => !existsSync(jar));
  return missing.length === 0
    ? null
    : `${missing.join(', ')} not found (Debian: apt-get install libquartz2-java libhikaricp-java libslf4j-java)`;
}

/** Compiles the harness; returns the arguments that start one of its modes. */
export function buildJava() {
  const classes = mkdtempSync(join(tmpdir(), 'quartz-java-'));
  execFileSync('javac', ['-nowarn', '-d', classes, '-cp', JARS.join(':'), join(HARNESS, 'Bench.java')], {
    stdio: 'inherit',
  });
  return (mode, settings = {}) => [
    '-Xms256m',
    '-Xmx3g',
    '-cp',
    [classes, ...JARS].join(':'),
    'Bench',
    mode,
    ...Object.entries(settings).map(([key, value]) => `${key}=${value}`),
  ];
}
