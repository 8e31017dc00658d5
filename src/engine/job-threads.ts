import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { JobExecutionContext } from '../api/scheduler';
import { fromTransferredError, toTransferredError } from '../api/transferred-error';
import type { JobFile } from '../api/worker-job';
import { SchedulerError, SchedulerStateError, toError } from '../base/errors';
import { resolutionRoots } from '../base/outside-packages';
import { formatKey } from '../domain/keys';
import type { FromThread, ThreadAnswer, ThreadTask, ToThread } from './job-thread-protocol';

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

/** The thread has ended by itself, without an error. */
class ThreadExit extends Error {
  constructor(exitCode: number) {
    super(`The thread of the job ended with code ${exitCode}. A job from a file must not call process.exit.`);
  }
}

/** A thread that runs one task at a time. While it is idle, it does not keep the process alive. */
class JobThread {
  readonly memoryMb: number | null;
  readonly #worker: Worker;
  /** Rejects the current run; null if the thread is idle. */
  #fail: ((error: unknown) => void) | null = null;

  /** `onEnd` is called once, with the error of an idle thread, or with null. */
  constructor(memoryMb: number | null, onEnd: (thread: JobThread, error: unknown) => void) {
    this.memoryMb = memoryMb;
    const limits = memoryMb === null ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } };
    this.#worker = new Worker(entryFile(), limits);
    let hasEnded = false;
    const end = (error: unknown) => {
      if (hasEnded) return; // the event `exit` follows `error`
      hasEnded = true;
      onEnd(this, this.#fail !== null || error instanceof ThreadExit ? null : error);
      this.#fail?.(error);
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', (exitCode) => end(new ThreadExit(exitCode)));
  }

  /** Sends a task. Resolves with `answered`, or rejects if the thread ends first, or if the task cannot be cloned. */
  async run<T>(task: ThreadTask, answered: Promise<T>): Promise<T> {
    this.#worker.ref();
    const ended = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    try {
      this.#worker.postMessage(task, [task.port]);
      return await Promise.race([answered, ended]);
    } finally {
      this.#fail = null;
      this.#worker.unref();
    }
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

/**
 * Threads that run jobs from files, one run per thread and at most `size` runs concurrently. A thread runs only jobs of one memory limit, which is a
 * property of the thread, and ends when it has been idle for 10 s.
 */
export class JobThreads {
  readonly #options: JobThreadsOptions;
  readonly #threads = new Set<JobThread>();
  /** Idle threads, with the signal that ends each. The most recently used one is last. */
  readonly #idle = new Map<JobThread, AbortSignal>();
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
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  async #run(file: JobFile, context: JobExecutionContext, hard: AbortSignal): Promise<unknown> {
    await this.#take(AbortSignal.any([context.signal, hard, this.#closed.signal]));
    const stopped = AbortSignal.any([hard, this.#closed.signal]);
    try {
      const thread = this.#threadFor(file.memoryMb);
      try {
        return await runIn(thread, { file, context, stopped, onError: this.#options.onError });
      } finally {
        if (!stopped.aborted) this.#rest(thread);
      }
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

  #threadFor(memoryMb: number | null): JobThread {
    const idle = [...this.#idle.keys()].findLast((thread) => thread.memoryMb === memoryMb);
    if (idle !== undefined) {
      this.#idle.delete(idle);
      return idle;
    }
    const thread = new JobThread(memoryMb, (ended, error) => {
      this.#threads.delete(ended);
      this.#idle.delete(ended);
      if (error !== null) this.#options.onError(toError(error));
    });
    this.#threads.add(thread);
    return thread;
  }

  /** Keeps a thread that has not ended for the next run, for `IDLE_MS`. */
  #rest(thread: JobThread): void {
    if (!this.#threads.has(thread)) return;
    const timeout = AbortSignal.timeout(IDLE_MS); // does not keep the process alive
    this.#idle.set(thread, timeout);
    timeout.addEventListener('abort', () => {
      if (this.#idle.get(thread) !== timeout) return; // it has run another job since
      this.#idle.delete(thread);
      void thread.terminate();
    });
  }
}

interface TaskOfThread extends Pick<JobThreadsOptions, 'onError'> {
  readonly file: JobFile;
  readonly context: JobExecutionContext;
  readonly stopped: AbortSignal;
}

/** Runs one task in an idle thread. Aborting `stopped` terminates the thread. Rejects with the job's error, or the reason why the thread ended. */
async function runIn(thread: JobThread, { file, context, stopped, onError }: TaskOfThread): Promise<unknown> {
  const { port1: port, port2 } = new MessageChannel();
  const closed = once(port, 'close');
  const requestStop = () =>
    port.postMessage({ type: 'abort', reason: toTransferredError(context.signal.reason) } satisfies ToThread);
  const answered = new Promise<ThreadAnswer>((resolve) => {
    port.on('message', (message: FromThread) => {
      if (message.type === 'answer') resolve(message.answer);
      else if (message.type === 'leftBehind') onError(fromTransferredError(message.error));
      else hear(message, context, port);
    });
  });
  const terminate = () => void thread.terminate();
  context.signal.addEventListener('abort', requestStop);
  stopped.addEventListener('abort', terminate);
  try {
    const answer = await thread.run(taskOf(file, context, port2), answered);
    if (answer.isOk) return answer.value;
    throw fromTransferredError(answer.error);
  } catch (thrown) {
    throw stopped.aborted ? new Error('The thread of the job was stopped.') : explained(thrown, file);
  } finally {
    port2.close(); // has an effect only if no thread has received the task
    // The thread closes its port after its last message, or when it terminates. Until then, messages may still arrive.
    await closed;
    context.signal.removeEventListener('abort', requestStop);
    stopped.removeEventListener('abort', terminate);
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
  message: Exclude<FromThread, { readonly type: 'leftBehind' | 'answer' }>,
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

/** Explains the error of a thread that ran out of memory. Returns any other error unchanged. */
function explained(thrown: unknown, { memoryMb }: JobFile): Error {
  const error = toError(thrown);
  if ((thrown as { readonly code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const bound = memoryMb === null ? 'the default of Node' : `${memoryMb} MB`;
  return new Error(`The thread of the job ran out of memory. Its limit is ${bound}: set memoryMb of workerJob.`, {
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
