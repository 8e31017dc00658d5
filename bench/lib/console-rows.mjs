import { SCHEDULER } from './our-scheduler.mjs';
import { chunks, DAY, TEMPLATE } from './tables.mjs';

/*
 * What a console finds after years: triggers of all states, with calendars, in groups of all sizes; jobs with very many runs and with few;
 * failures, few of them rare. Alike at each loading, apart from its time. Statements for MySQL, MariaDB and SQLite.
 */

export const NODES = 5;
/** On which ran nothing but the oldest runs. */
export const FORGOTTEN_NODE = 'gone';
/** In the errors of very few runs. */
export const RARE_TEXT = 'unicorn';
/** In the error of every run that failed. */
export const COMMON_TEXT = 'connection';
export const CALENDARS = 40;
/** On job j0, of group big. */
const BUSY_SHARE = 5;

const HISTORY_DAYS = 60;

/** A group by the number of a row: of half of all, of a third, of a hundredth each, and one of very few. */
const GROUP = `CASE WHEN i % 5000 = 4999 THEN 'rare' WHEN i % 2 = 0 THEN 'big' WHEN i % 6 <> 5 THEN 'middle' ELSE CONCAT('small', i % 100) END`;

/** Statements that add `n` jobs, a trigger for each, and what waits, runs and is paused of them, and what people did. */
export function scheduleRows(n, now) {
  return [
    ...chunks(n).flatMap((numbers) => [jobs(numbers), triggers(numbers, now), crons(numbers, now)]),
    ...nodes(now),
    ...chunks(Math.ceil(n / 200)).map((numbers) => firings(numbers, now)),
    ...chunks(Math.ceil(n / 500)).map((numbers) => occurrences(numbers, now)),
    ...chunks(Math.ceil(n / 10)).map((numbers) => pauses(numbers, now)),
    ...chunks(n).map((numbers) => actions(numbers, now)),
  ];
}

function jobs(numbers) {
  return `INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA, REQUESTS_RECOVERY, JOB_DATA)
    SELECT '${SCHEDULER}', CONCAT('j', i), ${GROUP}, 'writes a report', CASE WHEN i % 1000 = 7 THEN 'seldom' ELSE 'noop' END, '1',
      CASE WHEN i % 10 = 2 THEN '1' ELSE '0' END, '0', '0', JOB_DATA
    FROM (${numbers}) numbers, QRTZ_JOB_DETAILS
    WHERE SCHED_NAME = '${SCHEDULER}' AND JOB_NAME = '${TEMPLATE}' AND JOB_GROUP = '${TEMPLATE}'`;
}

/** The next weekly time of row i, a whole minute: what is stored is what a search from the time before would find. */
const ahead = (now) => `(${minuteOf(now) + DAY} + ((i * 7919) % ${6 * DAY}) - ((i * 7919) % ${6 * DAY}) % 60000)`;
const minuteOf = (time) => time - (time % 60_000);

/** Most wait for their time, days ahead; one of 20 is paused, and few are in each of the other states. */
function triggers(numbers, now) {
  const state = `CASE WHEN i % 20 = 3 THEN 'PAUSED' WHEN i % 400 = 11 THEN 'ERROR' WHEN i % 50 = 9 THEN 'COMPLETE'
    WHEN i % 1000 = 20 THEN 'BLOCKED' WHEN i % 1000 = 40 THEN 'ACQUIRED' ELSE 'WAITING' END`;
  const time = `CASE WHEN i % 50 = 9 THEN -1 ELSE ${ahead(now)} END`;
  const calendar = `CASE WHEN i % 10 < 3 THEN 'calendar 0' WHEN i % 10 = 3 THEN 'calendar 1' WHEN i % 500 = 4 THEN 'calendar 2' ELSE NULL END`;
  const isBusy = `i % ${BUSY_SHARE} = 0`;
  return `INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DESCRIPTION, NEXT_FIRE_TIME, PREV_FIRE_TIME, PRIORITY, TRIGGER_STATE,
       TRIGGER_TYPE, START_TIME, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA)
    SELECT '${SCHEDULER}', CONCAT('t', i), ${GROUP}, CASE WHEN ${isBusy} THEN 'j0' ELSE CONCAT('j', i) END,
      CASE WHEN ${isBusy} THEN 'big' ELSE ${GROUP} END, NULL, ${time}, ${ahead(now)} - ${7 * DAY}, 5, ${state}, 'CRON', ${now - HISTORY_DAYS * DAY}, 0,
      ${calendar}, 0, NULL
    FROM (${numbers}) numbers`;
}

/** Once a week each. The first day of 1970 was a Thursday, cron's fifth day. */
function crons(numbers, now) {
  const time = ahead(now);
  const whole = (remainder, unit) => `CAST((${remainder} - ${remainder} % ${unit}) / ${unit} AS SIGNED)`;
  const minute = whole(`(${time} % 3600000)`, 60_000);
  const hour = whole(`(${time} % ${DAY})`, 3_600_000);
  const day = `(${whole(time, DAY)} + 4) % 7 + 1`;
  return `INSERT INTO QRTZ_CRON_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, CRON_EXPRESSION, TIME_ZONE_ID)
    SELECT '${SCHEDULER}', CONCAT('t', i), ${GROUP}, CONCAT('0 ', ${minute}, ' ', ${hour}, ' ? * ', ${day}), 'UTC' FROM (${numbers}) numbers`;
}

/** They check in for as long as is measured. */
function nodes(now) {
  return Array.from({ length: NODES }, (_, index) => [
    `INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('${SCHEDULER}', 'n${index}', ${now + DAY}, 7500)`,
    `INSERT INTO QRTZ_X_NODES
       (SCHED_NAME, INSTANCE_NAME, EPOCH, PROTOCOL, VERSION, HOST, PROCESS_ID, STARTED_AT, CHECKIN_GRACE, CLOCK_OFFSET, STATUS,
        SIGNAL_NUMBER, SIGNAL_SEEN, JOB_TYPES)
     VALUES ('${SCHEDULER}', 'n${index}', 'e${index}', 1, '1.0.0', 'host', 1, ${now}, 7500, 0, 'started', 0, 0, '["noop","seldom"]')`,
  ]).flat();
}

function firings(numbers, now) {
  return `INSERT INTO QRTZ_FIRED_TRIGGERS
    SELECT '${SCHEDULER}', CONCAT('run', i), CONCAT('t', i * 200), 'big', CONCAT('n', i % ${NODES}), ${now} - i, ${now} - i, 5, 'EXECUTING', 'j0', 'big', '0', '0'
    FROM (${numbers}) numbers`;
}

function occurrences(numbers, now) {
  return `INSERT INTO QRTZ_X_PARTS
    SELECT '${SCHEDULER}', CONCAT('parts', i), CONCAT('t', i), 'big', 'j0', 'big', ${now}, ${now} - i, 8, 4, 0, '0' FROM (${numbers}) numbers`;
}

function pauses(numbers, now) {
  return `INSERT INTO QRTZ_X_PAUSES
    SELECT '${SCHEDULER}', 'trigger', 'big', CONCAT('t', i), 'maintenance', 'somebody', ${now} - i, NULL, '1' FROM (${numbers}) numbers`;
}

function actions(numbers, now) {
  return `INSERT INTO QRTZ_X_ACTIONS
    SELECT '${SCHEDULER}', ${now} - i * 60000, CONCAT('a', i), CONCAT('person', i % 50), 'operator', 'http', '127.0.0.1',
      CASE WHEN i % 1000 = 7 THEN 'jobs.remove' ELSE 'triggers.pause' END, CONCAT('trigger t', i), '{"name":"t1","group":"big"}', NULL, NULL FROM (${numbers}) numbers`;
}

/**
 * Statements that add `n` runs of the last 60 days. Job j0 has four of ten, j1 two, the others share the rest. One of 50 failed, one of 1,000
 * is a dead letter; of 100,000 each one has the rare text. The oldest 20 ran on a node that is gone; the newest 1,000 logged much.
 */
export function historyRows(n, now) {
  const step = Math.floor((HISTORY_DAYS * DAY) / n);
  const owner = 'CASE WHEN i % 10 < 4 THEN 0 WHEN i % 10 < 6 THEN 1 ELSE i % 10000 END';
  const time = `${now - step * n} + i * ${step}`;
  const failed = 'i % 50 = 0';
  const error = `CASE WHEN i % 100000 = 50000 THEN '${RARE_TEXT}: never seen before'
    WHEN ${failed} THEN CONCAT('ECONNRESET: the ${COMMON_TEXT} to 10.0.0.', i % 256, ' was closed while the report ', i, ' was on its way; see the log of the service') END`;
  const detail = `CASE WHEN i >= ${n - TALKATIVE} THEN '${LINES}' WHEN ${failed} THEN '{"stack":"${STACK}"}' END`;
  const outcome = `CASE WHEN ${failed} THEN 'failed' WHEN i % 997 = 0 THEN 'timedOut' WHEN i % 499 = 0 THEN 'skipped' ELSE 'succeeded' END`;
  const group = `CASE WHEN o % 5000 = 4999 THEN 'rare' WHEN o % 2 = 0 THEN 'big' WHEN o % 6 <> 5 THEN 'middle' ELSE CONCAT('small', o % 100) END`;
  return chunks(n).map(
    (numbers) => `INSERT INTO QRTZ_X_RUNS
        (SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME, OCCURRENCE_ID,
         SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER, ERROR_MESSAGE, DETAIL)
      SELECT '${SCHEDULER}', ${time}, CONCAT('run', i), CONCAT('t', o), ${group}, CONCAT('j', o), ${group}, 'noop',
        CASE WHEN i < 20 THEN '${FORGOTTEN_NODE}' ELSE CONCAT('n', i % ${NODES}) END, CONCAT('run', i),
        ${time} - 3000, ${time} - 2000 - i % 500, 1, ${outcome},
        CASE WHEN i % 1000 = 0 THEN '1' ELSE '0' END, ${error}, ${detail}
      FROM (SELECT i, ${owner} AS o FROM (${numbers}) numbers) owners`,
  );
}

/** So many of the newest runs have logged much. */
const TALKATIVE = 1_000;
const LINES = JSON.stringify({
  summary: '100 rows',
  lines: Array.from({ length: 100 }, (_, at) => ({
    at,
    level: 'info',
    message: 'a line of its log '.repeat(8),
    data: null,
  })),
});

const STACK = Array.from({ length: 8 }, (_, line) => `at step${line} (/srv/app/jobs/report.js:${line}0:17)`).join(
  '\\\\n',
);

/** Their names are `calendar 0` to `calendar 39`. */
export function calendarNames() {
  return Array.from({ length: CALENDARS }, (_, index) => `calendar ${index}`);
}

/** A statement that makes everything overdue that is expected. */
export function overdueRows(now) {
  return `UPDATE QRTZ_X_EXPECTATIONS SET SINCE_TIME = ${now - 2 * DAY}, DUE_TIME = ${now - DAY}, NOTIFIED = '1' WHERE SCHED_NAME = '${SCHEDULER}'`;
}
