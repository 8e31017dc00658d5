import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock';
import type { RandomSource } from '../../base/ids';
import type { ConsoleSession } from '../../domain/console-session';
import type { ConsoleSessions } from '../../scheduler/console-sessions';
import type { Account, Accounts } from './accounts';

interface Session {
  readonly account: Account;
  /** Token that every change must send in the header `X-CSRF-Token`. */
  readonly csrf: string;
}

interface SessionParts {
  readonly accounts: Accounts;
  readonly stored: ConsoleSessions;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly lifetimeMs: number;
}

/** Length of a session's id, which is the value of its cookie: 190 bits. */
const ID_CHARACTERS = 32;
const ID = /^[\w-]{32}$/;
/** Time in milliseconds for which a session is not read again: a logout on another node takes effect within it. */
const REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 1_000;

interface Remembered {
  readonly session: Promise<ConsoleSession | null>;
  /** Monotonic milliseconds. */
  readonly until: number;
}

/** Login sessions. The cookie holds a random id; what belongs to it is stored under the id's hash. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #remembered = new Map<string, Remembered>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Starts a session. Returns the value of the header `Set-Cookie`. Rejects with STORE_FAILURE if it cannot be stored. */
  async begin(request: Request, { kind, name, hash }: Account): Promise<string> {
    const { clock, random, lifetimeMs, stored } = this.#parts;
    const id = random.token(ID_CHARACTERS);
    const now = clock.now();
    const account = { userKind: kind, userName: name, credentialHash: digest(hash) };
    await stored.beginSession({ idHash: digest(id), ...account, endTime: now + lifetimeMs }, now);
    return setCookie(request, id, Math.floor(lifetimeMs / 1_000));
  }

  /** Ends the session on all nodes, so that all copies of its cookie become invalid. Returns the value of the header `Set-Cookie`. */
  async end(request: Request): Promise<string> {
    const id = idOf(request);
    if (id !== null) {
      await this.#parts.stored.endSession(digest(id));
      this.#remembered.delete(digest(id));
    }
    return setCookie(request, '', 0);
  }

  /**
   * Returns the session of a request. Null without a valid cookie, if it has expired or ended, or if the account was removed or has a new secret.
   * Rejects with STORE_FAILURE if the session cannot be read.
   */
  async find(request: Request): Promise<Session | null> {
    const id = idOf(request);
    const session = id === null ? null : await this.#read(digest(id));
    if (id === null || session === null || session.endTime <= this.#parts.clock.now()) return null;
    const account = this.#parts.accounts.find(session.userKind, session.userName);
    if (account === null || digest(account.hash) !== session.credentialHash) return null;
    return { account, csrf: csrfOf(id) };
  }

  /** Returns the CSRF token of a request's session, whether or not the session is valid. Null without a session cookie. */
  csrfToken(request: Request): string | null {
    const id = idOf(request);
    return id && csrfOf(id);
  }

  #read(idHash: string): Promise<ConsoleSession | null> {
    const now = this.#parts.clock.monotonic();
    const remembered = this.#remembered.get(idHash);
    if (remembered !== undefined && remembered.until > now) return remembered.session;
    const session = this.#parts.stored.findSession(idHash);
    const read = { session, until: now + REMEMBERED_MS };
    this.#remembered.delete(idHash);
    this.#remembered.set(idHash, read);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    const forget = () => {
      if (this.#remembered.get(idHash) === read) this.#remembered.delete(idHash);
    };
    session.catch(forget);
    return session;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Computed from the id, which only the cookie holds, so that every node computes the same. */
function csrfOf(id: string): string {
  return digest(`csrf ${id}`);
}

/** Compares two strings in constant time, so that the duration does not reveal where they differ. */
export function areSame(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Returns the name of the session cookie, which contains the port, because browsers send a cookie to all ports of a host. */
export function cookieName(request: Request): string {
  const port = /:(\d{1,5})$/.exec(hostOf(request))?.[1] ?? '';
  // The prefix `__Host-` makes browsers accept the cookie only over TLS, and send it only to this host.
  return `${isSecure(request) ? '__Host-' : ''}quartz_session${port === '' ? '' : `_${port}`}`;
}

/** Returns the host of a request in lower case, including the port if there is one. */
export function hostOf(request: Request): string {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase();
}

/** Returns the id in the session cookie. Null without a cookie that the console could have set. */
function idOf(request: Request): string | null {
  const name = `${cookieName(request)}=`;
  const parts = (request.headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const found = parts.find((part) => part.startsWith(name))?.slice(name.length);
  return found !== undefined && ID.test(found) ? found : null;
}

/** Returns a `Set-Cookie` value for this host only, which is not sent with requests from other sites and is hidden from scripts. */
function setCookie(request: Request, value: string, maxAge: number): string {
  const secure = isSecure(request) ? '; Secure' : '';
  return `${cookieName(request)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}

/** True if the client used TLS, here or at a proxy. Trusts `X-Forwarded-Proto`: a forged header affects only the client's own cookie. */
export function isSecure(request: Request): boolean {
  const forwarded = request.headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase();
  return new URL(request.url).protocol === 'https:' || forwarded === 'https';
}
