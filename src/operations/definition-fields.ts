import { z } from 'zod';
import { describeField, JOB_FIELDS, SCHEDULE_FIELDS, TRIGGER_FIELDS } from '../definitions/fields';
import type { FieldSpec } from '../definitions/policy-fields';
import { keyFields, textField } from './fields';

/* Input fields for jobs and triggers, built from `definitions/fields`. Their schemas are as simple as possible, because the readers of schedule
   files validate the values and report errors. */

const TYPES = {
  text: ({ max }: FieldSpec) =>
    z
      .string()
      .min(1)
      .max(max as number),
  form: () => z.unknown(),
  interval: () => z.union([z.int(), z.string().min(1).max(64)]),
  flag: () => z.boolean(),
  number: () => z.int(),
  choice: ({ choices }: FieldSpec) => z.enum(choices as readonly [string, ...string[]]),
  list: () => z.array(z.string()),
  data: () => z.record(z.string(), z.unknown()),
  map: ({ fields }: FieldSpec): z.ZodObject =>
    z.strictObject(
      Object.fromEntries(
        Object.entries(fields as Readonly<Record<string, FieldSpec>>).map(([name, field]) => [
          name,
          field.isRequired ? typeOf(field) : typeOf(field).optional(),
        ]),
      ),
    ),
} as const;

type TypeOf<Spec extends FieldSpec> = z.ZodOptional<ReturnType<(typeof TYPES)[Spec['kind']]>>;

function typeOf(spec: FieldSpec): z.ZodType {
  return TYPES[spec.kind](spec);
}

function inputsOf<Specs extends Readonly<Record<string, FieldSpec>>>(specs: Specs) {
  const entries = Object.entries(specs).map(([name, spec]) => [
    name,
    typeOf(spec).optional().describe(describeField(spec)),
  ]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Specs]: TypeOf<Specs[Name]> };
}

export const jobFields = inputsOf(JOB_FIELDS);

/** Fields of a schedule: exactly one of its seven kinds, and the time range in which it fires. */
export const scheduleFields = inputsOf(SCHEDULE_FIELDS);

export const triggerFields = inputsOf(TRIGGER_FIELDS);

/** Schema of a trigger's job: a name, or a name with a group. */
export const jobOfTrigger = z
  .union([z.string().min(1), z.strictObject({ name: z.string().min(1), group: z.string().min(1).optional() })])
  .describe('The job: `group/name`, or a name in the group DEFAULT.');

export interface EditOptions {
  readonly clear: readonly string[] | undefined;
  readonly ifVersion: string | undefined;
}

export const ifVersion = textField(
  100,
  'Version that the change is based on. Fails with CHANGED_MEANWHILE if the stored version differs.',
);

/** Input fields of an edit. Each of the given fields of the definition can be removed. */
export function editFields<Name extends string>(fields: Readonly<Record<Name, z.ZodType>>) {
  const clearable = Object.keys(fields) as [Name, ...Name[]];
  return {
    clear: z
      .array(z.enum(clearable))
      .max(clearable.length)
      .optional()
      .describe('Fields to remove from the definition.'),
    ifVersion,
  };
}

/** Input fields for the key of a new trigger. The group defaults to the group of its job. */
export const newTriggerKey = {
  ...keyFields('trigger'),
  group: textField(190, 'Group of the trigger. Default: the group of its job.'),
};
