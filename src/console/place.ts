import type { IncomingMessage, ServerResponse } from 'node:http';

/** Node's request and response. Empty if the program calls `fetch` itself. */
export interface Connection {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

interface Place {
  /** URL-encoded path within the console, beginning with `/`. Null if the path is outside of the console. */
  readonly inner: string | null;
  /** Path that the client requested, as far as it is known. */
  readonly full: string;
}

/**
 * Removes the console's base path from the path of a request. Express and similar frameworks have already removed the
 * path under which the console is mounted (`app.use('/admin', …)`); the full path is then in `originalUrl`.
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

/** Returns a URL-encoded path with a leading and no trailing slash: `/admin/quartz` for `admin/quartz/`. Empty for the root. */
export function normalBasePath(given: string): string {
  const path = given.replace(/^\/+|\/+$/g, '');
  return path === '' ? '' : encodeURI(`/${path}`);
}
