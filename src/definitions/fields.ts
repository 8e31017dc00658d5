import type { JobPolicyField, PolicyField } from '../domain/execution-policy';

/*
 * The fields of jobs and triggers, each with one sentence. Command options, OpenAPI, the forms of the page and the reference are made from
 * these tables. Names are those of a schedule file. No imports at run time: the page's bundle contains this file.
 */

/** Shape of a value: `form` is a text or JSON in one of several shapes, `interval` a number or a text, `map` an object with named fields. */
export type FieldKind = 'text' | 'form' | 'interval' | 'flag' | 'number' | 'choice' | 'list' | 'data' | 'map';

export interface FieldSpec {
  readonly kind: FieldKind;
  /** Code words stand in backticks. */
  readonly sentence: string;
  readonly example?: string;
  /** Value of an absent field, in the reference; of a policy field: of a job. Absent: none. */
  readonly default?: string;
  /** A place in the documents that tells more, relative to the reference. */
  readonly see?: string;
  readonly choices?: readonly string[];
  /** Maximum number of characters of a text. */
  readonly max?: number;
  readonly isRequired?: true;
  /** Fields of a `map`. */
  readonly fields?: Readonly<Record<string, FieldSpec>>;
}

type Specs<Name extends string = string> = Readonly<Record<Name, FieldSpec>>;

/** Policy of a job, or of what one trigger fires. */
export const JOB_POLICY_SPECS = {
  retry: {
    kind: 'form',
    sentence:
      'Retries of a failed run: `R5/PT5M`, a list of delays, `{ max, delay, factor, jitter, maxAge }`, or `false` for none.',
    default: "the scheduler's",
    see: '#retries-and-history',
  },
  timeout: {
    kind: 'form',
    sentence: 'Maximum duration of a run: a duration such as `PT10M`, or `{ after, grace, deadline }`.',
    see: '../guides/limits.md#time',
  },
  overlap: {
    kind: 'form',
    sentence: 'Firings during an earlier run: `allow`, `skip`, `queueOne`, `cancelRunning` or `{ queueAll: n }`.',
    default: '`allow`',
    see: '../guides/limits.md#overlap',
  },
  concurrency: {
    kind: 'form',
    sentence:
      'Maximum number of concurrent runs in the cluster: a number, or `{ key, limit }` for all jobs with that key.',
    example: '{"key": "mail", "limit": 3}',
    see: '../guides/limits.md',
  },
  rate: {
    kind: 'form',
    sentence: 'Maximum number of starts within a time in the cluster: `{ key, limit, per, burst }`.',
    example: '{"key": "mail", "limit": 100, "per": "PT1M"}',
    see: '../guides/limits.md#rates',
  },
  history: {
    kind: 'choice',
    choices: ['all', 'failures', 'none'],
    sentence: 'Runs to record: `all`, `failures` or `none`.',
    default: "the scheduler's",
    see: '#retries-and-history',
  },
  startWithin: {
    kind: 'text',
    max: 40,
    sentence: 'Maximum lateness; later runs are skipped.',
    example: 'PT5M',
    default: 'no limit',
    see: '#too-late',
  },
  mustSucceedWithin: {
    kind: 'text',
    max: 40,
    sentence: 'Maximum time without a successful run; then the job or the trigger is reported as overdue.',
    example: 'P1D',
    see: '../guides/alerts.md#what-must-succeed',
  },
  runsOn: {
    kind: 'form',
    sentence: 'Labels that a node must have: one, or a list; `[]` for any node.',
    example: '["gpu", "eu"]',
    default: 'any node',
    see: '../guides/where-jobs-run.md',
  },
  prefers: {
    kind: 'form',
    sentence:
      'Preferred node labels: one, a list, or `{ labels, patience }`. Other nodes run it when it is later than the patience (5 s).',
    see: '../guides/where-jobs-run.md',
  },
  spread: {
    kind: 'form',
    sentence: 'Parts of each occurrence: `{ shards, params }`, or `broadcast` for one part on each node.',
    example: '{"shards": 4}',
    see: '../guides/shards-and-broadcasts.md',
  },
} as const satisfies Specs<JobPolicyField>;

/** Policy fields that only triggers have. */
const ONLY_TRIGGER_POLICY_SPECS = {
  catchUp: {
    kind: 'form',
    sentence: 'Missed fire times to run, in place of `misfire`: `{ max, window, pace }`.',
    example: '{"max": 10, "window": "P1D", "pace": "PT1M"}',
    see: '../guides/triggers-and-misfires.md#catching-up',
  },
  jitter: {
    kind: 'text',
    max: 40,
    sentence: 'Maximum random delay of each run after its scheduled time.',
    example: 'PT1M',
    see: '../guides/limits.md#jitter',
  },
} as const satisfies Specs<Exclude<PolicyField, JobPolicyField>>;

function withDefault<T extends Specs>(specs: T, absent: string): T {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, { ...spec, default: absent }]),
  ) as unknown as T;
}

/** Policy of what one trigger fires. */
export const TRIGGER_POLICY_SPECS = {
  ...withDefault(JOB_POLICY_SPECS, "the job's"),
  ...ONLY_TRIGGER_POLICY_SPECS,
};

const DESCRIPTION = { kind: 'text', max: 250, sentence: 'Description, shown in lists.' } as const;
const DATA = {
  kind: 'data',
  sentence: 'Job data as JSON, up to 60 KiB. A value of `***` keeps the stored secret.',
  default: '`{}`',
} as const;

/** A job without its key, its policy and its triggers. */
export const JOB_SPECS = {
  type: { kind: 'text', max: 250, sentence: 'Registered job type.', default: 'the name of the job' },
  description: DESCRIPTION,
  durable: {
    kind: 'flag',
    sentence: 'Keep the job when its last trigger is deleted. A job without triggers must be durable.',
  },
  disallowConcurrentExecution: { kind: 'flag', sentence: 'Never run two executions of this job at the same time.' },
  requestsRecovery: { kind: 'flag', sentence: 'Run again on another node if the node dies during a run.' },
  persistJobDataAfterExecution: { kind: 'flag', sentence: 'Store what a run returns as the job data.' },
  registeredLater: {
    kind: 'flag',
    sentence: 'Accept a job type that no node has registered yet. Not stored: it applies to this change only.',
  },
  data: DATA,
} as const satisfies Specs;

const COUNT = 'Number of times after the first.';
const UNITS = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;

/** The seven kinds of schedules, each with its fields. `every` and `at` are short for others, and are stored as these. */
export const SCHEDULE_SPECS = {
  cron: {
    cron: {
      kind: 'text',
      max: 1_000,
      isRequired: true,
      sentence: 'Cron expression.',
      example: '0 30 8 ? * MON-FRI',
    },
    dialect: {
      kind: 'choice',
      choices: ['quartz', 'unix'],
      sentence: 'Dialect of `cron`: `quartz`, with seconds first, or `unix`, as in a crontab.',
      default: '`quartz`',
      see: '../guides/cron.md#five-fields',
    },
  },
  every: {
    every: {
      kind: 'interval',
      isRequired: true,
      sentence:
        'Interval: milliseconds, or a duration. Hours, minutes and seconds count on the clock, days and longer units on the calendar.',
      example: '5m',
    },
  },
  at: {
    at: {
      kind: 'text',
      max: 40,
      isRequired: true,
      sentence: 'Single fire time, on the clock of the time zone. Excludes `startAt`.',
      example: '2027-01-31T08:00',
    },
  },
  simple: {
    simple: {
      kind: 'map',
      sentence: 'Number of times at an interval: `{ interval, repeatCount }`.',
      fields: {
        interval: {
          kind: 'form',
          sentence: 'Interval: milliseconds, or a duration.',
          example: 'PT30S',
          default: 'the trigger fires once',
        },
        repeatCount: { kind: 'number', sentence: COUNT },
      },
    },
  },
  calendarInterval: {
    calendarInterval: {
      kind: 'map',
      sentence: 'Interval of the calendar: `{ interval, unit }`.',
      fields: {
        interval: { kind: 'number', isRequired: true, sentence: 'Number of units between fire times.' },
        unit: { kind: 'choice', isRequired: true, choices: UNITS, sentence: 'Unit of the interval.' },
        preserveHourOfDayAcrossDaylightSavings: {
          kind: 'flag',
          sentence: 'Keep the hour of the day when daylight saving time begins or ends.',
        },
        skipDayIfHourDoesNotExist: { kind: 'flag', sentence: 'Skip days on which that hour does not exist.' },
      },
    },
  },
  dailyTimeInterval: {
    dailyTimeInterval: {
      kind: 'map',
      sentence: 'Interval within hours of days: `{ interval, unit, startTimeOfDay, endTimeOfDay, daysOfWeek }`.',
      fields: {
        interval: { kind: 'number', isRequired: true, sentence: 'Number of units between fire times.' },
        unit: {
          kind: 'choice',
          isRequired: true,
          choices: ['SECOND', 'MINUTE', 'HOUR'],
          sentence: 'Unit of the interval.',
        },
        startTimeOfDay: {
          kind: 'text',
          max: 20,
          sentence: 'First time of a day.',
          default: 'midnight',
          example: '08:00',
        },
        endTimeOfDay: {
          kind: 'text',
          max: 20,
          sentence: 'Last time of a day.',
          example: '17:30',
          default: 'the end of the day',
        },
        daysOfWeek: { kind: 'list', sentence: 'Days on which it fires.', example: 'MON, TUE', default: 'every day' },
        repeatCount: { kind: 'number', sentence: COUNT },
      },
    },
  },
  after: {
    after: {
      kind: 'form',
      isRequired: true,
      sentence:
        'Jobs to wait for: one, or a list of up to 100, each as `group/name`. Fires each time that all have ended; `startAt`, `endAt`, `timeZone`, `calendar`, `dialect` and `misfire` do not apply.',
      example: '["reports/extract", "reports/load"]',
      see: '../guides/chains.md',
    },
    on: {
      kind: 'choice',
      choices: ['success', 'failure', 'end'],
      sentence: 'Outcome that `after` waits for: `success`, `failure` or `end`.',
      default: '`success`',
    },
  },
} as const satisfies Readonly<Record<string, Specs>>;

export type ScheduleKind = keyof typeof SCHEDULE_SPECS;

export const SCHEDULE_KINDS = Object.keys(SCHEDULE_SPECS) as readonly ScheduleKind[];

/** The range in which a trigger fires, and the times that it skips. */
export const TIME_SPECS = {
  timeZone: {
    kind: 'text',
    max: 80,
    sentence: 'IANA time zone.',
    example: 'Europe/Berlin',
    default: "the scheduler's",
  },
  calendar: { kind: 'text', max: 190, sentence: 'Name of a calendar whose excluded times are skipped.' },
  startAt: {
    kind: 'text',
    max: 40,
    sentence: 'Earliest fire time, on the clock of the time zone or with an offset.',
    example: '2027-01-31T08:00',
    default: 'now',
  },
  endAt: { kind: 'text', max: 40, sentence: 'Latest fire time.', example: '2027-12-31T18:00', default: 'no end' },
} as const satisfies Specs;

/** Other fields of a trigger, without its key and its job. */
export const TRIGGER_SPECS = {
  description: DESCRIPTION,
  priority: { kind: 'number', sentence: 'Order of triggers due at the same time: higher first.', default: '`5`' },
  misfire: {
    kind: 'text',
    max: 60,
    sentence:
      "Policy for missed fire times: `fire` once for all, `skip` them, run `all`, or one of Quartz's misfire instructions.",
    default: '`SMART_POLICY`',
  },
  data: DATA,
} as const satisfies Specs;

type KeysOfEach<T> = T extends unknown ? keyof T : never;

/** A field of a job, by its name in a file. */
export type JobField = keyof typeof JOB_SPECS | keyof typeof JOB_POLICY_SPECS;

/** A field of a trigger, by its name in a file. */
export type TriggerField =
  | KeysOfEach<(typeof SCHEDULE_SPECS)[ScheduleKind]>
  | keyof typeof TIME_SPECS
  | keyof typeof TRIGGER_SPECS
  | keyof typeof TRIGGER_POLICY_SPECS;

/** The sentence of a field, with its default and its example. */
export function describeField({ sentence, example, default: absent }: FieldSpec): string {
  const parts = [sentence, absent && `Default: ${absent}.`, example && `Example: ${example}`];
  return parts.filter(Boolean).join(' ');
}
