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
}

type Plain = string | number | boolean | null | readonly Plain[];

/** Classes that a caller may test with `instanceof`. Any other error arrives as an Error with the same name. */
const CLASSES: ReadonlyMap<string, { readonly prototype: Error }> = new Map(
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
  }),
);

const KEPT_APART: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause']);

/** Maximum depth of the chain of causes, because the chain may be circular. */
const MAX_CAUSES = 5;

/** Converts any thrown value to its plain form. Never throws. */
export function toTransferredError(thrown: unknown, causes = MAX_CAUSES): TransferredError {
  const error = toError(thrown);
  const { name, message, stack, cause } = error;
  return {
    className: classNameOf(error),
    name: String(name),
    message: String(message),
    stack: typeof stack === 'string' ? stack : null,
    fields: plainFields(error),
    cause: cause instanceof Error && causes > 0 ? toTransferredError(cause, causes - 1) : null,
  };
}

/** Restores an error from its plain form, with its class, code and cause. */
export function fromTransferredError(transferred: TransferredError): Error {
  const { className, name, message, stack, fields, cause } = transferred;
  const { prototype } = CLASSES.get(className) ?? Error;
  const error = new Error(message, cause === null ? {} : { cause: fromTransferredError(cause) });
  Object.setPrototypeOf(error, prototype); // created without its constructor, which may require unknown arguments
  if (error.name !== name) error.name = name;
  error.stack = stack ?? `${name}: ${message}`;
  return Object.assign(error, fields);
}

/**
 * Returns the name of the nearest known class in the error's prototype chain. An unknown subclass of SchedulerError thus arrives as a
 * SchedulerError. An error of another copy of this package arrives as the same class of this copy.
 */
function classNameOf(error: Error): string {
  for (let level: unknown = Object.getPrototypeOf(error); level !== null; level = Object.getPrototypeOf(level)) {
    for (const [name, { prototype }] of CLASSES) if (prototype === level) return name;
  }
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
