import { createHmac } from 'node:crypto';
import {
  ACCOUNT_EXAMPLES,
  ACCOUNT_NAMES,
  type AccountKind,
  isAccountName,
  readAccountText,
} from '../../base/account-text';
import type { Clock } from '../../base/clock';
import { badArgument } from '../../base/errors';
import { isPassword, isToken, MAX_SECRET } from '../../base/secret-hash';
import { Problem } from '../../operations/problem';
import type { Role } from '../../operations/role';

/** Accounts by name. Each value is a role and a hash: `operator sha256:…` for a token, `admin scrypt:…` for a user. */
export type AccountTexts = Readonly<Record<string, string>>;

export interface Account {
  readonly kind: AccountKind;
  readonly name: string;
  readonly role: Role;
  readonly hash: string;
}

/** Maximum number of concurrent password checks, because each check needs much memory and a CPU core. */
const MAX_CHECKS = 4;
/** Maximum number of password checks that wait for a running check to end. */
const MAX_WAITING = 32;
/** Time in milliseconds for which a correct password is not hashed again. Some clients send it with every request. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 256;
/** Hash that is compared for an unknown user, so that the duration of a check does not reveal whether the user exists. */
const UNKNOWN_USER_HASH = `scrypt:32768:8:1:nobody-has-this-salt:${'0'.repeat(64)}`;

/** Parses the configured accounts. Throws INVALID_ARGUMENT for an invalid or duplicate account, in a message without its hash. */
export function readAccounts(tokens: AccountTexts = {}, users: AccountTexts = {}): readonly Account[] {
  const accounts = [...readKind('token', tokens), ...readKind('user', users)];
  const twice = accounts.find(({ name }, index) => accounts.findIndex((each) => each.name === name) !== index);
  if (twice !== undefined)
    throw badArgument(`Expected unique names of tokens and users, found two named ${twice.name}.`);
  return accounts;
}

function readKind(kind: Account['kind'], texts: AccountTexts): readonly Account[] {
  return Object.entries(texts).map(([name, text]) => {
    if (!isAccountName(name)) throw badArgument(`Expected ${kind} names ${ACCOUNT_NAMES}.`);
    const read = readAccountText(kind, text);
    if (read !== null) return { kind, name, ...read };
    throw badArgument(`Expected the ${kind} ${name} to be a role and a hash, such as ${ACCOUNT_EXAMPLES[kind]}`);
  });
}

export class Accounts {
  readonly #accounts: readonly Account[];
  readonly #clock: Clock;
  readonly #key: string;
  /** Expiry in monotonic milliseconds of each recently accepted password, by a keyed digest of name and password. */
  readonly #remembered = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #checking = 0;

  /** `key` is a random secret of this process. */
  constructor(accounts: readonly Account[], parts: { readonly clock: Clock; readonly key: string }) {
    this.#accounts = accounts;
    this.#clock = parts.clock;
    this.#key = parts.key;
  }

  find(kind: string, name: string): Account | null {
    return this.#accounts.find((each) => each.kind === kind && each.name === name) ?? null;
  }

  byToken(token: string): Account | null {
    if (token.length > MAX_SECRET) return null;
    // Compares all accounts, so that the duration does not reveal which account matches.
    const found = this.#accounts.filter(({ kind, hash }) => kind === 'token' && isToken(token, hash));
    return found[0] ?? null;
  }

  /**
   * Returns the account of a user. Null if the user is unknown or the password is wrong. A password accepted in the last minute is not hashed again.
   * Otherwise calls `begin` first, and the function that it returned if the password is correct. Rejects with the error of `begin`, or with
   * TOO_MANY_REQUESTS if 32 checks are already waiting.
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
      const isEqual = password.length <= MAX_SECRET && (await isPassword(password, account?.hash ?? UNKNOWN_USER_HASH));
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
        throw new Problem('TOO_MANY_REQUESTS', 'Too many concurrent logins. Try again in a second.', {
          retryAfterS: 1,
        });
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
