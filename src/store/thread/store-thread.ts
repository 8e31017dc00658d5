import { existsSync } from 'node:fs';
import { parentPort, Worker, type WorkerOptions, workerData } from 'node:worker_threads';
import type { Clock, EpochMs } from '../../base/clock';
import { SchedulerError, StoreClosedError, toError } from '../../base/errors';
import { guardNativeCalls, NativeCalls } from '../../base/native-calls';
import { completesWithin } from '../../base/sleep';
import type { Completion } from '../../domain/completion';
import type { AcquiredTrigger, TriggerFiring } from '../../domain/firing';
import type { HandedOut } from '../cluster-store';
import type { JobStore } from '../job-store';
import { Connection, forwarder, invoke, type Targets } from './connection';
import { endBetweenCalls } from './process-exit';

/** Program of a thread: a compiled file, or its code if a bundle contains no files. */
export type ThreadProgram = { readonly file: string } | { readonly code: string };

interface StoreThreadOptions {
  /** Program that the thread runs. It must call `serveStore`. */
  readonly program: ThreadProgram;
  /** Plain data for the thread, passed as `workerData`. */
  readonly setup: object;
  readonly clock: Clock;
  /** Objects that the thread may call. */
  readonly targets: Targets;
  /** Called when the thread ends unexpectedly. By then, every pending call has been rejected with the same error. */
  readonly onCrash: (error: Error) => void;
}

/** Maximum time that closing waits for the running operations of the store, in milliseconds. A healthy database needs less. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Maximum time that closing then waits for a native call of the thread, in milliseconds. The thread of a longer call ends by itself, after the call. */
const EXIT_TIMEOUT_MS = 1_000;

/** A thread that runs a store, as seen by the main thread. The thread keeps the process alive only while a call waits for an answer. */
export class StoreThread {
  readonly #worker: Worker;
  readonly #connection: Connection;
  readonly #options: StoreThreadOptions;
  readonly #nativeCalls = new NativeCalls();
  readonly #exited: Promise<unknown>;
  #onScheduleChanged: Parameters<JobStore['open']>[0] = () => undefined;
  #isOver = false;
  #closing: Promise<void> | null = null;

  /** Starts a thread and builds a store in it. If the store cannot be built, ends the thread and rejects with the error. */
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
    // Does not inherit the process's options, because modules that the application preloads do not belong in this thread.
    this.#worker = startWorker(options.program, {
      workerData: { ...options.setup, nativeCalls: this.#nativeCalls.memory },
      name: 'quartz-ts store',
      execArgv: [],
    });
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    void this.#exited.then(endBetweenCalls(this.#nativeCalls));
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
      // Closes the store, then ends the thread. After the timeout, ends the thread without waiting for the store.
      close: (timeoutMs = CLOSE_TIMEOUT_MS) => {
        this.#closing ??= this.#close(timeoutMs);
        return this.#closing;
      },
    };
    return referringStore(this.#connection.remote<JobStore>('store'), own);
  }

  async #close(timeoutMs: number): Promise<void> {
    if (this.#isOver) return;
    const closed = this.#connection.call('thread', 'close', []);
    const isInTime = await completesWithin(this.#options.clock, timeoutMs, closed);
    this.#isOver = true;
    this.#connection.end(new StoreClosedError({ isUnknown: !isInTime }));
    await this.#endThread();
    if (isInTime) await closed;
    else closed.catch(() => undefined); // another node recovers firings whose ends were not stored
  }

  /** Ends the thread, but not within a native call. */
  async #endThread(): Promise<void> {
    const calls = this.#nativeCalls;
    calls.refuse();
    if (calls.isRunning) {
      this.#connection.notify('thread', 'exit', []);
      await completesWithin(this.#options.clock, EXIT_TIMEOUT_MS, this.#exited);
    }
    if (!calls.isRunning) await this.#worker.terminate();
  }

  #crashed(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = new SchedulerError(
      'STORE_FAILURE',
      `The thread of the job store has ended: ${cause.message}. Nothing fires any more. Restart the process.`,
      { cause },
    );
    this.#connection.end(error);
    this.#options.onCrash(error);
  }
}

/** Starts the worker. Inline code gets the main program's path, to resolve packages from there. Throws CONFIGURATION if the file is missing. */
function startWorker(program: ThreadProgram, options: WorkerOptions): Worker {
  if ('code' in program) return new Worker(program.code, { ...options, eval: true, argv: process.argv.slice(1, 2) });
  if (existsSync(program.file)) return new Worker(program.file, options);
  throw new SchedulerError(
    'CONFIGURATION',
    `The file of the store thread, ${program.file}, is missing. Reinstall quartz-ts, or set jobStore.storeThread to false.`,
  );
}

/** Objects built in the thread: a store, and any other objects that the main thread may call. */
type Served = Targets & { readonly store: JobStore };

/** Builds the store when `StoreThread.start` requests it, then answers calls to what `build` returned. Throws a TypeError outside of a worker. */
export function serveStore(build: (scheduler: Connection) => Promise<Served>): void {
  if (parentPort === null) throw new TypeError('This file must run in a worker thread.');
  guardNativeCalls(new NativeCalls((workerData as { readonly nativeCalls: SharedArrayBuffer }).nativeCalls));
  let store: JobStore | null = null;
  const targets: Record<string, object> = {
    thread: {
      async build() {
        const served = await build(connection);
        store = served.store;
        Object.assign(targets, served, { store: resolvingStore(store) });
        return store.description;
      },
      open: async () => store?.open((earliest) => connection.notify('store', 'scheduleChanged', [earliest])),
      close: async () => store?.close(),
      exit: () => process.exit(0),
    },
  };
  const connection = new Connection(parentPort, targets);
}

/*
 * A dispatched trigger crosses between the threads once; later calls send only its run id. Sending the whole trigger again would cost another 10 µs
 * of CPU, more than a tenth of a firing's total. Both ends follow the same rule after a successful call. Each end removes the triggers in the first
 * argument, if it is a list, from its memory. Then it stores the triggers in the result.
 */

type Trigger = AcquiredTrigger | TriggerFiring;

/** Reference to a dispatched trigger, by its run id. */
interface Reference {
  readonly handedOut: string;
}

interface Side {
  readonly translate: (named: Trigger | Reference) => Trigger | Reference;
  readonly forget: (named: Trigger | Reference) => void;
  readonly remember: (trigger: Trigger) => void;
}

/** Wraps a store in the scheduler's thread. Replaces triggers that the store dispatched with references. Does not forward `own` members. */
export function referringStore<Store extends object>(store: Store, own: Partial<Store> = {}): Store {
  const known = new WeakSet<object>();
  const side: Side = {
    translate: (named) => ('runId' in named && known.has(named) ? { handedOut: named.runId } : named),
    forget: (named) => known.delete(named),
    remember: (trigger) => known.add(trigger),
  };
  return exchanging(store, side, own);
}

/** Wraps a store in the store's thread. Replaces references with triggers that this store dispatched. Throws a TypeError for an unknown reference. */
export function resolvingStore<Store extends object>(store: Store): Store {
  const kept = new Map<string, Trigger>();
  const side: Side = {
    translate(named) {
      if ('runId' in named) return named;
      const found = kept.get(named.handedOut);
      if (found === undefined) throw new TypeError(`No trigger was dispatched as '${named.handedOut}'.`);
      return found;
    },
    forget: (named) => kept.delete('runId' in named ? named.runId : named.handedOut),
    remember: (trigger) => kept.set(trigger.runId, trigger),
  };
  return exchanging(store, side);
}

function exchanging<Store extends object>(store: Store, side: Side, own?: Partial<Store>): Store {
  const call = async (name: string, [first, ...rest]: readonly unknown[]) => {
    const list: readonly unknown[] = Array.isArray(first) ? first : [];
    const sent = list === first ? list.map((each) => translated(each, side.translate)) : first;
    const result = await invoke(store, name, [sent, ...rest]);
    for (const each of list) {
      const named = triggerOf(each);
      if (named !== null) side.forget(named);
    }
    for (const each of handedOutIn(result)) side.remember(each);
    return result;
  };
  return forwarder(call, own);
}

function translated(item: unknown, translate: Side['translate']): unknown {
  const named = triggerOf(item);
  if (named === null) return item;
  return named === item ? translate(named) : withFiring(item as Completion, translate(named));
}

/** Copies a completion with another `firing`. A spread would take ten times as long. */
function withFiring(
  { instruction, jobData, further, parts, run, end, passesTo, tookOver }: Completion,
  firing: Trigger | Reference,
): object {
  if (further !== undefined || run !== undefined || end !== undefined || tookOver !== undefined)
    return { firing, instruction, jobData, further, parts, run, end, passesTo, tookOver };
  return jobData === undefined ? { firing, instruction } : { firing, instruction, jobData };
}

/** Returns the trigger itself, or the `firing` of a completion. Null for other values. */
function triggerOf(item: unknown): Trigger | Reference | null {
  if (typeof item !== 'object' || item === null) return null;
  const named = (item as { readonly firing?: Trigger | Reference }).firing ?? (item as Trigger | Reference);
  return 'runId' in named || 'handedOut' in named ? named : null;
}

function handedOutIn(result: unknown): readonly Trigger[] {
  if (typeof result !== 'object' || result === null) return [];
  const { acquired = [], fired = [] }: Partial<HandedOut> = Array.isArray(result) ? { fired: result } : result;
  return [...acquired, ...fired.flatMap((each) => (each?.status === 'fired' ? [each.firing] : []))];
}
