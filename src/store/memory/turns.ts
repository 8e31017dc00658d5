import type { Clock } from '../../base/clock';
import type { Steps } from '../../base/steps';
import { TimeSlice, yieldToEventLoop } from '../../base/yield-to-event-loop';

/**
 * Divides long work into turns of the event loop. Operations of the store do no I/O, so without it they would keep the host's timers and
 * sockets waiting.
 */
export class Turns {
  /** Null if no time is measured and nothing is divided. */
  readonly #slice: TimeSlice | null;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'monotonic'> | undefined) {
    this.#slice = clock === undefined ? null : new TimeSlice(clock);
  }

  /** Resolves when work may begin. Once a time slice is used up, each further operation waits for its own turn of the event loop. */
  async begin(): Promise<void> {
    if (this.#slice === null || (this.#waiting === 0 && !this.#slice.isOver())) return;
    this.#waiting++;
    this.#last = this.#last.then(yieldToEventLoop);
    await this.#last;
    this.#waiting--;
    this.#slice.begin();
  }

  /** Runs the steps through `step`. Yields to the event loop between two of them when a time slice is used up. */
  async take<T>(steps: Steps<T>, step: <R>(work: () => R) => R): Promise<T> {
    for (;;) {
      await this.begin();
      const { done, value } = step(() => steps.next());
      if (done) return value;
    }
  }
}
