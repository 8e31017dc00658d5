import type { TriggerKey } from '../../domain/keys';
import { timeZoneOf } from '../../domain/time/time-zone';
import type { IntervalMisfireInstruction } from '../../domain/trigger';
import type { Trigger } from '../trigger';

/** Fields of every trigger, regardless of its schedule. */
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

/** Fields of only one kind of trigger: its schedule. */
export type ScheduleOf<T extends Trigger> = Omit<T, CommonField>;

/** Builds the schedule of a trigger. `cronSchedule`, `simpleSchedule` and others return one. */
export interface ScheduleBuilder<T extends Trigger = Trigger> {
  /**
   * Builds the schedule. `key`: key of the trigger, from which a cron schedule draws `H`. Throws INVALID_ARGUMENT if its settings
   * contradict each other.
   */
  build(key?: TriggerKey): ScheduleOf<T>;
}

/** Settings that cron, calendar-interval and daily-time-interval schedules share: a time zone and misfire instructions. */
export class WallClockSchedule {
  /** Instruction for missed fire times. */
  protected misfireInstruction: IntervalMisfireInstruction = 'SMART_POLICY';
  /** IANA name of the zone; null: the scheduler's zone. */
  protected timeZone: string | null = null;

  /** Sets the zone of the wall clock and the days, as an IANA name; null: the scheduler's zone. Throws UNKNOWN_TIME_ZONE. */
  inTimeZone(timeZone: string | null): this {
    this.timeZone = timeZone === null ? null : timeZoneOf(timeZone).name;
    return this;
  }

  /** Fires once for every missed time, as fast as possible. */
  withMisfireHandlingInstructionIgnoreMisfires(): this {
    this.misfireInstruction = 'IGNORE_MISFIRE_POLICY';
    return this;
  }

  /** Skips missed fire times. */
  withMisfireHandlingInstructionDoNothing(): this {
    this.misfireInstruction = 'DO_NOTHING';
    return this;
  }

  /** Fires once, immediately, for all missed fire times: the default. */
  withMisfireHandlingInstructionFireAndProceed(): this {
    this.misfireInstruction = 'FIRE_ONCE_NOW';
    return this;
  }
}
