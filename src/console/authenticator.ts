import type { IncomingMessage } from 'node:http';
import type { Actor } from '../operations/operation-context';

/**
 * Identifies the sender of each request. The console has no other way to authenticate: by default, no request is allowed, and an
 * authenticator that fails allows none.
 */
export interface Authenticator {
  /**
   * Returns the sender of a request, or null if it is unknown (401). A rejection with a `Problem` is sent as the response: FORBIDDEN for a
   * forged request, TOO_MANY_REQUESTS after too many attempts. Any other rejection is an internal error. Must not read the request's body.
   * For an open event stream, it is called again every minute.
   *
   * @param from IP address of the client. Null if the program calls `fetch` itself.
   * @param incoming The Node request as left by earlier middleware (`req` of Express). Null for `fetch`.
   */
  authenticate(request: Request, from: string | null, incoming: IncomingMessage | null): Promise<Actor | null>;
  /** Returns the value that the page sends in `X-CSRF-Token` with each change, or null if none is needed. */
  csrfToken?(request: Request): string | null;
  /**
   * Handles `POST` (log in) and `DELETE` (log out) of `/api/session`, without authentication. Absent: there are no sessions (404). The
   * console itself handles `GET`.
   */
  session?(request: Request, from: string | null): Promise<Response>;
  /** Returns the name of the cookie that `session` sets, for the OpenAPI document. Absent: the document describes no cookie. */
  sessionCookie?(request: Request): string;
  /** Value of `WWW-Authenticate` in a 401 response. Absent: no header. With `Basic`, browsers show their own password dialog. */
  readonly challenge?: string;
}

/** Rejects every request: the default of a console without access rules. */
export const NOBODY: Authenticator = { authenticate: async () => null };
