import type { IncomingMessage } from 'node:http';
import type { Actor } from '../../operations/operation-context';
import type { Role } from '../../operations/role';
import type { Authenticator } from '../authenticator';
import { checkHost, checkOrigin } from './same-site';

/** Whom the program lets in. */
export interface Visitor {
  /** At most 190 characters; the log of actions names it. */
  readonly name: string;
  /** Role that the sender has. */
  readonly role: Role;
}

/**
 * The sender of a request, as the program itself knows it; null: unknown.
 *
 * @param incoming The request as Node gives it, with what middleware before the console has added: `req.user` in Express. Null where the
 * program calls `fetch` of the console itself.
 */
export type AuthenticationHook = (
  request: Request,
  incoming: IncomingMessage | null,
) => Visitor | null | Promise<Visitor | null>;

const ROLES: readonly string[] = ['viewer', 'operator', 'admin'] satisfies readonly Role[];

/**
 * Asks the program. What it knows people by may be a cookie, so that nothing is changed by what a page of another site sends.
 *
 * @param allowedHosts Null: the program's server decides by which names it is asked for.
 */
export function hookAuthenticator(hook: AuthenticationHook, allowedHosts: readonly string[] | null): Authenticator {
  return {
    async authenticate(request, from, incoming): Promise<Actor | null> {
      if (allowedHosts !== null) checkHost(request, allowedHosts);
      checkOrigin(request, allowedHosts ?? []);
      const visitor = await hook(request, incoming);
      if (visitor === null || visitor === undefined) return null;
      const { name, role } = visitor;
      // Also where it comes from a program without types: nobody is let in by mistake.
      if (typeof name !== 'string' || name === '' || !ROLES.includes(role))
        throw new TypeError('Expected auth to answer { name, role } or null.');
      return { name, role, via: 'console', from };
    },
  };
}
