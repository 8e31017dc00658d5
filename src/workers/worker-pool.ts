import type { Clock } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { PendingCount } from '../base/pending-count';
import { settlesWithin } from '../base/sleep';

/** Runs jobs. Only the trigger loop requests free workers and submits work. */
export interface WorkerPool {
  /** Name for the scheduler's metadata. */
  readonly name: string;
  /** Maximum number of jobs that run at the same time. */
  readonly size: number;
  /** Number of jobs that run now. */
  readonly running: number;
  /** Returns the number of free workers as soon as there is one; 0 when `signal` aborts. */
  whenFree(signal: AbortSignal): number | Promise<number>;
  /** Resolves when no job runs. */
  whenIdle(): Promise<void>;
  /** Runs `work(item)` in a free worker. The worker becomes free when the work settles. */
  submit<Item>(work: (item: Item) => Promise<void>, item: Item): void;
  /** Resolves when no job runs, or after `timeoutMs` with the number of jobs that still run. */
  drain(timeoutMs: number): Promise<{ readonly abandoned: number }>;
}

export interface AsyncWorkerPoolOptions {
  readonly clock: Clock;
  /** Maximum number of jobs that run at the same time. */
  readonly size: number;
  /** Called if work rejects, which indicates a defect. */
  readonly onError: (error: unknown) => void;
}

/**
 * Runs up to `size` asynchronous jobs at the same time in this thread. Taking and freeing a worker costs no timer and
 * no search.
 */
export class AsyncWorkerPool implements WorkerPool {
  readonly name = 'async';
  readonly size: number;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #running = new PendingCount();
  /** Wakes the trigger loop, which waits while all workers are busy. */
  #waiting: (() => void) | null = null;
  /** The same two functions for all jobs, because a closure for each job would be garbage on the hot path. */
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

  submit<Item>(work: (item: Item) => Promise<void>, item: Item): void {
    this.#running.begin();
    work(item).then(this.#free, this.#fail);
  }

  async drain(timeoutMs: number): Promise<{ readonly abandoned: number }> {
    if (this.running > 0 && timeoutMs > 0) await settlesWithin(this.#clock, timeoutMs, this.whenIdle());
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
    // Counted now and not when the first worker became free. Jobs often end together, and a larger batch is cheaper.
    return signal.aborted ? 0 : this.size - this.running;
  }
}

/** The worker pool of a node that schedules jobs but never runs them. */
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

  submit(): void {
    throw new SchedulerStateError(
      'Expected threadCount to be at least 1, found 0. A node without workers runs no jobs.',
    );
  }

  async drain(): Promise<{ readonly abandoned: number }> {
    return { abandoned: 0 };
  }
}

/** Workers reserved for a schedule change until the reservation ends. */
export interface WorkerReservation {
  readonly maxCount: number;
}

interface OpenReservation {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/**
 * Tracks requests to the store that may fire triggers, and the workers reserved for them. The trigger loop has one
 * request at a time. Each schedule change that fires triggers in its own transaction has a reservation.
 */
export class WorkerReservations {
  readonly #open = new Map<WorkerReservation, OpenReservation>();
  readonly #workers: Pick<WorkerPool, 'size' | 'running'>;
  #reserved = 0;
  #keptForLoop = 0;
  #requestOfLoop: Promise<unknown> = Promise.resolve();

  constructor(workers: Pick<WorkerPool, 'size' | 'running'>) {
    this.#workers = workers;
  }

  /** Number of workers that are idle and not reserved. */
  get free(): number {
    return this.#workers.size - this.#workers.running - this.#reserved;
  }

  /**
   * Number of workers that may be reserved. One is always left to the loop, which would otherwise wait for a worker
   * that is taken before it can use it.
   */
  get spare(): number {
    return this.free - Math.max(this.#keptForLoop, 1);
  }

  /** Sets the number of workers that the current turn of the loop may still use. */
  keepForLoop(count: number): void {
    this.#keptForLoop = count;
  }

  /** Registers the current request of the loop, for `whenTheseEnd`, and returns it. */
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

  /** Ends a reservation. Has no effect if it has already ended. */
  end(reservation: WorkerReservation): void {
    const open = this.#open.get(reservation);
    if (open === undefined) return;
    this.#open.delete(reservation);
    this.#reserved -= reservation.maxCount;
    open.end();
  }

  /** Resolves when the first open reservation ends, or immediately if none is open. */
  async whenOneEnds(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#ends());
  }

  /**
   * Resolves when the current request of the loop and all open reservations have ended. Later ones do not count,
   * because there may always be another.
   */
  async whenTheseEnd(): Promise<void> {
    await Promise.allSettled([this.#requestOfLoop].concat(this.#ends()));
  }

  #ends(): Promise<void>[] {
    return [...this.#open.values()].map(({ ended }) => ended);
  }
}
