import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Clock } from '../../base/clock';
import { SchedulerError, StoreClosedError, toError } from '../../base/errors';
import { settlesWithin } from '../../base/sleep';
import type { Methods, Notice } from './calls';
import { Connection } from './connection';

/** A compiled file, or the code itself where a bundle has no files. */
export type ThreadProgram = { readonly file: string } | { readonly code: string };

export interface StoreThreadOptions {
  /** What the thread runs. It serves `open` and `close` besides the methods that are called. */
  readonly program: ThreadProgram;
  /** Plain data for the thread, its `workerData`. */
  readonly setup: unknown;
  readonly clock: Clock;
  /** What the thread may call. */
  readonly methods: Methods;
  readonly onNotice: (notice: Notice) => void;
  /** The thread has ended by itself; every call waiting has been rejected with the same error. */
  readonly onCrash: (error: Error) => void;
}

/** Milliseconds for the store to end what it is doing. Longer than a database takes that is alive. */
const CLOSE_PATIENCE = 10_000;

/** A thread with a store in it. It keeps the process alive while an answer is awaited, and only then. */
export class StoreThread {
  readonly #worker: Worker;
  readonly #connection: Connection;
  readonly #options: StoreThreadOptions;
  #isOver = false;
  #closing: Promise<void> | null = null;

  constructor(options: StoreThreadOptions) {
    this.#options = options;
    // Without the parent's options: what the application preloads has no business in here.
    this.#worker = startWorker(options.program, {
      workerData: options.setup,
      name: 'quartz-ts store',
      execArgv: [],
    });
    this.#worker.unref();
    this.#connection = new Connection(this.#worker, {
      methods: options.methods,
      onNotice: options.onNotice,
      onWaiting: (isWaiting) => (isWaiting ? this.#worker.ref() : this.#worker.unref()),
    });
    this.#worker.on('error', (error) => this.#crashed(toError(error)));
    this.#worker.on('messageerror', (error) => this.#crashed(toError(error)));
    this.#worker.on('exit', (code) => this.#crashed(new Error(`it exited with code ${code}`)));
  }

  call(method: string, args: readonly unknown[]): Promise<unknown> {
    return this.#connection.call(method, args);
  }

  /** Lets the store end in order, then ends the thread; a store that takes too long is cut off. */
  close(patience = CLOSE_PATIENCE): Promise<void> {
    this.#closing ??= this.#close(Math.min(patience, CLOSE_PATIENCE));
    return this.#closing;
  }

  async #close(patience: number): Promise<void> {
    if (this.#isOver) return;
    const closed = this.#connection.call('close', []);
    const isInTime = await settlesWithin(this.#options.clock, patience, closed);
    this.#isOver = true;
    this.#connection.end(new StoreClosedError());
    await this.#worker.terminate();
    if (isInTime) await closed;
    else closed.catch(() => undefined); // nothing is lost: what was not committed is recovered by another node
  }

  #crashed(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = new SchedulerError(
      'STORE_FAILURE',
      `The thread of the job store has ended: ${cause.message}. Nothing is fired any more; restart the process.`,
      { cause },
    );
    this.#connection.end(error);
    this.#options.onCrash(error);
  }
}

/** Code is told which program was started, because it looks for packages from there. */
function startWorker(program: ThreadProgram, options: WorkerOptions): Worker {
  if ('code' in program) return new Worker(program.code, { ...options, eval: true, argv: process.argv.slice(1, 2) });
  if (existsSync(program.file)) return new Worker(program.file, options);
  throw new SchedulerError(
    'CONFIGURATION',
    `The file of the store thread, ${program.file}, is not there. Install quartz-ts again, or set jobStore.storeThread to false.`,
  );
}
