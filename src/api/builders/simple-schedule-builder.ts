import { invalidArgument } from '../../domain/check-text';
import { REPEAT_INDEFINITELY, type SimpleMisfireInstruction } from '../../domain/trigger';
import type { SimpleTrigger } from '../trigger';
import { checkWhole } from './check-arguments';
import type { ScheduleBuilder, ScheduleOf } from './schedule-builder';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A schedule that fires at the trigger's start and repeats at a fixed interval: `simpleSchedule()`. */
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

  /**
   * Sets how often the trigger fires after its first time: 0 (default) or more, or -1 for no limit. Throws INVALID_ARGUMENT for anything
   * else.
   */
  withRepeatCount(repeatCount: number): this {
    this.#repeatCount = checkWhole(repeatCount, 'the repeat count (-1 for no limit)', REPEAT_INDEFINITELY);
    return this;
  }

  /** Repeats without end. */
  repeatForever(): this {
    this.#repeatCount = REPEAT_INDEFINITELY;
    return this;
  }

  /** Fires once for every missed time, as fast as possible. */
  withMisfireHandlingInstructionIgnoreMisfires(): this {
    return this.#misfire('IGNORE_MISFIRE_POLICY');
  }

  /** Fires immediately. A repeating schedule continues with its remaining repeats. */
  withMisfireHandlingInstructionFireNow(): this {
    return this.#misfire('FIRE_NOW');
  }

  /** Continues at the next regular time; missed fire times do not count as fired. */
  withMisfireHandlingInstructionNextWithExistingCount(): this {
    return this.#misfire('RESCHEDULE_NEXT_WITH_EXISTING_COUNT');
  }

  /** Continues at the next regular time; missed fire times count as fired. */
  withMisfireHandlingInstructionNextWithRemainingCount(): this {
    return this.#misfire('RESCHEDULE_NEXT_WITH_REMAINING_COUNT');
  }

  /** Restarts now; missed fire times do not count as fired. */
  withMisfireHandlingInstructionNowWithExistingCount(): this {
    return this.#misfire('RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT');
  }

  /** Restarts now; missed fire times count as fired. */
  withMisfireHandlingInstructionNowWithRemainingCount(): this {
    return this.#misfire('RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT');
  }

  build(): ScheduleOf<SimpleTrigger> {
    if (this.#repeatCount !== 0 && this.#repeatInterval === 0) {
      throw invalidArgument('an interval for a schedule that repeats, such as withIntervalInSeconds(10)', 'none');
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

/** Returns a builder of a simple schedule, which fires once unless you set a repeat. */
export function simpleSchedule(): SimpleScheduleBuilder {
  return new SimpleScheduleBuilder();
}

/** Fires every `seconds` (whole, at least 1; default 1) without end. Throws INVALID_ARGUMENT. */
export function repeatSecondlyForever(seconds = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInSeconds(seconds).repeatForever();
}

/** Fires every `minutes` (whole, at least 1; default 1) without end. Throws INVALID_ARGUMENT. */
export function repeatMinutelyForever(minutes = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInMinutes(minutes).repeatForever();
}

/** Fires every `hours` (whole, at least 1; default 1) without end. Throws INVALID_ARGUMENT. */
export function repeatHourlyForever(hours = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInHours(hours).repeatForever();
}

/** Fires `count` times in total (at least 1), `seconds` apart (at least 1; default 1). Throws INVALID_ARGUMENT. */
export function repeatSecondlyForTotalCount(count: number, seconds = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInSeconds(seconds).withRepeatCount(repeatsOf(count));
}

/** Fires `count` times in total (at least 1), `minutes` apart (at least 1; default 1). Throws INVALID_ARGUMENT. */
export function repeatMinutelyForTotalCount(count: number, minutes = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInMinutes(minutes).withRepeatCount(repeatsOf(count));
}

/** Fires `count` times in total (at least 1), `hours` apart (at least 1; default 1). Throws INVALID_ARGUMENT. */
export function repeatHourlyForTotalCount(count: number, hours = 1): SimpleScheduleBuilder {
  return simpleSchedule().withIntervalInHours(hours).withRepeatCount(repeatsOf(count));
}

/** Returns the number of repeats, which does not include the first firing. */
function repeatsOf(count: number): number {
  return checkWhole(count, 'the total number of firings', 1) - 1;
}
