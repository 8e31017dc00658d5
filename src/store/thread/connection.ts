import { fromTransferredError, type TransferredError, toTransferredError } from '../../api/transferred-error';
import { toError } from '../../base/errors';
import { argumentsOf } from '../../base/lists';

/** One end of a channel between two threads: the Worker in the main thread, or the port inside the Worker. */
interface Channel {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Objects by name, whose methods the other end may call. A target is looked up for each call. */
export type Targets = Readonly<Record<string, object>>;

/** A call of a method at the other end. All values are plain data. With a null `id`, the caller expects no answer. */
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

/** One end of a connection between two threads. Each end may call the other. A call takes one message in each direction. */
export class Connection {
  readonly #channel: Channel;
  readonly #targets: Targets;
  readonly #onWaiting: (isWaiting: boolean) => void;
  readonly #pending = new Map<number, Pending>();
  /** Messages of this turn of the event loop. */
  readonly #unsent: (Call | Answer)[] = [];
  #count = 0;
  #ended: Error | null = null;

  /** `onWaiting` is called with true when the first call starts to wait for an answer, and with false when no call waits any more. */
  constructor(channel: Channel, targets: Targets, onWaiting: (isWaiting: boolean) => void = () => undefined) {
    this.#channel = channel;
    this.#targets = targets;
    this.#onWaiting = onWaiting;
    channel.on('message', (messages) => {
      for (const each of messages as readonly (Call | Answer)[]) this.#receive(each);
    });
  }

  /** Returns a proxy for the object `target` at the other end. Its methods reject like `call`. */
  remote<T extends object>(target: string): T {
    return forwarder<T>((method, args) => this.call(target, method, args));
  }

  /** Calls a method at the other end. Rejects with its error, with that of `end` once ended, or with a DataCloneError if an argument is not plain. */
  call(target: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      if (this.#pending.size === 0) this.#onWaiting(true);
      this.#pending.set(id, { resolve, reject });
      this.#post({ id, target, method, args });
    });
  }

  /** Calls a method that returns nothing. The other end runs the method before it receives any later message. */
  notify(target: string, method: string, args: readonly unknown[]): void {
    this.#post({ id: null, target, method, args });
  }

  /** Ends the connection. All pending and later calls reject with `error`. */
  end(error: Error): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  }

  #receive(message: Call | Answer): void {
    if (!('method' in message)) this.#resolve(message);
    else if (message.id === null) this.#invoke(message);
    else void this.#answer(message.id, message);
  }

  async #answer(id: number, call: Call): Promise<void> {
    try {
      this.#post({ id, result: await this.#invoke(call) });
    } catch (error) {
      this.#post({ id, error: toTransferredError(error) });
    }
  }

  /** Sends messages that are posted together as one, because waking the other thread costs more than a message. Does not wait until the turn ends. */
  #post(message: Call | Answer): void {
    if (this.#unsent.push(message) === 1) queueMicrotask(() => this.#send(this.#unsent.splice(0)));
  }

  #send(messages: readonly (Call | Answer)[]): void {
    try {
      this.#channel.postMessage(messages);
    } catch (error) {
      if (messages.length === 1) this.#refuse(messages[0] as Call | Answer, toError(error));
      else for (const each of messages) this.#send([each]);
    }
  }

  /** Ends a call whose arguments or result are not plain data. */
  #refuse(message: Call | Answer, error: Error): void {
    if (message.id === null) throw error;
    if ('method' in message) this.#take(message.id)?.reject(error);
    else this.#send([{ id: message.id, error: toTransferredError(error) }]);
  }

  #invoke({ target, method, args }: Call): unknown {
    return invoke(this.#targets[target] ?? {}, method, args);
  }

  #resolve(answer: Answer): void {
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

/** Returns an object that forwards every method, of any name, to `call`, except for its `own` members. It has no `then`, so it is not a promise. */
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

/** Calls a method by name. Throws a TypeError if the method does not exist. */
export function invoke(receiver: object, name: string, args: readonly unknown[]): unknown {
  const method = (receiver as Readonly<Record<string, unknown>>)[name];
  if (typeof method !== 'function') throw new TypeError(`The method '${name}' does not exist.`);
  return method.apply(receiver, argumentsOf(args));
}
