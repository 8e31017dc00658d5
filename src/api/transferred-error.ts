import { isDomException, isError, textOf } from '../base/error-values';
import {
  ERROR_CODES,
  ObjectAlreadyExistsError,
  SchedulerError,
  SchedulerStateError,
  StoreClosedError,
  toError,
} from '../base/errors';
import { InvalidCalendarError } from '../domain/calendars/invalid-calendar-error';
import { CronSyntaxError } from '../domain/cron/cron-syntax-error';
import { DoNotRetry, JobExecutionException, RetryLater } from './job-execution-exception';

/** Plain form of an error that is sent to another thread. Structured cloning would drop the class and the code. */
export interface TransferredError {
  /** Name of the nearest class in the error's prototype chain that the receiver knows. */
  readonly className: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  /** Other fields of the error, such as `code` and `position`. Contains only plain values. */
  readonly fields: Readonly<Record<string, Plain>>;
  readonly cause: TransferredError | null;
  /** Errors of an AggregateError. */
  readonly errors?: readonly TransferredError[];
}

type Plain = string | number | boolean | null | readonly Plain[];

/** Classes that a caller may test with `instanceof`, subclasses first. Any other error arrives as an Error with the same name. */
const CLASSES: ReadonlyMap<string, { readonly prototype: Error; [Symbol.hasInstance](value: unknown): boolean }> =
  new Map(
    // Names are listed here, because a bundler may have shortened the class names in one of the threads.
    Object.entries({
      CronSyntaxError,
      InvalidCalendarError,
      RetryLater,
      DoNotRetry,
      JobExecutionException,
      ObjectAlreadyExistsError,
      SchedulerStateError,
      StoreClosedError,
      SchedulerError,
      TypeError,
      RangeError,
      AggregateError,
    }),
  );

const KEPT_APART: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause']);

/** Maximum depth of the chain of causes, because the chain may be circular. */
const MAX_CAUSES = 5;

/** Maximum number of errors of an AggregateError. */
const MAX_ERRORS = 10;

/** Converts any thrown value to its plain form. Never throws. */
export function toTransferredError(thrown: unknown, causes = MAX_CAUSES): TransferredError {
  const error = toError(thrown);
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  const inner = (each: unknown) => toTransferredError(each, causes - 1);
  const [name, message, stack] = [textOf(error, 'name'), textOf(error, 'message'), textOf(error, 'stack')];
  return {
    className: classNameOf(error),
    name,
    message,
    stack: stack || null,
    fields: plainFields(error),
    cause: isError(cause) && causes > 0 ? inner(cause) : null,
    ...(Array.isArray(errors) && causes > 0 && { errors: errors.slice(0, MAX_ERRORS).map(inner) }),
  };
}

/** Restores an error from its plain form, with its class, code and cause. */
export function fromTransferredError(transferred: TransferredError): Error {
  const { className, name, message, stack, fields, cause, errors } = transferred;
  const text = stack ?? `${name}: ${message}`;
  if (className === 'DOMException')
    return Object.defineProperty(new DOMException(message, name), 'stack', hidden(text));
  const { prototype } = CLASSES.get(className) ?? Error;
  const error = new Error(message, cause === null ? {} : { cause: fromTransferredError(cause) });
  Object.setPrototypeOf(error, prototype); // created without its constructor, which may require unknown arguments
  if (error.name !== name) error.name = name;
  error.stack = text;
  if (errors !== undefined) Object.defineProperty(error, 'errors', hidden(errors.map(fromTransferredError)));
  return Object.assign(error, fields);
}

const hidden = (value: unknown) => ({ value, enumerable: false, writable: true, configurable: true });

/**
 * Returns the name of the most specific known class of an error. An unknown subclass of SchedulerError thus arrives as a SchedulerError. An error of
 * another copy of this package arrives as the same class of this copy.
 */
function classNameOf(error: Error): string {
  if (isDomException(error)) return 'DOMException';
  for (const [name, known] of CLASSES) if (error instanceof known) return name;
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string' || !Object.hasOwn(ERROR_CODES, code)) return 'Error';
  return CLASSES.has(error.name) ? error.name : 'SchedulerError';
}

function plainFields(error: Error): Readonly<Record<string, Plain>> {
  const fields = Object.entries(error).filter(([key, value]) => !KEPT_APART.has(key) && isPlain(value));
  return Object.fromEntries(fields) as Record<string, Plain>;
}

function isPlain(value: unknown): value is Plain {
  if (Array.isArray(value)) return value.every(isPlain);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
