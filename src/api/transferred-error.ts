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

/** An error on its way to another thread: structured cloning would drop its class and its code. */
export interface TransferredError {
  /** Name of the nearest class that the other side knows. */
  readonly className: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  /** Other fields of the error: `code`, `position`, …; plain values only. */
  readonly fields: Readonly<Record<string, Plain>>;
  readonly cause: TransferredError | null;
}

type Plain = string | number | boolean | null | readonly Plain[];

/** Classes that a caller may test with `instanceof`; everything else arrives as an Error with the same name. */
const CLASSES: ReadonlyMap<string, { readonly prototype: Error }> = new Map(
  // Named here and not by the classes: a bundler may have shortened those names on one side.
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

/** Causes of causes beyond this are left out: a chain may be a circle. */
const MAX_CAUSES = 5;

/** The error as plain data. Never throws, whatever was thrown. */
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

/** The error again, with its class, code and cause. */
export function fromTransferredError(transferred: TransferredError): Error {
  const { className, name, message, stack, fields, cause } = transferred;
  const { prototype } = CLASSES.get(className) ?? Error;
  const error = new Error(message, cause === null ? {} : { cause: fromTransferredError(cause) });
  Object.setPrototypeOf(error, prototype); // its constructor would want other arguments than what is known here
  if (error.name !== name) error.name = name;
  error.stack = stack ?? `${name}: ${message}`;
  return Object.assign(error, fields);
}

/**
 * Name of the nearest known class above. An unlisted subclass of SchedulerError still arrives as one. An error from another copy of this
 * package arrives as this copy's class.
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
