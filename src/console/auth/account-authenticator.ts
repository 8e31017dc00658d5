import type { Clock } from '../../base/clock';
import type { RandomSource } from '../../base/ids';
import type { Actor } from '../../operations/operation';
import { Problem } from '../../operations/problem';
import type { ConsoleSessions } from '../../scheduler/console-sessions';
import type { Authenticator } from '../authenticator';
import { problemResponse } from '../problem-response';
import { readJsonBody } from '../read-body';
import { type Account, Accounts } from './accounts';
import { Attempts } from './attempts';
import { checkHost, checkOrigin, isReading } from './same-site';
import { areSame, cookieName, Sessions } from './sessions';

interface AccountAuthenticatorParts {
  readonly accounts: readonly Account[];
  /** Host names under which browsers may reach the console, in addition to `localhost` and IP addresses. */
  readonly allowedHosts: readonly string[];
  readonly sessionLifetimeMs: number;
  readonly sessions: ConsoleSessions;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly onFailed: (login: FailedLogin) => void;
}

export interface FailedLogin {
  /** User name as given. Null if a token was given. */
  readonly name: string | null;
  readonly from: string | null;
}

const KEY_CHARACTERS = 64;

/** Authenticator for tokens and passwords, which clients send with each request, or once to start a session. */
export class AccountAuthenticator implements Authenticator {
  /** Not `Basic`, because browsers would then show their own login dialog instead of the page. */
  readonly challenge = 'Bearer';
  readonly #allowedHosts: readonly string[];
  readonly #accounts: Accounts;
  readonly #attempts: Attempts;
  readonly #onFailed: (login: FailedLogin) => void;
  readonly #sessions: Sessions;

  constructor(parts: AccountAuthenticatorParts) {
    const { accounts, allowedHosts, sessionLifetimeMs, sessions, clock, random, onFailed } = parts;
    const newKey = () => random.token(KEY_CHARACTERS);
    this.#allowedHosts = allowedHosts;
    this.#onFailed = onFailed;
    this.#accounts = new Accounts(accounts, { clock, key: newKey() });
    this.#attempts = new Attempts(clock, newKey());
    this.#sessions = new Sessions({
      accounts: this.#accounts,
      stored: sessions,
      clock,
      random,
      lifetimeMs: sessionLifetimeMs,
    });
  }

  async authenticate(request: Request, from: string | null): Promise<Actor | null> {
    this.#checkSite(request);
    const given = request.headers.get('authorization');
    // Credentials in the header take precedence over a session cookie, which may belong to another user.
    if (given !== null) {
      const account = await this.#byHeader(given, from);
      return account && actorOf(account, from, 'http');
    }
    const session = await this.#sessions.find(request);
    if (session === null) return null;
    if (!isReading(request) && !areSame(request.headers.get('x-csrf-token') ?? '', session.csrf))
      throw new Problem(
        'FORBIDDEN',
        'Changes with a session cookie require the header X-CSRF-Token. GET api/session returns its value.',
      );
    return actorOf(session.account, from, 'console');
  }

  csrfToken(request: Request): string | null {
    if (request.headers.has('authorization')) return null;
    return this.#sessions.csrfToken(request);
  }

  sessionCookie(request: Request): string {
    return cookieName(request);
  }

  async session(request: Request, from: string | null): Promise<Response> {
    this.#checkSite(request);
    if (request.method === 'DELETE') return ended(await this.#sessions.end(request));
    const { name = '', secret, ...rest } = await readJsonBody(request);
    if (typeof name !== 'string' || typeof secret !== 'string' || Object.keys(rest).length > 0)
      throw new Problem('INVALID_INPUT', 'The body: expected the strings name (omit it for a token) and secret.');
    const account = await this.#attempt({ name: name === '' ? null : name, secret, from });
    if (account === null)
      return problemResponse({ code: 'UNAUTHENTICATED', message: 'Login failed: wrong name, password or token.' });
    return ended(await this.#sessions.begin(request, account));
  }

  #checkSite(request: Request): void {
    checkHost(request, this.#allowedHosts);
    checkOrigin(request, this.#allowedHosts);
  }

  async #byHeader(given: string, from: string | null): Promise<Account | null> {
    const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(given.trim()) ?? [];
    if (scheme.toLowerCase() === 'bearer') return this.#attempt({ name: null, secret: credentials, from });
    if (scheme.toLowerCase() !== 'basic') return null;
    const [name = '', ...password] = Buffer.from(credentials, 'base64').toString().split(':');
    return this.#attempt({ name, secret: password.join(':'), from });
  }

  /**
   * Returns the account of the credentials, or null if the credentials are wrong. `name` is null for a token. Rejects
   * with TOO_MANY_REQUESTS after too many failures from the same address, or if too many password checks wait.
   */
  async #attempt({ name, secret, from }: FailedLogin & { readonly secret: string }): Promise<Account | null> {
    // A valid token is accepted even after too many failures from the same address, because tokens cannot be guessed.
    const holder = name === null ? this.#accounts.byToken(secret) : null;
    if (holder !== null) return holder;
    const begin = () => this.#attempts.begin(from);
    const account = name === null ? failed(begin) : await this.#accounts.byPassword(name, secret, begin);
    if (account === null) this.#onFailed({ name, from });
    return account;
  }
}

function failed(begin: () => unknown): null {
  begin();
  return null;
}

function actorOf({ name, role }: Account, from: string | null, via: Actor['via']): Actor {
  return { name, role, via, from };
}

function ended(cookie: string): Response {
  return new Response(null, { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } });
}
