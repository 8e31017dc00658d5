import { FIRST_YEAR } from '../time/months';
import { MAX_YEAR } from '../trigger';
import type { DayRule } from './day-rules';

export type CronFieldName = 'second' | 'minute' | 'hour' | 'day-of-month' | 'month' | 'day-of-week' | 'year';

export interface CronField {
  readonly name: CronFieldName;
  readonly min: number;
  readonly max: number;
  /** Maximum step that Quartz accepts after `*` or a single value. The step of the year field is not limited. */
  readonly maxStep: number;
  /** Names of the values, starting with the name of `min`. Empty if the field has only numbers. */
  readonly names: readonly string[];
}

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** All fields in the order of the expression. Only the last field, the year, is optional. */
export const CRON_FIELDS = {
  second: { name: 'second', min: 0, max: 59, maxStep: 59, names: [] },
  minute: { name: 'minute', min: 0, max: 59, maxStep: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, maxStep: 23, names: [] },
  dayOfMonth: { name: 'day-of-month', min: 1, max: 31, maxStep: 31, names: [] },
  month: { name: 'month', min: 1, max: 12, maxStep: 12, names: MONTH_NAMES },
  dayOfWeek: { name: 'day-of-week', min: 1, max: 7, maxStep: 7, names: DAY_NAMES },
  year: { name: 'year', min: FIRST_YEAR, max: MAX_YEAR, maxStep: Number.MAX_SAFE_INTEGER, names: [] },
} as const satisfies Record<string, CronField>;

export const FIELDS: readonly CronField[] = Object.values(CRON_FIELDS);
export const DAY_OF_MONTH = 3;
export const DAY_OF_WEEK = 5;

/** A parsed expression: the matching values of each field, ascending and without duplicates. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DayRule;
  readonly months: readonly number[];
  /** Matching years, up to the last supported year. If empty, the expression never fires. */
  readonly years: readonly number[];
}
