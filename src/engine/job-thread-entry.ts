import { AsyncLocalStorage } from 'node:async_hooks';
import { parentPort } from 'node:worker_threads';
import { fromTransferredError, toTransferredError } from '../api/transferred-error';
import type { WorkerJobContext, WorkerJobFunction } from '../api/worker-job';
import { SystemClock } from '../base/clock';
import { toError } from '../base/errors';
import { importModule } from '../base/import-module';
import { checkJobData } from '../domain/check-job-data';
import { describeValue } from '../domain/check-text';
import type { FromThread, ThreadAnswer, ThreadTask, ToThread } from './job-thread-protocol';
import { isReport, jobLog, RunNotes } from './run-notes';
import { resultOf } from './run-result';

/*
 * Entry point of the threads that run jobs from files. It loads the file and calls the file's function with a context
 * that forwards each call to the run in the main thread.
 */

/** Run that started the current code, directly or by a timer or promise. */
const startedBy = new AsyncLocalStorage<ThreadTask>();

/** Run that this thread is executing; null between two runs. */
let current: ThreadTask | null = null;

process.on('uncaughtException', (thrown) => {
  const task = startedBy.getStore();
  if (task === undefined || task === current) throw thrown; // ends the thread, and with it the run
  const { jobName, facts } = task;
  const message = `Job '${jobName}' left code behind in its thread, which failed after its run ${facts.runId} had ended: ${toError(thrown).message}`;
  const error = new Error(message, { cause: thrown });
  if (current === null) throw error;
  current.port.postMessage({ type: 'leftBehind', error: toTransferredError(error) } satisfies FromThread);
});

parentPort?.on('message', (task: ThreadTask) => void answer(task));

/** Runs the function of a file once and sends its answer. An error is sent as data, including its class. */
async function answer(task: ThreadTask): Promise<void> {
  const { port } = task;
  const send = (message: ThreadAnswer) => port.postMessage({ type: 'answer', answer: message } satisfies FromThread);
  current = task;
  try {
    const answered = await startedBy.run(task, () => run(task));
    current = null;
    send(answered);
  } catch (thrown) {
    current = null;
    send({ isOk: false, error: toTransferredError(thrown) });
  } finally {
    port.close();
  }
}

async function run(task: ThreadTask): Promise<ThreadAnswer> {
  const execute = await functionOf(task.url);
  const returned = await execute(contextOf(task));
  return { isOk: true, value: answerOf(task, returned) };
}

async function functionOf(url: string): Promise<WorkerJobFunction> {
  const exported = (await importModule(url)).default;
  // In a module compiled to CommonJS, the default export is `module.exports.default`.
  const job =
    typeof exported === 'function'
      ? exported
      : (exported as { readonly default?: unknown } | null | undefined)?.default;
  if (typeof job === 'function') return job as WorkerJobFunction;
  throw new TypeError(
    `Expected a function as the default export, or module.exports, of the job's file ${url}, found ${describeValue(exported)}.`,
  );
}

/** Returns the part of the return value that the main thread uses, because other parts may not be cloneable. */
function answerOf({ persistsData, jobName }: ThreadTask, returned: unknown): unknown {
  if (returned === undefined || returned === null) return undefined;
  if (persistsData)
    return checkJobData(returned, `job '${jobName}'`, undefined, `the job data that job '${jobName}' returned`);
  // If JSON cannot represent the value, the thread returns the reason instead of the value, which may not be cloneable.
  return isReport(returned) ? returned : resultOf(returned).result;
}

function contextOf({ facts, port }: ThreadTask): WorkerJobContext {
  const send = (message: FromThread) => port.postMessage(message);
  const controller = new AbortController();
  const notes = new RunNotes(new SystemClock()); // rejects the same invalid values as the main thread, but in the job's call
  const saving = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  port.on('message', (message: ToThread) => {
    if (message.type === 'abort') return controller.abort(fromTransferredError(message.reason));
    const waiting = saving.get(message.id);
    saving.delete(message.id);
    if (message.error === null) waiting?.resolve();
    else waiting?.reject(fromTransferredError(message.error));
  });
  let checkpoints = 0;
  return {
    ...facts,
    signal: controller.signal,
    log: jobLog((line) => send({ type: 'log', ...line })),
    report(report) {
      notes.addReport(report);
      send({ type: 'report', report });
    },
    progress(fraction, message) {
      notes.setProgress(fraction, message);
      send({ type: 'progress', fraction, message });
    },
    checkpoint(value) {
      const id = ++checkpoints;
      return new Promise((resolve, reject) => {
        saving.set(id, { resolve, reject });
        send({ type: 'checkpoint', id, value });
      });
    },
  };
}
