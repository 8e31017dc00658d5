import { inspect, types } from 'node:util';
import type { ErrorCode } from './error-codes';

export { ERROR_CODES, type ErrorCode } from './error-codes';

/** Base of every error this library throws on purpose. Test `code`, never `message`. */
export class SchedulerError extends Error {
  /** Stable for ever: what went wrong. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** A job, trigger or calendar with that key is already stored. */
export class ObjectAlreadyExistsError extends SchedulerError {
  constructor(what: 'job' | 'trigger' | 'calendar', name: string) {
    super('OBJECT_ALREADY_EXISTS', `The ${what} '${name}' is already stored. Use another name, or set replace.`);
  }
}

/** The scheduler cannot do that in its present state. */
export class SchedulerStateError extends SchedulerError {
  constructor(message: string) {
    super('SCHEDULER_STATE', message);
  }
}

/** The store was closed by this process, in the middle of the call or before it: that says nothing of the store. */
export class StoreClosedError extends SchedulerError {
  constructor(options?: ErrorOptions) {
    super('STORE_FAILURE', 'The job store is closed.', options);
  }
}

/** Anything thrown, as an Error whose message can be read, also a second time. Never throws itself, whatever it is given. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && isPlain(thrown, ['message']) && typeof thrown.message === 'string') return thrown;
    return new Error(textOf(thrown), { cause: thrown });
  } catch {
    // An object without toString, a proxy or a getter that throws.
    return new Error('a thrown value that cannot be printed', { cause: thrown });
  }
}

/** Whether reading these properties runs nobody's code: none is a getter, and no proxy stands before them. */
export function isPlain(object: object, names: readonly string[]): boolean {
  return names.every((name) => {
    for (let holder: object | null = object; holder !== null; holder = Object.getPrototypeOf(holder)) {
      if (types.isProxy(holder)) return false;
      const property = Object.getOwnPropertyDescriptor(holder, name);
      if (property !== undefined) return 'value' in property;
    }
    return true;
  });
}

/** How much of a thrown object's text is kept, in characters. */
const MAX_TEXT = 1_000;

/** Not `[object Object]`: an object's own message, or what it holds. */
function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  if (typeof message === 'string') return message;
  return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_TEXT);
}
