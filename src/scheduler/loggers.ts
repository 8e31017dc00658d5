import { pino } from 'pino';
import type { Logger, StructuredLogger } from '../api/logger';
import type { SchedulerConfig } from '../config/scheduler-config';
import { structuredLogger } from '../events/structured-logger';

/** Where a scheduler logs to. */
export interface Loggers {
  readonly events: StructuredLogger;
  /** Whoever installs a history wants its lines: what plugins log at `info` passes at the default level, too. */
  readonly plugins: StructuredLogger;
}

/** The logger that was given, or one on standard error: standard output belongs to the program. Throws INVALID_ARGUMENT. */
export function loggersOf(given: Logger | undefined, { instanceName, logLevel }: SchedulerConfig): Loggers {
  const leastOfPlugins = logLevel === 'warn' ? 'info' : logLevel;
  if (given !== undefined) {
    return { events: structuredLogger(given, logLevel), plugins: structuredLogger(given, leastOfPlugins) };
  }
  const own = pino({ name: instanceName, level: logLevel }, pino.destination(2));
  return { events: own, plugins: own.child({}, { level: leastOfPlugins }) };
}
