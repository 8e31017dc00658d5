import {
  describeField,
  JOB_SPECS,
  SCHEDULE_KINDS,
  SCHEDULE_SPECS,
  type ScheduleKind,
  TIME_SPECS,
  TRIGGER_SPECS,
} from '../../../src/definitions/fields';
import { JOB_POLICY_SPECS, type FieldSpec as Spec, TRIGGER_POLICY_SPECS } from '../../../src/definitions/policy-fields';
import type { FieldSpec } from './form-values';

/* Forms for jobs and triggers, generated from the tables of definition fields. The server checks values; the form shows errors at their fields. */

export type Kind = ScheduleKind;
export const KINDS = SCHEDULE_KINDS;

function formOf(specs: Readonly<Record<string, Spec>>, prefix = ''): readonly FieldSpec[] {
  return Object.entries(specs).flatMap(([field, spec]): readonly FieldSpec[] => {
    const name = `${prefix}${field}`;
    const { kind, fields = {}, choices, isRequired } = spec;
    if (kind === 'map') return formOf(fields, `${name}.`);
    const control = kind === 'interval' ? 'form' : kind;
    return [
      {
        name,
        kind: control,
        hint: describeField(spec).replaceAll('`', ''),
        ...(choices && { choices }),
        ...(isRequired && { isRequired }),
      },
    ];
  });
}

export const POLICY_FIELDS = formOf(JOB_POLICY_SPECS);
export const JOB_FIELDS = formOf(JOB_SPECS);
export const TIME_FIELDS = formOf(TIME_SPECS);
export const TRIGGER_FIELDS = formOf(TRIGGER_SPECS);
export const TRIGGER_POLICY_FIELDS = formOf(TRIGGER_POLICY_SPECS);

export const SCHEDULES = Object.fromEntries(KINDS.map((kind) => [kind, formOf(SCHEDULE_SPECS[kind])])) as Readonly<
  Record<Kind, readonly FieldSpec[]>
>;

export const KIND_LABELS: Readonly<Record<Kind, string>> = {
  cron: 'Cron expression',
  every: 'Interval',
  at: 'Once',
  simple: 'Interval and count',
  calendarInterval: 'Calendar interval',
  dailyTimeInterval: 'Daily interval',
  after: 'After jobs',
};

/** Returns the time fields of a kind of schedule. `at` has no start field, because its time is the start. `after` has no time fields. */
export function timeFieldsOf(kind: Kind): readonly FieldSpec[] {
  if (kind === 'after') return [];
  return kind === 'at' ? TIME_FIELDS.filter(({ name }) => name !== 'startAt') : TIME_FIELDS;
}
