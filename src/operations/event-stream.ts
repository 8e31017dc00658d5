export interface StreamMessage {
  /** Name of the message. Default: `message`. */
  readonly name: string;
  /** Id of this message, or of the last message before it that had one. Null if none had. */
  readonly id: string | null;
  readonly data: unknown;
}

/** Maximum length of a message in characters. Messages of the console are shorter. */
const MAX_MESSAGE = 4_000_000;

/**
 * Yields the messages of a stream until the stream ends or `signal` aborts. Rejects if a message exceeds the maximum length or its data is not JSON.
 *
 * Passing the signal to `fetch` is not enough: once the request has been garbage-collected, the signal no longer ends the stream (nodejs/node#55428).
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

/** Parses the fields of a message. Ignores comments, which have no name. Data must be on one line. */
function fieldsOf(block: string): ReadonlyMap<string, string> {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  return new Map(lines.flatMap((found) => (found === null ? [] : [[found[1] as string, found[2] as string]])));
}
