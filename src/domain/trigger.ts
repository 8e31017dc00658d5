import type { EpochMs } from '../base/clock';
import type { ExecutionPolicy } from './execution-policy';
import type { JobData } from './job-data';
import type { JobKey, TriggerKey } from './keys';

/** Quartz's default priority. Among equal fire times, the trigger with the higher number fires first. */
export const DEFAULT_PRIORITY = 5;

/** `repeatCount` of a trigger that never stops by itself. */
export const REPEAT_INDEFINITELY = -1;

/** Last year that is searched for a fire time. Quartz stops a hundred years from today; a constant keeps the rule pure. */
export const MAX_YEAR = 2130;

/** The largest repeat count, interval or priority that Quartz's columns hold (a Java int). */
export const MAX_INT = 2 ** 31 - 1;

/** The latest instant a Date can hold. */
export const MAX_TIME = 8.64e15;

interface TriggerCommon {
  /** Name and group, unique among triggers. */
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  /** Description for readers; null: none. */
  readonly description: string | null;
  /** Data of a firing, which overrides the job's data. */
  readonly data: JobData;
  /** Priority among triggers that are due at the same time; the higher one fires first. A whole number of 32 bits, default 5. */
  readonly priority: number;
  readonly startTime: EpochMs;
  readonly endTime: EpochMs | null;
  /** Name of the calendar whose excluded times are skipped; null: none. */
  readonly calendarName: string | null;
  readonly nextFireTime: EpochMs | null;
  readonly previousFireTime: EpochMs | null;
  /** Execution settings that override the job's; absent: the job's apply. */
  readonly policy?: ExecutionPolicy;
  /**
   * Reason why this node cannot read the stored trigger; absent if it can. It does not fire here, and `data` and its schedule fields are meaningless.
   */
  readonly unreadable?: string;
}

/** Fires at a start time and then `repeatCount` times every `repeatInterval` milliseconds. */
export interface SimpleTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'SIMPLE';
  /** Number of firings after the first one; -1 (`REPEAT_INDEFINITELY`): without end. */
  readonly repeatCount: number;
  /** Milliseconds between two fire times, at least 1 if it repeats. */
  readonly repeatInterval: number;
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: SimpleMisfireInstruction;
}

/** Fires at the times a Quartz cron expression names. */
export interface CronTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'CRON';
  /** Expression that defines the fire times. */
  readonly cronExpression: string;
  readonly timeZone: string;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Fires every n seconds … years, counted on the calendar of its time zone. */
export interface CalendarIntervalTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'CAL_INT';
  /** Number of units between two fire times, at least 1. */
  readonly repeatInterval: number;
  /** The unit of `repeatInterval`. */
  readonly repeatIntervalUnit: IntervalUnit;
  readonly timeZone: string;
  /** True if an interval of days or longer keeps the hour of the start, even after a day on which that hour did not exist. */
  readonly preserveHourOfDayAcrossDaylightSavings: boolean;
  /** True, with the hour preserved, if a day without that hour is skipped instead of firing an hour later. */
  readonly skipDayIfHourDoesNotExist: boolean;
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Fires every n seconds, minutes or hours between two times of day, on the given days of the week. */
export interface DailyTimeIntervalTrigger extends TriggerCommon {
  /** Quartz's word for the kind. */
  readonly kind: 'DAILY_I';
  /** Number of units between two fire times of a day, at least 1. */
  readonly repeatInterval: number;
  /** The unit of `repeatInterval`. */
  readonly repeatIntervalUnit: 'SECOND' | 'MINUTE' | 'HOUR';
  /** First fire time of a day. */
  readonly startTimeOfDay: TimeOfDay;
  /** Last time of a day; null: the end of the day. */
  readonly endTimeOfDay: TimeOfDay | null;
  /** Days of the week on which it fires, ascending: 1 = Sunday … 7 = Saturday. */
  readonly daysOfWeek: readonly number[];
  /** Number of firings after the first one; `REPEAT_INDEFINITELY`: without end. */
  readonly repeatCount: number;
  readonly timeZone: string;
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Run ends that an `AFTER` trigger waits for: successes, failures without further retries, or both. */
export type ChainOutcome = 'success' | 'failure' | 'end';

/** Fires when other jobs have ended. It has no fire times, and is never due. */
export interface AfterTrigger extends TriggerCommon {
  /** Kind of trigger that Quartz does not have. */
  readonly kind: 'AFTER';
  /** Jobs whose ends it waits for, in the order of their keys: 1 to 100, without duplicates. Their names may take about 1,000 characters in total. */
  readonly after: readonly JobKey[];
  /** Run ends that count. */
  readonly on: ChainOutcome;
  /** Number of counted ends of each job that no firing has used yet, in the order of `after`: at most 9,999. */
  readonly ended: readonly number[];
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Always `SMART_POLICY`, because it has no fire times that could be missed. */
  readonly misfireInstruction: 'SMART_POLICY';
}

/** True if the trigger can never fire again. A trigger that waits for other jobs has no fire time, and can still fire. */
export function firesNoMore({ nextFireTime, kind }: Trigger): boolean {
  return nextFireTime === null && kind !== 'AFTER';
}

/**
 * True if a trigger that fires once has fired, judged by its times, so that a store need not count. A misfire past its end leaves the times
 * unchanged.
 */
export function hasFiredItsOnce(trigger: Trigger): trigger is SimpleTrigger {
  const firesOnce = trigger.kind === 'SIMPLE' && trigger.repeatCount === 0 && trigger.endTime === null;
  if (!firesOnce || trigger.nextFireTime !== null || trigger.previousFireTime === null) return false;
  return trigger.previousFireTime >= trigger.startTime;
}

export type Trigger = SimpleTrigger | CronTrigger | CalendarIntervalTrigger | DailyTimeIntervalTrigger | AfterTrigger;
export type TriggerKind = Trigger['kind'];

export type IntervalUnit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** Fields of each kind that decide when it fires, in addition to start, end and calendar. */
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
  /** Hour, 0 to 23. */
  readonly hour: number;
  /** Minute, 0 to 59. */
  readonly minute: number;
  /** Second, 0 to 59. */
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

/** Instruction for missed fire times, in the words of each kind of trigger. */
export type MisfireInstruction = SimpleMisfireInstruction | IntervalMisfireInstruction;
