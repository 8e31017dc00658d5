import type { TriggerKey } from '../../domain/keys';
import { timeZoneOf } from '../../domain/time/time-zone';
import type { IntervalMisfireInstruction } from '../../domain/trigger';
import type { Trigger } from '../trigger';

/** What every trigger has, whatever its schedule. */
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

/** What a trigger of one kind has besides: its schedule. */
export type ScheduleOf<T extends Trigger> = Omit<T, CommonField>;

/** Makes the schedule of a trigger; `cronSchedule`, `simpleSchedule` … return one. */
export interface ScheduleBuilder<T extends Trigger = Trigger> {
  /** `key`: of the trigger, from which a cron schedule draws `H`. Throws INVALID_ARGUMENT when the parts do not fit together. */
  build(key?: TriggerKey): ScheduleOf<T>;
}

/** What cron, calendar-interval and daily-time-interval schedules share: a time zone and misfire instructions. */
export class WallClockSchedule {
  /** What to do with missed fire times. */
  protected misfireInstruction: IntervalMisfireInstruction = 'SMART_POLICY';
  /** Null: the scheduler's. */
  protected timeZone: string | null = null;

  /** The zone whose wall clock and days are meant, as an IANA name; null for the scheduler's. Throws UNKNOWN_TIME_ZONE. */
  inTimeZone(timeZone: string | null): this {
    this.timeZone = timeZone === null ? null : timeZoneOf(timeZone).name;
    return this;
  }

  /** Fires once for every missed time, as fast as it can. */
  withMisfireHandlingInstructionIgnoreMisfires(): this {
    this.misfireInstruction = 'IGNORE_MISFIRE_POLICY';
    return this;
  }

  /** Skips what was missed. */
  withMisfireHandlingInstructionDoNothing(): this {
    this.misfireInstruction = 'DO_NOTHING';
    return this;
  }

  /** Fires once at once for all that was missed: what happens by default, too. */
  withMisfireHandlingInstructionFireAndProceed(): this {
    this.misfireInstruction = 'FIRE_ONCE_NOW';
    return this;
  }
}
