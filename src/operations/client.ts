import { readEventStream, type StreamMessage } from './event-stream';
import type { InputOf, OperationName, OutputOf } from './operations';
import { Problem } from './problem';
import type { Route, RouteManifest } from './route-manifest';
import { splitKeys } from './split-keys';

/** Where a console is, and who asks. */
export interface ClientOptions {
  /** Where the console is mounted: `https://example.org/admin/quartz`. */
  readonly url: string | URL;
  /** The name of the scheduler. */
  readonly scheduler: string;
  /** Where each operation is found: `routeManifest()`, or what was kept of it as JSON. */
  readonly routes: RouteManifest;
  /** Sent as a bearer token; absent: none, as in a page that has a session. */
  readonly token?: string;
  /** Sent with each request besides. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

export interface ListenOptions {
  /** Of the last message that was received; null, the default: of none. */
  readonly lastEventId?: string | null;
  readonly signal?: AbortSignal;
  /** Called when the server has begun to answer. */
  readonly onOpen?: () => void;
}

/** Asks a console for operations, as if they were called here. */
export interface Client {
  /**
   * Rejects with a `Problem` that the console answers with, whose `retryAfterS` says in how many seconds to ask again where the console says it
   * (429, 503), and with what `fetch` rejects with when nobody answers.
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: {
      readonly signal?: AbortSignal;
      /** An answer that somebody else was given so many seconds ago will do: of many who ask the same at a time, one is answered. Default: 0. */
      readonly maxAge?: number;
    },
  ): Promise<OutputOf<Name>>;
  /**
   * The messages of a stream of server-sent events, over one connection, as they come: of all that happens, or of what one run says. Whoever
   * lost the connection asks again with the id of the last message. Rejects as `call` does, and when the connection is lost.
   */
  listen(stream: 'events' | { readonly runId: string }, options?: ListenOptions): AsyncGenerator<StreamMessage>;
}

/** A client for the operations of one scheduler. Needs nothing that a browser has not. */
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
      // A server that sends somebody elsewhere is not ours, and the token is not for that place.
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

/** What is sent for an input: each field in the path, the query or the body. */
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

/** What fields stand for that a path needs and an input may leave out. */
const DEFAULTS: Readonly<Record<string, string>> = { group: 'DEFAULT' };

/** Addresses have no segments that are empty or dots: they would name something else. */
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

/** What a console answered, as JSON. Rejects with a `Problem` where that is no answer of success. */
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

/** `Retry-After` in seconds, as the console says it; a proxy in front may say a date, which is left alone: clocks differ. */
function retryAfterOf({ headers }: Response): { readonly retryAfterS?: number } {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(seconds) ? { retryAfterS: Number(seconds) } : {};
}
