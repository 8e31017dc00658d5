import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../operations/operation';
import type { Role } from '../../operations/role';
import type { Authenticator } from '../authenticator';
import { checkHost, checkOrigin } from './same-site';

/** Sender of a request, as identified by the program. */
export interface Visitor {
  /** Name for the action log, at most 190 characters. */
  readonly name: string;
  /** Role of the sender: `viewer`, `operator` or `admin`. */
  readonly role: Role;
}

/**
 * Identifies the sender of a request by the program's own means. Returns null if the sender is unknown.
 *
 * @param incoming The Node request, with properties added by earlier middleware such as `req.user` in Express. Null if
 * the program calls `fetch` of the console itself.
 */
export type AuthenticationHook = (
  request: Request,
  incoming: IncomingMessage | null,
) => Visitor | null | Promise<Visitor | null>;

const ROLES: readonly string[] = ['viewer', 'operator', 'admin'] satisfies readonly Role[];

/**
 * Creates an authenticator from a function of the program. Rejects changes from pages on other sites, because the
 * function may rely on a cookie.
 *
 * @param allowedHosts Allowed host names. Null: host names are not checked.
 */
export function hookAuthenticator(hook: AuthenticationHook, allowedHosts: readonly string[] | null): Authenticator {
  return {
    async authenticate(request, from, incoming): Promise<Actor | null> {
      if (allowedHosts !== null) checkHost(request, allowedHosts);
      checkOrigin(request, allowedHosts ?? []);
      const visitor = await hook(request, incoming);
      if (visitor === null || visitor === undefined) return null;
      const { name, role } = visitor;
      // Also checked at run time: a program in JavaScript could return an invalid value and thus admit an unknown sender.
      if (typeof name !== 'string' || name === '' || !ROLES.includes(role))
        throw new TypeError('Expected auth to return { name, role } or null.');
      return { name, role, via: 'console', from };
    },
  };
}
