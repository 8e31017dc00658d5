import type { Clock } from '../../base/clock';
import { badArgument } from '../../base/errors';
import { HOST_NAME } from '../../base/host';
import type { RandomSource } from '../../base/ids';
import type { ConsoleSessions } from '../../scheduler/console-sessions';
import { type Authenticator, REJECT_ALL } from '../authenticator';
import { AccountAuthenticator, type FailedLogin } from './account-authenticator';
import { type AccountTexts, readAccounts } from './accounts';
import { type AuthenticationHook, hookAuthenticator } from './hook-authenticator';
import { checkHost } from './same-site';

/** Access rules of a console. Without `tokens`, `users` or `auth`, every request is rejected. */
export interface AccessOptions {
  /**
   * The program's own authentication: a function that identifies the sender of a request, or an `Authenticator`, which
   * can also provide sessions. Cannot be combined with `tokens` and `users`.
   */
  readonly auth?: AuthenticationHook | Authenticator;
  /** Tokens by name. Each value is a role and a hash from `hashToken`: `operator sha256:…`. */
  readonly tokens?: AccountTexts;
  /** Users by login name. Each value is a role and a hash from `hashPassword`: `admin scrypt:…`. */
  readonly users?: AccountTexts;
  /**
   * Host names without ports under which browsers may reach the console. `localhost` and IP addresses are always
   * allowed. Default: no other names; every name if `auth` is set.
   */
  readonly allowedHosts?: readonly string[];
  /** Lifetime of a login session in milliseconds, from 1 minute to 30 days. Default: 12 hours. */
  readonly sessionLifetimeMs?: number;
}

const DEFAULT_LIFETIME_MS = 12 * 3_600_000;
const LIFETIME = { from: 60_000, to: 30 * 86_400_000 } as const;

export function authenticatorOf(
  options: AccessOptions,
  parts: {
    readonly clock: Clock;
    readonly random: RandomSource;
    readonly sessions: ConsoleSessions;
    readonly onFailed: (login: FailedLogin) => void;
  },
): Authenticator {
  const { auth, tokens, users, sessionLifetimeMs = DEFAULT_LIFETIME_MS } = options;
  const allowedHosts = readHosts(options.allowedHosts);
  if (auth !== undefined) {
    if (tokens !== undefined || users !== undefined)
      throw badArgument('Expected auth, or tokens and users, found both. Remove one of them.');
    if (typeof auth === 'function') return hookAuthenticator(auth, allowedHosts);
    if (typeof auth?.authenticate !== 'function')
      throw badArgument('Expected auth to be a function or an object with a method authenticate.');
    return allowedHosts === null ? auth : checkingHosts(auth, allowedHosts);
  }
  const isLifetime = Number.isInteger(sessionLifetimeMs);
  if (!isLifetime || sessionLifetimeMs < LIFETIME.from || sessionLifetimeMs > LIFETIME.to)
    throw badArgument(`Expected sessionLifetimeMs from ${LIFETIME.from} to ${LIFETIME.to}.`);
  const accounts = readAccounts(tokens, users);
  if (accounts.length === 0) return REJECT_ALL;
  return new AccountAuthenticator({ accounts, allowedHosts: allowedHosts ?? [], sessionLifetimeMs, ...parts });
}

function checkingHosts(auth: Authenticator, allowedHosts: readonly string[]): Authenticator {
  const { session, sessionCookie } = auth;
  return {
    ...(auth.challenge === undefined ? {} : { challenge: auth.challenge }),
    ...(auth.csrfToken === undefined ? {} : { csrfToken: (request) => auth.csrfToken?.(request) ?? null }),
    ...(sessionCookie === undefined ? {} : { sessionCookie: (request) => sessionCookie.call(auth, request) }),
    ...(session === undefined
      ? {}
      : {
          session: async (request, from) => {
            checkHost(request, allowedHosts);
            return session.call(auth, request, from);
          },
        }),
    async authenticate(request, from, incoming) {
      checkHost(request, allowedHosts);
      return auth.authenticate(request, from, incoming);
    },
  };
}

function readHosts(hosts: readonly string[] | undefined): readonly string[] | null {
  if (hosts === undefined) return null;
  const isName = (host: unknown) => typeof host === 'string' && HOST_NAME.test(host);
  if (!Array.isArray(hosts) || !hosts.every(isName))
    throw badArgument('Expected allowedHosts to be a list of host names, without scheme, port or path.');
  return hosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
}
