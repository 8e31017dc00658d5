import type { Clock } from '../../base/clock';
import type { Steps } from '../../base/steps';
import { TimeSlice, yieldToEventLoop } from '../../base/yield-to-event-loop';

/** A promise of the store never waits for the event loop by itself, so long work gives the loop back here, to timers and sockets of the host. */
export class Turns {
  /** Null: no time is measured, and nothing is divided. */
  readonly #slice: TimeSlice | null;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'monotonic'> | undefined) {
    this.#slice = clock === undefined ? null : new TimeSlice(clock);
  }

  /** Resolves when work may begin: each one that comes after a slice of time waits for a turn of its own. */
  async begin(): Promise<void> {
    if (this.#slice === null || (this.#waiting === 0 && !this.#slice.isOver())) return;
    this.#waiting++;
    this.#last = this.#last.then(yieldToEventLoop);
    await this.#last;
    this.#waiting--;
    this.#slice.begin();
  }

  /** Takes the steps through `step`, and gives the loop back between two of them when a slice of time is over. */
  async take<T>(steps: Steps<T>, step: <R>(work: () => R) => R): Promise<T> {
    for (;;) {
      await this.begin();
      const { done, value } = step(() => steps.next());
      if (done) return value;
    }
  }
}
