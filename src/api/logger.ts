import { describeThrown, isError, stackWithCauses, textOf } from '../base/error-values';
import { describeValue, unmet } from '../domain/check-text';

/** A method of a logger. */
// biome-ignore lint/suspicious/noExplicitAny: loggers differ in what they take; which order is meant is found out
export type LogMethod = (...args: any[]) => unknown;

/**
 * Any logger: pino, winston, bunyan, Nest's `Logger` (whose `info` is called `log`) or `console`. pino and bunyan receive the fields first, then
 * the message. All other loggers receive the message first.
 */
export type Logger = {
  /** Logs an error. */
  readonly error: LogMethod;
  /** Logs a condition that an operator should check. */
  readonly warn: LogMethod;
  /** Logs details for diagnosis. */
  readonly debug: LogMethod;
} & (
  | {
      /** Logs normal operation. */
      readonly info: LogMethod;
    }
  | {
      /** Logs normal operation. */
      readonly log: LogMethod;
    }
);

/** Levels at which quartz-ts logs. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Logger for plugins, with the same methods whatever logger was passed to `createScheduler`. */
export interface StructuredLogger extends Readonly<Record<LogLevel, (fields: object, message: string) => void>> {
  /** Returns true if lines of this level are written. */
  isLevelEnabled(level: LogLevel): boolean;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

/** Lowest level to write, for a logger that does not report its own level. */
type MinLevel = LogLevel | 'trace' | 'fatal' | 'silent';

type AnyLogger = Readonly<Record<string, unknown>>;

/**
 * Wraps any logger in a logger whose methods take the fields first, then the message. `minLevel` applies to loggers without `isLevelEnabled`, such as
 * `console`. Throws INVALID_ARGUMENT if the logger lacks a method.
 */
export function structuredLogger(logger: Logger, minLevel: MinLevel): StructuredLogger {
  const given = checkLogger(logger);
  if (takesFieldsFirst(given) && typeof given.isLevelEnabled === 'function')
    return logger as unknown as StructuredLogger;
  const writers = LEVELS.map((level) => [level, writer(given, level)] as const);
  return {
    ...(Object.fromEntries(writers) as Record<LogLevel, (fields: object, message: string) => void>),
    isLevelEnabled: levelsOf(given, minLevel),
  };
}

function checkLogger(logger: unknown): AnyLogger {
  const given = logger as AnyLogger | null | undefined;
  const isObject = typeof given === 'object' || typeof given === 'function';
  if (isObject && given !== null && LEVELS.every((level) => typeof given[methodOf(given, level)] === 'function'))
    return given;
  throw unmet('a logger with the methods error, warn, info (or log) and debug', foundLogger(given, isObject));
}

function foundLogger(given: AnyLogger | null | undefined, isObject: boolean): string {
  const missing = LEVELS.find((level) => typeof given?.[methodOf(given, level)] !== 'function');
  return isObject && given !== null ? `one without ${missing}` : describeValue(given);
}

/** Returns the name of the logger's method for a level. Nest's loggers use `log` for info. */
function methodOf(logger: AnyLogger, level: LogLevel): string {
  return level === 'info' && typeof logger.info !== 'function' ? 'log' : level;
}

/** Returns true for pino and bunyan. Detects pino by its method `bindings` and bunyan by `addSerializers`. */
function takesFieldsFirst(logger: AnyLogger): boolean {
  return typeof logger.bindings === 'function' || typeof logger.addSerializers === 'function';
}

function writer(logger: AnyLogger, level: LogLevel): (fields: object, message: string) => void {
  const method = methodOf(logger, level);
  const write = (...args: unknown[]) => (logger[method] as LogMethod).apply(logger, args);
  if (takesFieldsFirst(logger)) return (fields, message) => void write(withPlainError(fields), message);
  return (fields, message) => void write(message, withPlainError(fields));
}

/** Converts an error in the field `err` to plain data, because most loggers write an error as `{}`, or without its causes. */
function withPlainError(fields: object): object {
  const { err } = fields as { readonly err?: unknown };
  return isError(err) ? { ...fields, err: { ...plainError(err), stack: stackWithCauses(err) } } : fields;
}

/** Maximum depth of causes, and maximum number of aggregated errors of each. */
const MAX_CAUSES = 5;

/** Fields of an error, its causes and its aggregated errors. The stack of the outermost error contains the stacks of the others. */
function plainError(error: Error, depth = 0): Readonly<Record<string, unknown>> {
  const { code, cause, errors } = error as {
    readonly code?: unknown;
    readonly cause?: unknown;
    readonly errors?: unknown;
  };
  const inner = (value: unknown) =>
    isError(value) && depth < MAX_CAUSES ? plainError(value, depth + 1) : describeThrown(value);
  return {
    name: textOf(error, 'name'),
    message: textOf(error, 'message'),
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: inner(cause) }),
    ...(Array.isArray(errors) && { errors: errors.slice(0, MAX_CAUSES).map(inner) }),
  };
}

function levelsOf(logger: AnyLogger, minLevel: MinLevel): (level: LogLevel) => boolean {
  const { isLevelEnabled } = logger;
  if (typeof isLevelEnabled === 'function') {
    return (level) => isLevelEnabled.call(logger, methodOf(logger, level)) === true;
  }
  const enabled = LEVELS.slice(firstLevel(minLevel));
  return (level) => (enabled as readonly string[]).includes(level);
}

function firstLevel(minLevel: MinLevel): number {
  if (minLevel === 'trace') return 0;
  const at = (LEVELS as readonly string[]).indexOf(minLevel);
  return at < 0 ? LEVELS.length : at;
}
