import { isPasswordHash, isTokenHash } from './secret-hash';

/** Kind of account: `token` is identified by a random token, `user` by a name and password. */
export type AccountKind = 'token' | 'user';

/** Stored entry of an account, without its name. */
export interface AccountText {
  readonly role: 'viewer' | 'operator' | 'admin';
  /** Hash of the token or password, in the form of `hashToken` or `hashPassword`. */
  readonly hash: string;
}

/** Examples of entries, for messages. */
export const ACCOUNT_EXAMPLES: Readonly<Record<AccountKind, string>> = {
  token: 'operator sha256:…',
  user: 'operator scrypt:…',
};

const ACCOUNT = /^(viewer|operator|admin) +(\S+)$/;
const MAX_NAME = 190;

/** Description of valid names of tokens and users, for messages. */
export const ACCOUNT_NAMES = `of 1 to ${MAX_NAME} characters, without colons`;

/** Parses an entry `ROLE HASH`. Null if it is no valid entry of this kind. */
export function readAccountText(kind: AccountKind, text: unknown): AccountText | null {
  const [, role, hash = ''] = (typeof text === 'string' && ACCOUNT.exec(text.trim())) || [];
  const isHash = kind === 'token' ? isTokenHash : isPasswordHash;
  return isHash(hash) ? { role: role as AccountText['role'], hash } : null;
}

/** True if a token or user may have this name. */
export function isAccountName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/[\p{Cc}:]/u.test(name);
}
