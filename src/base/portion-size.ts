import type { Clock } from './clock';

/** Target duration of a portion, in milliseconds. A due trigger waits for the locks of at most two portions. */
const WANTED_MS = 10;

const FIRST_SIZE = 200;
const SMALLEST_SIZE = 50;
const MAX_SIZE = 2_000;

/** Minimum number of items in a portion whose duration is taken into account. */
const MIN_MEASURED = 20;

/** Computes the size of the next portion of long work, so that it takes about 10 ms. Uses the durations of earlier portions. */
export class PortionSize {
  readonly #clock: Clock;
  #size = FIRST_SIZE;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Runs a portion and measures its duration. `done` of the result is the number of items that were completed. */
  async measure<T extends { readonly done: number }>(portion: () => Promise<T>): Promise<T> {
    const startedAt = this.#clock.monotonic();
    const answer = await portion();
    if (answer.done >= MIN_MEASURED) this.#learn(answer.done, this.#clock.monotonic() - startedAt);
    return answer;
  }

  /** Changes the size by at most a factor of two, because a single portion may have waited for a lock. */
  #learn(done: number, ms: number): void {
    const wanted = ms > 0 ? Math.round((done * WANTED_MS) / ms) : MAX_SIZE;
    const near = Math.min(Math.max(wanted, Math.ceil(this.#size / 2)), this.#size * 2);
    this.#size = Math.min(Math.max(near, SMALLEST_SIZE), MAX_SIZE);
  }
}
