import type { InputOf, OperationName, OutputOf } from './operations';
import { invalidField, Problem } from './problem';
import type { Route, RouteManifest } from './route-manifest';
import { splitKeys } from './split-keys';

/** Location of a console, and the credentials for it. */
interface ClientOptions {
  /** URL of the console's root, such as `https://example.org/admin/quartz`. */
  readonly url: string | URL;
  /** Name of the scheduler to operate. */
  readonly scheduler: string;
  /** Routes of the operations: the result of `routeManifest()`, or a copy of it stored as JSON. */
  readonly routes: RouteManifest;
  /** Bearer token. Omit it if a session authenticates the client, as on the console's page. */
  readonly token?: string;
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `fetch` implementation. Default: `globalThis.fetch`. */
  readonly fetch?: typeof fetch;
}

interface ListenOptions {
  /** Continues after the message with this id. Null (default): events begin with new ones, and the output of a run with its stored lines. */
  readonly lastEventId?: string | null;
  readonly signal?: AbortSignal;
  /** Called when the response headers have arrived. */
  readonly onOpen?: () => void;
}

/** Client that performs operations over HTTP. */
export interface Client {
  /**
   * Performs an operation. Rejects with a `Problem` if the console returns one, or with the error of `fetch` if the request fails. With status 429 or
   * 503, `retryAfterS` of the problem is the number of seconds to wait before a retry, if the console sent it.
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: {
      readonly signal?: AbortSignal;
      /** Maximum age of a cached response to accept, in seconds. The server can then compute one response for many clients. Default: 0. */
      readonly maxAge?: number;
    },
  ): Promise<OutputOf<Name>>;
  /**
   * Streams server-sent events over one connection: all events of the scheduler, or the output of one run. Rejects like `call`, and if the connection
   * is lost. To resume, call `listen` again with the id of the last message.
   */
  listen(stream: 'events' | { readonly runId: string }, options?: ListenOptions): AsyncGenerator<StreamMessage>;
}

/** Creates a client for the operations of one scheduler. Uses only features that browsers support. */
export function createClient(options: ClientOptions): Client {
  const doFetch = options.fetch ?? globalThis.fetch;
  const base = String(options.url)
    .replace(/[?#].*$/s, '')
    .replace(/\/*$/, '/');
  const send = (
    path: string,
    { headers, signal, ...init }: RequestInit & { readonly headers: Record<string, string> },
  ) =>
    doFetch(`${base}api/schedulers/${segmentOf('scheduler', options.scheduler)}${path}`, {
      ...init,
      headers: {
        ...headers,
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
      ...(signal ? { signal } : {}),
      // The console never redirects. Another server must not receive the token.
      redirect: 'error',
    });
  return {
    async call(name, input, { signal, maxAge = 0 } = {}) {
      const { path, ...request } = requestOf(options.routes[name], input as Readonly<Record<string, unknown>>);
      const headers = {
        accept: 'application/json',
        ...(request.body === null ? {} : { 'content-type': 'application/json' }),
        ...(maxAge === 0 ? {} : { 'cache-control': `max-age=${maxAge}` }),
      };
      return readAnswer(await send(path, { ...request, headers, ...(signal === undefined ? {} : { signal }) }));
    },
    async *listen(stream, { lastEventId = null, signal, onOpen } = {}) {
      const path = stream === 'events' ? '/events' : `/firings/${segmentOf('runId', stream.runId)}/lines`;
      const headers = {
        accept: 'text/event-stream',
        ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
      };
      const response = await send(path, { headers, ...(signal === undefined ? {} : { signal }) });
      if (!response.ok || response.body === null) return void (await readAnswer(response));
      onOpen?.();
      yield* readEventStream(response.body, signal);
    },
  };
}

function requestOf({ method, path }: Route, input: Readonly<Record<string, unknown>>) {
  const split = path.includes('/:group/:name') ? splitKeys(['name', 'group'], input) : input;
  const fields = new Map(Object.entries(split as typeof input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = fields.get(field) ?? DEFAULTS[field];
    fields.delete(field);
    return segmentOf(field, value);
  });
  if (method === 'POST' || method === 'PUT') {
    return { method, path: filled, body: JSON.stringify(Object.fromEntries(fields)) };
  }
  const query = new URLSearchParams();
  for (const [name, value] of fields)
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, textOf(each));
  return { method, path: query.size === 0 ? filled : `${filled}?${query}`, body: null };
}

/** Default values of path fields that an input may omit. */
const DEFAULTS: Readonly<Record<string, string>> = { group: 'DEFAULT' };

/** Encodes a value as a URL segment. Throws INVALID_INPUT for empty values and dots, which would change the path. */
function segmentOf(field: string, value: unknown): string {
  if (value === undefined || value === '' || value === '.' || value === '..') {
    const found = value === undefined ? 'none' : `'${value}'`;
    throw invalidField(field, `expected text that can be part of a URL, found ${found}.`);
  }
  return encodeURIComponent(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Reads a response as JSON. Rejects with a `Problem` unless the status is a success. */
export async function readAnswer<Output>(response: Response): Promise<Output> {
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer as Output;
  const { code, detail, title, errors, id } = (answer ?? {}) as Partial<Record<string, string>> & {
    readonly errors?: Problem['fields'];
  };
  const later = retryAfterOf(response);
  if (code === undefined)
    throw new Problem(
      'INTERNAL',
      `Expected a response from quartz-ts, found status ${response.status}. Check the URL of the server.`,
      later,
    );
  const text = detail ?? title ?? code;
  const message = id === undefined ? text : `${text} (${id})`;
  throw new Problem(code as Problem['code'], message, { fields: errors ?? [], ...later });
}

/** Reads the header `Retry-After`, in seconds. Ignores a date, which only a proxy sends, because clocks differ. */
function retryAfterOf({ headers }: Response): { readonly retryAfterS?: number } {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(seconds) ? { retryAfterS: Number(seconds) } : {};
}

interface StreamMessage {
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
