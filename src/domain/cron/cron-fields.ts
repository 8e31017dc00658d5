import { FIRST_YEAR } from '../time/months';
import { MAX_YEAR } from '../trigger';
import type { DayRule } from './day-rules';

export type CronFieldName = 'second' | 'minute' | 'hour' | 'day-of-month' | 'month' | 'day-of-week' | 'year';

/** Range of values of one field of a Quartz expression. */
export interface CronField {
  readonly name: CronFieldName;
  readonly min: number;
  readonly max: number;
  /** The largest step Quartz accepts after `*` or a single value; years have no limit. */
  readonly maxStep: number;
  /** Names in the order of their numbers, the first being `min`; empty where numbers only are allowed. */
  readonly names: readonly string[];
}

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** The fields in the order they are written; the last one may be left out. */
export const CRON_FIELDS = {
  second: { name: 'second', min: 0, max: 59, maxStep: 59, names: [] },
  minute: { name: 'minute', min: 0, max: 59, maxStep: 59, names: [] },
  hour: { name: 'hour', min: 0, max: 23, maxStep: 23, names: [] },
  dayOfMonth: { name: 'day-of-month', min: 1, max: 31, maxStep: 31, names: [] },
  month: { name: 'month', min: 1, max: 12, maxStep: 12, names: MONTH_NAMES },
  dayOfWeek: { name: 'day-of-week', min: 1, max: 7, maxStep: 7, names: DAY_NAMES },
  year: { name: 'year', min: FIRST_YEAR, max: MAX_YEAR, maxStep: Number.MAX_SAFE_INTEGER, names: [] },
} as const satisfies Record<string, CronField>;

/** A parsed expression: the values of each field, ascending and without doubles. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DayRule;
  readonly months: readonly number[];
  /** Only years that can be searched. An empty list means that the expression never fires. */
  readonly years: readonly number[];
}
