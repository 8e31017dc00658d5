import { SCHEDULER } from './our-scheduler.mjs';

/*
 * What the workloads find in the tables. Each side stores one job and one trigger through its own API (`TEMPLATE`), so that
 * they are as it would write them; these statements multiply the two. They run on MySQL, MariaDB and SQLite, on our tables and
 * on those of Java.
 */

export const TEMPLATE = 'template';
export const DUE = 'due';
export const FAR = 'far';

const DAY = 86_400_000;
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

/** Statements that leave the template, the locks and the far triggers. */
export const CLEAR = [
  `DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}'`,
  `DELETE FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = '${SCHEDULER}'`,
  `DELETE FROM QRTZ_SIMPLE_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP NOT IN ('${TEMPLATE}', '${FAR}')`,
  `DELETE FROM QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP NOT IN ('${TEMPLATE}', '${FAR}')`,
  `DELETE FROM QRTZ_JOB_DETAILS WHERE SCHED_NAME = '${SCHEDULER}' AND JOB_GROUP NOT IN ('${TEMPLATE}', '${FAR}')`,
];

/** Counts what is left of a drain: nothing, when all is well. Triggers that repeat stay, and are due later. */
export function rest(kind) {
  const left = {
    fired: `QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}'`,
    triggers: `QRTZ_TRIGGERS WHERE SCHED_NAME = '${SCHEDULER}' AND TRIGGER_GROUP = '${DUE}'`,
    jobs: `QRTZ_JOB_DETAILS WHERE SCHED_NAME = '${SCHEDULER}' AND JOB_GROUP = '${DUE}' AND IS_DURABLE = '0'`,
  };
  const names = kind === 'repeat' ? ['fired'] : Object.keys(left);
  return `SELECT ${names.map((name) => `(SELECT COUNT(*) FROM ${left[name]}) AS ${name}`).join(', ')}`;
}

/** Selects that give `i` from 0 to n - 1, a chunk each; no recursion deeper than the 1,000 that MySQL allows. */
function chunks(n) {
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
