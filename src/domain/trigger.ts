import type { EpochMs } from '../base/clock';
import type { ExecutionPolicy } from './execution-policy';
import type { JobData } from './job-data';
import type { JobKey, TriggerKey } from './keys';

/** Default priority, as in Quartz. Among triggers with the same fire time, the trigger with the highest priority fires first. */
export const DEFAULT_PRIORITY = 5;

/** `repeatCount` of a trigger that repeats without limit. */
export const REPEAT_INDEFINITELY = -1;

/** Last year in which fire times are searched. A constant, unlike Quartz's hundred years ahead, so that a search does not depend on the time. */
export const MAX_YEAR = 2130;

/** Maximum value of a Java int. Quartz's columns limit repeat counts, intervals and priorities to it. */
export const MAX_INT = 2 ** 31 - 1;

interface TriggerCommon {
  /** Name and group, unique among triggers. */
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  /** Human-readable description; null: none. */
  readonly description: string | null;
  /** Data of the trigger's firings, which overrides the job's data. */
  readonly data: JobData;
  /** Priority among triggers with the same fire time: the highest fires first. 32-bit integer, default 5. */
  readonly priority: number;
  readonly startTime: EpochMs;
  readonly endTime: EpochMs | null;
  /** Name of the calendar whose excluded times are skipped; null: none. */
  readonly calendarName: string | null;
  readonly nextFireTime: EpochMs | null;
  readonly previousFireTime: EpochMs | null;
  /** Execution settings that override the job's settings; absent: the job's settings apply. */
  readonly policy?: ExecutionPolicy;
  /** Reason why this node cannot read the trigger; absent if it can. If set, it does not fire here, and `data` and the schedule are meaningless. */
  readonly unreadable?: string;
}

/** Fires at the start time and then `repeatCount` more times, every `repeatInterval` milliseconds. */
export interface SimpleTrigger extends TriggerCommon {
  /** Quartz's name for simple triggers. */
  readonly kind: 'SIMPLE';
  /** Number of firings after the first; -1 (`REPEAT_INDEFINITELY`): no limit. */
  readonly repeatCount: number;
  /** Time between two fire times, in milliseconds. At least 1 if the trigger repeats. */
  readonly repeatInterval: number;
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: SimpleMisfireInstruction;
}

/** Fires at the times that match a Quartz cron expression. */
export interface CronTrigger extends TriggerCommon {
  /** Quartz's name for cron triggers. */
  readonly kind: 'CRON';
  /** Quartz cron expression that determines the fire times. */
  readonly cronExpression: string;
  readonly timeZone: string;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Fires at intervals of calendar units, from seconds to years, in its time zone. */
export interface CalendarIntervalTrigger extends TriggerCommon {
  /** Quartz's name for calendar-interval triggers. */
  readonly kind: 'CAL_INT';
  /** Number of units between two fire times, at least 1. */
  readonly repeatInterval: number;
  /** Unit of `repeatInterval`. */
  readonly repeatIntervalUnit: IntervalUnit;
  readonly timeZone: string;
  /** True if intervals of days or longer preserve the hour of the start time, even after a day on which that hour does not exist. */
  readonly preserveHourOfDayAcrossDaylightSavings: boolean;
  /** For a day without the preserved hour. True: the trigger skips the day. False: it fires an hour later. Only used if the hour is preserved. */
  readonly skipDayIfHourDoesNotExist: boolean;
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Fires at intervals of seconds, minutes or hours between two times of day, on selected days of the week. */
export interface DailyTimeIntervalTrigger extends TriggerCommon {
  /** Quartz's name for daily-interval triggers. */
  readonly kind: 'DAILY_I';
  /** Number of units between two fire times on the same day, at least 1. */
  readonly repeatInterval: number;
  /** Unit of `repeatInterval`. */
  readonly repeatIntervalUnit: 'SECOND' | 'MINUTE' | 'HOUR';
  /** First fire time of each day. */
  readonly startTimeOfDay: TimeOfDay;
  /** Latest possible fire time of each day; null: the end of the day. */
  readonly endTimeOfDay: TimeOfDay | null;
  /** Days of the week on which the trigger fires, ascending: 1 (Sunday) to 7 (Saturday). */
  readonly daysOfWeek: readonly number[];
  /** Number of firings after the first; -1 (`REPEAT_INDEFINITELY`): no limit. */
  readonly repeatCount: number;
  readonly timeZone: string;
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Instruction for missed fire times. */
  readonly misfireInstruction: IntervalMisfireInstruction;
}

/** Run outcomes that an AFTER trigger waits for: success, failure without further retries, or either (`end`). */
export type ChainOutcome = 'success' | 'failure' | 'end';

/** Fires when runs of other jobs end. An AFTER trigger has no fire times and never becomes due. */
export interface AfterTrigger extends TriggerCommon {
  /** Kind of triggers that run chained jobs. Quartz does not have this kind. */
  readonly kind: 'AFTER';
  /** Jobs whose runs the trigger waits for, sorted by key: 1 to 100, without duplicates. Their names may have about 1,000 characters in total. */
  readonly after: readonly JobKey[];
  /** Run outcomes that the trigger waits for. */
  readonly on: ChainOutcome;
  /** Numbers of ended runs with a matching outcome that have not yet been used for a firing, one number for each job in `after`. At most 9,999. */
  readonly ended: readonly number[];
  /** Number of firings so far. */
  readonly timesTriggered: number;
  /** Always `SMART_POLICY`, because the trigger has no fire times that could be missed. */
  readonly misfireInstruction: 'SMART_POLICY';
}

/** True if the trigger will never fire again. AFTER triggers have no fire time and can always fire. */
export function firesNoMore({ nextFireTime, kind }: Trigger): boolean {
  return nextFireTime === null && kind !== 'AFTER';
}

/** True if a one-shot trigger has fired, by its times, so that a store need not count. A misfire after the end time does not change these times. */
export function hasFiredItsOnce(trigger: Trigger): trigger is SimpleTrigger {
  const firesOnce = trigger.kind === 'SIMPLE' && trigger.repeatCount === 0 && trigger.endTime === null;
  if (!firesOnce || trigger.nextFireTime !== null || trigger.previousFireTime === null) return false;
  return trigger.previousFireTime >= trigger.startTime;
}

export type Trigger = SimpleTrigger | CronTrigger | CalendarIntervalTrigger | DailyTimeIntervalTrigger | AfterTrigger;
export type TriggerKind = Trigger['kind'];

/**
 * Returns a trigger that fires once at `startTime`, however late it is. With a calendar, a start that is missed by more than the misfire threshold
 * moves to the next time that the calendar includes.
 */
export function oneShotTrigger(
  key: TriggerKey,
  startTime: EpochMs,
  {
    jobKey,
    data,
    priority,
    calendarName = null,
  }: Pick<SimpleTrigger, 'jobKey' | 'data' | 'priority'> & Partial<Pick<SimpleTrigger, 'calendarName'>>,
  policy: ExecutionPolicy | undefined,
): SimpleTrigger {
  return {
    kind: 'SIMPLE',
    key,
    jobKey,
    description: null,
    data,
    priority,
    startTime,
    endTime: null,
    calendarName,
    nextFireTime: startTime,
    previousFireTime: null,
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    misfireInstruction: calendarName === null ? 'IGNORE_MISFIRE_POLICY' : 'FIRE_NOW',
    ...(policy === undefined ? {} : { policy }),
  };
}

export type IntervalUnit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** Fields of each trigger kind that determine its fire times, in addition to start time, end time and calendar. */
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

/** Local time of day in whole seconds. */
export interface TimeOfDay {
  /** Hour, 0 to 23. */
  readonly hour: number;
  /** Minute, 0 to 59. */
  readonly minute: number;
  /** Second, 0 to 59. */
  readonly second: number;
}

export function secondOfDay({ hour, minute, second }: TimeOfDay): number {
  return hour * 3_600 + minute * 60 + second;
}

export function timeOfDayText({ hour, minute, second }: TimeOfDay): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Default `endTimeOfDay` of a daily-interval trigger. */
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

/** Instruction for missed fire times. Each trigger kind supports its own instructions. */
export type MisfireInstruction = SimpleMisfireInstruction | IntervalMisfireInstruction;
