import { cronSchedule, GroupMatcher, HolidayCalendar, newJob, newTrigger } from '../../../dist/index.mjs';

/*
 * Fills the memory store of the busy node by the public API. The names are those of `fillConsole`, with more triggers, because only the heap
 * limits their number.
 */

/** Jobs with very many triggers, all in group `big`; one of ten has a calendar. A job is deleted with all of its triggers in one turn. */
const BUSY = ['j0', 'j-2', 'j-4', 'j-6', 'j-8'];
const TRIGGERS_OF_ONE = 4_000;
/** Jobs `middle/j1` and so on, with a trigger each. */
const JOBS = 4_000;
const OVERDUE = 1_000;
const CALENDARS = 40;
/** Triggers with a reason why they are paused. */
const PAUSED = 400;
/** Number of recorded runs by job. Runs of j0 and j1 fail, and runs of j2 have logged 100 lines. */
const RUNS = [
  ['j0', 400],
  ['j1', 1_600],
  ['j3', 3_000],
  ['j2', 1_000],
];

/** Key of a name: even numbers, and therefore all triggers of j0, are in the group `big`. */
const inGroup = (name) => ({ name, group: Number.parseInt(name.slice(1), 10) % 2 === 0 ? 'big' : 'middle' });

export const FILLING_JOBS = {
  fails: async () => {
    throw new Error('ECONNRESET: the connection to 10.0.0.1 was closed while the report was written');
  },
  talks: async ({ log }) => {
    for (let line = 0; line < 100; line++) log.info('a line of its log '.repeat(8));
  },
};
/** A retry that is always too late, so that each failure is a dead letter. */
const NOT_IN_TIME = { max: 1, delay: '1d', maxAge: '1s' };
const TYPES = { j0: 'fails', j1: 'fails', j2: 'talks' };

export async function fillMemory(scheduler) {
  for (let at = 0; at < CALENDARS; at++) await scheduler.addCalendar(`calendar ${at}`, new HolidayCalendar());
  await scheduler.pauseTriggers(GroupMatcher.groupEquals('watched'));
  await scheduler.scheduleJobs(new Map(numbered(OVERDUE, overdue)));
  for (const name of BUSY) {
    const first = name.replace('j', 't');
    const triggers = numbered(TRIGGERS_OF_ONE, (at) => trigger(at === 0 ? first : `${first}-${at}`, name, at));
    await scheduler.scheduleJobs(new Map([[job(name), triggers]]));
  }
  await scheduler.scheduleJobs(
    new Map(numbered(JOBS, (at) => [job(`j${at + 1}`), [trigger(`t${at + 1}`, `j${at + 1}`, at)]])),
  );
  for (let at = 0; at < PAUSED; at++) await scheduler.pauseTrigger(inGroup(`t${JOBS - at}`), { reason: 'maintenance' });
  await record(scheduler);
}

const numbered = (count, make) => Array.from({ length: count }, (_, at) => make(at));

/** A job that is overdue, because its trigger is in a paused group. */
function overdue(at) {
  const key = { name: `daily${at}`, group: 'watched' };
  const watched = newJob('noop').withIdentity(key).withMustSucceedWithin(1).build();
  return [watched, [newTrigger().withIdentity(key).build()]];
}

function job(name) {
  return newJob(TYPES[name] ?? 'noop')
    .withIdentity(inGroup(name))
    .storeDurably()
    .withHistory('all')
    .withRetry(NOT_IN_TIME)
    .build();
}

/** A weekly trigger; triggers are distributed over the next days. */
function trigger(name, of, at) {
  const built = newTrigger()
    .withIdentity(inGroup(name))
    .forJob(inGroup(of))
    .withSchedule(cronSchedule(`0 ${at % 60} ${at % 24} ? * ${((new Date().getDay() + 1 + (at % 5)) % 7) + 1}`));
  return (at % 10 === 0 ? built.modifiedByCalendar('calendar 0') : built).build();
}

/** Resolves when all runs have ended. */
async function record(scheduler) {
  const total = RUNS.reduce((sum, [, count]) => sum + count, 0);
  let ended = 0;
  const allEnded = new Promise((resolve) => {
    const end = scheduler.subscribe(() => {
      if (++ended < total) return;
      end();
      resolve();
    }, ['triggerCompleted']);
  });
  await scheduler.start();
  for (const [name, count] of RUNS)
    for (let fired = 0; fired < count; fired++) await scheduler.triggerJob(inGroup(name));
  await allEnded;
}
