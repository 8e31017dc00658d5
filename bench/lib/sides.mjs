import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineNode } from './line-node.mjs';
import { argumentsOf } from './options.mjs';
import { warmRound } from './rounds.mjs';
import { DUE, dueRows, HIDE_TEMPLATE, MemoryTables, MysqlTables, SqliteTables } from './tables.mjs';

const OUR_NODE = fileURLToPath(new URL('../nodes/our-node.mjs', import.meta.url));
const FLOOR_NODE = fileURLToPath(new URL('../nodes/floor-node.mjs', import.meta.url));

/** Every start would warn that such tables take two names that differ in case for one. */
const QUIET = { log: 'error' };

/**
 * Ours, in new tables: our own, or with `tables: 'java'` those that Quartz's jar describes. `settings` are keys of the
 * configuration, `nodeArguments` are Node's. `build`: the folder of another build, which also makes the tables.
 */
export async function ourSide(server, { store, name, tables: kind, java, build, settings: keys, nodeArguments }) {
  const tables = kind === 'java' ? await tablesOfJava(server, name, java) : await ourTables(server, store, name, build);
  const log = kind === 'java' ? QUIET : {};
  return {
    name: build === undefined ? 'ours' : 'against',
    label: build ?? (kind === 'java' ? 'quartz-ts, tables of Java' : 'quartz-ts'),
    tables,
    build,
    node: (mode, values) => ourNode(mode, { build, ...tables.settings, ...log, ...values, ...keys }, nodeArguments),
  };
}

/** New tables as we make them, with the job and the trigger that are multiplied later. */
export async function ourTables(server, store, name, build) {
  if (store === 'memory') return new MemoryTables();
  const tables = store === 'sqlite' ? new SqliteTables() : await MysqlTables.create(server, `ours${name}`);
  await storeTemplate(tables, { build, 'set.jobStore.schema': 'create' });
  return tables;
}

/** With all 18 indexes; ours only adds its two tables. */
async function tablesOfJava(server, name, java) {
  if (java === null) throw new Error("--tables java needs --store mysql and the real Quartz's jar.");
  const tables = await javaTables(server, `ours${name}`, java, 'utf8mb4');
  await storeTemplate(tables, { ...QUIET, 'set.jobStore.schema': 'migrate' });
  return tables;
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

/** Starts one of the modes of our node, under another host name with `host`; `nodeArguments` are Node's. */
export function ourNode(mode, { host, ...values }, nodeArguments = []) {
  const args = [...nodeArguments, OUR_NODE, mode, ...argumentsOf(values)];
  if (host === undefined) return new LineNode(process.execPath, args);
  const underName = ['--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', host]; // the process keeps its id
  return new LineNode('unshare', [...underName, process.execPath, ...args]);
}

/** Shorter keys than utf8mb4, so the faster choice for the real Quartz; MariaDB's own default until version 11. */
const CHARSET = 'latin1';

/** The real Quartz, in new tables with all the indexes that its jar describes. */
export async function javaSide(server, java, name) {
  const tables = await javaTables(server, `java${name}`, java, CHARSET);
  await new LineNode('java', java('template', connection(tables.url))).exit();
  await tables.query(HIDE_TEMPLATE);
  return {
    name: 'java',
    label: 'Quartz 2.3.2 (Java)',
    tables,
    node: (mode, values) => new LineNode('java', java(mode, { ...connection(tables.url), ...values })),
  };
}

/** A database with the tables that Quartz's jar describes, empty. */
export async function javaTables(server, name, java, charset) {
  const tables = await MysqlTables.create(server, name, charset);
  await new LineNode('java', java('tables', connection(tables.url))).exit();
  return tables;
}

function connection(url) {
  const { host, pathname, username, password } = new URL(url);
  return {
    jdbc: `jdbc:mariadb://${host}${pathname}`,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

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

/** Enough that the rows of a batch were not touched a moment ago. */
const TRIGGERS = 20_000;

/** The floor: only the row work, in tables with the indexes of ours. */
export async function floorSide(server) {
  const tables = await ourTables(server, 'mysql', '_floor');
  await tables.load(dueRows({ n: TRIGGERS, at: Date.now() }));
  await tables.settle();
  return {
    name: 'floor',
    label: 'floor',
    tables,
    node: () => new LineNode(process.execPath, [FLOOR_NODE, ...argumentsOf({ url: tables.url, n: TRIGGERS })]),
  };
}

/** A few seconds of the floor, after a warm-up. */
export async function floorRound(side) {
  await side.tables.settle();
  const { perSecond, ...figures } = await warmRound(side, side.node());
  return { perSecond, midPerSecond: perSecond, ...figures };
}
