import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { SCHEDULER } from './our-scheduler.mjs';
import { cpuMs } from './server.mjs';

/** Status variables of the server that the figures are made of. */
const COUNTERS = [
  'Questions',
  'Com_commit',
  'Handler_commit',
  'Handler_read_key',
  'Handler_read_next',
  'Handler_read_prev',
  'Bytes_received',
  'Bytes_sent',
  'Innodb_row_lock_waits',
  'Innodb_row_lock_time',
  'Innodb_os_log_written',
];

const TABLES = 'QRTZ_JOB_DETAILS, QRTZ_TRIGGERS, QRTZ_SIMPLE_TRIGGERS, QRTZ_FIRED_TRIGGERS';

/** Undo records that the server has still to clean up when it counts as settled, and how long that is waited for. */
const SETTLED = 200;
const TIMEOUT_MS = 20_000;

/** The tables of one side: a database of its own on a MySQL or MariaDB server. */
export class MysqlTables {
  #server;
  #connection;
  #name;
  #queries = 0;

  /** In a new database; `charset`: its default. */
  static async create(server, side, charset = 'utf8mb4') {
    const name = `quartz_bench_${process.pid}_${side}`;
    const connection = await createConnection({ uri: server.url, multipleStatements: true });
    await connection.query(
      `DROP DATABASE IF EXISTS ${name}; CREATE DATABASE ${name} CHARACTER SET ${charset}; USE ${name}`,
    );
    return new MysqlTables(server, connection, name);
  }

  constructor(server, connection, name) {
    this.#server = server;
    this.#connection = connection;
    this.#name = name;
  }

  /** Arguments of our nodes. */
  get settings() {
    return { url: this.url };
  }

  get url() {
    return new URL(`/${this.#name}`, this.#server.url).href;
  }

  async query(text) {
    this.#queries++;
    const [rows] = await this.#connection.query(text);
    return rows;
  }

  /** Deletes the rows of the round before, but not the template and the far triggers. */
  async clear() {
    for (const statement of CLEAR) await this.query(statement);
  }

  async load(statements) {
    for (const statement of statements) await this.query(statement);
  }

  /** Updates the statistics, and waits until the server has purged deleted rows. */
  async settle() {
    await this.query(`ANALYZE TABLE ${TABLES}`);
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await pause(50)) {
      const [row] = await this.query("SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'");
      if (row === undefined || Number(row.Value) < SETTLED) break; // MySQL does not say
    }
    await pause(300);
  }

  /** Counters of the server, without the queries of this object. */
  async counters() {
    const rows = await this.query(`SHOW GLOBAL STATUS WHERE Variable_name IN ('${COUNTERS.join("', '")}')`);
    const values = Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Number(Value)]));
    return { ...values, Questions: values.Questions - this.#queries, cpuMs: cpuMs(this.#server.pid) };
  }

  async drop() {
    await this.query(`DROP DATABASE ${this.#name}`);
    await this.#connection.end();
  }
}

const require = createRequire(import.meta.url);

/** The tables of ours in a SQLite file. There is no server: no counters, and its CPU time is ours. */
export class SqliteTables {
  #folder = mkdtempSync(join(tmpdir(), 'quartz-bench-'));
  #connection;

  /** Arguments of our nodes. */
  get settings() {
    return { path: join(this.#folder, 'quartz.db') };
  }

  async query(text) {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite') ?? require('@photostructure/sqlite');
    this.#connection ??= new DatabaseSync(this.settings.path, { timeout: 5_000 });
    return this.#connection.prepare(text).all();
  }

  async clear() {
    for (const statement of CLEAR) await this.query(statement);
  }

  async load(statements) {
    await this.query('BEGIN');
    for (const statement of statements) await this.query(statement);
    await this.query('COMMIT');
  }

  /** No ANALYZE: hardly anyone runs it on such a file. */
  async settle() {
    await this.query('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  async counters() {
    return { cpuMs: null };
  }

  async drop() {
    this.#connection?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/*
 * What the workloads find in the tables. Each side stores one job and one trigger through its own API (`TEMPLATE`), so that
 * they are as it would write them; these statements multiply the two. They run on MySQL, MariaDB and SQLite, on our tables and
 * on those of Java.
 */

export const TEMPLATE = 'template';
export const DUE = 'due';
export const FAR = 'far';

export const DAY = 86_400_000;
/** Rows a statement: a transaction of a million rows would keep the server busy long after it. */
const CHUNK = 50_000;

/** Nobody fires the template. */
export const HIDE_TEMPLATE = `UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = 'PAUSED' WHERE TRIGGER_GROUP = '${TEMPLATE}'`;

/**
 * Statements that add `n` triggers of group DUE. `jobs`: `many` (a job of its own for each, deleted with it) or `one`. All are
 * due at `at`, or spread evenly over `spread` milliseconds from there, or, `scattered`, as if by chance, the same each time.
 * `interval`: they repeat for ever.
 */
export function dueRows({ n, jobs = 'many', at, spread = 0, scattered = false, interval = 0 }) {
  const evenly = `(i * ${spread} - (i * ${spread}) % ${n}) / ${n}`;
  const byChance = `((i * i * 31337 + i * 7919 + 12345) % 1000003) % ${spread}`;
  const time = spread === 0 ? String(at) : `${at} + ${scattered ? byChance : evenly}`;
  const job = jobs === 'many' ? "CONCAT('j', i)" : "'one'";
  return [
    ...(jobs === 'one' ? [jobRows(`SELECT 0 AS i`, "'one'", DUE, 1)] : []),
    ...chunks(n).flatMap((numbers) => [
      ...(jobs === 'many' ? [jobRows(numbers, job, DUE, 0)] : []),
      triggerRows(numbers, { name: "CONCAT('t', i)", group: DUE, job, time }),
      simpleRows(numbers, { name: "CONCAT('t', i)", group: DUE, count: interval > 0 ? -1 : 0, interval }),
    ]),
  ];
}

/** Statements that add `n` one-shot triggers of group FAR, on one job, due between 10 and 40 days after `now`. */
export function farRows(n, now) {
  const time = `${now + 10 * DAY} + (i * ${30 * DAY} - (i * ${30 * DAY}) % ${n}) / ${n}`;
  return [
    jobRows(`SELECT 0 AS i`, "'far'", FAR, 1),
    ...chunks(n).flatMap((numbers) => [
      triggerRows(numbers, { name: "CONCAT('f', i)", group: FAR, job: "'far'", time }),
      simpleRows(numbers, { name: "CONCAT('f', i)", group: FAR, count: 0, interval: 0 }),
    ]),
  ];
}

/**
 * Statements that replace what is recorded by `n` runs of 100 jobs, which ended a millisecond apart, the last one at `end`. One of 50 failed;
 * `deadLetters`: all of them did, and are dead letters.
 */
export function runRows(n, { end, deadLetters = false }) {
  const columns = `SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME,
    OCCURRENCE_ID, SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER`;
  const outcome = deadLetters ? "'failed'" : "CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END";
  const time = `${end - n} + i`;
  return [
    `DELETE FROM QRTZ_X_RUNS WHERE SCHED_NAME = '${SCHEDULER}'`,
    ...chunks(n).map(
      (numbers) => `INSERT INTO QRTZ_X_RUNS (${columns})
        SELECT '${SCHEDULER}', ${time}, CONCAT('seeded', i), CONCAT('t', i % 100), '${DUE}', CONCAT('j', i % 100), '${DUE}', 'noop', 'n1',
          CONCAT('seeded', i), ${time} - 20, ${time} - 10, 1, ${outcome}, '${deadLetters ? 1 : 0}' FROM (${numbers}) numbers`,
    ),
  ];
}

/** Statements that leave the template, the locks and the far triggers. */
export const CLEAR = [
  `DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}'`,
  `DELETE FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = '${SCHEDULER}'`,
  `DELETE FROM QRTZ_SIMPLE_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP NOT IN ('${TEMPLATE}', '${FAR}')`,
  `DELETE FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP NOT IN ('${TEMPLATE}', '${FAR}')`,
  `DELETE FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME = '${SCHEDULER}' AND JOB_GROUP NOT IN ('${TEMPLATE}', '${FAR}')`,
];

/** Counts the rows that a drain must not leave. */
export const REST = `SELECT
  (SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}') AS fired,
  (SELECT COUNT(*) FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP = '${DUE}') AS triggers,
  (SELECT COUNT(*) FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME = '${SCHEDULER}' AND JOB_GROUP = '${DUE}' AND IS_DURABLE = '0') AS jobs`;

/** Selects that give `i` from 0 to n - 1, a chunk each; no recursion deeper than the 1,000 that MySQL allows. At most a million. */
export function chunks(n) {
  const digits = 'WITH RECURSIVE digits (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM digits WHERE d < 999)';
  return Array.from({ length: Math.ceil(n / CHUNK) }, (_, chunk) => {
    const from = (chunk * CHUNK) / 1_000;
    const to = from + CHUNK / 1_000 - 1;
    return `${digits} SELECT a.d * 1000 + b.d AS i FROM digits a, digits b
      WHERE a.d BETWEEN ${from} AND ${to} AND a.d * 1000 + b.d < ${n}`;
  });
}

function jobRows(numbers, name, group, durable) {
  const kept = 'DESCRIPTION, JOB_CLASS_NAME, IS_NONCONCURRENT, IS_UPDATE_DATA, REQUESTS_RECOVERY, JOB_DATA';
  return `INSERT INTO QRTZ_JOB_DETAILS (SCHED_NAME, JOB_NAME, JOB_GROUP, IS_DURABLE, ${kept})
    SELECT SCHED_NAME, ${name}, '${group}', '${durable}', ${kept} FROM (${numbers}) numbers, QRTZ_JOB_DETAILS
    WHERE SCHED_NAME = '${SCHEDULER}' AND JOB_NAME = '${TEMPLATE}' AND JOB_GROUP = '${TEMPLATE}'`;
}

function triggerRows(numbers, { name, group, job, time }) {
  const kept = 'DESCRIPTION, PREV_FIRE_TIME, PRIORITY, TRIGGER_TYPE, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA';
  return `INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, NEXT_FIRE_TIME, START_TIME, TRIGGER_STATE, ${kept})
    SELECT SCHED_NAME, ${name}, '${group}', ${job}, '${group}', ${time}, ${time}, 'WAITING', ${kept}
    FROM (${numbers}) numbers, QRTZ_TRIGGERS
    WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_NAME = '${TEMPLATE}' AND TRIGGER_GROUP = '${TEMPLATE}'`;
}

function simpleRows(numbers, { name, group, count, interval }) {
  return `INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
    SELECT '${SCHEDULER}', ${name}, '${group}', ${count}, ${interval}, 0 FROM (${numbers}) numbers`;
}
