import type { IncomingMessage } from 'node:http';
import type { Actor } from '../operations/operation-context';

/**
 * Decides who asks. The console knows no other way to an actor: nobody is let in by default, and an authenticator that fails lets nobody in.
 */
export interface Authenticator {
  /**
   * Who sends the request; null: nobody who is known (401). A `Problem` it rejects with is answered as it is: FORBIDDEN for a request that was
   * forged, TOO_MANY_REQUESTS for one attempt too many. Any other rejection is an internal error. It does not read the request's body. Asked
   * again every minute while events are sent to whoever asked for them.
   *
   * @param from The address of who is connected; null where there is none (`fetch` called by the program itself).
   * @param incoming The request as Node gives it, and as middleware before the console has left it (`req` of Express); null for `fetch`.
   */
  authenticate(request: Request, from: string | null, incoming: IncomingMessage | null): Promise<Actor | null>;
  /** What the page sends along with each change in `X-CSRF-Token`, for somebody who was let in; null: nothing is needed. */
  csrfToken?(request: Request): string | null;
  /**
   * Answers `POST` (log in) and `DELETE` (log out) of `/api/session`, before anybody is known. Absent: there are no sessions (404). `GET` is
   * answered by the console.
   */
  session?(request: Request, from: string | null): Promise<Response>;
  /** The name of the cookie that `session` sets, for the OpenAPI document. Absent: the document names none. */
  sessionCookie?(request: Request): string;
  /** What `WWW-Authenticate` of a 401 says; absent: nothing. A browser asks for a password of its own where it says `Basic`. */
  readonly challenge?: string;
}

/** Rejects every request: the default of a console without access rules. */
export const NOBODY: Authenticator = { authenticate: async () => null };
