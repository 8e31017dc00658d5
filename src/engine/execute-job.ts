import { types } from 'node:util';
import type { JobExecutionContext, JobObject } from '../api/scheduler';

/** Runs a job once. What it throws at once is as what it rejects with. The promise is one whose `then` is the language's. */
export function executed(job: JobObject, context: JobExecutionContext): Promise<unknown> {
  try {
    const returned: unknown = job.execute(context);
    const isObject = (typeof returned === 'object' && returned !== null) || typeof returned === 'function';
    return !isObject || isUntouchedPromise(returned) ? Promise.resolve(returned) : awaited(returned);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** Whether calling `then` runs nobody's code. */
function isUntouchedPromise(value: object): value is Promise<unknown> {
  return (
    types.isPromise(value) &&
    Object.getPrototypeOf(value) === Promise.prototype &&
    !Object.hasOwn(value, 'then') &&
    !Object.hasOwn(value, 'constructor')
  );
}

/** `await` takes a promise by what it is, whatever `then` it was given; an async function costs more than the shell has to spare. */
async function awaited(value: unknown): Promise<unknown> {
  return await value;
}
