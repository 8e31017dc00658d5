/** A message of a stream of server-sent events. */
export interface StreamMessage {
  /** `message` where the stream names none. */
  readonly name: string;
  /** Id of the last message that had one, or null if none had. */
  readonly id: string | null;
  readonly data: unknown;
}

/** Longer than that no message of ours is. Characters. */
const MAX_MESSAGE = 4_000_000;

/**
 * The messages of a stream, as they come; it ends with the stream, and when `signal` aborts. The signal that `fetch` was given is not enough: a
 * stream that was open for some minutes did not end, as that of a collected request may be lost (nodejs/node#55428). Rejects where a message has
 * no end, or data that is no JSON.
 */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', stop);
  try {
    yield* messagesOf(reader);
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

async function* messagesOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  let text = '';
  let id: string | null = null;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    if (text.length > MAX_MESSAGE) throw new TypeError('Expected the end of a message in the event stream.');
    for (const block of blocks) {
      const fields = fieldsOf(block);
      id = fields.get('id') ?? id;
      const data = fields.get('data');
      if (data !== undefined) yield { name: fields.get('event') ?? 'message', id, data: JSON.parse(data) };
    }
  }
}

/** A comment has no name. Our streams have one line of data in a message. */
function fieldsOf(block: string): ReadonlyMap<string, string> {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  return new Map(lines.flatMap((found) => (found === null ? [] : [[found[1] as string, found[2] as string]])));
}
