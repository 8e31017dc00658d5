import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { JobExecutionContext } from '../api/scheduler';
import { fromTransferredError, toTransferredError } from '../api/transferred-error';
import type { JobFile } from '../api/worker-job';
import { SchedulerError, SchedulerStateError, toError } from '../base/errors';
import { resolutionRoots } from '../base/outside-packages';
import { formatKey } from '../domain/keys';
import {
  ENTRY_FUNCTION,
  type FromThread,
  type ThreadAnswer,
  type ThreadTask,
  type ToThread,
} from './job-thread-protocol';

/** Subset of piscina's API that this module uses. */
interface ThreadPool {
  run(
    task: ThreadTask,
    options: { readonly name: string; readonly transferList: readonly MessagePort[]; readonly signal: AbortSignal },
  ): Promise<unknown>;
  on(event: 'error', listener: (error: unknown) => void): void;
  destroy(): Promise<void>;
}

interface ThreadRun {
  /** Resolves to the return value of the file's function, or rejects with its error. */
  readonly answer: Promise<unknown>;
  /** Terminates the thread, even if the job is still running. Resolves when `answer` has settled. */
  readonly stop: () => Promise<void>;
}

interface JobThreadsOptions {
  /** Maximum number of jobs that run in threads concurrently. */
  readonly size: number;
  /** Called with an error of code that a job left behind in a thread, for example of a timer that it did not clear. */
  readonly onError: (error: Error) => void;
}

/** Calls of a job's file that one run of the job has started and that have not ended. */
export class ThreadRuns {
  readonly #context: JobExecutionContext;
  readonly #threads: Pick<JobThreads, 'start'> | undefined;
  readonly #runs = new Set<ThreadRun>();

  constructor(context: JobExecutionContext, threads: Pick<JobThreads, 'start'> | undefined) {
    this.#context = context;
    this.#threads = threads;
  }

  async run(file: JobFile): Promise<unknown> {
    if (this.#threads === undefined) throw new SchedulerStateError('A job from a file can only be run by a scheduler.');
    const run = this.#threads.start(file, this.#context);
    this.#runs.add(run);
    try {
      return await run.answer;
    } finally {
      this.#runs.delete(run);
    }
  }

  /** Terminates the threads of these calls, even if jobs still run. Resolves when the calls have settled. Null if there are none. */
  stop(): Promise<unknown> | null {
    const runs = [...this.#runs];
    return runs.length === 0 ? null : Promise.all(runs.map(({ stop }) => stop()));
  }
}

const IDLE_MS = 10_000;

/**
 * Threads that run jobs from files, one run per thread and at most `size` runs concurrently. Each memory limit has its own pool, created by its first
 * job, because the limit is a property of the thread.
 */
export class JobThreads {
  readonly #options: JobThreadsOptions;
  readonly #pools = new Map<number | null, ThreadPool>();
  readonly #waiting = new Set<() => void>();
  readonly #closed = new AbortController();
  #busy = 0;

  constructor(options: JobThreadsOptions) {
    this.#options = options;
  }

  /** Runs the file's function with this context as soon as a thread is available. `answer` rejects with SCHEDULER_STATE after `close`. */
  start(file: JobFile, context: JobExecutionContext): ThreadRun {
    const hard = new AbortController();
    const answer = this.#run(file, context, hard.signal);
    const ended = answer.then(
      () => {},
      () => {},
    );
    const stop = () => {
      hard.abort();
      return ended;
    };
    return { answer, stop };
  }

  /** Terminates all threads, even if their jobs are still running. Later runs are rejected with SCHEDULER_STATE. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  async #run(file: JobFile, context: JobExecutionContext, hard: AbortSignal): Promise<unknown> {
    await this.#take(AbortSignal.any([context.signal, hard, this.#closed.signal]));
    try {
      return await runIn(this.#poolFor(file.memoryMb), { file, context, hard, onError: this.#options.onError });
    } finally {
      this.#busy--;
      for (const next of this.#waiting) {
        next();
        break;
      }
    }
  }

  /** Waits for a free thread and occupies it. Rejects if the job is aborted first, or with SCHEDULER_STATE if the threads were closed. */
  async #take(signal: AbortSignal): Promise<void> {
    while (this.#busy >= this.#options.size && !signal.aborted) await this.#next(signal);
    if (this.#closed.signal.aborted)
      throw new SchedulerStateError('The scheduler was shut down: its threads have ended.');
    if (signal.aborted) throw new Error('The job was stopped before a thread was free.');
    this.#busy++;
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', go);
    });
  }

  #poolFor(memoryMb: number | null): ThreadPool {
    const known = this.#pools.get(memoryMb);
    if (known !== undefined) return known;
    const { size, onError } = this.#options;
    const filename = entryFile();
    const { Piscina } = loadPiscina(filename);
    const pool = new Piscina({
      filename,
      name: ENTRY_FUNCTION, // a thread looks up another name with `eval`, which a program may forbid
      minThreads: 0,
      maxThreads: size,
      idleTimeout: IDLE_MS,
      // Lets background work of a job, such as a keep-alive connection, continue between runs.
      atomics: 'disabled',
      ...(memoryMb === null ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    });
    pool.on('error', (error) => onError(toError(error)));
    this.#pools.set(memoryMb, pool);
    return pool;
  }
}

interface TaskOfThread extends Pick<JobThreadsOptions, 'onError'> {
  readonly file: JobFile;
  readonly context: JobExecutionContext;
  readonly hard: AbortSignal;
}

/** Runs one task in a free thread. Aborting `hard` terminates the thread. Rejects with the job's error, or the reason why the thread ended. */
async function runIn(pool: ThreadPool, { file, context, hard, onError }: TaskOfThread): Promise<unknown> {
  const { port1: port, port2 } = new MessageChannel();
  const closed = once(port, 'close');
  const requestStop = () =>
    port.postMessage({ type: 'abort', reason: toTransferredError(context.signal.reason) } satisfies ToThread);
  port.on('message', (message: FromThread) => {
    if (message.type === 'leftBehind') onError(fromTransferredError(message.error));
    else hear(message, context, port);
  });
  context.signal.addEventListener('abort', requestStop);
  try {
    const task = taskOf(file, context, port2);
    const options = { name: ENTRY_FUNCTION, transferList: [port2], signal: hard };
    const answer = (await pool.run(task, options)) as ThreadAnswer;
    if (answer.isOk) return answer.value;
    throw fromTransferredError(answer.error);
  } catch (thrown) {
    throw hard.aborted ? new Error('The thread of the job was stopped.') : explained(thrown, file);
  } finally {
    port2.close(); // has an effect only if no thread has received the task
    // The thread closes its port after its last message, or when it terminates. Until then, messages may still arrive.
    await closed;
    context.signal.removeEventListener('abort', requestStop);
  }
}

function taskOf({ url }: JobFile, context: JobExecutionContext, port: MessagePort): ThreadTask {
  const { data, runId, occurrenceId, attempt, refireCount, fireTime, scheduledFireTime } = context;
  const { jobDetail, trigger } = context;
  return {
    url,
    jobName: formatKey(jobDetail.key),
    persistsData: jobDetail.persistJobDataAfterExecution,
    facts: {
      ...{ data, runId, occurrenceId, attempt, refireCount, fireTime, scheduledFireTime },
      firstDueTime: context.firstDueTime,
      previousFireTime: context.previousFireTime,
      nextFireTime: context.nextFireTime,
      isRecovering: context.isRecovering,
      resumeFrom: context.resumeFrom,
      jobKey: { ...jobDetail.key },
      triggerKey: { ...trigger.key },
    },
    port,
  };
}

function hear(
  message: Exclude<FromThread, { readonly type: 'leftBehind' }>,
  context: JobExecutionContext,
  port: MessagePort,
): void {
  switch (message.type) {
    case 'log': {
      const { [message.level]: add } = context.log;
      add(message.message, message.data ?? undefined);
      break;
    }
    case 'report':
      context.report(message.report);
      break;
    case 'progress':
      context.progress(message.fraction, message.message);
      break;
    case 'checkpoint': {
      const { id, value } = message;
      const answer = (error: unknown) =>
        port.postMessage({
          type: 'saved',
          id,
          error: error === null ? null : toTransferredError(error),
        } satisfies ToThread);
      context.checkpoint(value).then(() => answer(null), answer);
    }
  }
}

/** Names the cause in the error of an ended thread: out of memory, or a call of `process.exit`. Returns any other error unchanged. */
function explained(thrown: unknown, { memoryMb }: JobFile): Error {
  const error = toError(thrown);
  const { code } = thrown as { readonly code?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const bound = memoryMb === null ? 'the default of Node' : `${memoryMb} MB`;
    return new Error(`The thread of the job ran out of memory. Its limit is ${bound}: set memoryMb of workerJob.`, {
      cause: error,
    });
  }
  const [, exitCode] = /^worker exited with code: (\d+)$/.exec(error.message) ?? [];
  if (exitCode === undefined) return error;
  return new Error(`The thread of the job ended with code ${exitCode}. A job from a file must not call process.exit.`, {
    cause: error,
  });
}

/** Returns the path of the entry file: next to this file or, if bundled, in the installed package. Throws CONFIGURATION if it does not exist. */
function entryFile(): string {
  const ENTRY = 'job-thread-entry.js';
  const found = typeof __filename === 'string' ? join(dirname(__filename), ENTRY) : entryOfPackage(ENTRY);
  if (found !== null && existsSync(found)) return found;
  throw new SchedulerError(
    'CONFIGURATION',
    'Jobs from files need the installed package quartz-ts, also beside a bundle, but it is missing or incomplete. Run: npm install quartz-ts.',
  );
}

function entryOfPackage(entry: string): string | null {
  for (const place of resolutionRoots()) {
    try {
      const { resolve } = process.getBuiltinModule('node:module').createRequire(place);
      return join(dirname(resolve('quartz-ts/package.json')), 'dist/engine', entry);
    } catch {
      // Not found here: try the next location.
    }
  }
  return null;
}

interface PiscinaModule {
  readonly Piscina: new (options: object) => ThreadPool;
}

/** Loads piscina on demand, by `require`, because a bundler could not include the file of its threads. Throws CONFIGURATION if it is missing. */
function loadPiscina(from: string): PiscinaModule {
  try {
    return process.getBuiltinModule('node:module').createRequire(from)('piscina') as PiscinaModule;
  } catch (cause) {
    const message = `Jobs from files need the package piscina: ${toError(cause).message.split('\n')[0]}. Run: npm install quartz-ts.`;
    throw new SchedulerError('CONFIGURATION', message, { cause });
  }
}
