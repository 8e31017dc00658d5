import * as timers from 'node:timers';
import type { Clock } from './clock';
import { NEVER, sleepFor } from './sleep';

/** Original `setImmediate`. The fake timers of test libraries replace the global one, and would run the callback only when the test advances them. */
const { setImmediate } = timers;

/** Resolves after timers and I/O of the process have had a chance to run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Long enough that yielding costs almost nothing, and short enough that the delay of other work is not noticed. */
const SLICE_MS = 5;

/** Decides when a loop must yield. A chain of resolved promises never returns to the event loop, so it would block all timers and sockets. */
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

  begin(): void {
    this.#end = this.#clock.monotonic() + SLICE_MS;
  }

  async rest(): Promise<void> {
    if (!this.isOver()) return;
    await yieldToEventLoop();
    this.begin();
  }
}

/** Pauses after each slice of a long computation for as long as the slice took. A single yield would not suffice: firing takes several turns. */
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

  /** Call it between two steps of the computation. */
  async rest(): Promise<void> {
    if (!this.isOver()) return;
    await sleepFor(this.#clock, this.#spent(), NEVER);
    this.#startedAt = this.#clock.monotonic();
  }

  #spent(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }
}
