import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock';
import type { RandomSource } from '../../base/ids';
import type { Account, Accounts } from './accounts';

/** Somebody who has logged in. */
export interface Session {
  readonly account: Account;
  /** To be sent along with what changes something. */
  readonly csrf: string;
}

export interface SessionParts {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Signs what is told to browsers. */
  readonly key: string;
  readonly lifetimeMs: number;
}

/** What a cookie says. */
interface Ticket {
  readonly kind: Account['kind'];
  readonly name: string;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly until: number;
  /** Of the account's hash: another password ends the sessions of the one before. */
  readonly mark: string;
}

const ID_CHARACTERS = 24;
/** Ended sessions of one account that are remembered one by one until they would have ended by themselves. */
const MAX_ENDED = 1_000;
const MAX_COOKIE = 4_096;

/**
 * The sessions of one account that were ended. If there are very many, the older half is no longer told apart: every session that began no later
 * has ended then. One that was ended never becomes valid again.
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

/** Sessions as signed cookies: a process keeps nothing of them but which were ended. */
export class Sessions {
  readonly #parts: SessionParts;
  /** By account: its sessions that were ended. */
  readonly #ended = new Map<string, EndedSessions>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The value of `Set-Cookie` that begins one. */
  begin(request: Request, { kind, name, hash }: Account): string {
    const { clock, random, lifetimeMs } = this.#parts;
    const until = clock.now() + lifetimeMs;
    const ticket: Ticket = { kind, name, id: random.token(ID_CHARACTERS), until, mark: this.#sign(`mark ${hash}`) };
    const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url');
    return setCookie(request, `${payload}.${this.#sign(`ticket ${payload}`)}`, Math.floor(lifetimeMs / 1_000));
  }

  /** The value of `Set-Cookie` that ends it, for every copy of the cookie. */
  end(request: Request): string {
    const ticket = this.#ticketOf(request);
    if (ticket !== null) {
      this.#endedOf(ticket).add(ticket, this.#parts.clock.now());
    }
    return setCookie(request, '', 0);
  }

  /** Null: there is none, it has ended, or this is no cookie of ours. */
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
    const ticket = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Ticket; // it is ours: it is signed
    return ticket.until > this.#parts.clock.now() ? ticket : null;
  }

  /** Tickets are signed, so there are no more accounts than the configuration has. */
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

/** In a time that does not say where they differ. */
export function areSame(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Browsers send a cookie to every port of a host: each port has its own. */
export function cookieName(request: Request): string {
  const port = /:(\d{1,5})$/.exec(hostOf(request))?.[1] ?? '';
  // The prefix: browsers take such a cookie from this host alone, and only if it is for no other host and encrypted.
  return `${isSecure(request) ? '__Host-' : ''}quartz_session${port === '' ? '' : `_${port}`}`;
}

/** As the request says it: name and port. */
export function hostOf(request: Request): string {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase();
}

function cookieOf(request: Request): string | null {
  const name = `${cookieName(request)}=`;
  const parts = (request.headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const found = parts.find((part) => part.startsWith(name))?.slice(name.length);
  return found === undefined || found.length > MAX_COOKIE ? null : found;
}

/** Sent to nobody but this host, readable by no script, and not along with what another site asks for. */
function setCookie(request: Request, value: string, maxAge: number): string {
  const secure = isSecure(request) ? '; Secure' : '';
  return `${cookieName(request)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}

/** A proxy in front says so; whoever lies about it harms nobody but himself. */
export function isSecure(request: Request): boolean {
  const forwarded = request.headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase();
  return new URL(request.url).protocol === 'https:' || forwarded === 'https';
}
