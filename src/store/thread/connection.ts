import { fromTransferredError, type TransferredError, toTransferredError } from '../../api/transferred-error';
import { toError } from '../../base/errors';
import { argumentsOf } from '../../base/lists';

/** One end of a channel between two threads: a Worker seen from outside, or the port inside it. */
export interface Channel {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Objects whose methods the other end may call, by name. Looked up anew for each call. */
export type Targets = Readonly<Record<string, object>>;

/** A call of a method at the other end, with plain data only. Without an id, the caller expects no answer. */
interface Call {
  readonly id: number | null;
  readonly target: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError };

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One end of a connection between two threads. Each end may call the other; a call takes one message in each direction. */
export class Connection {
  readonly #channel: Channel;
  readonly #targets: Targets;
  readonly #onWaiting: (isWaiting: boolean) => void;
  readonly #pending = new Map<number, Pending>();
  #count = 0;
  #ended: Error | null = null;

  /** `onWaiting` is called with true when the first call waits for an answer, and with false when none does any more. */
  constructor(channel: Channel, targets: Targets, onWaiting: (isWaiting: boolean) => void = () => undefined) {
    this.#channel = channel;
    this.#targets = targets;
    this.#onWaiting = onWaiting;
    channel.on('message', (message) => this.#receive(message as Call | Answer));
  }

  /** Returns the object `target` of the other end. Its methods reject as `call` does. */
  remote<T extends object>(target: string): T {
    return forwarder<T>((method, args) => this.call(target, method, args));
  }

  /**
   * Calls a method at the other end. Rejects with the method's error, with a DataCloneError for arguments that are not plain data, and
   * after `end`.
   */
  call(target: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      if (this.#pending.size === 0) this.#onWaiting(true);
      this.#pending.set(id, { resolve, reject });
      try {
        this.#channel.postMessage({ id, target, method, args } satisfies Call);
      } catch (error) {
        this.#take(id)?.reject(toError(error));
      }
    });
  }

  /** Calls a method that returns nothing. The method runs before any answer sent later arrives. */
  notify(target: string, method: string, args: readonly unknown[]): void {
    this.#channel.postMessage({ id: null, target, method, args } satisfies Call);
  }

  /** Ends the connection: all pending and later calls reject with `error`. */
  end(error: Error): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  }

  #receive(message: Call | Answer): void {
    if (!('method' in message)) this.#settle(message);
    else if (message.id === null) this.#invoke(message);
    else void this.#answer(message.id, message);
  }

  async #answer(id: number, call: Call): Promise<void> {
    try {
      const result = await this.#invoke(call);
      this.#channel.postMessage({ id, result } satisfies Answer); // throws when the result is not plain data
    } catch (error) {
      this.#channel.postMessage({ id, error: toTransferredError(error) } satisfies Answer);
    }
  }

  #invoke({ target, method, args }: Call): unknown {
    return invoke(this.#targets[target] ?? {}, method, args);
  }

  #settle(answer: Answer): void {
    const pending = this.#take(answer.id);
    if ('error' in answer) pending?.reject(fromTransferredError(answer.error));
    else pending?.resolve(answer.result);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (this.#pending.delete(id) && this.#pending.size === 0) this.#onWaiting(false);
    return pending;
  }
}

/** Returns an object whose methods, of any name, invoke `call`, except for its `own` members. It has no `then`, so it is not a promise. */
export function forwarder<T extends object>(
  call: (method: string, args: readonly unknown[]) => unknown,
  own: Partial<T> = {},
): T {
  const members = own as Record<string | symbol, unknown>;
  return new Proxy(own as T, {
    get(_, name) {
      if (name in members || typeof name === 'symbol' || name === 'then') return members[name];
      const method = (...args: readonly unknown[]) => call(name, args);
      members[name] = method;
      return method;
    },
  });
}

/** Calls a method by name. Throws if there is none. */
export function invoke(receiver: object, name: string, args: readonly unknown[]): unknown {
  const method = (receiver as Readonly<Record<string, unknown>>)[name];
  if (typeof method !== 'function') throw new TypeError(`The method '${name}' does not exist.`);
  return method.apply(receiver, argumentsOf(args));
}
