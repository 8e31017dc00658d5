import type { IncomingMessage } from 'node:http';
import type { Actor } from '../operations/operation';

/**
 * Identifies the sender of each request. The authenticator is the only access control of the console: without an
 * authenticator, or if the authenticator fails, every request is rejected.
 */
export interface Authenticator {
  /**
   * Returns the sender of a request, or null if the sender is unknown (401). Must not read the request's body. While an
   * event stream is open, the console calls this method again every minute.
   *
   * A rejection with a `Problem` is sent as the response: FORBIDDEN for a forged request, TOO_MANY_REQUESTS after too
   * many attempts. Any other rejection is an internal error.
   *
   * @param from IP address of the client. Null if the program calls `fetch` itself.
   * @param incoming The Node request, with properties added by earlier middleware (`req` in Express). Null if the
   * program calls `fetch` itself.
   */
  authenticate(request: Request, from: string | null, incoming: IncomingMessage | null): Promise<Actor | null>;
  /** Returns the token that the page sends in the header `X-CSRF-Token` with each change. Null if no token is needed. */
  csrfToken?(request: Request): string | null;
  /**
   * Responds to `POST` (log in) and `DELETE` (log out) of `/api/session`, which need no authentication. Absent: the
   * console has no sessions and responds with 404. The console itself responds to `GET`.
   */
  session?(request: Request, from: string | null): Promise<Response>;
  /** Returns the name of the cookie that `session` sets, for the OpenAPI document. Absent: the document describes no cookie. */
  sessionCookie?(request: Request): string;
  /** Value of the header `WWW-Authenticate` in a 401 response. Absent: no header. With `Basic`, browsers show their own login dialog. */
  readonly challenge?: string;
}

/** Rejects every request. Default of a console without access rules. */
export const REJECT_ALL: Authenticator = { authenticate: async () => null };
