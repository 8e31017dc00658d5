import type { Clock } from './clock';
import { sleepFor } from './sleep';

/** How long a computation goes on before it pauses, in milliseconds. */
const SLICE_MS = 5;

const NEVER = new AbortController().signal;

/**
 * Paces a long computation on the thread that also fires triggers: after each slice it pauses for as long as the slice took. A bare turn of
 * the event loop is not enough: what fires a trigger takes several turns, and would wait for a slice at each.
 */
export class HalfTime {
  readonly #clock: Clock;
  #begun: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.monotonic();
  }

  /** To be awaited between two steps of the computation. */
  async turn(): Promise<void> {
    const spent = this.#clock.monotonic() - this.#begun;
    if (spent < SLICE_MS) return;
    await sleepFor(this.#clock, spent, NEVER);
    this.#begun = this.#clock.monotonic();
  }
}
