import type { InputOf, OperationName } from '../../../src/operations/operations';

/*
 * The largest inputs that each operation takes, or refuses only after it has looked at all of them. An operation without an entry does not
 * compile; what every operation may be sent besides (unknown keys, a field of a megabyte) is made from the table.
 */

type Inputs<Name extends OperationName> = readonly [InputOf<Name>, ...InputOf<Name>[]];

/** Job data of the largest size that is stored: 60 KiB in many keys. */
const DATA = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`key ${index}`, index]));

const TEXT = 'x'.repeat(200);
/** As long as an id of a run may be, with a number before it. */
const RUN_ID = 'x'.repeat(90);
const job = { name: 'j1', group: 'middle' } as const;
const trigger = { name: 't1', group: 'middle' } as const;
const REASON = 'r'.repeat(1_000);
const PAST = { from: '2020-01-01T00:00:00.000Z', to: '2035-01-01T00:00:00.000Z' } as const;
const DATES = Array.from({ length: 4_500 }, (_, index) =>
  new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString().slice(0, 10),
);

/** As many as a calendar may build upon. */
const MAX_BASES = 15;

/** Cron calendars one upon the other: each excludes another second. */
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

/** A schedule file with as many entries as are taken. */
function file(entry: (index: number) => string, count = 4_000): { readonly text: string } {
  return { text: `jobs:\n${Array.from({ length: count }, (_, index) => `  - ${entry(index)}\n`).join('')}` };
}

const CHAINS = file((index) => `{name: f${index}, type: noop, triggers: [{after: f${index + 1}}]}`, 1_999);
const CRONS = file((index) => `{name: f${index}, type: noop, triggers: [{cron: "0 0 0 29 2 ? *"}]}`, 1_999);
const ONE_JOB = file(() => '{name: j, triggers: [{simple: {interval: 1s}}]}', 20_000);
const BROKEN = { text: `x: [${'1,'.repeat(500_000)}` };

export const LARGEST: { readonly [Name in OperationName]: Inputs<Name> } = {
  'jobs.list': [{ limit: 1_000 }, { limit: 1_000, search: 'j' }, { limit: 1_000, search: TEXT }],
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
  'jobs.interrupt': [{ name: 'j0', group: 'big' }],
  'triggers.list': [
    { limit: 1_000, sort: 'key' },
    { limit: 1_000, sort: 'nextFireTime' },
    { limit: 1_000, search: TEXT, sort: 'nextFireTime' },
  ],
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
    { name: 'calendar 0', type: 'cron', cronExpression: '0-58 * * * * ?', timeZone: 'America/Santiago' },
  ],
  'calendars.remove': [{ name: 'calendar 39' }],
  'calendars.year': [
    { name: 'many dates', year: 2027 },
    ...Object.keys(CALENDARS).map((name) => ({ name, year: 2027 })),
  ],
  'cron.preview': [
    { cron: '* * * * * ?', count: 1_000, timeZone: 'America/Santiago' },
    { cron: '0 0 0 29 2 ? 2099', count: 1_000 },
    { ...ONE_A_SECOND, calendar: 'many dates' },
    ...Object.keys(CALENDARS).map((calendar) => ({ ...ONE_A_SECOND, calendar })),
    { simple: { interval: 1 }, startAt: '0001-01-01', count: 1_000 },
    { calendarInterval: { interval: 1, unit: 'SECOND' }, startAt: '0001-01-01', count: 1_000 },
    {
      dailyTimeInterval: { interval: 1, unit: 'SECOND', startTimeOfDay: '23:59:59', endTimeOfDay: '23:59:59' },
      count: 1_000,
    },
  ],
  'schedule.plan': [CHAINS, CRONS, ONE_JOB, BROKEN],
  'schedule.apply': [CRONS],
  'overrides.list': [{ limit: 1_000 }],
  'overrides.drop': [{ what: 'job', name: 'nothing' }],
  'nodes.list': [{}],
  'nodes.drain': [{ instanceId: 'n1' }],
  'nodes.undrain': [{ instanceId: 'n1' }],
  'runs.list': [{ limit: 1_000 }, { limit: 1_000, outcome: ['failed'] }, { limit: 1_000, search: TEXT }],
  'runs.show': [{ runId: 'newest' }],
  'runs.rerun': [{ runId: RUN_ID }],
  'deadLetters.list': [{ limit: 1_000 }],
  'deadLetters.rerun': [{ runIds: Array.from({ length: 1_000 }, (_, index) => `${index}-${RUN_ID}`) }],
  'deadLetters.discard': [{ all: true }],
  'deadLetters.setRetries': [{ all: true, max: 1_000 }],
  'firings.list': [{ limit: 1_000 }],
  'firings.interrupt': [{ runId: 'run1' }],
  'occurrences.list': [{ limit: 1_000 }],
  'overdue.list': [{ limit: 1_000 }],
  'backfills.list': [{ limit: 1_000 }],
  'backfills.add': [{ ...trigger, ...PAST, max: 10_000 }],
  'backfills.drop': [{ group: 'BACKFILL_1' }],
  'scheduler.show': [{}],
  'overview.show': [{}],
  'doctor.check': [{}],
  'doctor.facts': [{}],
  'doctor.repair': [{ findings: ['triggersInError', 'stuckTriggers', 'missingIndexes', 'largeLog'] }],
  'timeline.show': [
    { ...PAST, lanes: 200 },
    { from: '2026-11-24T00:00:00.000Z', to: '2026-11-27T00:00:00.000Z', lanes: 200 },
  ],
  'scheduler.pauseAll': [{ reason: REASON }],
  'scheduler.resumeAll': [{}],
  'pauses.list': [{ limit: 1_000 }],
  'groups.list': [{ limit: 1_000 }],
  'groups.pause': [{ name: 'big', of: 'triggers', reason: REASON }],
  'groups.resume': [{ name: 'big', of: 'triggers' }],
  'actions.list': [{ limit: 1_000 }],
};
