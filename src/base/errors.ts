import type { ErrorCode } from './error-codes';
import { describeThrown, isDomException, isError, isPlain, textOf } from './error-values';
import { maskText } from './secrets';
import { sharedClass } from './shared-class';

export { ERROR_CODES, type ErrorCode } from './error-codes';

/** Base class of all errors that quartz-ts throws deliberately. Test `code`, not `message`, which may change. */
export class SchedulerError extends Error {
  static {
    sharedClass(SchedulerError, 'SchedulerError');
  }

  /** Code that identifies the kind of error. Codes never change. */
  readonly code: ErrorCode;

  /** Masks the logins of URLs in `message`, because a message may quote a setting or the words of a driver. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(maskText(message), options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Thrown if a job, trigger or calendar with that key is already stored, and the call did not request to replace it. */
export class ObjectAlreadyExistsError extends SchedulerError {
  static {
    sharedClass(ObjectAlreadyExistsError, 'ObjectAlreadyExistsError');
  }

  constructor(what: 'job' | 'trigger' | 'calendar', name: string) {
    super('OBJECT_ALREADY_EXISTS', `The ${what} '${name}' already exists. Use another name, or set replace.`);
  }
}

/** Thrown if the state of the scheduler does not allow the call, for example after `shutdown`. */
export class SchedulerStateError extends SchedulerError {
  static {
    sharedClass(SchedulerStateError, 'SchedulerStateError');
  }

  constructor(message: string) {
    super('SCHEDULER_STATE', message);
  }
}

/** Thrown if this process has closed the store before or during the call. It does not mean that the database failed. */
export class StoreClosedError extends SchedulerError {
  static {
    sharedClass(StoreClosedError, 'StoreClosedError');
  }

  /** `isUnknown`: true if the call may have stored its changes. */
  constructor({ cause, isUnknown = false }: ErrorOptions & { readonly isUnknown?: boolean } = {}) {
    const unknown =
      'The job store was closed before the database answered. It is unknown whether the transaction was stored.';
    super('STORE_FAILURE', isUnknown ? unknown : 'The job store is closed.', cause === undefined ? {} : { cause });
  }
}

export function badArgument(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}

export function badTrigger(message: string): SchedulerError {
  return new SchedulerError('INVALID_TRIGGER', message);
}

/**
 * Converts any thrown value to an Error with a message that is a plain string. Returns errors unchanged, also those of another realm and a
 * DOMException. Any other value becomes the cause of an error with its name, message and stack. Never throws.
 */
export function toError(thrown: unknown): Error {
  if (isError(thrown) && hasPlainMessage(thrown)) return thrown;
  const error = new Error(describeThrown(thrown), { cause: thrown });
  const fields = typeof thrown === 'object' && thrown !== null ? thrown : {};
  const name = textOf(fields, 'name');
  if (name !== '' && name !== error.name)
    Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
  // The stack of the call of this function would not help.
  error.stack = textOf(fields, 'stack') || `${error.name}: ${error.message}`;
  return error;
}

function hasPlainMessage(error: Error): boolean {
  return isDomException(error) || (isPlain(error, ['message']) && typeof error.message === 'string');
}
