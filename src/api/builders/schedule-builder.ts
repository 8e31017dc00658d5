import type { TriggerKey } from '../../domain/keys';
import { timeZoneOf } from '../../domain/time/time-zone';
import type { IntervalMisfireInstruction } from '../../domain/trigger';
import type { Trigger } from '../trigger';

/** Fields that every kind of trigger has. */
type CommonField =
  | 'key'
  | 'jobKey'
  | 'description'
  | 'data'
  | 'priority'
  | 'startTime'
  | 'endTime'
  | 'calendarName'
  | 'nextFireTime'
  | 'previousFireTime'
  | 'policy';

/** Fields that only one kind of trigger has, such as a cron expression. */
export type ScheduleOf<T extends Trigger> = Omit<T, CommonField>;

/** Builder of a trigger's schedule, as returned by `cronSchedule`, `simpleSchedule` and similar functions. */
export interface ScheduleBuilder<T extends Trigger = Trigger> {
  /** Builds the schedule. `H` in a cron expression is derived from `key`, the trigger's key. Throws INVALID_ARGUMENT for contradictory settings. */
  build(key?: TriggerKey): ScheduleOf<T>;
}

/** Time zone and misfire instruction, which cron, calendar-interval and daily-time-interval schedules share. */
export class WallClockSchedule {
  /** Instruction for missed fire times. */
  protected misfireInstruction: IntervalMisfireInstruction = 'SMART_POLICY';
  /** IANA name of the time zone, or null for the scheduler's zone. */
  protected timeZone: string | null = null;

  /** Sets the time zone by its IANA name; null means the scheduler's zone. Throws UNKNOWN_TIME_ZONE for any other name. */
  inTimeZone(timeZone: string | null): this {
    this.timeZone = timeZone === null ? null : timeZoneOf(timeZone).name;
    return this;
  }

  /** Fires once for each missed fire time, as fast as possible. */
  withMisfireHandlingInstructionIgnoreMisfires(): this {
    this.misfireInstruction = 'IGNORE_MISFIRE_POLICY';
    return this;
  }

  /** Skips missed fire times. Continues at the next regular time. */
  withMisfireHandlingInstructionDoNothing(): this {
    this.misfireInstruction = 'DO_NOTHING';
    return this;
  }

  /** Fires once immediately for all missed fire times together. This is the default. */
  withMisfireHandlingInstructionFireAndProceed(): this {
    this.misfireInstruction = 'FIRE_ONCE_NOW';
    return this;
  }
}
