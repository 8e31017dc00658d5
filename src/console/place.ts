import type { IncomingMessage, ServerResponse } from 'node:http';

/** What Node gives with a request; empty for `fetch` called by the program itself. */
export interface Connection {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

/** Where a request arrives. */
export interface Place {
  /** Its path below the console, beginning with `/`, as it is written in an address; null: it is none of the console's. */
  readonly inner: string | null;
  /** Its path as its client wrote it, as far as it is known. */
  readonly full: string;
}

/**
 * Takes the path of the console away. Express and what follows it have done so for what they mount (`app.use('/admin', …)`), and keep the
 * whole in `originalUrl`; otherwise `basePath` says what it is.
 */
export function placeOf(request: Request, { incoming }: Connection, basePath: string): Place {
  const path = new URL(request.url).pathname;
  const original = originalPath(incoming);
  const full = original ?? pathOf(incoming?.url ?? path);
  if (basePath === '' || (original !== null && isTakenAway(original, pathOf(incoming?.url ?? '/'), basePath))) {
    return { inner: path, full };
  }
  if (path === basePath) return { inner: '/', full };
  return { inner: path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : null, full };
}

function isTakenAway(original: string, inner: string, basePath: string): boolean {
  if (original === inner) return false;
  const prefix = original.endsWith(inner) ? original.slice(0, -inner.length) : original;
  return prefix.endsWith(basePath);
}

function originalPath(incoming: (IncomingMessage & { readonly originalUrl?: unknown }) | undefined): string | null {
  return typeof incoming?.originalUrl === 'string' ? pathOf(incoming.originalUrl) : null;
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** `/admin/quartz` of `admin/quartz/`, as it is written in an address; empty for the root. */
export function normalBasePath(given: string): string {
  const path = given.replace(/^\/+|\/+$/g, '');
  return path === '' ? '' : encodeURI(`/${path}`);
}
