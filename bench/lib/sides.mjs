import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineNode } from './line-node.mjs';
import { argumentsOf } from './options.mjs';
import { DUE, HIDE_TEMPLATE, MysqlTables, SqliteTables } from './tables.mjs';

const OUR_NODE = fileURLToPath(new URL('../nodes/our-node.mjs', import.meta.url));

/** Ours, in new tables. `settings`: keys of the configuration. `build`: folder of another build, which then creates the tables. */
export async function ourSide(server, { name, settings, build }) {
  const tables = server === null ? new SqliteTables() : await MysqlTables.create(server, `ours${name}`);
  await storeTemplate(tables, { build, 'set.jobStore.schema': 'create' });
  return {
    name: build === undefined ? 'ours' : 'against',
    label: build ?? 'quartz-ts',
    tables,
    build,
    settings,
    node: (mode, values) => ourNode(mode, { build, ...tables.settings, ...values, ...settings }),
  };
}

/** Stores the job and the trigger that are multiplied later, or replaces them. */
async function storeTemplate(tables, values) {
  await ourNode('template', { ...tables.settings, ...values }).exit();
  await tables.query(HIDE_TEMPLATE);
}

/** Kinds of the job that is multiplied, each with a row of its own for every trigger. */
export const JOB_KINDS = ['plain', 'alone', 'limited'];

/** Replaces the template of a side of ours: `alone`: its runs must not overlap; `limited`: at most `limit` runs of its key at the same time. */
export async function changeTemplate({ tables, build }, kind, limit) {
  if (kind !== 'plain') await storeTemplate(tables, { build, kind, ...(kind === 'limited' && { limit }) });
}

/** For limited jobs: makes ten keys of the template's one. They differ in the last digit of the job's name. */
export const TEN_KEYS = `UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = REPLACE(JOB_DATA, 'key-0', CONCAT('key-', SUBSTR(JOB_NAME, -1)))
  WHERE JOB_GROUP = '${DUE}'`;

/** Starts one of the modes of our node. */
export function ourNode(mode, values) {
  return new LineNode(process.execPath, [OUR_NODE, mode, ...argumentsOf(values)]);
}

/** Shorter keys than utf8mb4, so the faster choice for the real Quartz; MariaDB's own default until version 11. */
const CHARSET = 'latin1';

/** The real Quartz, in new tables with all the indexes that its jar describes. */
export async function javaSide(server, java, name) {
  const tables = await MysqlTables.create(server, `java${name}`, CHARSET);
  const connection = connectionOf(tables.url);
  for (const mode of ['tables', 'template']) await new LineNode('java', java(mode, connection)).exit();
  await tables.query(HIDE_TEMPLATE);
  return {
    name: 'java',
    label: 'Quartz 2.3.2 (Java)',
    tables,
    node: (mode, values) => new LineNode('java', java(mode, { ...connection, ...values })),
  };
}

function connectionOf(url) {
  const { host, pathname, username, password } = new URL(url);
  return {
    jdbc: `jdbc:mariadb://${host}${pathname}`,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

const JARS = ['quartz2', 'HikariCP', 'slf4j-api', 'slf4j-nop', 'mariadb-java-client'].map(
  (jar) => `/usr/share/java/${jar}.jar`,
);
const HARNESS = fileURLToPath(new URL('../peers/java-quartz/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/quartz-ts/', import.meta.url));

/** False if the real Quartz cannot run here. The reason is printed. */
export function hasJava() {
  const missing = JARS.filter((jar) => !existsSync(jar));
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
  } catch {
    missing.unshift('javac');
  }
  if (missing.length > 0) console.error(`Without the real Quartz: ${missing.join(', ')} not found (bench/README.md).`);
  return missing.length === 0;
}

/** Compiles the harness, unless an earlier run did. Returns the arguments that start one of its modes. */
export function buildJava() {
  const path = [compiled(), ...JARS].join(':');
  return (mode, settings) => ['-Xms256m', '-Xmx3g', '-cp', path, 'Bench', mode, ...argumentsOf(settings)];
}

/** The folder of the classes. It is named after the sources, so that changed ones are compiled again. */
function compiled() {
  const sources = readdirSync(HARNESS)
    .filter((file) => file.endsWith('.java'))
    .map((file) => join(HARNESS, file));
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(source));
  const folder = join(CACHE, `java-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, '.java-'));
  execFileSync('javac', ['-nowarn', '-d', fresh, '-cp', JARS.join(':'), ...sources], { stdio: 'inherit' });
  renameSync(fresh, folder);
  return folder;
}
