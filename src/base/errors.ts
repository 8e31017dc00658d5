import { inspect, types } from 'node:util';
import type { ErrorCode } from './error-codes';

export { ERROR_CODES, type ErrorCode } from './error-codes';

/** Base class of all errors that quartz-ts throws deliberately. Test `code`, not `message`, which may change. */
export class SchedulerError extends Error {
  /** Code that identifies the kind of error. Codes never change. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Thrown if a job, trigger or calendar with that key is already stored, and the call did not request to replace it. */
export class ObjectAlreadyExistsError extends SchedulerError {
  constructor(what: 'job' | 'trigger' | 'calendar', name: string) {
    super('OBJECT_ALREADY_EXISTS', `The ${what} '${name}' already exists. Use another name, or set replace.`);
  }
}

/** Thrown if the state of the scheduler does not allow the call, for example after `shutdown`. */
export class SchedulerStateError extends SchedulerError {
  constructor(message: string) {
    super('SCHEDULER_STATE', message);
  }
}

/** Thrown if this process has closed the store before or during the call. It does not mean that the database failed. */
export class StoreClosedError extends SchedulerError {
  constructor(options?: ErrorOptions) {
    super('STORE_FAILURE', 'The job store is closed.', options);
  }
}

export function badArgument(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}

export function badTrigger(message: string): SchedulerError {
  return new SchedulerError('INVALID_TRIGGER', message);
}

/** Converts any thrown value to an Error with a message that is a plain string. Never throws. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && isPlain(thrown, ['message']) && typeof thrown.message === 'string') return thrown;
    return new Error(textOf(thrown), { cause: thrown });
  } catch {
    // The value is an object without `toString`, a proxy, or has a getter that throws.
    return new Error('a thrown value that cannot be printed', { cause: thrown });
  }
}

/** Returns true if reading these properties cannot run foreign code: the object is not a proxy, and none of the properties is a getter. */
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

const MAX_TEXT = 1_000;

/** Describes an object by its message, or else by its contents instead of `[object Object]`. */
function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { readonly message?: unknown };
  if (typeof message === 'string') return message;
  return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_TEXT);
}
