import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock';
import type { RandomSource } from '../../base/ids';
import type { Account, Accounts } from './accounts';

export interface Session {
  readonly account: Account;
  /** Token that every change must send in the header `X-CSRF-Token`. */
  readonly csrf: string;
}

export interface SessionParts {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Key that signs cookies and CSRF tokens. */
  readonly key: string;
  readonly lifetimeMs: number;
}

interface Ticket {
  readonly kind: Account['kind'];
  readonly name: string;
  readonly id: string;
  /** Expiry in epoch milliseconds. */
  readonly until: number;
  /** Signature of the account's hash. A new password or token thus ends all earlier sessions of the account. */
  readonly mark: string;
}

const ID_CHARACTERS = 24;
const MAX_ENDED = 1_000;
const MAX_COOKIE = 4_096;

/**
 * Ended sessions of one account, which must stay invalid until they expire. Above `MAX_ENDED`, only the 500 ended sessions that expire last are
 * stored individually. Of the rest, only the latest expiry is stored: every session that expires by then is invalid, even if it has not ended.
 */
class EndedSessions {
  readonly #ids = new Map<string, number>();
  #allUntil = 0;

  has({ id, until }: Ticket): boolean {
    return until <= this.#allUntil || this.#ids.has(id);
  }

  add(ticket: Ticket, now: number): void {
    this.#ids.set(ticket.id, ticket.until);
    if (this.#ids.size <= MAX_ENDED) return;
    for (const [id, until] of this.#ids) if (until <= now) this.#ids.delete(id);
    const oldest = [...this.#ids].sort(([, a], [, b]) => a - b).slice(0, Math.max(0, this.#ids.size - MAX_ENDED / 2));
    for (const [id, until] of oldest) {
      this.#ids.delete(id);
      this.#allUntil = Math.max(this.#allUntil, until);
    }
  }
}

/** Login sessions in signed cookies. The process stores only which sessions have ended. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #ended = new Map<string, EndedSessions>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Starts a session. Returns the value of the header `Set-Cookie`. */
  begin(request: Request, { kind, name, hash }: Account): string {
    const { clock, random, lifetimeMs } = this.#parts;
    const until = clock.now() + lifetimeMs;
    const ticket: Ticket = { kind, name, id: random.token(ID_CHARACTERS), until, mark: this.#sign(`mark ${hash}`) };
    const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url');
    return setCookie(request, `${payload}.${this.#sign(`ticket ${payload}`)}`, Math.floor(lifetimeMs / 1_000));
  }

  /** Ends the session, so that all copies of its cookie become invalid. Returns the value of the header `Set-Cookie`. */
  end(request: Request): string {
    const ticket = this.#ticketOf(request);
    if (ticket !== null) this.#endedOf(ticket).add(ticket, this.#parts.clock.now());
    return setCookie(request, '', 0);
  }

  /** Returns the session of a request. Null without a valid cookie, if it has expired or ended, or if the account was removed or has a new secret. */
  find(request: Request): Session | null {
    const ticket = this.#ticketOf(request);
    if (ticket === null || this.#endedOf(ticket).has(ticket)) return null;
    const account = this.#parts.accounts.find(ticket.kind, ticket.name);
    if (account === null || ticket.mark !== this.#sign(`mark ${account.hash}`)) return null;
    return { account, csrf: this.#sign(`csrf ${ticket.id}`) };
  }

  #ticketOf(request: Request): Ticket | null {
    const cookie = cookieOf(request);
    const [payload, signature, ...rest] = cookie?.split('.') ?? [];
    if (payload === undefined || signature === undefined || rest.length > 0) return null;
    if (!areSame(signature, this.#sign(`ticket ${payload}`))) return null;
    const ticket = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Ticket; // safe to parse, because the signature is valid
    return ticket.until > this.#parts.clock.now() ? ticket : null;
  }

  /** Returns the ended sessions of an account. The map is bounded by the configured accounts, because the ticket's signature was checked. */
  #endedOf({ kind, name }: Ticket): EndedSessions {
    const key = `${kind} ${name}`;
    const ended = this.#ended.get(key) ?? new EndedSessions();
    this.#ended.set(key, ended);
    return ended;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#parts.key).update(text).digest('base64url');
  }
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

function cookieOf(request: Request): string | null {
  const name = `${cookieName(request)}=`;
  const parts = (request.headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const found = parts.find((part) => part.startsWith(name))?.slice(name.length);
  return found === undefined || found.length > MAX_COOKIE ? null : found;
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
