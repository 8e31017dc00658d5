import type { Clock } from './clock';

/** How long one portion of long work may hold a lock, in milliseconds: what is due meanwhile waits for one portion, or for two. */
const WANTED_MS = 10;

const FIRST_SIZE = 200;
const SMALLEST_SIZE = 50;
const LARGEST_SIZE = 2_000;

/** A portion in which next to nothing was done says nothing of the time that one takes. */
const FEWEST_MEASURED = 20;

/** How much work the next portion may have: as much as takes about 10 ms, as the ones before have shown. */
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
    if (answer.done >= FEWEST_MEASURED) this.#learn(answer.done, this.#clock.monotonic() - begun);
    return answer;
  }

  /** At most half or double of what it was: one portion may have waited for others. */
  #learn(done: number, ms: number): void {
    const wanted = ms > 0 ? Math.round((done * WANTED_MS) / ms) : LARGEST_SIZE;
    const near = Math.min(Math.max(wanted, Math.ceil(this.#size / 2)), this.#size * 2);
    this.#size = Math.min(Math.max(near, SMALLEST_SIZE), LARGEST_SIZE);
  }
}
