import type { Clock, EpochMs } from '../../../src/base/clock';

interface Sleeper {
  readonly time: EpochMs;
  readonly wake: () => void;
}

/** A clock moved by hand, as `ManualClock`, but for one thing: time may pass without anybody being woken, and in any order later. */
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

  /** Lets time pass; whoever is due is woken, in the order of the times asked for. */
  advanceBy(milliseconds: number): void {
    this.skip(milliseconds);
    for (const { wake } of this.#due()) wake();
  }

  /** Lets time pass while the process stands still: its timers are due, and none has fired. */
  skip(milliseconds: number): void {
    this.#now += milliseconds;
    this.#monotonic += milliseconds;
  }

  /** Fires one timer that is due, chosen by `choice`. False: there is none. */
  fireOne(choice: number): boolean {
    const due = this.#due();
    due[choice % Math.max(1, due.length)]?.wake();
    return due.length > 0;
  }

  /** Sets the wall clock, without time passing. Everyone is woken to look at it again. */
  stepTo(time: EpochMs): void {
    this.#now = time;
    for (const { wake } of [...this.#sleepers]) wake();
  }

  #due(): readonly Sleeper[] {
    return [...this.#sleepers].filter(({ time }) => time <= this.#now).sort((a, b) => a.time - b.time);
  }
}
