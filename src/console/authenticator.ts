import type { Actor } from '../operations/operation-context';

/**
 * Decides who asks. The console knows no other way to an actor: nobody is let in by default, and an authenticator that fails lets nobody in.
 */
export interface Authenticator {
  /**
   * Who sends the request; null: nobody who is known (401). A `Problem` it rejects with is answered as it is: FORBIDDEN for a request that was
   * forged, TOO_MANY_REQUESTS for one attempt too many. Any other rejection is an internal error. It does not read the request's body.
   *
   * @param from The address of who is connected; null where there is none (`fetch` called by the program itself).
   */
  authenticate(request: Request, from: string | null): Promise<Actor | null>;
  /** Answers `GET`, `POST` and `DELETE` of `/api/session` before anybody is known; null: there are no sessions (404). */
  readonly session: ((request: Request, from: string | null) => Promise<Response>) | null;
  /** What `WWW-Authenticate` of a 401 says; null: nothing. A browser asks for a password of its own where it says `Basic`. */
  readonly challenge: string | null;
}

/** Lets nobody in: what a console has that was given none. */
export const NOBODY: Authenticator = {
  authenticate: async () => null,
  session: null,
  challenge: null,
};
