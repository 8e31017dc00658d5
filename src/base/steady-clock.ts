import type { Clock, EpochMs } from './clock';
import { sleepFor } from './sleep';

/** Jumps below this are ignored, in milliseconds. NTP corrects at most 0.5 ms per second, and the two clocks are not read at the same instant. */
const TOLERANCE_MS = 50;

/** Part of its speed that a clock loses while it waits for the wall clock that was set back. */
const HELD_BACK_RATE = 0.05;

/** Maximum duration of one sleep, in milliseconds, after which a jump of the wall clock is noticed. */
const MAX_SLEEP_MS = 1_000;

/**
 * A wall clock that never goes back. When the wall clock is set back, this clock continues from its own time, 5 % slower than real time, until the
 * wall clock has caught up: triggers keep firing, and no scheduled time occurs twice. A jump forward takes effect immediately.
 */
export class SteadyClock implements Clock {
  readonly #wall: Clock;
  #ahead = 0;
  #lastWall: EpochMs;
  #lastMonotonic: number;

  constructor(wall: Clock) {
    this.#wall = wall;
    this.#lastWall = wall.now();
    this.#lastMonotonic = wall.monotonic();
  }

  get ahead(): number {
    this.#read();
    return this.#ahead;
  }

  now(): EpochMs {
    return Math.floor(this.#read() + this.#ahead);
  }

  monotonic(): number {
    return this.#wall.monotonic();
  }

  async sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    for (let left = time - this.now(); left > 0 && !signal.aborted; left = time - this.now()) {
      await this.sleepFor(Math.min(left, MAX_SLEEP_MS), signal);
    }
  }

  sleepFor(duration: number, signal: AbortSignal): Promise<void> {
    return sleepFor(this.#wall, duration, signal);
  }

  /** Reads the wall clock, and updates by how much this clock is ahead of it. */
  #read(): EpochMs {
    const wall = this.#wall.now();
    const monotonic = this.#wall.monotonic();
    const elapsed = monotonic - this.#lastMonotonic;
    const step = wall - this.#lastWall - elapsed;
    if (step < -TOLERANCE_MS || this.#ahead > 0) {
      const isJump = Math.abs(step) > TOLERANCE_MS;
      this.#ahead = Math.max(0, this.#ahead - elapsed * HELD_BACK_RATE - (isJump ? step : 0));
    }
    this.#lastWall = wall;
    this.#lastMonotonic = monotonic;
    return wall;
  }
}
