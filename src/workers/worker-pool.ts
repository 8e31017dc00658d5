import type { Clock } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { PendingCount } from '../base/pending-count';
import { completesWithin } from '../base/sleep';

/** Limits the number of jobs that run concurrently. Only the trigger loop waits for free workers and submits jobs. */
export interface WorkerPool {
  /** Name shown in the scheduler's metadata. */
  readonly name: string;
  /** Maximum number of concurrent jobs. */
  readonly size: number;
  readonly running: number;
  /** Returns the number of free workers; waits until there is at least one. Returns 0 when `signal` aborts. */
  whenFree(signal: AbortSignal): number | Promise<number>;
  whenIdle(): Promise<void>;
  /** Resolves when at most so many jobs run. The number is read when a job ends, and at each call of this method. */
  whenAtMost(atMost: () => number): Promise<void>;
  /** Calls `work(item)`, which occupies a worker until its promise settles. */
  submit<Item>(work: (item: Item) => Promise<void>, item: Item): void;
  /** Resolves when no job is running, or after `timeoutMs`. `abandoned`: number of jobs that are still running. */
  drain(timeoutMs: number): Promise<{ readonly abandoned: number }>;
}

interface AsyncWorkerPoolOptions {
  readonly clock: Clock;
  readonly size: number;
  /** Called if `work` rejects, which it should never do. */
  readonly onError: (error: unknown) => void;
}

/** Runs up to `size` asynchronous jobs concurrently in this thread. */
export class AsyncWorkerPool implements WorkerPool {
  readonly name = 'async';
  readonly size: number;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #running = new PendingCount();
  /** Wakes the trigger loop. Null unless the loop waits for a free worker. */
  #waiting: (() => void) | null = null;
  /** Callbacks that all jobs share, to avoid allocating a closure per job on the hot path. */
  readonly #free = () => {
    this.#running.end();
    this.#waiting?.();
  };
  readonly #fail = (error: unknown) => {
    this.#onError(error);
    this.#free();
  };

  constructor({ clock, size, onError }: AsyncWorkerPoolOptions) {
    this.size = size;
    this.#clock = clock;
    this.#onError = onError;
  }

  get running(): number {
    return this.#running.count;
  }

  whenFree(signal: AbortSignal): number | Promise<number> {
    if (signal.aborted) return 0;
    const free = this.size - this.running;
    return free > 0 ? free : this.#nextFree(signal);
  }

  whenIdle(): Promise<void> {
    return this.#running.whenNone();
  }

  whenAtMost(atMost: () => number): Promise<void> {
    return this.#running.whenAtMost(atMost);
  }

  submit<Item>(work: (item: Item) => Promise<void>, item: Item): void {
    this.#running.begin();
    work(item).then(this.#free, this.#fail);
  }

  async drain(timeoutMs: number): Promise<{ readonly abandoned: number }> {
    if (this.running > 0 && timeoutMs > 0) await completesWithin(this.#clock, timeoutMs, this.whenIdle());
    return { abandoned: this.running };
  }

  async #nextFree(signal: AbortSignal): Promise<number> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        signal.removeEventListener('abort', finish);
        this.#waiting = null;
        resolve();
      };
      this.#waiting = finish;
      signal.addEventListener('abort', finish);
    });
    // Counted after the wait, because more than one worker may have become free. A larger batch is cheaper.
    return signal.aborted ? 0 : this.size - this.running;
  }
}

/** Worker pool of a node that schedules jobs but does not run any. */
export class ZeroSizeWorkerPool implements WorkerPool {
  readonly name = 'zeroSize';
  readonly size = 0;
  readonly running = 0;

  whenFree(signal: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(0);
      signal.addEventListener('abort', () => resolve(0), { once: true });
    });
  }

  async whenIdle(): Promise<void> {}

  async whenAtMost(): Promise<void> {}

  submit(): void {
    throw new SchedulerStateError(
      'Expected threadCount to be at least 1, found 0. A node without workers runs no jobs.',
    );
  }

  async drain(): Promise<{ readonly abandoned: number }> {
    return { abandoned: 0 };
  }
}

interface WorkerReservation {
  readonly maxCount: number;
}

interface OpenReservation {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** Counts workers reserved by schedule changes that fire triggers in their own transaction. The trigger loop needs no reservation. */
export class WorkerReservations {
  readonly #open = new Map<WorkerReservation, OpenReservation>();
  readonly #workers: Pick<WorkerPool, 'size' | 'running'>;
  #reserved = 0;
  #keptForLoop = 0;
  #requestOfLoop: Promise<unknown> = Promise.resolve();

  constructor(workers: Pick<WorkerPool, 'size' | 'running'>) {
    this.#workers = workers;
  }

  /** Number of workers that are neither running a job nor reserved. */
  get free(): number {
    return this.#workers.size - this.#workers.running - this.#reserved;
  }

  /** Number of workers that a schedule change may reserve. Leaves at least one, so that the trigger loop never wakes for a reserved worker. */
  get spare(): number {
    return this.free - Math.max(this.#keptForLoop, 1);
  }

  /** Sets the number of workers that the trigger loop may still use in its current iteration. */
  keepForLoop(count: number): void {
    this.#keptForLoop = count;
  }

  /** Sets the current request of the trigger loop, for which `whenTheseEnd` waits. Returns the request. */
  ofLoop<T>(request: Promise<T>): Promise<T> {
    this.#requestOfLoop = request;
    return request;
  }

  begin(reservation: WorkerReservation): void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#open.set(reservation, { ended, end });
    this.#reserved += reservation.maxCount;
  }

  /** Ends a reservation. No effect if it has already ended. */
  end(reservation: WorkerReservation): void {
    const open = this.#open.get(reservation);
    if (open === undefined) return;
    this.#open.delete(reservation);
    this.#reserved -= reservation.maxCount;
    open.end();
  }

  /** Resolves when the first of the open reservations ends, or immediately if there is none. */
  async whenOneEnds(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#ends());
  }

  /** Resolves when the loop's current request and all open reservations have ended. Ignores later ones, because there may always be another. */
  async whenTheseEnd(): Promise<void> {
    await Promise.allSettled([this.#requestOfLoop].concat(this.#ends()));
  }

  #ends(): Promise<void>[] {
    return [...this.#open.values()].map(({ ended }) => ended);
  }
}
