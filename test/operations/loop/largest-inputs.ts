import type { InputOf, OperationName } from '../../../src/operations/operations';
import { IS_LONG } from '../../support/long-forms';

/*
 * The largest inputs of each operation, also those that are refused only after they were read completely. An operation without an entry does not
 * compile. Other large inputs (unknown keys, a field of a megabyte) are generated from the table of operations.
 */

type Inputs<Name extends OperationName> = readonly [InputOf<Name>, ...InputOf<Name>[]];

/** Job data of the largest size that is stored: 60 KiB in many keys. */
const DATA = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`key ${index}`, index]));

const TEXT = 'x'.repeat(200);
/** Placeholder for a value from the node: see `CHOSEN_BY_NODE`. */
const CHOSEN = 'chosen';
const job = { name: 'j1', group: 'middle' } as const;
const trigger = { name: 't1', group: 'middle' } as const;
const REASON = 'r'.repeat(1_000);
const YEAR = { from: '2025-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' } as const;
const TWO_DAYS = { ...YEAR, to: '2025-01-03T00:00:00.000Z' } as const;
function iso(time: number): string {
  return new Date(time).toISOString();
}

/** The longest range that a timeline shows. */
const WEEK = ((now) => ({ from: iso(now), to: iso(now + 7 * 86_400_000) }))(Date.now());
const DATES = Array.from({ length: 4_500 }, (_, index) =>
  new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString().slice(0, 10),
);

/** Maximum number of base calendars. */
const MAX_BASES = 15;

/** Nested cron calendars, each of which excludes another second. */
function deepCalendar(depth: number): Record<string, unknown> {
  const own = { type: 'cron', cronExpression: `${depth % 59} * * * * ?` };
  return depth === 0 ? own : { ...own, base: deepCalendar(depth - 1) };
}

const CALENDARS = {
  'every second': { type: 'cron', cronExpression: '* * * * * ?' },
  'nearly every second': { type: 'cron', cronExpression: '* * * * * ? 1970-2098' },
  'one second a day': { type: 'daily', from: '00:00', to: '23:59:58' },
  'all days': { type: 'weekly', excludedDays: [1, 2, 3, 4, 5, 6, 7] },
  deep: deepCalendar(MAX_BASES),
} as const;
const ONE_A_SECOND = { cron: '* * * * * ?', count: 1_000 } as const;

/** A schedule file with `count` entries; the default is the maximum. */
function file(entry: (index: number) => string, count = 4_000): { readonly text: string } {
  return { text: `jobs:\n${Array.from({ length: count }, (_, index) => `  - ${entry(index)}\n`).join('')}` };
}

const CHAINS = file((index) => `{name: f${index}, type: noop, triggers: [{after: f${index + 1}}]}`, 1_999);
const CRONS = file((index) => `{name: f${index}, type: noop, triggers: [{cron: "0 0 0 29 2 ? *"}]}`, 1_999);
/** Refused files. A thread parses them, at several seconds per megabyte; in the loop, even those of the short form would take 0.2 s. */
const ONE_JOB = file(() => '{name: j, triggers: [{simple: {interval: 1s}}]}', IS_LONG ? 18_000 : 2_000);
const BROKEN = { text: `x: [${'1,'.repeat(IS_LONG ? 500_000 : 40_000)}` };

/** A search without a match, which reads every row. */
const UNMATCHED = { limit: 1_000, search: TEXT } as const;
/** A date that does not exist in its year. */
const NO_DAY = { cron: '0 0 0 29 2 ? 2099', count: 1_000 } as const;
const NEVER = { ...ONE_A_SECOND, calendar: 'every second' } as const;
const ALL_DAYS = { ...ONE_A_SECOND, calendar: 'all days' } as const;

/** Inputs that need the most work although they are refused or return nothing. */
export const FINDING_NOTHING: ReadonlySet<unknown> = new Set([UNMATCHED, NO_DAY, NEVER, ALL_DAYS, ONE_JOB, BROKEN]);

export const LARGEST: { readonly [Name in OperationName]: Inputs<Name> } = {
  'jobs.list': [{ limit: 1_000 }, { limit: 1_000, search: 'j' }, UNMATCHED],
  'jobs.show': [{ name: 'j0', group: 'big' }, job],
  'jobs.add': [
    { name: 'added', type: 'noop', durable: true, data: DATA },
    {
      name: 'added with triggers',
      type: 'noop',
      triggers: Array.from({ length: 200 }, (_, index) => ({ name: `added ${index}`, cron: '0 0 0 29 2 ? *' })),
    },
  ],
  'jobs.edit': [{ ...job, type: 'noop', data: DATA, description: TEXT }],
  'jobs.remove': [{ name: 'j0', group: 'big' }],
  'jobs.fire': [{ ...job, data: DATA }],
  'jobs.pause': [{ name: 'j0', group: 'big', reason: REASON }],
  'jobs.resume': [{ name: 'j0', group: 'big' }],
  'jobs.interrupt': [{ name: 'stays', group: 'held' }],
  'triggers.list': [{ limit: 1_000, sort: 'key' }, { limit: 1_000, sort: 'nextFireTime' }, UNMATCHED],
  'triggers.show': [{ ...trigger, count: 100 }],
  'triggers.explain': [trigger, { name: 't0', group: 'big' }],
  'triggers.add': [{ name: 'added', job, cron: '0 0 0 29 2 ? 2096', data: DATA }],
  'triggers.edit': [{ ...trigger, job, cron: '0 0 0 29 2 ? *', data: DATA }],
  'triggers.remove': [{ name: 't3', group: 'middle' }],
  'triggers.pause': [{ ...trigger, reason: REASON }],
  'triggers.resume': [trigger],
  'triggers.reset': [trigger],
  'triggers.pauseMany': [{ all: true, dryRun: false, reason: REASON }],
  'triggers.resumeMany': [{ all: true, dryRun: false }],
  'triggers.removeMany': [{ group: 'big', dryRun: false }],
  'jobs.removeMany': [{ group: 'middle', dryRun: false }],
  'calendars.list': [{ limit: 1_000 }],
  'calendars.show': [{ name: 'calendar 0' }],
  'calendars.add': [
    { name: 'many dates', type: 'holiday', excludedDates: DATES },
    ...Object.entries(CALENDARS).map(([name, calendar]) => ({ name, ...calendar }) as InputOf<'calendars.add'>),
  ],
  'calendars.edit': [
    {
      name: 'calendar 0',
      type: 'cron',
      cronExpression: '* * 6-19 * * ?',
      timeZone: 'America/Santiago',
      allowEnding: true,
    },
  ],
  'calendars.remove': [{ name: 'calendar 39' }],
  'calendars.year': [
    { name: 'many dates', year: 2027 },
    ...Object.keys(CALENDARS).map((name) => ({ name, year: 2027 })),
  ],
  'cron.preview': [
    { cron: '* * * * * ?', count: 1_000, timeZone: 'America/Santiago' },
    NO_DAY,
    { ...ONE_A_SECOND, calendar: 'many dates' },
    NEVER,
    { ...ONE_A_SECOND, calendar: 'nearly every second' },
    { ...ONE_A_SECOND, calendar: 'one second a day' },
    ALL_DAYS,
    { ...ONE_A_SECOND, calendar: 'deep' },
    { simple: { interval: 1 }, startAt: '1900-01-01', count: 1_000 },
    { calendarInterval: { interval: 1, unit: 'SECOND' }, startAt: '1900-01-01', count: 1_000 },
    {
      dailyTimeInterval: { interval: 1, unit: 'SECOND', startTimeOfDay: '23:59:59', endTimeOfDay: '23:59:59' },
      count: 1_000,
    },
  ],
  'schedule.plan': IS_LONG ? [CHAINS, CRONS, ONE_JOB, BROKEN] : [CHAINS, ONE_JOB, BROKEN],
  'schedule.apply': [CRONS],
  'overrides.list': [{ limit: 1_000 }],
  'overrides.drop': [{ what: 'job', name: 'often', group: 'declared' }],
  'nodes.list': [{}],
  'nodes.drain': [{ instanceId: 'busy' }],
  'nodes.undrain': [{ instanceId: 'busy' }],
  'runs.list': [{ limit: 1_000 }, { limit: 1_000, outcome: ['failed'] }, UNMATCHED],
  'runs.show': [{ runId: CHOSEN }],
  'runs.rerun': [{ runId: CHOSEN }],
  'deadLetters.list': [{ limit: 1_000 }],
  'deadLetters.rerun': [{ runIds: [CHOSEN] }],
  'deadLetters.discard': [{ all: true, job: 'big/j0' }],
  'deadLetters.setRetries': [{ all: true, job: 'middle/j1', max: 1_000 }],
  'firings.list': [{ limit: 1_000 }],
  'firings.interrupt': [{ runId: CHOSEN }],
  'occurrences.list': [{ limit: 1_000 }],
  'overdue.list': [{ limit: 1_000 }],
  'backfills.list': [{ limit: 1_000 }],
  'backfills.add': [{ name: 'minutes', group: 'held', ...(IS_LONG ? YEAR : TWO_DAYS), max: 10_000, spacing: 'PT24H' }],
  'backfills.drop': [{ group: CHOSEN }],
  'scheduler.show': [{}],
  'rules.show': [{}],
  'rules.set': [{ rules: 'safe' }],
  'overview.show': [{}],
  'doctor.check': [{}],
  'doctor.facts': [{}],
  'doctor.repair': [{ findings: ['triggersInError', 'stuckTriggers', 'missingIndexes', 'largeLog'] }],
  'timeline.show': [{ ...WEEK, lanes: 200 }],
  'scheduler.pauseAll': [{ reason: REASON }],
  'scheduler.resumeAll': [{}],
  'pauses.list': [{ limit: 1_000 }],
  'groups.list': [{ limit: 1_000 }],
  'groups.pause': [{ name: 'big', of: 'triggers', reason: REASON }],
  'groups.resume': [{ name: 'big', of: 'triggers' }],
  'actions.list': [{ limit: 1_000 }],
};
