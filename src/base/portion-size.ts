import type { Clock } from './clock';

/** Longest time for which one portion of long work should hold a lock, in milliseconds: a due trigger waits for one portion, or for two. */
const WANTED_MS = 10;

const FIRST_SIZE = 200;
const SMALLEST_SIZE = 50;
const MAX_SIZE = 2_000;

/** Smallest amount of work from which the time of a portion is learned. */
const MIN_MEASURED = 20;

/** Size of the next portion of long work: as much as takes about 10 ms, judged by the portions before. */
export class PortionSize {
  readonly #clock: Clock;
  #size = FIRST_SIZE;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Runs a portion, which returns how much it did with its answer. */
  async measure<T extends { readonly done: number }>(portion: () => Promise<T>): Promise<T> {
    const begun = this.#clock.monotonic();
    const answer = await portion();
    if (answer.done >= MIN_MEASURED) this.#learn(answer.done, this.#clock.monotonic() - begun);
    return answer;
  }

  /** At most half or double of what it was: one portion may have waited for others. */
  #learn(done: number, ms: number): void {
    const wanted = ms > 0 ? Math.round((done * WANTED_MS) / ms) : MAX_SIZE;
    const near = Math.min(Math.max(wanted, Math.ceil(this.#size / 2)), this.#size * 2);
    this.#size = Math.min(Math.max(near, SMALLEST_SIZE), MAX_SIZE);
  }
}
