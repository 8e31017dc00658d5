import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../operations/operation-context';
import type { Role } from '../../operations/role';
import type { Authenticator } from '../authenticator';
import { checkHost, checkOrigin } from './same-site';

/** A sender that the program identified. */
export interface Visitor {
  /** Name recorded in the action log, at most 190 characters. */
  readonly name: string;
  /** Role of the sender. */
  readonly role: Role;
}

/**
 * Identifies the sender of a request by the program's own means. Returns null for an unknown sender.
 *
 * @param incoming The Node request with the additions of earlier middleware, such as `req.user` in Express. Null if the program calls
 * `fetch` of the console itself.
 */
export type AuthenticationHook = (
  request: Request,
  incoming: IncomingMessage | null,
) => Visitor | null | Promise<Visitor | null>;

const ROLES: readonly string[] = ['viewer', 'operator', 'admin'] satisfies readonly Role[];

/**
 * Creates an authenticator from a function of the program. The function may rely on a cookie, so changes from pages of other sites are
 * rejected.
 *
 * @param allowedHosts Allowed host names. Null: the program's server decides.
 */
export function hookAuthenticator(hook: AuthenticationHook, allowedHosts: readonly string[] | null): Authenticator {
  return {
    async authenticate(request, from, incoming): Promise<Actor | null> {
      if (allowedHosts !== null) checkHost(request, allowedHosts);
      checkOrigin(request, allowedHosts ?? []);
      const visitor = await hook(request, incoming);
      if (visitor === null || visitor === undefined) return null;
      const { name, role } = visitor;
      // Checked at run time too, so that a program without types lets no unknown sender in by mistake.
      if (typeof name !== 'string' || name === '' || !ROLES.includes(role))
        throw new TypeError('Expected auth to return { name, role } or null.');
      return { name, role, via: 'console', from };
    },
  };
}
