import { badTrigger, type SchedulerError } from '../../../base/errors';
import { DEFAULT_GROUP, type JobKey } from '../../../domain/keys';
import { zoneNameOf } from '../../../domain/time/zone-name';
import {
  type AfterTrigger,
  type CalendarIntervalTrigger,
  type ChainOutcome,
  type CronTrigger,
  type DailyTimeIntervalTrigger,
  hasFiredItsOnce,
  type IntervalUnit,
  type SimpleTrigger,
  type TimeOfDay,
  type Trigger,
} from '../../../domain/trigger';
import { parentsText } from '../../../domain/triggers/after-trigger';
import { type ListedValue, optional } from '../runtime/row-batches';

/*
 * Columns of each kind of trigger, in addition to the common columns: rows of SIMPLE_TRIGGERS, CRON_TRIGGERS and SIMPROP_TRIGGERS. The functions
 * that read and write one kind are next to each other. X_PARENTS also contains the jobs that an AFTER trigger waits for.
 */

/** Type of a trigger, and the columns in the table of its type. Every statement that reads full triggers uses these names. */
export interface KindColumns {
  readonly TRIGGER_TYPE: string;
  /** Row in the table of the trigger's type. All columns are null if the row is missing. */
  readonly KIND_ROW: SimpleRow | CronRow | SimpropRow;
}

type SimpleRow = readonly [count: number | null, interval: number | null, timesTriggered: number | null];
type CronRow = readonly [expression: string | null, timeZone: string | null];
type SimpropRow = readonly [
  text1: string | null,
  text2: string | null,
  text3: string | null,
  integer1: number | null,
  integer2: number | null,
  long1: number | null,
  flag1: string | null,
  flag2: string | null,
];

type OwnFields<T> = T extends Trigger ? Omit<T, Exclude<keyof Trigger, 'kind'>> : never;
type KindFields = OwnFields<Trigger>;

/** Statement that inserts a row into the table of a trigger's type, and the columns of the row in the statement's order. */
export interface KindRow {
  readonly statement: 'insertSimpleTriggers' | 'insertCronTriggers' | 'insertSimpropTriggers';
  readonly row: readonly ListedValue[];
}

/** Fields of the trigger's type. Throws INVALID_TRIGGER if only Java supports the type, or if its row is missing or malformed. */
export function readKind(row: KindColumns, timeZone: string): KindFields {
  switch (row.TRIGGER_TYPE) {
    case 'SIMPLE':
      return readSimple(row.KIND_ROW as SimpleRow);
    case 'CRON':
      return readCron(row.KIND_ROW as CronRow, timeZone);
    case 'CAL_INT':
      return readCalendarInterval(row.KIND_ROW as SimpropRow, timeZone);
    case 'DAILY_I':
      return readDaily(row.KIND_ROW as SimpropRow, timeZone);
    case 'AFTER':
      return readAfter(row.KIND_ROW as SimpropRow);
    default:
      throw malformed(`a trigger of type SIMPLE, CRON, CAL_INT, DAILY_I or AFTER, found '${row.TRIGGER_TYPE}'`);
  }
}

export function kindRowOf(trigger: Trigger): KindRow {
  switch (trigger.kind) {
    case 'SIMPLE':
      return { statement: 'insertSimpleTriggers', row: simpleRow(trigger) };
    case 'CRON':
      return { statement: 'insertCronTriggers', row: cronRow(trigger) };
    case 'CAL_INT':
      return { statement: 'insertSimpropTriggers', row: calendarIntervalRow(trigger) };
    case 'DAILY_I':
      return { statement: 'insertSimpropTriggers', row: dailyRow(trigger) };
    case 'AFTER':
      return { statement: 'insertSimpropTriggers', row: afterRow(trigger) };
  }
}

function readSimple([repeatCount, repeatInterval, timesTriggered]: SimpleRow): KindFields {
  return {
    kind: 'SIMPLE',
    repeatCount: number(repeatCount, 'REPEAT_COUNT'),
    repeatInterval: number(repeatInterval, 'REPEAT_INTERVAL'),
    timesTriggered: number(timesTriggered, 'TIMES_TRIGGERED'),
  };
}

function simpleRow(trigger: SimpleTrigger): readonly ListedValue[] {
  const { key, repeatCount, repeatInterval } = trigger;
  return [key.name, key.group, repeatCount, repeatInterval, storedTimesTriggered(trigger)];
}

/** Number of firings to store. To save a statement, it is 0 for a one-shot trigger that has fired once, because its times show the firing. */
export function storedTimesTriggered(trigger: SimpleTrigger): number {
  return hasFiredItsOnce(trigger) && trigger.timesTriggered === 1 ? 0 : trigger.timesTriggered;
}

/** Restores the number of firings that `storedTimesTriggered` stored as 0. */
export function withTimesTriggered(trigger: Trigger): Trigger {
  return hasFiredItsOnce(trigger) && trigger.timesTriggered === 0 ? { ...trigger, timesTriggered: 1 } : trigger;
}

function readCron([expression, ownZone]: CronRow, timeZone: string): KindFields {
  return {
    kind: 'CRON',
    cronExpression: text(expression, 'CRON_EXPRESSION'),
    timeZone: ownZone === null ? timeZone : zoneNameOf(ownZone),
  };
}

function cronRow({ key, cronExpression, timeZone }: CronTrigger): readonly ListedValue[] {
  return [key.name, key.group, cronExpression, timeZone];
}

const UNITS: readonly IntervalUnit[] = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'];
const DAILY_UNITS = ['SECOND', 'MINUTE', 'HOUR'] as const;

function readCalendarInterval(row: SimpropRow, timeZone: string): KindFields {
  const [unit, ownZone, , repeatInterval, timesTriggered, , preservesHour, skipsDay] = row;
  return {
    kind: 'CAL_INT',
    repeatInterval: number(repeatInterval, 'INT_PROP_1'),
    repeatIntervalUnit: oneOf(UNITS, unit, 'STR_PROP_1'),
    timeZone: ownZone === null || ownZone === '' ? timeZone : zoneNameOf(ownZone),
    preserveHourOfDayAcrossDaylightSavings: toBoolean(preservesHour),
    skipDayIfHourDoesNotExist: toBoolean(skipsDay),
    timesTriggered: number(timesTriggered ?? 0, 'INT_PROP_2'),
  };
}

function calendarIntervalRow(trigger: CalendarIntervalTrigger): readonly ListedValue[] {
  const { key, repeatIntervalUnit, timeZone, repeatInterval, timesTriggered } = trigger;
  const flags = [trigger.preserveHourOfDayAcrossDaylightSavings, trigger.skipDayIfHourDoesNotExist].map(toFlag);
  const texts = [repeatIntervalUnit, timeZone, optional(null)];
  return [key.name, key.group, ...texts, repeatInterval, timesTriggered, 0, ...flags.map(optional)];
}

/**
 * STR_PROP_3 contains both times of day: `h,m,s,h,m,s`. Java reads these six values, and stores no time zone for this kind. quartz-ts adds its
 * time zone as a seventh value. An eighth value, `open`, means that there is no end time. The end time must still have three numbers, because
 * Java needs them.
 */
function readDaily(row: SimpropRow, timeZone: string): KindFields {
  const [unit, days, timesOfDay, repeatInterval, timesTriggered, repeatCount] = row;
  const times = text(timesOfDay, 'STR_PROP_3').split(',');
  return {
    kind: 'DAILY_I',
    repeatInterval: number(repeatInterval, 'INT_PROP_1'),
    repeatIntervalUnit: oneOf(DAILY_UNITS, unit, 'STR_PROP_1'),
    startTimeOfDay: timeOfDay(times.slice(0, 3)),
    endTimeOfDay:
      times[3] === undefined || times[3] === '' || times[7] === 'open' ? null : timeOfDay(times.slice(3, 6)),
    daysOfWeek: daysOfWeek(text(days, 'STR_PROP_2')),
    repeatCount: number(repeatCount ?? -1, 'LONG_PROP_1'),
    timeZone: times[6] === undefined || times[6] === '' ? timeZone : zoneNameOf(times[6]),
    timesTriggered: number(timesTriggered ?? 0, 'INT_PROP_2'),
  };
}

function dailyRow(trigger: DailyTimeIntervalTrigger): readonly ListedValue[] {
  const { key, startTimeOfDay, endTimeOfDay, timeZone, repeatInterval, timesTriggered, repeatCount } = trigger;
  const end = endTimeOfDay ?? { hour: 23, minute: 59, second: 59 };
  const values = [...valuesOf(startTimeOfDay), ...valuesOf(end), timeZone, ...(endTimeOfDay === null ? ['open'] : [])];
  const texts = [trigger.repeatIntervalUnit, trigger.daysOfWeek.join(','), optional(values.join(','))];
  const flags = [optional(null), optional(null)];
  return [key.name, key.group, ...texts, repeatInterval, timesTriggered, repeatCount, ...flags];
}

/**
 * STR_PROP_1 contains the outcome that counts, and the number of counted ends of each job: `success 1,0`. STR_PROP_2 contains the jobs as JSON,
 * continued in STR_PROP_3 after `MAX_TEXT` characters.
 */
function readAfter([counted, jobs, moreJobs, , timesTriggered]: SimpropRow): KindFields {
  const [on = '', counts = ''] = text(counted, 'STR_PROP_1').split(' ');
  const after = parentsIn(text(jobs, 'STR_PROP_2') + (moreJobs ?? ''));
  const ended = counts.split(',').map(Number);
  if (ended.length !== after.length || !ended.every(Number.isSafeInteger))
    throw malformed(`${after.length} ${after.length === 1 ? 'number' : 'numbers'} in STR_PROP_1, found '${counts}'`);
  return {
    kind: 'AFTER',
    after,
    on: oneOf(CHAIN_OUTCOMES, on, 'STR_PROP_1'),
    ended,
    timesTriggered: number(timesTriggered ?? 0, 'INT_PROP_2'),
  };
}

function parentsIn(list: string): readonly JobKey[] {
  const after = (JSON.parse(list) as readonly (readonly unknown[])[]).map(([name, group = DEFAULT_GROUP]) => ({
    group,
    name,
  }));
  const areKeys = after.every(({ group, name }) => typeof group === 'string' && typeof name === 'string');
  if (after.length > 0 && areKeys) return after as readonly JobKey[];
  throw malformed(`job names in STR_PROP_2, found '${list}'`);
}

const CHAIN_OUTCOMES: readonly ChainOutcome[] = ['success', 'failure', 'end'];

/** Maximum length of STR_PROP_2, in characters. */
const MAX_TEXT = 512;

function afterRow(trigger: AfterTrigger): readonly ListedValue[] {
  const { key, after, timesTriggered } = trigger;
  const jobs = [...parentsText(after)];
  const rest = jobs.length > MAX_TEXT ? jobs.slice(MAX_TEXT).join('') : null;
  const texts = [countedText(trigger), jobs.slice(0, MAX_TEXT).join(''), optional(rest)];
  return [key.name, key.group, ...texts, 0, timesTriggered, 0, optional(null), optional(null)];
}

/** Returns the value of STR_PROP_1 for an AFTER trigger. */
export function countedText({ on, ended }: AfterTrigger): string {
  return `${on} ${ended.join(',')}`;
}

/** Returns one X_PARENTS row for each job that an AFTER trigger waits for; an empty array for all other triggers. */
export function parentRowsOf(trigger: Trigger): readonly (readonly ListedValue[])[] {
  if (trigger.kind !== 'AFTER') return [];
  const { key, after } = trigger;
  return after.map((parent, index) => [key.name, key.group, index, parent.name, parent.group]);
}

const valuesOf = ({ hour, minute, second }: TimeOfDay) => [hour, minute, second];

function timeOfDay(values: readonly string[]): TimeOfDay {
  const [hour, minute, second] = values.map((value) => (/^\d{1,2}$/.test(value) ? Number(value) : Number.NaN));
  const isTime = isBelow(hour, 24) && isBelow(minute, 60) && isBelow(second, 60);
  if (!isTime) throw malformed(`hour,minute,second in STR_PROP_3, found '${values.join(',')}'`);
  return { hour, minute, second };
}

function isBelow(value: number | undefined, limit: number): value is number {
  return value !== undefined && value < limit;
}

function daysOfWeek(list: string): readonly number[] {
  const days = list.split(',').filter((day) => day !== '');
  if (!days.every((day) => /^[1-7]$/.test(day))) throw malformed(`days from 1 to 7 in STR_PROP_2, found '${list}'`);
  return days.map(Number).sort((a, b) => a - b);
}

/** True if the column contains a value that one of Java's drivers stores for true: `1`, `Y`, `t` or `true`. */
export function toBoolean(flag: string | null): boolean {
  return flag === '1' || flag === 'Y' || flag === 't' || flag === 'true';
}

/** Encodes a flag as Java does on MySQL. */
export function toFlag(value: boolean): '1' | '0' {
  return value ? '1' : '0';
}

function number(value: number | null, column: string): number {
  if (value === null)
    throw malformed(`a number in ${column}, found none: the trigger has no row in the table of its kind`);
  if (!Number.isSafeInteger(value)) throw malformed(`a number in ${column}, found ${value}, which is out of range`);
  return value;
}

function text(value: string | null, column: string): string {
  if (value === null) throw malformed(`text in ${column}, found none: the trigger has no row in the table of its kind`);
  return value;
}

function oneOf<T extends string>(known: readonly T[], value: string | null, column: string): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw malformed(`one of ${known.join(', ')} in ${column}, found '${value}'`);
  return found;
}

function malformed(expectation: string): SchedulerError {
  return badTrigger(`Expected ${expectation}.`);
}
