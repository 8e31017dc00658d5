/** A method of a logger, whatever else it takes. */
// biome-ignore lint/suspicious/noExplicitAny: loggers differ in what they take; which order is meant is found out
export type LogMethod = (...args: any[]) => unknown;

/**
 * Any logger: pino, winston, bunyan, Nest's `Logger` (whose `info` is called `log`), `console`. Those that take fields first and
 * the message second, as pino does, get them so; all others get the message first and then the fields.
 */
export type Logger = {
  /** Something failed. */
  readonly error: LogMethod;
  /** Something that an operator should look at. */
  readonly warn: LogMethod;
  /** Single steps; many lines. */
  readonly debug: LogMethod;
} & (
  | {
      /** What happens in good order. */
      readonly info: LogMethod;
    }
  | {
      /** What happens in good order. */
      readonly log: LogMethod;
    }
);

/** The levels that this library logs at. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What plugins log to: the logger given to `createScheduler`, with one form whichever it is. */
export interface StructuredLogger extends Readonly<Record<LogLevel, (fields: object, message: string) => void>> {
  /** Whether a line of this level goes anywhere. */
  isLevelEnabled(level: LogLevel): boolean;
}
