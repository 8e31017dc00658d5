import { Problem } from '../../operations/problem';

/** Maximum number of unsent bytes per client. Above it, the client is disconnected, and can reconnect with the id of its last message. */
export const MAX_BEHIND_BYTES = 524_288;

/** Maximum number of open streams per actor and kind of stream, so that one actor cannot use all streams. */
export const MAX_CLIENTS_OF_ACTOR = 50;

export interface EventClientOptions {
  /** Name of the actor that opened the stream. Streams are limited per actor. */
  readonly actor: string;
  readonly isStillAllowed: () => Promise<boolean>;
  /** Aborts the connection without sending pending data. Absent: the console has no access to the connection. */
  readonly disconnect?: () => void;
  readonly onGone: (client: EventClient) => void;
}

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

  /**
   * Sends bytes to the client. Disconnects the client if its unsent bytes would exceed `MAX_BEHIND_BYTES`. Callers must
   * not change `bytes` afterwards.
   */
  send(bytes: Uint8Array): void {
    const controller = this.#controller;
    if (controller === null) return;
    if ((controller.desiredSize ?? 0) < bytes.byteLength) this.#drop(controller);
    else controller.enqueue(bytes);
  }

  /** Ends the stream after all pending data was sent. */
  end(): void {
    const controller = this.#controller;
    this.#leave();
    controller?.close();
  }

  #drop(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#leave();
    const { disconnect } = this.#options;
    if (disconnect === undefined)
      controller.error(new Error('The client read the events too slowly and was disconnected.'));
    else disconnect();
  }

  #leave(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    this.#options.onGone(this);
  }
}

/** Ends the stream of a client that may no longer receive events, or whose check fails. */
export async function endUnlessAllowed(client: EventClient): Promise<void> {
  const isAllowed = await client.isStillAllowed().catch(() => false);
  if (!isAllowed) client.end();
}

/** Throws TOO_MANY_REQUESTS if the actor already has `MAX_CLIENTS_OF_ACTOR` streams among `clients`. */
export function requireFewOf(actor: string, clients: Iterable<EventClient>): void {
  const own = [...clients].filter((client) => client.actor === actor).length;
  if (own < MAX_CLIENTS_OF_ACTOR) return;
  const message = `Expected at most ${MAX_CLIENTS_OF_ACTOR} open streams of ${actor}. Close one first.`;
  throw new Problem('TOO_MANY_REQUESTS', message);
}
