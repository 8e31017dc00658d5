import { Problem } from '../../operations/problem';

/** A client that is further behind is dropped: it comes back with the id of what it got last. */
export const MAX_BEHIND_BYTES = 524_288;

/** So many streams of one kind may one person or program have open at a time: nobody takes all that there are. */
export const MAX_CLIENTS_OF_ACTOR = 50;

export interface EventClientOptions {
  /** Who reads it: a name that is counted. */
  readonly actor: string;
  /** Whether whoever asked may still be told. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** Cuts the connection, with what was not sent; absent: there is none of ours. */
  readonly cut?: () => void;
  readonly onGone: (client: EventClient) => void;
}

/** One reader of the stream. */
export class EventClient {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #options: EventClientOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  constructor(options: EventClientOptions) {
    this.#options = options;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: MAX_BEHIND_BYTES, size: (bytes) => bytes.byteLength },
    );
  }

  get actor(): string {
    return this.#options.actor;
  }

  isStillAllowed(): Promise<boolean> {
    return this.#options.isStillAllowed();
  }

  /** The same bytes may be sent to many. */
  send(bytes: Uint8Array): void {
    const controller = this.#controller;
    if (controller === null) return;
    if ((controller.desiredSize ?? 0) < bytes.byteLength) this.#drop(controller);
    else controller.enqueue(bytes);
  }

  /** Ends the stream after what was sent. */
  end(): void {
    const controller = this.#controller;
    this.#leave();
    controller?.close();
  }

  #drop(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#leave();
    const { cut } = this.#options;
    if (cut === undefined) controller.error(new Error('The client read the events too slowly.'));
    else cut();
  }

  #leave(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    this.#options.onGone(this);
  }
}

/** Ends the stream of a client that may not be told any more. */
export async function endUnlessAllowed(client: EventClient): Promise<void> {
  const isAllowed = await client.isStillAllowed().catch(() => false);
  if (!isAllowed) client.end();
}

/** Throws TOO_MANY_REQUESTS if one person or program has as many of these streams as may be. */
export function requireFewOf(actor: string, clients: Iterable<EventClient>): void {
  const own = [...clients].filter((client) => client.actor === actor).length;
  if (own < MAX_CLIENTS_OF_ACTOR) return;
  const message = `${MAX_CLIENTS_OF_ACTOR} streams of ${actor} are open; no more may be at a time.`;
  throw new Problem('TOO_MANY_REQUESTS', message);
}
