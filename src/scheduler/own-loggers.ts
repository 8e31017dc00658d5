import { pino, stdSerializers } from 'pino';
import { isError, stackWithCauses } from '../base/error-values';
import { maskValue } from '../base/secrets';
import type { SchedulerConfig } from '../config/scheduler-config';
import { type Loggers, levelOfPlugins } from './loggers';

/** Creates loggers that write to standard error, because standard output belongs to the program. */
export function ownLoggers({ instanceName, logLevel }: Pick<SchedulerConfig, 'instanceName' | 'logLevel'>): Loggers {
  const own = pino({ name: instanceName, level: logLevel, serializers: { err: errorFields } }, pino.destination(2));
  return { events: own, plugins: own.child({}, { level: levelOfPlugins(logLevel) }) };
}

/** Converts an error to the fields of a log line, with secrets masked. Adds the message of a cause only if it is not part of the error's message. */
export function errorFields(error: unknown): unknown {
  if (!isError(error)) return error;
  return maskValue({ ...serialized(error), message: messageOf(error) });
}

function serialized(error: Error): object {
  try {
    return stdSerializers.err(error);
  } catch {
    return { type: error.name, stack: stackWithCauses(error) }; // pino marks each error, and fails on a frozen one
  }
}

function messageOf(error: Error): string {
  let text = error.message;
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; isError(cause) && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (!text.includes(cause.message)) text += `: ${cause.message}`;
  }
  return text;
}
