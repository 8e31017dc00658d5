import { HolidayCalendar, newJob, newTrigger } from '../../dist/index.mjs';
import { calendarNames, historyRows, overdueRows, scheduleRows } from './console-rows.mjs';
import { progress } from './contest.mjs';
import { SCHEDULER } from './our-scheduler.mjs';
import { DAY } from './tables.mjs';

/** Fills the tables with `n` triggers, `runs` runs and `overdue` jobs that must have succeeded, as of `now`. */
export async function fillConsole({ tables, scheduler, chosen, now }) {
  const statements = [...scheduleRows(chosen.n, now), ...historyRows(chosen.runs, now)];
  const bar = progress(statements.length + 2, 'loading');
  for (const name of calendarNames()) await scheduler.addCalendar(name, new HolidayCalendar());
  await expecting(scheduler, chosen.overdue, now);
  await tables.load([overdueRows(now)]);
  for (const statement of statements) {
    await tables.load([statement]);
    bar.step();
  }
  await tables.query('ANALYZE TABLE QRTZ_X_RUNS, QRTZ_X_ACTIONS, QRTZ_X_PAUSES').catch(() => []);
  await tables.settle();
  bar.end();
}

/** Each with a trigger, in a month. */
async function expecting(scheduler, count, now) {
  const pairs = Array.from({ length: count }, (_, index) => {
    const job = newJob('noop').withIdentity(`daily${index}`, 'watched').withMustSucceedWithin('P1D').build();
    const trigger = newTrigger()
      .withIdentity(`daily${index}`, 'watched')
      .startAt(new Date(now + 30 * DAY))
      .build();
    return [job, [trigger]];
  });
  for (let from = 0; from < pairs.length; from += 1_000)
    await scheduler.scheduleJobs(new Map(pairs.slice(from, from + 1_000)), { replace: false });
}

/** A cursor to the middle of each list, and runs to be shown. */
export async function placesIn(tables, { n, runs }) {
  const middle = (columns, from, order, count) =>
    tables.query(
      `SELECT ${columns} FROM ${from} WHERE SCHED_NAME = '${SCHEDULER}' ORDER BY ${order} LIMIT 100 OFFSET ${Math.floor(count / 2)}`,
    );
  const [job] = await middle('JOB_NAME AS n, JOB_GROUP AS g', 'QRTZ_JOB_DETAILS', 'JOB_NAME, JOB_GROUP', n);
  const [trigger] = await middle(
    'TRIGGER_NAME AS n, TRIGGER_GROUP AS g',
    'QRTZ_TRIGGERS',
    'TRIGGER_NAME, TRIGGER_GROUP',
    n,
  );
  const [timed] = await middle(
    'TRIGGER_NAME AS n, TRIGGER_GROUP AS g, NEXT_FIRE_TIME AS t, PRIORITY AS p',
    'QRTZ_TRIGGERS',
    'NEXT_FIRE_TIME',
    n,
  );
  const recorded = await middle('ENDED_TIME AS t, RUN_ID AS id', 'QRTZ_X_RUNS', 'ENDED_TIME DESC', runs);
  const [action] = await middle('ACTION_TIME AS t, ACTION_ID AS id', 'QRTZ_X_ACTIONS', 'ACTION_TIME DESC', n);
  const [{ t, id }] = recorded;
  return {
    job: JSON.stringify([job.n, job.g]),
    trigger: JSON.stringify([trigger.n, trigger.g]),
    triggerTime: JSON.stringify([timed.n, timed.g, Number(timed.t), timed.p, false, false]),
    run: `${Number(t).toString(36)}-${id}`, // a place in the list
    runIds: recorded.map(({ id }) => id),
    action: JSON.stringify([Number(action.t), action.id]),
  };
}
