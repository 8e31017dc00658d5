import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { Clock, EpochMs } from '../../base/clock';
import { SchedulerError, StoreClosedError, toError } from '../../base/errors';
import { settlesWithin } from '../../base/sleep';
import type { JobStore } from '../job-store';
import { Connection, type Targets } from './connection';
import { referringStore } from './firing-references';

/** A compiled file, or the code itself where a bundle has no files. */
export type ThreadProgram = { readonly file: string } | { readonly code: string };

export interface StoreThreadOptions {
  /** What the thread runs: a program that calls `serveStore`. */
  readonly program: ThreadProgram;
  /** Plain data for the thread, its `workerData`. */
  readonly setup: unknown;
  readonly clock: Clock;
  /** What the thread may call. */
  readonly targets: Targets;
  /** The thread has ended by itself; every call waiting has been rejected with the same error. */
  readonly onCrash: (error: Error) => void;
}

/** For the store to end what it is doing: longer than a database takes that is alive. */
const CLOSE_TIMEOUT_MS = 10_000;

/** A thread with a store in it. It keeps the process alive while an answer is awaited, and only then. */
export class StoreThread {
  readonly #worker: Worker;
  readonly #connection: Connection;
  readonly #options: StoreThreadOptions;
  #onScheduleChanged: Parameters<JobStore['open']>[0] = () => undefined;
  #isOver = false;
  #closing: Promise<void> | null = null;

  /** Starts a thread in which a store is built. Rejects with what kept it from being built, and leaves no thread behind. */
  static async start(options: StoreThreadOptions): Promise<{ readonly thread: StoreThread; readonly store: JobStore }> {
    const thread = new StoreThread(options);
    try {
      const description = await thread.#connection.call('thread', 'build', []);
      return { thread, store: thread.#remoteStore(description as JobStore['description']) };
    } catch (error) {
      await thread.#close(CLOSE_TIMEOUT_MS);
      throw error;
    }
  }

  private constructor(options: StoreThreadOptions) {
    this.#options = options;
    // Without the parent's options: what the application preloads has no business in here.
    this.#worker = startWorker(options.program, {
      workerData: options.setup,
      name: 'quartz-ts store',
      execArgv: [],
    });
    this.#worker.unref();
    const store = { scheduleChanged: (earliest: EpochMs | null) => this.#onScheduleChanged(earliest) };
    this.#connection = new Connection(this.#worker, { ...options.targets, store }, (isWaiting) => {
      if (isWaiting) this.#worker.ref();
      else this.#worker.unref();
    });
    this.#worker.on('error', (error) => this.#crashed(toError(error)));
    this.#worker.on('messageerror', (error) => this.#crashed(toError(error)));
    this.#worker.on('exit', (code) => this.#crashed(new Error(`it exited with code ${code}`)));
  }

  /** What else than the store is served there. */
  remote<T extends object>(target: string): T {
    return this.#connection.remote<T>(target);
  }

  #remoteStore(description: JobStore['description']): JobStore {
    const own: Partial<JobStore> = {
      description,
      open: async (onScheduleChanged) => {
        this.#onScheduleChanged = onScheduleChanged;
        await this.#connection.call('thread', 'open', []);
      },
      // Lets the store end in order, then ends the thread; a store that takes too long is cut off.
      close: (patience = CLOSE_TIMEOUT_MS) => {
        this.#closing ??= this.#close(Math.min(patience, CLOSE_TIMEOUT_MS));
        return this.#closing;
      },
    };
    return referringStore(this.#connection.remote<JobStore>('store'), own);
  }

  async #close(timeoutMs: number): Promise<void> {
    if (this.#isOver) return;
    const closed = this.#connection.call('thread', 'close', []);
    const isInTime = await settlesWithin(this.#options.clock, timeoutMs, closed);
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
