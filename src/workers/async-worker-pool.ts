import type { Clock } from '../base/clock';
import { sleepFor } from '../base/sleep';
import type { WorkerPool } from './worker-pool';

export interface AsyncWorkerPoolOptions {
  readonly clock: Clock;
  readonly size: number;
  /** Hears of work that rejected, which work is not supposed to do. */
  readonly onError: (error: unknown) => void;
}

/** Runs up to `size` asynchronous jobs at once in this thread. Taking and freeing a worker costs no timer and no search. */
export class AsyncWorkerPool implements WorkerPool {
  readonly name = 'async';
  readonly size: number;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #running = 0;
  /** Called when a worker is freed; the only waiting parties are the trigger loop and a drain. */
  #waiting: (() => void)[] = [];

  constructor({ clock, size, onError }: AsyncWorkerPoolOptions) {
    this.size = size;
    this.#clock = clock;
    this.#onError = onError;
  }

  get running(): number {
    return this.#running;
  }

  whenFree(signal: AbortSignal): number | Promise<number> {
    if (signal.aborted) return 0;
    return this.#running < this.size ? this.size - this.#running : this.#waitForFree(signal);
  }

  submit<Item>(work: (item: Item) => Promise<void>, item: Item): void {
    this.#running++;
    void this.#run(work, item);
  }

  async drain(patience: number): Promise<{ readonly abandoned: number }> {
    const deadline = new AbortController();
    const timeout = sleepFor(this.#clock, patience, deadline.signal).then(() => 'timeout' as const);
    while (this.#running > 0) {
      if ((await Promise.race([this.#nextFreed(), timeout])) === 'timeout') break;
    }
    deadline.abort();
    return { abandoned: this.#running };
  }

  async #waitForFree(signal: AbortSignal): Promise<number> {
    let stop: (() => void) | undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
      signal.addEventListener('abort', resolve as () => void);
    });
    await Promise.race([this.#nextFreed(), stopped]);
    signal.removeEventListener('abort', stop as () => void);
    return signal.aborted ? 0 : this.size - this.#running;
  }

  #nextFreed(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async #run<Item>(work: (item: Item) => Promise<void>, item: Item): Promise<void> {
    try {
      await work(item);
    } catch (error) {
      this.#onError(error);
    }
    this.#running--;
    if (this.#waiting.length > 0) this.#tellWaiting();
  }

  #tellWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
