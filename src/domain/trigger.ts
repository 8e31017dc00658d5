import type { EpochMs } from '../base/clock';
import type { ExecutionPolicy } from './execution-policy';
import type { JobData } from './job-data';
import type { JobKey, TriggerKey } from './keys';

/** Quartz's default; a higher number fires first among equal fire times. */
export const DEFAULT_PRIORITY = 5;

/** `repeatCount` of a trigger that never stops by itself. */
export const REPEAT_INDEFINITELY = -1;

/** The last year searched for a fire time. Quartz stops a hundred years from today; a constant keeps the rule pure. */
export const MAX_YEAR = 2130;

/** The largest repeat count, interval or priority that Quartz's columns hold (a Java int). */
export const MAX_INT = 2 ** 31 - 1;

/** The latest instant a Date can hold. */
export const MAX_TIME = 8.64e15;

interface TriggerCommon {
  /** Name and group, unique among triggers. */
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  /** For people; null: none. */
  readonly description: string | null;
  /** What a firing finds besides the data of the job, which it overrides. */
  readonly data: JobData;
  /** Of two triggers that are due at once, the higher one fires first; a whole number of 32 bits, default 5. */
  readonly priority: number;
  readonly startTime: EpochMs;
  readonly endTime: EpochMs | null;
  /** Name of the calendar whose excluded times are passed over; null: none. */
  readonly calendarName: string | null;
  readonly nextFireTime: EpochMs | null;
  readonly previousFireTime: EpochMs | null;
  /** How what it fires is run; it overrides the job's. Absent: as the job says. */
  readonly policy?: ExecutionPolicy;
  /** Present where this node cannot read what is stored: why. It does not fire here; `data`, and what it fires by, say nothing. */
  readonly unreadable?: string;
}

/** Fires at a start time and then `repeatCount` times every `repeatInterval` milliseconds. */
export interface SimpleTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'SIMPLE';
  /** How often it fires again after the first time; -1 (`REPEAT_INDEFINITELY`): for ever. */
  readonly repeatCount: number;
  /** Milliseconds between two fire times, at least 1 where it repeats. */
  readonly repeatInterval: number;
  /** How often it fired. */
  readonly timesTriggered: number;
  /** What to do with missed fire times. */
  readonly misfireInstruction: SimpleMisfireInstruction;
}

/** Fires at the times a Quartz cron expression names. */
export interface CronTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'CRON';
  /** When it fires. */
  readonly cronExpression: string;
  readonly timeZone: string;
  /** What to do with missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Fires every n seconds … years, counted on the calendar of its time zone. */
export interface CalendarIntervalTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'CAL_INT';
  /** How many units lie between two fire times, at least 1. */
  readonly repeatInterval: number;
  /** The unit of `repeatInterval`. */
  readonly repeatIntervalUnit: IntervalUnit;
  readonly timeZone: string;
  /** Whether an interval of days or longer keeps the hour of the start, even after a day on which that did not exist. */
  readonly preserveHourOfDayAcrossDaylightSavings: boolean;
  /** With the hour preserved: whether a day that lacks it is passed over, instead of firing an hour later. */
  readonly skipDayIfHourDoesNotExist: boolean;
  /** How often it fired. */
  readonly timesTriggered: number;
  /** What to do with missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Fires every n seconds, minutes or hours between two times of day, on the given days of the week. */
export interface DailyTimeIntervalTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'DAILY_I';
  /** How many units lie between two fire times of a day, at least 1. */
  readonly repeatInterval: number;
  /** The unit of `repeatInterval`. */
  readonly repeatIntervalUnit: 'SECOND' | 'MINUTE' | 'HOUR';
  /** When a day begins. */
  readonly startTimeOfDay: TimeOfDay;
  /** Null: until the end of the day. */
  readonly endTimeOfDay: TimeOfDay | null;
  /** 1 = Sunday … 7 = Saturday, ascending. */
  readonly daysOfWeek: readonly number[];
  /** How often it fires again after the first time; `REPEAT_INDEFINITELY`: for ever. */
  readonly repeatCount: number;
  readonly timeZone: string;
  /** How often it fired. */
  readonly timesTriggered: number;
  /** What to do with missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Which ends of a job's runs a trigger of the kind `AFTER` waits for: those that succeeded, those that failed for good, or both. */
export type ChainOutcome = 'success' | 'failure' | 'end';

/** Fires because other jobs have ended. It has no fire times of its own, and is never due. */
export interface AfterTrigger extends TriggerCommon {
  /** Ours: Quartz has no such kind. */
  readonly kind: 'AFTER';
  /** The jobs whose ends it waits for, in the order of their keys: 1 to 100, none twice, whose names take about 1,000 characters. */
  readonly after: readonly JobKey[];
  /** Which of their ends count. */
  readonly on: ChainOutcome;
  /** How many ends of each job have been counted and not been used by a firing, in the order of `after`: at most 9,999. */
  readonly ended: readonly number[];
  /** How often it fired. */
  readonly timesTriggered: number;
  /** There is nothing to miss. */
  readonly misfireInstruction: 'SMART_POLICY';
}

/** Whether nothing is left that the trigger could fire by. What waits for other jobs has no time, and fires all the same. */
export function firesNoMore({ nextFireTime, kind }: Trigger): boolean {
  return nextFireTime === null && kind !== 'AFTER';
}

/** Whether a trigger that fires once has fired, by its times, so that a store need not count it. A misfire past its end leaves them as they were. */
export function hasFiredItsOnce(trigger: Trigger): trigger is SimpleTrigger {
  const firesOnce = trigger.kind === 'SIMPLE' && trigger.repeatCount === 0 && trigger.endTime === null;
  if (!firesOnce || trigger.nextFireTime !== null || trigger.previousFireTime === null) return false;
  return trigger.previousFireTime >= trigger.startTime;
}

export type Trigger = SimpleTrigger | CronTrigger | CalendarIntervalTrigger | DailyTimeIntervalTrigger | AfterTrigger;
export type TriggerKind = Trigger['kind'];

export type IntervalUnit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** The fields of each kind that decide when it fires, besides start, end and calendar. */
export const SCHEDULE_FIELDS = {
  SIMPLE: ['repeatCount', 'repeatInterval'],
  CRON: ['cronExpression', 'timeZone'],
  CAL_INT: [
    'repeatInterval',
    'repeatIntervalUnit',
    'timeZone',
    'preserveHourOfDayAcrossDaylightSavings',
    'skipDayIfHourDoesNotExist',
  ],
  DAILY_I: [
    'repeatInterval',
    'repeatIntervalUnit',
    'startTimeOfDay',
    'endTimeOfDay',
    'daysOfWeek',
    'repeatCount',
    'timeZone',
  ],
  AFTER: ['after', 'on'],
} as const satisfies { [Kind in TriggerKind]: readonly (keyof Extract<Trigger, { readonly kind: Kind }>)[] };

/** A time of day on the wall clock; milliseconds are always 0. */
export interface TimeOfDay {
  /** 0 to 23. */
  readonly hour: number;
  /** 0 to 59. */
  readonly minute: number;
  /** 0 to 59. */
  readonly second: number;
}

/** The end of a day of a daily-time-interval trigger that names none. */
export const END_OF_DAY: TimeOfDay = { hour: 23, minute: 59, second: 59 };

export type SimpleMisfireInstruction =
  | 'IGNORE_MISFIRE_POLICY'
  | 'SMART_POLICY'
  | 'FIRE_NOW'
  | 'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT'
  | 'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT'
  | 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT'
  | 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT';

export type IntervalMisfireInstruction = 'IGNORE_MISFIRE_POLICY' | 'SMART_POLICY' | 'FIRE_ONCE_NOW' | 'DO_NOTHING';

/** What to do with missed fire times, in the words of each kind of trigger. */
export type MisfireInstruction = SimpleMisfireInstruction | IntervalMisfireInstruction;
