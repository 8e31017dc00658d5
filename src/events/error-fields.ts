import { stdSerializers } from 'pino';
import { maskValue } from '../base/secrets';

/** An error as a line of the log shows it: each text once, although most errors repeat that of their cause. */
export function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return maskValue({ ...stdSerializers.err(error), message: messageOf(error) });
}

function messageOf(error: Error): string {
  let text = error.message;
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (!text.includes(cause.message)) text += `: ${cause.message}`;
  }
  return text;
}
