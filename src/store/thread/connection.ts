import { toError } from '../../base/errors';
import type { Call, Channel, Methods, Notice, Reply } from './calls';
import { fromTransferredError, toTransferredError } from './transferred-error';

export interface ConnectionOptions {
  /** What the other end may call; read anew for each call. */
  readonly methods: Methods;
  readonly onNotice: (notice: Notice) => void;
  /** Told whether an answer is awaited, so that nothing else has to keep the process alive. */
  readonly onWaiting?: (isWaiting: boolean) => void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One end of a connection between two threads. Both ends may call each other: one message there, one back. */
export class Connection {
  readonly #channel: Channel;
  readonly #options: ConnectionOptions;
  readonly #pending = new Map<number, Pending>();
  #count = 0;
  #ended: Error | null = null;

  constructor(channel: Channel, options: ConnectionOptions) {
    this.#channel = channel;
    this.#options = options;
    channel.on('message', (message) => this.#receive(message as Call | Reply | Notice));
  }

  /** Rejects with what the method rejected with, with a DataCloneError for arguments that are not plain data, and after `end`. */
  call(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      if (this.#pending.size === 0) this.#options.onWaiting?.(true);
      this.#pending.set(id, { resolve, reject });
      try {
        this.#channel.postMessage({ id, method, args } satisfies Call);
      } catch (error) {
        this.#take(id)?.reject(toError(error));
      }
    });
  }

  /** Wants no answer; an end that is gone hears nothing. Throws when `value` is not plain data. */
  notify(notice: string, value: unknown): void {
    this.#channel.postMessage({ notice, value } satisfies Notice);
  }

  /** No answer will come any more: every call waiting, and every later one, rejects with `error`. */
  end(error: Error): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  }

  #receive(message: Call | Reply | Notice): void {
    if ('method' in message) void this.#answer(message);
    else if ('notice' in message) this.#options.onNotice(message);
    else this.#settle(message);
  }

  async #answer({ id, method, args }: Call): Promise<void> {
    const { methods } = this.#options;
    try {
      const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (serve === undefined) throw new TypeError(`There is no '${method}' to call.`);
      const result = await serve(...(args as never[]));
      this.#channel.postMessage({ id, result } satisfies Reply); // throws when the result is not plain data
    } catch (error) {
      this.#channel.postMessage({ id, error: toTransferredError(error) } satisfies Reply);
    }
  }

  #settle(reply: Reply): void {
    const pending = this.#take(reply.id);
    if ('error' in reply) pending?.reject(fromTransferredError(reply.error));
    else pending?.resolve(reply.result);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (this.#pending.delete(id) && this.#pending.size === 0) this.#options.onWaiting?.(false);
    return pending;
  }
}
