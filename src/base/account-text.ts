import { isPasswordHash, isTokenHash } from './secret-hash';

/** By what somebody is known: a random token, or a password. */
export type AccountKind = 'token' | 'user';

/** What is written of somebody who may come in. */
export interface AccountText {
  readonly role: 'viewer' | 'operator' | 'admin';
  /** Of the token or password, as `hashToken` and `hashPassword` make it. */
  readonly hash: string;
}

/** What one looks like. */
export const ACCOUNT_EXAMPLES: Readonly<Record<AccountKind, string>> = {
  token: 'operator sha256:…',
  user: 'operator scrypt:…',
};

const ACCOUNT = /^(viewer|operator|admin) +(\S+)$/;
const MAX_NAME = 190;

/** What names of tokens and users look like, in words. */
export const ACCOUNT_NAMES = `of 1 to ${MAX_NAME} characters, without colons`;

/** `ROLE HASH`, taken apart; null: it is none of that kind. */
export function readAccountText(kind: AccountKind, text: unknown): AccountText | null {
  const [, role, hash = ''] = (typeof text === 'string' && ACCOUNT.exec(text.trim())) || [];
  const isHash = kind === 'token' ? isTokenHash : isPasswordHash;
  return isHash(hash) ? { role: role as AccountText['role'], hash } : null;
}

/** Whether a token or user may have the name. */
export function isAccountName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/[\p{Cc}:]/u.test(name);
}
