import { toError } from '../../base/errors';
import type { Call, Channel, Notice, Reply } from './calls';
import { fromTransferredError } from './transferred-error';

/** A channel whose waiting does not have to keep the process alive. */
export interface CountedChannel extends Channel {
  ref(): void;
  unref(): void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls into another thread: one message there, one back. The channel keeps the process alive while an answer is awaited,
 * and only then.
 */
export class RemoteCalls {
  readonly #channel: CountedChannel;
  readonly #pending = new Map<number, Pending>();
  #count = 0;
  #ended: Error | null = null;

  constructor(channel: CountedChannel, onNotice: (notice: Notice) => void) {
    this.#channel = channel;
    channel.unref();
    channel.on('message', (message) => {
      if ('notice' in (message as object)) onNotice(message as Notice);
      else this.#settle(message as Reply);
    });
  }

  /** Rejects with what the method rejected with, with a DataCloneError for arguments that are not plain data, and after `end`. */
  call(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      if (this.#pending.size === 0) this.#channel.ref();
      this.#pending.set(id, { resolve, reject });
      try {
        this.#channel.postMessage({ id, method, args } satisfies Call);
      } catch (error) {
        this.#take(id)?.reject(toError(error));
      }
    });
  }

  /** No answer will come any more: every call waiting, and every later one, rejects with `error`. */
  end(error: Error): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  }

  #settle(reply: Reply): void {
    const pending = this.#take(reply.id);
    if ('error' in reply) pending?.reject(fromTransferredError(reply.error));
    else pending?.resolve(reply.result);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#channel.unref();
    return pending;
  }
}
