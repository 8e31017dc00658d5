import { z } from 'zod';
import type { JobPolicyField } from '../domain/execution-policy';
import type { JobFields, TriggerFields } from '../plugins/schedule-file/schedule-file-schema';
import { keyFields } from './fields';

/*
 * Jobs and triggers as a schedule file has them, field by field. What a value means, and which forms it has, the readers of schedule files
 * say; the types here are the plainest ones.
 */

const text = (maximum: number) => z.string().min(1).max(maximum).optional();
const flag = () => z.boolean().optional();
const time = () => text(40);
const duration = () => text(40);
/** One of the forms that the description names. */
const form = () => z.unknown().optional();

/* The compiler holds the fields against what a schedule file may say, and that against the types of jobs and triggers: none is forgotten. */

type Fields<Name extends string> = Readonly<Record<Name, z.ZodType>>;

const policyFields = {
  retry: form().describe('R5/PT5M, a list of pauses, { max, delay, factor, jitter, maxAge }, or false for none.'),
  history: z.enum(['all', 'failures', 'none']).optional().describe('Which runs are recorded.'),
  concurrency: form().describe('How many run at once: a whole number, or { key, limit }.'),
  rate: form().describe('How many may begin within a time: { key, limit, per, burst }.'),
  timeout: form().describe('How long a run may take: a duration, or { after, grace, deadline }.'),
  startWithin: duration().describe('How late a run may begin, such as PT5M.'),
  spread: form().describe('In how many parts it runs: { shards, params }, or broadcast.'),
  runsOn: form().describe('A label, or a list of labels, of the nodes that may run it.'),
  prefers: form().describe('A label, a list of labels, or { labels, patience }: the nodes that had better run it.'),
  overlap: form().describe('While an earlier run goes on: allow, skip, queueOne, cancelRunning or { queueAll }.'),
  mustSucceedWithin: duration().describe('How long it may go without a success, such as P1D.'),
} satisfies Fields<JobPolicyField>;

const data = z.record(z.string(), z.unknown()).optional().describe('Job data; *** in the place of a secret keeps it.');

/** A job without its key. */
export const jobFields = {
  type: text(250).describe('The registered job type; by default its name as given.'),
  description: text(250).describe('For people.'),
  durable: flag().describe('Stays when its last trigger is gone.'),
  requestsRecovery: flag().describe('Is run again when its node dies.'),
  disallowConcurrentExecution: flag().describe('Runs once at a time.'),
  persistJobDataAfterExecution: flag().describe('Keeps what its runs return as its data.'),
  registeredLater: flag().describe('No node needs to have its type yet. Not stored: it is about this change alone.'),
  ...policyFields,
  data,
} satisfies Fields<Exclude<keyof JobFields, 'name' | 'group' | 'triggers'>>;

/** When a trigger fires: one of seven. `every` and `at` are short for others, which are shown in their place. */
export const scheduleFields = {
  cron: text(1_000).describe('A cron expression; or one of the others.'),
  dialect: z.enum(['quartz', 'unix']).optional().describe('How `cron` is written; by default quartz.'),
  every: z
    .union([z.int(), z.string().min(1).max(64)])
    .optional()
    .describe('Milliseconds, or a duration such as 5m or 1d.'),
  at: time().describe('Once, at that time, such as 2027-01-31T08:00, by the clock of the zone.'),
  simple: z
    .strictObject({ interval: z.unknown().optional(), repeatCount: z.int().optional() })
    .optional()
    .describe('{ interval, repeatCount }: an interval in milliseconds or such as PT30S; without it, once.'),
  calendarInterval: z
    .strictObject({
      interval: z.int(),
      unit: z.string(),
      preserveHourOfDayAcrossDaylightSavings: flag(),
      skipDayIfHourDoesNotExist: flag(),
    })
    .optional()
    .describe('{ interval, unit }: every so many SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR.'),
  dailyTimeInterval: z
    .strictObject({
      interval: z.int(),
      unit: z.string(),
      startTimeOfDay: text(20),
      endTimeOfDay: text(20),
      daysOfWeek: z.array(z.string()).optional(),
      repeatCount: z.int().optional(),
    })
    .optional()
    .describe('{ interval, unit, startTimeOfDay, endTimeOfDay, daysOfWeek }: within hours of days.'),
  after: form().describe('A job, or a list of jobs, as group/name: fires when they have ended.'),
  on: z.enum(['success', 'failure', 'end']).optional().describe('Which ends `after` waits for.'),
  calendar: text(190).describe('Name of the calendar whose excluded times are passed over.'),
  startAt: time().describe('From when on, such as 2027-01-31T08:00, by the clock of the zone.'),
  endAt: time().describe('Until when.'),
  timeZone: text(80).describe("IANA zone; by default the scheduler's."),
};

/** A trigger without its key and its job. */
export const triggerFields = {
  description: text(250).describe('For people.'),
  ...scheduleFields,
  priority: z.int().optional().describe('The higher one of two that are due at once fires first; by default 5.'),
  misfire: text(60).describe('fire, skip or all, or a misfire instruction of Quartz.'),
  ...policyFields,
  catchUp: form().describe('{ max, window, pace }: which missed times are made up for.'),
  jitter: duration().describe('By how much each run begins later at the most, such as PT1M.'),
  data,
} satisfies Fields<Exclude<keyof TriggerFields, 'name' | 'group' | FormerName>>;

/** Names of the fields in older files. */
type FormerName = 'startTime' | 'endTime' | 'misfireInstruction';

/** The job of a trigger. */
export const jobOfTrigger = z
  .union([z.string().min(1), z.strictObject({ name: z.string().min(1), group: z.string().min(1).optional() })])
  .describe('The job: `group/name`, or a name in the group DEFAULT.');

/** What an edit says besides the new values, whatever it edits. */
export interface EditOptions {
  readonly clear: readonly string[] | undefined;
  readonly ifVersion: string | undefined;
}

/** As a field of an input. */
export const ifVersion = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Only if this is still the version: CHANGED_MEANWHILE otherwise.');

/** The same as fields of an input. */
export function editFields<Name extends string>(clearable: readonly [Name, ...Name[]]) {
  return {
    clear: z
      .array(z.enum(clearable))
      .max(clearable.length)
      .optional()
      .describe('Fields that are taken out of the definition.'),
    ifVersion,
  };
}

export const CLEARABLE_OF_JOB = Object.keys(jobFields) as [keyof typeof jobFields, ...(keyof typeof jobFields)[]];
export const CLEARABLE_OF_TRIGGER = Object.keys(triggerFields) as [
  keyof typeof triggerFields,
  ...(keyof typeof triggerFields)[],
];

/** Key of a trigger whose group is that of its job where none is said. */
export const newTriggerKey = {
  ...keyFields('trigger'),
  group: z.string().min(1).max(190).optional().describe('Group of the trigger; by default that of its job.'),
};
