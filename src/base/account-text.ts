import { isPasswordHash, isTokenHash } from './secret-hash';

/** Kind of account. A `token` account authenticates with a random token, a `user` account with a name and a password. */
export type AccountKind = 'token' | 'user';

interface AccountText {
  readonly role: 'viewer' | 'operator' | 'admin';
  /** Hash of the token (`hashToken`) or of the password (`hashPassword`). */
  readonly hash: string;
}

export const ACCOUNT_EXAMPLES: Readonly<Record<AccountKind, string>> = {
  token: 'operator sha256:…',
  user: 'operator scrypt:…',
};

const ACCOUNT = /^(viewer|operator|admin) +(\S+)$/;
const MAX_NAME = 190;

/** Description of valid account names, for messages. */
export const ACCOUNT_NAMES = `of 1 to ${MAX_NAME} characters, without colons`;

/** Parses an account entry `ROLE HASH`. Returns null if the entry is not valid for this kind of account. */
export function readAccountText(kind: AccountKind, text: unknown): AccountText | null {
  const [, role, hash = ''] = (typeof text === 'string' && ACCOUNT.exec(text.trim())) || [];
  const isHash = kind === 'token' ? isTokenHash : isPasswordHash;
  return isHash(hash) ? { role: role as AccountText['role'], hash } : null;
}

export function isAccountName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/[\p{Cc}:]/u.test(name);
}
