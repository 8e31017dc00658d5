import { schemesOf } from './database-kinds';
import { isError, withTexts } from './error-values';

export const HIDDEN = '***';

/** Maximum number of causes to follow, because the chain of causes may be circular. */
const MAX_CAUSES = 8;
/** Maximum depth to search. Job data is never nested that deeply. Deeper values are replaced with `…`. */
const MAX_DEPTH = 64;

/** Parts of secret names, in any notation: `DBPASSWORD`, `x-api-key`, `connectionString`. */
const SECRET_PARTS =
  /passw|passphrase|passcode|pwd|secret|token|credential|authori[sz]ation|cookie|bearer|jwt|signature|connection[-_. ]?string/i;
const SECRET_KEY =
  /(?:api|access|account|private|encryption|encrypt|signing|license|ssh|shared|master|client|session|hmac|aes|rsa|pgp|gpg|tls|ssl)[-_. ]?keys?(?:[-_. ]?ids?)?$/i;
/** Short secret names. They only count as whole words, because they also occur in harmless names such as `passed`, `pinned` or `signal`. */
const SECRET_WORDS = new Set(['pass', 'pw', 'auth', 'dsn', 'sig', 'sas', 'pin', 'sid', 'otp', 'psk']);
const ENDS_WITH_PASS = /(?<!by|com|sur|tres|over|under)pass$/;
/** Matches all secret names and some others. Other names need no further check. */
const SUSPECT_NAME = /pass|pwd|pw|secret|token|cred|auth|cookie|bearer|jwt|sig|string|key|dsn|sas|pin|sid|otp|psk/i;

/** Returns true if the value of a field or variable with this name must never be shown. */
export function isSecretName(name: string): boolean {
  if (!SUSPECT_NAME.test(name)) return false;
  if (SECRET_PARTS.test(name) || SECRET_KEY.test(name)) return true;
  return wordsOf(name).some((word) => SECRET_WORDS.has(word) || ENDS_WITH_PASS.test(word));
}

/** Splits a name into lower-case words. `smtpPass`, `SMTP_PASS` and `smtp-pass` have the same two words. */
function wordsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** Returns true for the field `value` of an object such as `{ name: 'password', value: … }`. */
export function isNamedSecret(object: object, field: string): boolean {
  if (field !== 'value') return false;
  const { name, key } = object as { readonly name?: unknown; readonly key?: unknown };
  return [name, key].some((each) => typeof each === 'string' && isSecretName(each));
}

/** Returns true for a pair such as `['password', …]`, which occurs in lists of headers. */
export function isSecretPair(list: readonly unknown[]): boolean {
  return list.length === 2 && typeof list[0] === 'string' && isSecretName(list[0]);
}

/**
 * Masks secrets in plain data, at any depth: the values of secret names, also in the forms `{ name, value }` and `[name, value]`, and secrets that
 * `maskText` finds. Returns the same value if it contains no secret. Every interface must pass the data that it shows through this function.
 */
export function maskValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (isError(value)) return maskError(value);
  if (depth === MAX_DEPTH) return '…';
  return Array.isArray(value) ? maskList(value, depth) : maskObject(value, depth);
}

/** Returns the same error if nothing was masked, otherwise a copy. */
function maskError(error: Error, depth = 0): Error {
  const [message, stack] = [maskText(error.message), error.stack && maskText(error.stack)];
  const cause = depth < MAX_CAUSES && isError(error.cause) ? maskError(error.cause, depth + 1) : error.cause;
  if (message === error.message && stack === error.stack && cause === error.cause) return error;
  return withTexts(error, { message, stack, ...(cause !== undefined && { cause }) });
}

function maskList(list: readonly unknown[], depth: number): unknown {
  const masked = list.map((each) =>
    Array.isArray(each) && isSecretPair(each) ? [each[0], hide(each[1])] : maskValue(each, depth + 1),
  );
  return masked.some((each, index) => each !== list[index]) ? masked : list;
}

function maskObject(object: object, depth: number): unknown {
  let isChanged = false;
  // Uses entries, because assigning a key such as `__proto__` would not create a field.
  const entries = Object.entries(object).map(([name, each]) => {
    const shownName = maskText(name);
    const shown = isSecretName(name) || isNamedSecret(object, name) ? hide(each) : maskValue(each, depth + 1);
    isChanged ||= shownName !== name || shown !== each;
    return [shownName, shown] as const;
  });
  return isChanged ? Object.fromEntries(entries) : object;
}

/** Null, undefined and booleans are never secret. */
function hide(value: unknown): unknown {
  return value === null || value === undefined || typeof value === 'boolean' ? value : HIDDEN;
}

/** Matches all strings that may contain a secret. Other strings need no further check. */
const SUSPECT_TEXT = /[=:@]|-----|bearer|basic|eyJ|gh[pousr]_|xox|AKIA|sk-/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g;
/** JSON web tokens, and tokens of well-known services. */
const KNOWN_TOKEN =
  /(?<![\w-])(?:eyJ[\w-]+\.[\w-]+\.[\w-]*|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[A-Z0-9]{16}|sk-[\w-]{20,})/g;
const AUTHORIZATION = /\b(Bearer|Basic)\s{1,3}([\w.~+/=-]{4,})/gi;

/** Masks logins in URLs, values of secret names (`password=x`), credentials after `Bearer` or `Basic`, private keys and known tokens. Linear time. */
export function maskText(text: string): string {
  if (!SUSPECT_TEXT.test(text)) return text;
  const masked = text
    .replace(PRIVATE_KEY, HIDDEN)
    .replace(KNOWN_TOKEN, HIDDEN)
    .replace(AUTHORIZATION, (found, scheme: string, value: string) =>
      /[\d=+/~_-]/.test(value) || value.length >= 20 ? `${scheme} ${HIDDEN}` : found,
    );
  return maskAssignments(masked.includes('@') ? masked.replace(/\S+/g, maskLogins) : masked);
}

/** Masks logins in a word, after each `://` or in the form `user:password@host/`. */
function maskLogins(word: string): string {
  if (!word.includes('@')) return word;
  if (!word.includes('://')) return maskPlainLogin(word.replace(WITHOUT_COLON, maskAfterSlashes));
  const [head = '', ...addresses] = word.split('://');
  return [head, ...addresses.map(maskAuthority)].join('://');
}

/** A URL whose scheme lacks its colon: `mysql//user:password@host`. */
const WITHOUT_COLON = new RegExp(`(${schemesOf(false)})//(.*)$`, 'i');

const maskAfterSlashes = (_: string, scheme: string, address: string) => `${scheme}//${maskAuthority(address)}`;

/** Masks an address up to its last `@` if it may contain a login. A password may contain any character. */
function maskAuthority(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  const [authority = ''] = /^[^/?#]*/.exec(address) ?? [];
  const hasLogin = authority.includes('@') || /:(?!\d{1,5}$)/.test(authority);
  return hasLogin ? `${HIDDEN}${address.slice(at)}` : address;
}

/** Masks a login without a scheme, such as `root:password@tcp(db)/x`. Does not mask an email address, as in `to:ann@example.com`. */
function maskPlainLogin(word: string): string {
  const at = word.lastIndexOf('@');
  const isLogin = /^[("'`[{<]?[\w.+-]{1,64}:[^"'`{[\s]/.test(word) && word.indexOf(':') < at - 1;
  if (!isLogin || !/^@[\w.-]{0,255}(?:\(|:\d|\/)/.test(word.slice(at))) return word;
  const [beginning = ''] = /^[("'`[{<]?(?:jdbc:(?:\w+:){0,3})?/i.exec(word) ?? [];
  return `${beginning}${HIDDEN}${word.slice(at)}`;
}

const ASSIGNMENT = /(?<![\w.-])(["']?)([\w.-]{1,80})\1(\s{0,3}[=:]\s{0,3})/g;
const ASSIGNED =
  /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\{[^}]*\}?|\[[^\]]*\]?|(?:(?:Bearer|Basic|Digest|Negotiate)\s{1,3})?[^\s&;"'<>]+/iy;
/** Matches a word after a colon that is prose and not a secret, as in `token: expected a text`. */
const PROSE = /^[A-Z]?[a-z]+[.,;:!?]?$/;

/** Words with which MySQL reports whether a refused login had a password. */
const OF_SERVER = /^\(using password: (?:YES\)|NO\))/;

function maskAssignments(text: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: found, 2: name = '', 3: sign = '', index } of text.matchAll(ASSIGNMENT)) {
    if (index < end || !isSecretName(name)) continue;
    const start = index + found.length;
    ASSIGNED.lastIndex = start;
    const [value = ''] = ASSIGNED.exec(text) ?? [];
    if (value === '' || value === name || value.startsWith(HIDDEN) || (/:\s/.test(sign) && PROSE.test(value))) continue;
    if (OF_SERVER.test(text.slice(Math.max(0, index - 7), start + 4))) continue;
    const quote = /^["']/.exec(value)?.[0] ?? '';
    shown += `${text.slice(end, start)}${quote}${HIDDEN}${quote}`;
    end = start + value.length;
  }
  return shown + text.slice(end);
}

/**
 * Masks the credentials in a string that is a single address: `mysql://***@host`, `***@host`, `…?user=a&password=***`. A password may contain any
 * character. Therefore, everything between the scheme and the last `@` is masked, and everything after the name of the first secret parameter.
 */
export function withoutCredentials(text: string): string {
  return withoutSecretParameters(withoutLogin(text));
}

/** Prefix of an address, up to `//`, after quotes or the name of a variable. Contains no secret. */
const SCHEME = new RegExp(
  `^(?:["'\`]|[A-Za-z_]\\w{0,80}=)*(?:jdbc:)?(?:(?:${schemesOf(false)}|${schemesOf(true)}|https?):(?://)?|[a-z][a-z0-9+.-]{0,30}:?//|//)?`,
  'i',
);

/** Name of a parameter, followed by `=`. The pattern takes linear time, because the string may be long. */
const PARAMETER = /(?<![^?&;=\s])([^?&;=\s]+)=/g;

/** Does not use a pattern such as `//.*@`, which would take quadratic time for a string with many slashes. */
function withoutLogin(text: string): string {
  const at = text.lastIndexOf('@');
  const login = text.slice(0, Math.max(0, at));
  if (!login.includes(':') && !login.includes('//')) return text;
  const [scheme = ''] = SCHEME.exec(text) ?? [];
  return `${scheme}${HIDDEN}${text.slice(at)}`;
}

function withoutSecretParameters(text: string): string {
  for (const { 0: found, 1: name = '', index } of text.matchAll(PARAMETER)) {
    if (isSecretName(name)) return `${text.slice(0, index + found.length)}${HIDDEN}`;
  }
  return text;
}
