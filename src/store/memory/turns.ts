import type { Clock } from '../../base/clock';
import type { Steps } from '../../base/steps';
import { TimeSlice, yieldToEventLoop } from '../../base/yield-to-event-loop';

/** Splits long operations across turns of the event loop. They do no I/O, so they would otherwise block the host's timers and sockets. */
export class Turns {
  /** Time budget of a turn. Null: the store has no clock, and operations are never split. */
  readonly #slice: TimeSlice | null;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'monotonic'> | undefined) {
    this.#slice = clock === undefined ? null : new TimeSlice(clock);
  }

  /** Resolves when an operation, or its next step, may begin. After a used-up time slice, concurrent callers get one turn of the event loop each. */
  async begin(): Promise<void> {
    if (this.#slice === null || (this.#waiting === 0 && !this.#slice.isOver())) return;
    this.#waiting++;
    this.#last = this.#last.then(yieldToEventLoop);
    await this.#last;
    this.#waiting--;
    this.#slice.begin();
  }

  /** Runs each step of an operation with `step`. Yields between steps if the time slice is used up. Returns the result of the last step. */
  async take<T>(steps: Steps<T>, step: <R>(work: () => R) => R): Promise<T> {
    for (;;) {
      await this.begin();
      const { done, value } = step(() => steps.next());
      if (done) return value;
    }
  }
}
