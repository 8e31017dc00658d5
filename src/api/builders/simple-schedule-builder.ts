import { unmet } from '../../domain/check-text';
import { REPEAT_INDEFINITELY, type SimpleMisfireInstruction } from '../../domain/trigger';
import type { SimpleTrigger } from '../trigger';
import { checkWhole } from './check-arguments';
import type { ScheduleBuilder, ScheduleOf } from './schedule-builder';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Schedule that fires at the start of the trigger, then repeats at a fixed interval: `simpleSchedule()`. Default: fires once. */
export class SimpleScheduleBuilder implements ScheduleBuilder<SimpleTrigger> {
  #repeatInterval = 0;
  #repeatCount = 0;
  #misfireInstruction: SimpleMisfireInstruction = 'SMART_POLICY';

  /** Sets the interval in milliseconds, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInMilliseconds(interval: number): this {
    this.#repeatInterval = checkWhole(interval, 'the interval in milliseconds', 1, Number.MAX_SAFE_INTEGER);
    return this;
  }

  /** Sets the interval in seconds, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInSeconds(interval: number): this {
    this.#repeatInterval = checkWhole(interval, 'the interval in seconds', 1) * SECOND_MS;
    return this;
  }

  /** Sets the interval in minutes, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInMinutes(interval: number): this {
    this.#repeatInterval = checkWhole(interval, 'the interval in minutes', 1) * MINUTE_MS;
    return this;
  }

  /** Sets the interval in hours, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInHours(interval: number): this {
    this.#repeatInterval = checkWhole(interval, 'the interval in hours', 1) * HOUR_MS;
    return this;
  }

  /** Sets the number of firings after the first: 0 (default) or more, or -1 for no limit. Throws INVALID_ARGUMENT for any other value. */
  withRepeatCount(repeatCount: number): this {
    this.#repeatCount = checkWhole(repeatCount, 'the repeat count (-1 for no limit)', REPEAT_INDEFINITELY);
    return this;
  }

  /** Repeats without limit. */
  repeatForever(): this {
    this.#repeatCount = REPEAT_INDEFINITELY;
    return this;
  }

  /** Fires once for each missed fire time, as fast as possible. */
  withMisfireHandlingInstructionIgnoreMisfires(): this {
    return this.#misfire('IGNORE_MISFIRE_POLICY');
  }

  /** Fires immediately. A repeating schedule restarts now, and missed fire times count as fired. */
  withMisfireHandlingInstructionFireNow(): this {
    return this.#misfire('FIRE_NOW');
  }

  /** Continues at the next regular time. Missed fire times do not count as fired. */
  withMisfireHandlingInstructionNextWithExistingCount(): this {
    return this.#misfire('RESCHEDULE_NEXT_WITH_EXISTING_COUNT');
  }

  /** Continues at the next regular time. Missed fire times count as fired. */
  withMisfireHandlingInstructionNextWithRemainingCount(): this {
    return this.#misfire('RESCHEDULE_NEXT_WITH_REMAINING_COUNT');
  }

  /** Restarts the schedule now. Missed fire times do not count as fired. */
  withMisfireHandlingInstructionNowWithExistingCount(): this {
    return this.#misfire('RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT');
  }

  /** Restarts the schedule now. Missed fire times count as fired. */
  withMisfireHandlingInstructionNowWithRemainingCount(): this {
    return this.#misfire('RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT');
  }

  build(): ScheduleOf<SimpleTrigger> {
    if (this.#repeatCount !== 0 && this.#repeatInterval === 0) {
      throw unmet('an interval for a schedule that repeats, such as withIntervalInSeconds(10)', 'none');
    }
    return {
      kind: 'SIMPLE',
      repeatCount: this.#repeatCount,
      repeatInterval: this.#repeatInterval,
      timesTriggered: 0,
      misfireInstruction: this.#misfireInstruction,
    };
  }

  #misfire(instruction: SimpleMisfireInstruction): this {
    this.#misfireInstruction = instruction;
    return this;
  }
}

/** Returns a builder of a simple schedule, which fires once unless a repeat is set. */
export function simpleSchedule(): SimpleScheduleBuilder {
  return new SimpleScheduleBuilder();
}

/** Fires every `seconds` (a whole number, at least 1; default 1), without limit. Throws INVALID_ARGUMENT for any other value. */
export function repeatSecondlyForever(seconds = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInSeconds(seconds).repeatForever();
}

/** Fires every `minutes` (a whole number, at least 1; default 1), without limit. Throws INVALID_ARGUMENT for any other value. */
export function repeatMinutelyForever(minutes = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInMinutes(minutes).repeatForever();
}

/** Fires every `hours` (a whole number, at least 1; default 1), without limit. Throws INVALID_ARGUMENT for any other value. */
export function repeatHourlyForever(hours = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInHours(hours).repeatForever();
}

/** Fires `count` times in total (at least 1), every `seconds` (at least 1; default 1). Throws INVALID_ARGUMENT for any other value. */
export function repeatSecondlyForTotalCount(count: number, seconds = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInSeconds(seconds).withRepeatCount(repeatsOf(count));
}

/** Fires `count` times in total (at least 1), every `minutes` (at least 1; default 1). Throws INVALID_ARGUMENT for any other value. */
export function repeatMinutelyForTotalCount(count: number, minutes = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInMinutes(minutes).withRepeatCount(repeatsOf(count));
}

/** Fires `count` times in total (at least 1), every `hours` (at least 1; default 1). Throws INVALID_ARGUMENT for any other value. */
export function repeatHourlyForTotalCount(count: number, hours = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInHours(hours).withRepeatCount(repeatsOf(count));
}

/** Converts a total number of firings to a repeat count, which excludes the first firing. */
function repeatsOf(count: number): number {
  return checkWhole(count, 'the total number of firings', 1) - 1;
}
