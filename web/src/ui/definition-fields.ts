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
import type { FieldSpec } from './draft';

/* The forms of jobs and triggers, made from the table of their fields. The server says what is wrong with a value, beside the field. */

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

/** The fields of each kind of schedule. */
export const SCHEDULES = Object.fromEntries(KINDS.map((kind) => [kind, formOf(SCHEDULE_SPECS[kind])])) as Readonly<
  Record<Kind, readonly FieldSpec[]>
>;

export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  cron: 'By a cron expression',
  every: 'At an interval',
  at: 'Once',
  simple: 'A number of times',
  calendarInterval: 'By the calendar',
  dailyTimeInterval: 'Within hours of days',
  after: 'After other jobs',
};

/** Fields that count for a kind: `at` is its own start, and a chain fires by no time. */
export function timeFieldsOf(kind: Kind): readonly FieldSpec[] {
  if (kind === 'after') return [];
  return kind === 'at' ? TIME_FIELDS.filter(({ name }) => name !== 'startAt') : TIME_FIELDS;
}
