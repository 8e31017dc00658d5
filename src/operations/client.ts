import { readEventStream, type StreamMessage } from './event-stream';
import type { InputOf, OperationName, OutputOf } from './operations';
import { Problem } from './problem';
import type { Route, RouteManifest } from './route-manifest';
import { splitKeys } from './split-keys';

/** URL of a console, and the client's credentials. */
export interface ClientOptions {
  /** URL at which the console is mounted: `https://example.org/admin/quartz`. */
  readonly url: string | URL;
  /** Name of the scheduler. */
  readonly scheduler: string;
  /** Routes of the operations: `routeManifest()`, or a copy of it kept as JSON. */
  readonly routes: RouteManifest;
  /** Bearer token. Absent: none, for example on a page with a session. */
  readonly token?: string;
  /** Additional headers for each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `fetch` implementation. Default: the global one. */
  readonly fetch?: typeof fetch;
}

export interface ListenOptions {
  /** Id of the last message received. Default null: none. */
  readonly lastEventId?: string | null;
  readonly signal?: AbortSignal;
  /** Called when the server begins to respond. */
  readonly onOpen?: () => void;
}

/** Client that performs operations over HTTP. */
export interface Client {
  /**
   * Calls an operation. Rejects with a `Problem` if the console answers with one, and with the error of `fetch` if no server answers. The problem's
   * `retryAfterS` gives the seconds to wait before a retry, if the console sends them (429, 503).
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: {
      readonly signal?: AbortSignal;
      /** Accepts a shared answer up to this many seconds old, so that the server computes one answer for many clients. Default: 0. */
      readonly maxAge?: number;
    },
  ): Promise<OutputOf<Name>>;
  /**
   * Streams server-sent events over one connection: all events, or the output of one run. After a lost connection, call it again with the id of the
   * last message. Rejects as `call` does, and when the connection is lost.
   */
  listen(stream: 'events' | { readonly runId: string }, options?: ListenOptions): AsyncGenerator<StreamMessage>;
}

/** Creates a client for the operations of one scheduler. Uses only features that browsers have. */
export function createClient(options: ClientOptions): Client {
  const ask = options.fetch ?? globalThis.fetch;
  const base = String(options.url)
    .replace(/[?#].*$/s, '')
    .replace(/\/*$/, '/');
  const send = (
    path: string,
    { headers, signal, ...init }: RequestInit & { readonly headers: Record<string, string> },
  ) =>
    ask(`${base}api/schedulers/${segmentOf('scheduler', options.scheduler)}${path}`, {
      ...init,
      headers: {
        ...headers,
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
      ...(signal ? { signal } : {}),
      // A redirecting server is not ours, and must not receive the token.
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

/** Builds the request of an input: each field goes into the path, the query or the body. */
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

/** Defaults of path fields that an input may leave out. */
const DEFAULTS: Readonly<Record<string, string>> = { group: 'DEFAULT' };

/** Encodes a value as a URL segment. Empty segments and dots are refused, because they would change the path. */
function segmentOf(field: string, value: unknown): string {
  if (value === undefined || value === '' || value === '.' || value === '..') {
    const message = `expected text that can be part of a URL, found ${value === undefined ? 'none' : `'${value}'`}.`;
    throw new Problem('INVALID_INPUT', `${field}: ${message}`, { fields: [{ field, message }] });
  }
  return encodeURIComponent(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Reads a console's answer as JSON. Rejects with a `Problem` unless the answer is a success. */
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

/** `Retry-After` in seconds, as the console sends it. A proxy may send a date, which is ignored because clocks differ. */
function retryAfterOf({ headers }: Response): { readonly retryAfterS?: number } {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(seconds) ? { retryAfterS: Number(seconds) } : {};
}
