/** A client that is further behind is dropped: it comes back with the id of what it got last. */
export const MAX_BEHIND_BYTES = 524_288;

export interface EventClientOptions {
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
    if (cut === undefined) controller.error(new Error('The reader of the events was too slow.'));
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
