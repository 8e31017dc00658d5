/** The day before the pictures: runs as the nodes would have recorded them, between now and 24 hours ago. */
import { createRequire } from 'node:module';

const { loadSqlite } = createRequire(import.meta.url)('../../build/store/sql/sqlite/sqlite-module.js');

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const NODES = ['shop-a', 'shop-b', 'shop-c'];

/** Per job: how often it ran, how long that took, and of how many runs one failed. Milliseconds. */
const PAST = [
  { job: ['sync', 'stock'], type: 'quick', every: MINUTE / 4, took: 140 },
  { job: ['sync', 'prices'], type: 'quick', every: MINUTE / 2, took: 420, failsOneIn: 97 },
  { job: ['sync', 'tracking'], trigger: 'north', type: 'parcels', every: MINUTE, took: 900, failsOneIn: 41 },
  { job: ['sync', 'tracking'], trigger: 'south', type: 'parcels', every: MINUTE, took: 1_100 },
  { job: ['mail', 'outbox'], type: 'quick', every: MINUTE / 3, took: 230 },
  { job: ['billing', 'payments'], type: 'payments', every: MINUTE / 2, took: 450, failsOneIn: 29 },
  { job: ['billing', 'invoices'], type: 'quick', every: 60 * MINUTE, took: 5_200 },
  { job: ['media', 'search-index'], type: 'index', every: 2 * MINUTE, took: 48_000, failsOneIn: 31 },
  { job: ['media', 'thumbnails'], type: 'images', every: 2 * MINUTE, took: 22_000 },
  { job: ['operations', 'clean-up'], type: 'quick', every: MINUTE, took: 290 },
  { job: ['reports', 'sales'], trigger: 'daily', type: 'report', every: 6 * 60 * MINUTE, took: 94_000 },
  { job: ['operations', 'backup'], type: 'report', every: 12 * 60 * MINUTE, took: 811_000 },
];

/** Writes them into the tables of a SQLite file that a scheduler has made. Returns how many. */
export function writeHistory(file, schedulerName, now) {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file);
  const insert = database.prepare(`INSERT INTO QRTZ_X_RUNS
    (SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME,
     OCCURRENCE_ID, SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER, ERROR_MESSAGE, DETAIL)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, '0', ?, ?)`);
  // The first node is at work already.
  database.exec('PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE');
  const rows = PAST.flatMap((past) => runsOf(past, now));
  for (const row of rows) insert.run(schedulerName, ...row);
  database.exec('COMMIT');
  database.close();
  return rows.length;
}

function runsOf(past, now) {
  const last = Math.floor(now / past.every) * past.every;
  const times = Array.from({ length: Math.floor(DAY / past.every) }, (_, index) => last - (index + 1) * past.every);
  return times.map((scheduled) => runAt(past, scheduled)).filter(([ended]) => ended < now);
}

function runAt({ job: [group, name], trigger = name, type, every, took, failsOneIn = 0 }, scheduled) {
  const number = scheduled / every;
  const isFailed = failsOneIn > 0 && number % failsOneIn === 7;
  // The same every day, and busier in the evening.
  const load = 1 + 0.35 * Math.sin((scheduled / DAY) * 2 * Math.PI) + ((number * 31) % 17) / 40;
  const fired = scheduled + 1 + (number % 5);
  const ended = fired + Math.round(took * load * (isFailed ? 0.4 : 1));
  const node = NODES[(number * 7 + name.length) % NODES.length];
  const id = `${node}-${name}-${scheduled.toString(36)}`;
  const place = [ended, id, trigger, group, name, group, type, node, id, scheduled, fired];
  if (!isFailed) return [...place, 'succeeded', null, JSON.stringify({ summary: 'done' })];
  const error = 'read ECONNRESET partner.example:443';
  const stack = `Error: ${error}\n    at TLSSocket.onend (node:_tls_wrap:401:22)`;
  return [...place, 'failed', error, JSON.stringify({ stack })];
}
