import type { Call, Channel, Methods, Notice, Reply } from './calls';
import { toTransferredError } from './transferred-error';

/** Answers every call that comes over `channel` with one of `methods`; what they reject with is the answer too. */
export function serveCalls(channel: Channel, methods: Methods): void {
  channel.on('message', (message) => void answer(channel, methods, message as Call));
}

/** Tells the other end something. */
export function sendNotice(channel: Channel, notice: string, value: unknown): void {
  channel.postMessage({ notice, value } satisfies Notice);
}

async function answer(channel: Channel, methods: Methods, { id, method, args }: Call): Promise<void> {
  try {
    const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (serve === undefined) throw new TypeError(`There is no '${method}' to call.`);
    const result = await serve(...(args as never[]));
    channel.postMessage({ id, result } satisfies Reply); // throws when the result is not plain data
  } catch (error) {
    channel.postMessage({ id, error: toTransferredError(error) } satisfies Reply);
  }
}
