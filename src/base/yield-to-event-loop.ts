import * as timers from 'node:timers';
import type { Clock } from './clock';
import { sleepFor } from './sleep';

/** Original `setImmediate`. The fake timers of test libraries replace the global one, and would run the callback only when the test advances them. */
const { setImmediate } = timers;

/** Resolves after timers and I/O of the process have had a chance to run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Duration of a time slice, in milliseconds. Long enough that yielding costs almost nothing, and short enough that the delay of other work is not
 * noticed.
 */
const SLICE_MS = 5;

/**
 * Decides when a loop must yield. A chain of resolved promises never returns to the event loop. Without yielding, a scheduler that drains a full
 * in-memory store would block all timers and sockets of the process.
 */
export class TimeSlice {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #end: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#end = clock.monotonic() + SLICE_MS;
  }

  isOver(): boolean {
    return this.#clock.monotonic() >= this.#end;
  }

  /** Starts the next slice now. */
  begin(): void {
    this.#end = this.#clock.monotonic() + SLICE_MS;
  }

  /** If this slice is over, yields to the event loop and starts the next slice. */
  async rest(): Promise<void> {
    if (!this.isOver()) return;
    await yieldToEventLoop();
    this.begin();
  }
}

const NEVER = new AbortController().signal;

/**
 * Paces a long computation in the thread that also fires triggers. Each slice is followed by a pause of the same duration. A single yield per slice
 * would not suffice: firing a trigger takes several turns of the event loop, and would wait for a slice at each turn.
 */
export class HalfTime {
  readonly #clock: Clock;
  #startedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  isOver(): boolean {
    return this.#spent() >= SLICE_MS;
  }

  /** If this slice is over, pauses and starts the next slice. Call it between two steps of the computation. */
  async rest(): Promise<void> {
    if (!this.isOver()) return;
    await sleepFor(this.#clock, this.#spent(), NEVER);
    this.#startedAt = this.#clock.monotonic();
  }

  #spent(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }
}
