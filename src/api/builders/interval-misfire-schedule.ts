import type { IntervalMisfireInstruction } from '../../domain/trigger';

/** The misfire instructions that cron, calendar-interval and daily-time-interval schedules share. */
export class IntervalMisfireSchedule {
  /** What to do with missed fire times. */
  protected misfireInstruction: IntervalMisfireInstruction = 'SMART_POLICY';

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
