/** The day before the pictures: runs as the nodes would have recorded them, between now and 24 hours ago. */
import { createRequire } from 'node:module';

const { loadSqlite } = createRequire(import.meta.url)('../../dist/store/sql/sqlite/sqlite-module.js');

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const NODES = ['shop-a', 'shop-b', 'shop-c'];

/** Per job: how often it ran, how long that took, and of how many runs one failed. Milliseconds. */
const PAST = [
  { job: ['sync', 'stock'], type: 'quick', every: MINUTE, took: 140 },
  { job: ['sync', 'prices'], type: 'quick', every: 2 * MINUTE, took: 420, failsOneIn: 97 },
  { job: ['sync', 'tracking'], trigger: 'north', type: 'parcels', every: 5 * MINUTE, took: 900, failsOneIn: 41 },
  { job: ['mail', 'outbox'], type: 'quick', every: 2 * MINUTE, took: 230 },
  { job: ['billing', 'payments'], type: 'payments', every: 10 * MINUTE, took: 1_300, failsOneIn: 29 },
  { job: ['billing', 'invoices'], type: 'quick', every: 60 * MINUTE, took: 5_200 },
  { job: ['media', 'search-index'], type: 'index', every: 15 * MINUTE, took: 62_000, failsOneIn: 31 },
  { job: ['media', 'thumbnails'], type: 'images', every: 12 * MINUTE, took: 26_000 },
  { job: ['operations', 'clean-up'], type: 'quick', every: 30 * MINUTE, took: 2_900 },
  { job: ['reports', 'sales'], trigger: 'daily', type: 'report', every: 6 * 60 * MINUTE, took: 94_000 },
  { job: ['operations', 'backup'], type: 'report', every: 12 * 60 * MINUTE, took: 811_000 },
];

/** Writes them into the tables of a SQLite file that a scheduler has made. Returns how many. */
export function writeHistory(file, schedulerName, now) {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file);
  const insert = database.prepare(`INSERT INTO QRTZ_X_RUNS
    (SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME,
     SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER, ERROR_MESSAGE, DETAIL)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, '0', ?, ?)`);
  database.exec('BEGIN');
  const rows = PAST.flatMap((past) => runsOf(past, now));
  for (const row of rows) insert.run(schedulerName, ...row);
  database.exec('COMMIT');
  database.close();
  return rows.length;
}

function runsOf({ job: [group, name], trigger = name, type, every, took, failsOneIn = 0 }, now) {
  const last = Math.floor(now / every) * every;
  return Array.from({ length: Math.floor(DAY / every) }, (_, index) => {
    const scheduled = last - index * every;
    const number = scheduled / MINUTE;
    const fired = scheduled + 1 + (number % 5);
    const isFailed = failsOneIn > 0 && number % failsOneIn === 7;
    // The same every day, and busier in the evening.
    const load = 1 + 0.35 * Math.sin((number / 1_440) * 2 * Math.PI) + ((number * 31) % 17) / 40;
    const ended = Math.min(fired + Math.round(took * load * (isFailed ? 0.4 : 1)), now - 1_000 - index);
    const node = NODES[Math.floor(number * 7 + name.length) % 3];
    const error = isFailed ? 'read ECONNRESET supplier.example:443' : null;
    const detail = isFailed
      ? { stack: `Error: ${error}\n    at TLSSocket.onend (node:_tls_wrap:401:22)` }
      : { summary: 'done' };
    const outcome = isFailed ? 'failed' : 'succeeded';
    const id = `${node}-${name}-${scheduled.toString(36)}`;
    return [
      ended,
      id,
      trigger,
      group,
      name,
      group,
      type,
      node,
      scheduled,
      fired,
      outcome,
      error,
      JSON.stringify(detail),
    ];
  });
}
