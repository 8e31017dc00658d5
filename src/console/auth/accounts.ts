import { createHmac } from 'node:crypto';
import {
  ACCOUNT_EXAMPLES,
  ACCOUNT_NAMES,
  type AccountKind,
  isAccountName,
  readAccountText,
} from '../../base/account-text';
import type { Clock } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import { isPassword, isToken, MAX_SECRET } from '../../base/secret-hash';
import { Problem } from '../../operations/problem';
import type { Role } from '../../operations/role';

/** By name, `ROLE HASH`: `operator sha256:…` for a token, `admin scrypt:…` for a user. */
export type AccountTexts = Readonly<Record<string, string>>;

/** Somebody who can prove who he is. */
export interface Account {
  readonly kind: AccountKind;
  readonly name: string;
  readonly role: Role;
  readonly hash: string;
}

/** So many passwords are checked at the same time: each takes memory and a core. */
const MAX_CHECKS = 4;
/** So many wait for that. */
const MAX_WAITING = 32;
/** How long a password that was right need not be hashed again where it comes with every request. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 256;
/** What is compared where there is no such user, so that it takes as long as where there is. */
const NOBODY = `scrypt:32768:8:1:nobody-has-this-salt:${'0'.repeat(64)}`;

/** The accounts as they are written. Throws INVALID_ARGUMENT, without quoting a hash. */
export function readAccounts(tokens: AccountTexts = {}, users: AccountTexts = {}): readonly Account[] {
  const accounts = [...readKind('token', tokens), ...readKind('user', users)];
  const twice = accounts.find(({ name }, index) => accounts.findIndex((each) => each.name === name) !== index);
  if (twice !== undefined) throw invalid(`Expected one token or user named ${twice.name}, found two.`);
  return accounts;
}

function readKind(kind: Account['kind'], texts: AccountTexts): readonly Account[] {
  return Object.entries(texts).map(([name, text]) => {
    if (!isAccountName(name)) throw invalid(`Expected names of ${kind}s ${ACCOUNT_NAMES}.`);
    const read = readAccountText(kind, text);
    if (read !== null) return { kind, name, ...read };
    throw invalid(`Expected the ${kind} ${name} to be a role and a hash, such as ${ACCOUNT_EXAMPLES[kind]}`);
  });
}

function invalid(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}

/** Finds who knows a secret. */
export class Accounts {
  readonly #accounts: readonly Account[];
  readonly #clock: Clock;
  readonly #key: string;
  /** Until when a name and password that were right are known, by a keyed digest of both. */
  readonly #remembered = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #checking = 0;

  /** `key`: of this process alone. */
  constructor(accounts: readonly Account[], parts: { readonly clock: Clock; readonly key: string }) {
    this.#accounts = accounts;
    this.#clock = parts.clock;
    this.#key = parts.key;
  }

  find(kind: Account['kind'], name: string): Account | null {
    return this.#accounts.find((each) => each.kind === kind && each.name === name) ?? null;
  }

  /** Whose token it is; null: nobody's. */
  byToken(token: string): Account | null {
    if (token.length > MAX_SECRET) return null;
    // All of them, so that the time says nothing.
    const found = this.#accounts.filter(({ kind, hash }) => kind === 'token' && isToken(token, hash));
    return found[0] ?? null;
  }

  /**
   * Null: there is no such user, or it is another password. `begin` is called before passwords are compared, and what it returns if they are
   * equal. Rejects with what `begin` throws, and with TOO_MANY_REQUESTS if too many log in at once.
   */
  async byPassword(name: string, password: string, begin: () => () => void): Promise<Account | null> {
    const account = this.find('user', name);
    const digest = createHmac('sha256', this.#key)
      .update(JSON.stringify([name, password]))
      .digest('hex');
    if (account !== null && (this.#remembered.get(digest) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic())
      return account;
    const isRight = await this.#inTurn(async () => {
      const takeBack = begin();
      const isEqual = password.length <= MAX_SECRET && (await isPassword(password, account?.hash ?? NOBODY));
      if (account !== null && isEqual) takeBack();
      return isEqual;
    });
    if (account === null || !isRight) return null;
    this.#remembered.set(digest, this.#clock.monotonic() + REMEMBERED_MS);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return account;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#checking >= MAX_CHECKS) {
      if (this.#waiting.length >= MAX_WAITING)
        throw new Problem('TOO_MANY_REQUESTS', 'Too many log in at the same time.', { retryAfterS: 1 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#checking++;
    try {
      return await work();
    } finally {
      this.#checking--;
      this.#waiting.shift()?.();
    }
  }
}
