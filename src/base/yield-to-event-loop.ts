import * as timers from 'node:timers';
import type { Clock } from './clock';
import { sleepFor } from './sleep';

/**
 * The original `setImmediate`. Fake timers of a test replace the global one, and call it only when the test advances
 * them.
 */
const { setImmediate } = timers;

/** Lets timers and I/O of the host run. Needs no timer. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Maximum time for which a chain of promises keeps the thread, in milliseconds: long enough to cost almost nothing, and
 * too short to be noticed.
 */
const SLICE_MS = 5;

/**
 * Decides when to yield. A chain of resolved promises never returns to the event loop. Without breaks, a scheduler that
 * drains a full in-memory store would block every timer and socket of its host.
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

  /** Starts the next slice. */
  begin(): void {
    this.#end = this.#clock.monotonic() + SLICE_MS;
  }

  /** Starts the next slice if this one is over, after timers and I/O of the host have run. */
  async rest(): Promise<void> {
    if (!this.isOver()) return;
    await yieldToEventLoop();
    this.begin();
  }
}

const NEVER = new AbortController().signal;

/**
 * Paces a long computation on the thread that also fires triggers: each slice is followed by a pause of the same
 * length. Yielding once is not enough, because firing a trigger takes several turns of the event loop and would wait
 * for a slice at each.
 */
export class HalfTime {
  readonly #clock: Clock;
  #begun: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.monotonic();
  }

  isOver(): boolean {
    return this.#spent() >= SLICE_MS;
  }

  /** Must be awaited between two steps of the computation. */
  async rest(): Promise<void> {
    if (!this.isOver()) return;
    await sleepFor(this.#clock, this.#spent(), NEVER);
    this.#begun = this.#clock.monotonic();
  }

  #spent(): number {
    return this.#clock.monotonic() - this.#begun;
  }
}
