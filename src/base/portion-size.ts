import type { Clock } from './clock';

/**
 * Target duration of one portion of long work, in milliseconds. A due trigger waits for the locks of one portion, or of
 * two.
 */
const WANTED_MS = 10;

const FIRST_SIZE = 200;
const SMALLEST_SIZE = 50;
const MAX_SIZE = 2_000;

/** Minimum amount of work in a portion for its duration to count. */
const MIN_MEASURED = 20;

/** Computes the size of the next portion of long work from earlier durations, so that it takes about 10 ms. */
export class PortionSize {
  readonly #clock: Clock;
  #size = FIRST_SIZE;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Runs a portion. Its result contains the amount of work that it did. */
  async measure<T extends { readonly done: number }>(portion: () => Promise<T>): Promise<T> {
    const begun = this.#clock.monotonic();
    const answer = await portion();
    if (answer.done >= MIN_MEASURED) this.#learn(answer.done, this.#clock.monotonic() - begun);
    return answer;
  }

  /** Changes the size by at most a factor of two, because one portion may have waited for others. */
  #learn(done: number, ms: number): void {
    const wanted = ms > 0 ? Math.round((done * WANTED_MS) / ms) : MAX_SIZE;
    const near = Math.min(Math.max(wanted, Math.ceil(this.#size / 2)), this.#size * 2);
    this.#size = Math.min(Math.max(near, SMALLEST_SIZE), MAX_SIZE);
  }
}
