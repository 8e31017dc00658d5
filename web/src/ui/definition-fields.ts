import type { JobPolicyField, PolicyField } from '../../../src/domain/execution-policy';
import type { JobFields } from '../../../src/plugins/schedule-file/schedule-file-schema';
import type { FieldSpec } from './draft';

/*
 * The forms of jobs and triggers: the words of a schedule file, with what they mean. What a value may be the server says, beside the field.
 */

const UNITS = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'];

type Unnamed = Omit<FieldSpec, 'name'>;

const named = (fields: Readonly<Record<string, Unnamed>>): readonly FieldSpec[] =>
  Object.entries(fields).map(([name, field]) => ({ name, ...field }));

/** Held against the policy of a job by the compiler: a field that is missing here could be neither seen nor set. */
const POLICY: Readonly<Record<JobPolicyField, Unnamed>> = {
  retry: { kind: 'form', hint: 'R5/PT5M: five times, five minutes apart; false: never.' },
  timeout: { kind: 'form', hint: 'How long a run may take, such as PT10M.' },
  overlap: { kind: 'form', hint: 'While an earlier run goes on: allow, skip, queueOne or cancelRunning.' },
  concurrency: { kind: 'form', hint: 'How many run at once: 3, or {"key": "mail", "limit": 3}.' },
  rate: { kind: 'form', hint: 'How many may begin within a time: {"key": "mail", "limit": 100, "per": "PT1M"}.' },
  history: { kind: 'choice', choices: ['all', 'failures', 'none'], hint: 'Which runs are recorded.' },
  startWithin: { kind: 'text', hint: 'How late a run may begin, such as PT5M.' },
  mustSucceedWithin: { kind: 'text', hint: 'How long it may go without a success, such as P1D.' },
  runsOn: { kind: 'form', hint: 'A label of the nodes that may run it, or ["gpu", "eu"].' },
  prefers: { kind: 'form', hint: 'Preferred node label.' },
  spread: { kind: 'form', hint: 'broadcast, or {"shards": 4}: in parts, on many nodes.' },
};

/** What only triggers have. */
const POLICY_OF_TRIGGERS: Readonly<Record<Exclude<PolicyField, JobPolicyField>, Unnamed>> = {
  catchUp: {
    kind: 'form',
    hint: '{"max": 10, "window": "P1D", "pace": "PT1M"}: missed times that are made up for.',
  },
  jitter: { kind: 'text', hint: 'By how much each run begins later at the most, such as PT1M.' },
};

export const POLICY_FIELDS: readonly FieldSpec[] = named(POLICY);

const DATA: FieldSpec = { name: 'data', kind: 'data', hint: 'JSON. *** in the place of a secret keeps it.' };

const JOB: Readonly<
  Record<Exclude<keyof JobFields, 'name' | 'group' | 'triggers' | 'data' | JobPolicyField>, Unnamed>
> = {
  type: { kind: 'text', hint: 'The registered job type. Empty: the name of the job.' },
  description: { kind: 'text', hint: 'Shown in lists.' },
  durable: { kind: 'flag', hint: 'Keep the job when its last trigger is deleted.' },
  disallowConcurrentExecution: { kind: 'flag', hint: 'Runs once at a time.' },
  requestsRecovery: { kind: 'flag', hint: 'Is run again when its node dies.' },
  persistJobDataAfterExecution: { kind: 'flag', hint: 'Keeps what its runs return as its data.' },
  registeredLater: { kind: 'flag', hint: 'Save it even if no node has the job type yet.' },
};

export const JOB_FIELDS: readonly FieldSpec[] = [...named(JOB), DATA];

/** The seven kinds of schedules, each with its fields. */
export const SCHEDULES = {
  cron: [
    {
      name: 'cron',
      kind: 'text',
      isRequired: true,
      hint: 'Such as 0 30 8 ? * MON-FRI: at 08:30 from Monday to Friday.',
    },
    { name: 'dialect', kind: 'choice', choices: ['quartz', 'unix'], hint: 'Empty: quartz, with seconds in front.' },
  ],
  every: [
    {
      name: 'every',
      kind: 'form',
      isRequired: true,
      hint: 'A duration such as 5m, 1d or PT5M, or milliseconds.',
    },
  ],
  at: [
    { name: 'at', kind: 'text', isRequired: true, hint: 'Once, such as 2027-01-31T08:00, on the clock of the zone.' },
  ],
  simple: [
    { name: 'simple.interval', kind: 'form', hint: 'Milliseconds, or such as PT30S. Empty: it fires once.' },
    { name: 'simple.repeatCount', kind: 'number', hint: 'How often after the first time. Empty: no limit.' },
  ],
  calendarInterval: [
    { name: 'calendarInterval.interval', kind: 'number', isRequired: true, hint: 'Every so many of the unit.' },
    { name: 'calendarInterval.unit', kind: 'choice', isRequired: true, choices: UNITS, hint: 'By the calendar.' },
    {
      name: 'calendarInterval.preserveHourOfDayAcrossDaylightSavings',
      kind: 'flag',
      hint: 'Keeps the hour of the day when the clock changes.',
    },
    {
      name: 'calendarInterval.skipDayIfHourDoesNotExist',
      kind: 'flag',
      hint: 'Skips the day on which that hour does not exist.',
    },
  ],
  dailyTimeInterval: [
    { name: 'dailyTimeInterval.interval', kind: 'number', isRequired: true, hint: 'Every so many of the unit.' },
    {
      name: 'dailyTimeInterval.unit',
      kind: 'choice',
      isRequired: true,
      choices: UNITS.slice(0, 3),
      hint: 'Within the hours of a day.',
    },
    { name: 'dailyTimeInterval.startTimeOfDay', kind: 'text', hint: 'Such as 08:00. Empty: midnight.' },
    { name: 'dailyTimeInterval.endTimeOfDay', kind: 'text', hint: 'Such as 17:30. Empty: the end of the day.' },
    { name: 'dailyTimeInterval.daysOfWeek', kind: 'list', hint: 'MON, TUE, WED … Empty: all of them.' },
    { name: 'dailyTimeInterval.repeatCount', kind: 'number', hint: 'How often after the first time. Empty: no limit.' },
  ],
  after: [
    {
      name: 'after',
      kind: 'form',
      isRequired: true,
      hint: 'A job in the group DEFAULT, or [{"group": "g", "name": "n"}, …].',
    },
    {
      name: 'on',
      kind: 'choice',
      choices: ['success', 'failure', 'end'],
      hint: 'Which end it waits for. Empty: success.',
    },
  ],
} as const satisfies Readonly<Record<string, readonly FieldSpec[]>>;

export type Kind = keyof typeof SCHEDULES;
export const KINDS = Object.keys(SCHEDULES) as readonly Kind[];

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  cron: 'By a cron expression',
  every: 'At an interval',
  at: 'Once',
  simple: 'A number of times',
  calendarInterval: 'By the calendar',
  dailyTimeInterval: 'Within hours of days',
  after: 'After other jobs',
};

/** When it begins and ends, and what is passed over. */
export const TIME_FIELDS: readonly FieldSpec[] = [
  { name: 'timeZone', kind: 'text', hint: "IANA name such as Europe/Berlin. Empty: the scheduler's." },
  { name: 'calendar', kind: 'text', hint: 'Name of the calendar whose excluded times are passed over.' },
  { name: 'startAt', kind: 'text', hint: 'From when on, such as 2027-01-31T08:00.' },
  { name: 'endAt', kind: 'text', hint: 'Until when.' },
];

/** Fields that count for a kind: `at` is its own start, and a chain fires by no time. */
export function timeFieldsOf(kind: Kind): readonly FieldSpec[] {
  if (kind === 'after') return [];
  return kind === 'at' ? TIME_FIELDS.filter(({ name }) => name !== 'startAt') : TIME_FIELDS;
}

export const TRIGGER_FIELDS: readonly FieldSpec[] = [
  { name: 'description', kind: 'text', hint: 'Shown in lists.' },
  { name: 'priority', kind: 'number', hint: 'The higher of two that are due at once fires first. Empty: 5.' },
  { name: 'misfire', kind: 'text', hint: 'What is missed: fire (once, now), skip, or all.' },
  DATA,
];

export const TRIGGER_POLICY_FIELDS: readonly FieldSpec[] = [...POLICY_FIELDS, ...named(POLICY_OF_TRIGGERS)];
