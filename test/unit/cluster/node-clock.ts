import type { Clock, EpochMs } from '../../../src/base/clock';

interface Sleeper {
  readonly time: EpochMs;
  readonly wake: () => void;
}

/** A `ManualClock` on which time may pass without waking sleepers, which may then be woken in any order. */
export class NodeClock implements Clock {
  #now: EpochMs;
  #monotonic = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(start: EpochMs) {
    this.#now = start;
  }

  now(): EpochMs {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    if (time <= this.#now || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = {
        time,
        wake: () => {
          signal.removeEventListener('abort', sleeper.wake);
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      signal.addEventListener('abort', sleeper.wake);
      this.#sleepers.add(sleeper);
    });
  }

  /** Advances the clock and wakes due sleepers in the order of their times. */
  advanceBy(milliseconds: number): void {
    this.skip(milliseconds);
    for (const { wake } of this.#due()) wake();
  }

  /** Advances the clock as for a suspended process: timers become due, but none fires. */
  skip(milliseconds: number): void {
    this.#now += milliseconds;
    this.#monotonic += milliseconds;
  }

  /** Fires one due timer, selected by `choice`. Returns false if there is none. */
  fireOne(choice: number): boolean {
    const due = this.#due();
    due[choice % Math.max(1, due.length)]?.wake();
    return due.length > 0;
  }

  /** Sets the wall clock without time passing. Wakes all sleepers to check it again. */
  stepTo(time: EpochMs): void {
    this.#now = time;
    for (const { wake } of [...this.#sleepers]) wake();
  }

  #due(): readonly Sleeper[] {
    return [...this.#sleepers].filter(({ time }) => time <= this.#now).sort((a, b) => a.time - b.time);
  }
}
