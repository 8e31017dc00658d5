import { type FieldSpec, type FieldSpecs, JOB_POLICY_SPECS, TRIGGER_POLICY_SPECS } from './policy-fields';

/* Tables of the fields of jobs and triggers, with one sentence about each field. Command options, the OpenAPI document, the console's forms and the
   reference are generated from these tables. Fields have the same names as in schedule files. This module imports nothing at run time, because the
   console's bundle includes it. */

const DESCRIPTION = { kind: 'text', max: 250, sentence: 'Description, shown in lists.' } as const;
const DATA = {
  kind: 'data',
  sentence: 'Job data as JSON, up to 60 KiB. A value of `***` keeps the stored secret.',
  default: '`{}`',
} as const;

/** Fields of a job, without its key, policy and triggers. */
export const JOB_SPECS = {
  type: { kind: 'text', max: 250, sentence: 'Registered job type.', default: 'the name of the job' },
  description: DESCRIPTION,
  durable: {
    kind: 'flag',
    sentence: 'Keep the job when its last trigger is deleted. A job without triggers must be durable.',
  },
  disallowConcurrentExecution: { kind: 'flag', sentence: 'Never run two executions of this job at the same time.' },
  requestsRecovery: { kind: 'flag', sentence: 'Recover a run on another node if its node dies.' },
  persistJobDataAfterExecution: { kind: 'flag', sentence: 'Store the value that a run returns as the job data.' },
  registeredLater: {
    kind: 'flag',
    sentence: 'Accept a job type that no node has registered yet. Not stored: it applies to this change only.',
  },
  data: DATA,
} as const satisfies FieldSpecs;

const COUNT = 'Number of repeats after the first fire time.';
export const UNITS = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export const UNITS_OF_DAY = ['SECOND', 'MINUTE', 'HOUR'] as const;

/** Fields of the seven kinds of schedule. `every` and `at` are short forms: each is stored as one of the other kinds. */
export const SCHEDULE_SPECS = {
  cron: {
    cron: { kind: 'text', max: 1_000, isRequired: true, sentence: 'Cron expression.', example: '0 30 8 ? * MON-FRI' },
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
        'Interval: milliseconds, or a duration. Units up to hours are elapsed time. Days and longer units follow the calendar.',
      example: '5m',
    },
  },
  at: {
    at: {
      kind: 'text',
      max: 40,
      isRequired: true,
      sentence: 'Single fire time, in the time zone unless it has an offset. Cannot be combined with `startAt`.',
      example: '2027-01-31T08:00',
    },
  },
  simple: {
    simple: {
      kind: 'map',
      sentence: 'Interval with an optional count: `{ interval, repeatCount }`.',
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
      sentence: 'Calendar interval: `{ interval, unit }`.',
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
      sentence: 'Interval within daily hours: `{ interval, unit, startTimeOfDay, endTimeOfDay, daysOfWeek }`.',
      fields: {
        interval: { kind: 'number', isRequired: true, sentence: 'Number of units between fire times.' },
        unit: { kind: 'choice', isRequired: true, choices: UNITS_OF_DAY, sentence: 'Unit of the interval.' },
        startTimeOfDay: {
          kind: 'text',
          max: 20,
          sentence: 'Earliest time of day.',
          default: 'midnight',
          example: '08:00',
        },
        endTimeOfDay: {
          kind: 'text',
          max: 20,
          sentence: 'Latest time of day.',
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
        'Jobs to wait for: one, or a list of up to 100, each as `group/name`. The trigger fires each time all of them have ended with the outcome that `on` selects. `startAt`, `endAt`, `timeZone`, `calendar`, `dialect` and `misfire` do not apply.',
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
} as const satisfies Readonly<Record<string, FieldSpecs>>;

export type ScheduleKind = keyof typeof SCHEDULE_SPECS;

export const SCHEDULE_KINDS = Object.keys(SCHEDULE_SPECS) as readonly ScheduleKind[];

/** Fields for the time range in which a trigger fires, and for the times that it skips. */
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
    sentence: 'Earliest fire time, in the time zone unless it has an offset.',
    example: '2027-01-31T08:00',
    default: 'now',
  },
  endAt: { kind: 'text', max: 40, sentence: 'Latest fire time.', example: '2027-12-31T18:00', default: 'no end' },
} as const satisfies FieldSpecs;

/** Further fields of a trigger, without its key and job. */
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
} as const satisfies FieldSpecs;

export const JOB_FIELDS = { ...JOB_SPECS, ...JOB_POLICY_SPECS };

export const SCHEDULE_FIELDS = {
  ...SCHEDULE_SPECS.cron,
  ...SCHEDULE_SPECS.every,
  ...SCHEDULE_SPECS.at,
  ...SCHEDULE_SPECS.simple,
  ...SCHEDULE_SPECS.calendarInterval,
  ...SCHEDULE_SPECS.dailyTimeInterval,
  ...SCHEDULE_SPECS.after,
  ...TIME_SPECS,
};

export const TRIGGER_FIELDS = { ...SCHEDULE_FIELDS, ...TRIGGER_SPECS, ...TRIGGER_POLICY_SPECS };

export function describeField({ sentence, example, default: absent }: FieldSpec): string {
  const parts = [sentence, absent && `Default: ${absent}.`, example && `Example: ${example}`];
  return parts.filter(Boolean).join(' ');
}
