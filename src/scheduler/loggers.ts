import { type Logger, type StructuredLogger, structuredLogger } from '../api/logger';
import type { SchedulerConfig } from '../config/scheduler-config';

export interface Loggers {
  readonly events: StructuredLogger;
  readonly plugins: StructuredLogger;
}

/** Wraps the logger that a program passed. Throws INVALID_ARGUMENT. */
export function givenLoggers(given: Logger, { logLevel }: SchedulerConfig): Loggers {
  return { events: structuredLogger(given, logLevel), plugins: structuredLogger(given, levelOfPlugins(logLevel)) };
}

/** Level of the plugins' lines: `info` if the level is `warn`, because a program that installs a history plugin expects its lines. */
export function levelOfPlugins(logLevel: SchedulerConfig['logLevel']): SchedulerConfig['logLevel'] {
  return logLevel === 'warn' ? 'info' : logLevel;
}
