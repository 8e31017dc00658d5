import { z } from 'zod';
import { JOB_POLICY_FIELDS, POLICY_FIELDS } from '../domain/execution-policy';
import { MISFIRE_CODES } from '../domain/misfire-instructions';
import { describeField, JOB_FIELDS, SCHEDULE_SPECS, TRIGGER_FIELDS, UNITS, UNITS_OF_DAY } from './fields';
import type { FieldSpec } from './policy-fields';
import { policySchemas } from './policy-values';

/* Schemas of a schedule file: keys and types only. Values such as cron expressions, dates and durations are checked when they are read.
   docs/reference/schedule-file.md describes every key. */

const text = z.string().min(1);
const flag = z.boolean();
const TIME = "a time such as '2026-12-24T18:00'";
const time = z.string({ error: TIME }).min(1, { error: TIME }).meta({ expected: TIME });
const count = z.int({ error: 'a whole number' }).meta({ expected: 'a whole number' });

/** Schema of a key: `group/name`, a name in the group DEFAULT, or an object with a name and a group. */
const key = z.union([text, z.strictObject({ name: text, group: text.optional() })]);

const DATA = 'a map of keys as job data';
const data = z.record(z.string(), z.unknown(), { error: DATA }).meta({ expected: DATA });

export const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

const { CRON, SIMPLE } = MISFIRE_CODES;
const MISFIRES = new Set(['fire', 'skip', 'all', 'SMART_POLICY', ...Object.keys(CRON), ...Object.keys(SIMPLE)]);

const EVERY = "milliseconds, or a duration such as '5m', '1d' or 'PT5M'";

const scheduleFields = {
  cron: text.optional(),
  dialect: z.enum(SCHEDULE_SPECS.cron.dialect.choices).optional(),
  every: z.union([z.int(), text], { error: EVERY }).meta({ expected: EVERY }).optional(),
  at: time.optional(),
  simple: z
    .strictObject({
      interval: z
        .union([z.int(), text])
        .meta({ expected: "milliseconds, or an ISO-8601 duration such as 'PT30S'" })
        .optional(),
      repeatCount: count.optional(),
    })
    .optional(),
  calendarInterval: z
    .strictObject({
      interval: count,
      unit: z.enum(UNITS),
      preserveHourOfDayAcrossDaylightSavings: flag.optional(),
      skipDayIfHourDoesNotExist: flag.optional(),
    })
    .optional(),
  dailyTimeInterval: z
    .strictObject({
      interval: count,
      unit: z.enum(UNITS_OF_DAY),
      startTimeOfDay: text.optional(),
      endTimeOfDay: text.optional(),
      daysOfWeek: z.array(z.enum(DAYS)).min(1).optional(),
      repeatCount: count.optional(),
    })
    .optional(),
};

const AFTER = 'a job, or a list of jobs';

/** Adds descriptions to the schemas of fields. Editors show them. */
function described<Fields extends Readonly<Record<string, z.ZodType>>>(
  fields: Fields,
  specs: Readonly<Record<string, FieldSpec>>,
): Fields {
  const entries = Object.entries(fields).map(([name, schema]) => {
    const spec = specs[name];
    return [name, spec === undefined ? schema : schema.describe(describeField(spec))] as const;
  });
  return Object.fromEntries(entries) as Fields;
}

const triggerFields = {
  name: text.optional(),
  group: text.optional(),
  description: text.optional(),
  ...scheduleFields,
  after: z
    .union([key, z.array(key).min(1)])
    .meta({ expected: AFTER })
    .optional(),
  on: z.enum(SCHEDULE_SPECS.after.on.choices).optional(),
  calendar: text.optional(),
  priority: count.optional(),
  startAt: time.optional(),
  endAt: time.optional(),
  timeZone: text.optional(),
  misfire: z.enum([...MISFIRES]).optional(),
  ...policySchemas(POLICY_FIELDS, 'a trigger'),
  data: data.optional(),
} satisfies Readonly<Record<keyof typeof TRIGGER_FIELDS | 'name' | 'group', z.ZodType>>;

const describedTriggerFields = described(triggerFields, TRIGGER_FIELDS);

export const inlineTriggerSchema = z.strictObject(describedTriggerFields);
export const topTriggerSchema = z.strictObject({ job: key, ...describedTriggerFields, name: text });

const jobFields = {
  name: text,
  group: text.optional(),
  type: text.optional(),
  description: text.optional(),
  durable: flag.optional(),
  requestsRecovery: flag.optional(),
  disallowConcurrentExecution: flag.optional(),
  persistJobDataAfterExecution: flag.optional(),
  registeredLater: flag.optional(),
  ...policySchemas(JOB_POLICY_FIELDS, 'a job'),
  data: data.optional(),
  triggers: z.array(z.unknown()).optional(),
} satisfies Readonly<Record<keyof typeof JOB_FIELDS | 'name' | 'group' | 'triggers', z.ZodType>>;

/** The triggers of a job are checked one by one later. */
export const jobSchema = z.strictObject(described(jobFields, JOB_FIELDS));

const calendarFields = {
  description: text.optional(),
  timeZone: text.optional(),
  base: z
    .union([text, z.record(z.string(), z.unknown())])
    .meta({ expected: 'the name of a calendar in this file, or a calendar' })
    .optional(),
  allowEnding: flag.optional(),
};

/** The lists and the base of a calendar are checked when it is built. */
export const calendarSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base'), ...calendarFields }),
  z.strictObject({ type: z.literal('annual'), ...calendarFields, excludedDays: z.array(z.unknown()) }),
  z.strictObject({ type: z.literal('monthly'), ...calendarFields, excludedDays: z.array(z.unknown()) }),
  z.strictObject({ type: z.literal('weekly'), ...calendarFields, excludedDays: z.array(z.unknown()).optional() }),
  z.strictObject({ type: z.literal('holiday'), ...calendarFields, excludedDates: z.array(z.unknown()) }),
  z.strictObject({ type: z.literal('cron'), ...calendarFields, cronExpression: text }),
  z.strictObject({ type: z.literal('daily'), ...calendarFields, from: text, to: text, invert: flag.optional() }),
]);

const PRUNE = 'group, all or false';

export const zoneSchema = text;
export const setSchema = text;
export const pruneSchema = z
  .union([z.enum(['group', 'all']), z.literal(false)], { error: PRUNE })
  .meta({ expected: PRUNE });
const EDIT_POLICY = 'override, codeWins or refuse';
export const editPolicySchema = z
  .enum(['override', 'codeWins', 'refuse'], { error: EDIT_POLICY })
  .meta({ expected: EDIT_POLICY });
export const directivesSchema = z.strictObject({
  overwriteExistingData: flag.optional(),
  ignoreDuplicates: flag.optional(),
  atomic: flag.optional(),
  neverDelete: z
    .strictObject({ jobGroups: z.array(text).optional(), triggerGroups: z.array(text).optional() })
    .optional(),
});
export const commandsSchema = z.strictObject({
  deleteJobsInGroup: z.array(text).optional(),
  deleteTriggersInGroup: z.array(text).optional(),
  deleteJobs: z.array(key).optional(),
  deleteTriggers: z.array(key).optional(),
});

/** Checks only the names of sections; their entries are checked one by one later. */
export const scheduleFileSchema = z.strictObject({
  timeZone: z.unknown().optional(),
  set: z.unknown().optional(),
  prune: z.unknown().optional(),
  renamedFrom: z.unknown().optional(),
  onDeclaredEdit: z.unknown().optional(),
  directives: z.unknown().optional(),
  commands: z.unknown().optional(),
  calendars: z.record(text, z.unknown()).optional(),
  jobs: z.array(z.unknown()).optional(),
  triggers: z.array(z.unknown()).optional(),
});

export type KeyFields = z.infer<typeof key>;
export type DirectiveFields = z.infer<typeof directivesSchema>;
export type CommandFields = z.infer<typeof commandsSchema>;
export type JobFields = z.infer<typeof jobSchema>;
export type TopTriggerFields = z.infer<typeof topTriggerSchema>;
export type TriggerFields = z.infer<typeof inlineTriggerSchema>;

export type CalendarFields = z.infer<typeof calendarSchema>;
