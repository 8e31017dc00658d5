import { schemesOf } from './database-kinds';

/** Replaces a secret wherever one would be shown. */
export const HIDDEN = '***';

/** Errors may be causes of each other in a circle. */
const MAX_CAUSES = 8;
/** Deeper than any job data: what is deeper is left out. */
const MAX_DEPTH = 64;

/** Names that contain one of these hold a secret, however they are written: `DBPASSWORD`, `x-api-key`, `connectionString`. */
const SECRET_PARTS =
  /passw|passphrase|passcode|pwd|secret|token|credential|authori[sz]ation|cookie|bearer|jwt|signature|connection[-_. ]?string/i;
const SECRET_KEY =
  /(?:api|access|account|private|encryption|encrypt|signing|license|ssh|shared|master|client|session|hmac|aes|rsa|pgp|gpg|tls|ssl)[-_. ]?keys?(?:[-_. ]?ids?)?$/i;
/** Short names that are part of harmless words (`passed`, `pinned`, `signal`), so they count only as words of their own. */
const SECRET_WORDS = new Set(['pass', 'pw', 'auth', 'dsn', 'sig', 'sas', 'pin', 'sid', 'otp', 'psk']);
const ENDS_WITH_PASS = /(?<!by|com|sur|tres|over|under)pass$/;
/** Every secret name matches this; most names do not, and need no closer look. */
const SUSPECT_NAME = /pass|pwd|pw|secret|token|cred|auth|cookie|bearer|jwt|sig|string|key|dsn|sas|pin|sid|otp|psk/i;

/** Whether a key or variable of that name holds something that must never be shown. */
export function isSecretName(name: string): boolean {
  if (!SUSPECT_NAME.test(name)) return false;
  if (SECRET_PARTS.test(name) || SECRET_KEY.test(name)) return true;
  return wordsOf(name).some((word) => SECRET_WORDS.has(word) || ENDS_WITH_PASS.test(word));
}

/** `smtpPass`, `SMTP_PASS` and `smtp-pass` are the same two words. */
function wordsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** `{ name: 'password', value: … }`. */
export function isNamedSecret(object: object, field: string): boolean {
  if (field !== 'value') return false;
  const { name, key } = object as { readonly name?: unknown; readonly key?: unknown };
  return [name, key].some((each) => typeof each === 'string' && isSecretName(each));
}

/** `['password', …]`, as lists of headers have it. */
export function isSecretPair(list: readonly unknown[]): boolean {
  return list.length === 2 && typeof list[0] === 'string' && isSecretName(list[0]);
}

/**
 * Plain data without its secrets, at any depth: values of secret names, of `{ name, value }` and `[name, value]` with a secret name, and what
 * `maskText` finds in texts. Every interface shows data through this function. The same value if it holds no secret.
 */
export function maskValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return maskError(value);
  if (depth === MAX_DEPTH) return '…';
  return Array.isArray(value) ? maskList(value, depth) : maskObject(value, depth);
}

/** The error itself unless its texts have to differ: then one that looks like it. */
function maskError(error: Error, depth = 0): Error {
  const hidden = (value: unknown) => ({ value, enumerable: false });
  const [message, stack] = [maskText(error.message), error.stack && maskText(error.stack)];
  const cause = depth < MAX_CAUSES && error.cause instanceof Error ? maskError(error.cause, depth + 1) : error.cause;
  if (message === error.message && stack === error.stack && cause === error.cause) return error;
  const texts = {
    message: hidden(message),
    stack: hidden(stack),
    ...(cause === undefined ? {} : { cause: hidden(cause) }),
  };
  return Object.create(error, texts) as Error;
}

function maskList(list: readonly unknown[], depth: number): unknown {
  const masked = list.map((each) =>
    Array.isArray(each) && isSecretPair(each) ? [each[0], hide(each[1])] : maskValue(each, depth + 1),
  );
  return masked.some((each, index) => each !== list[index]) ? masked : list;
}

function maskObject(object: object, depth: number): unknown {
  let isChanged = false;
  // Names may be any: as entries, `__proto__` is one like the others.
  const entries = Object.entries(object).map(([name, each]) => {
    const shownName = maskText(name);
    const shown = isSecretName(name) || isNamedSecret(object, name) ? hide(each) : maskValue(each, depth + 1);
    isChanged ||= shownName !== name || shown !== each;
    return [shownName, shown] as const;
  });
  return isChanged ? Object.fromEntries(entries) : object;
}

/** None and yes or no are no secrets. */
function hide(value: unknown): unknown {
  return value === null || value === undefined || typeof value === 'boolean' ? value : HIDDEN;
}

/** Every text in which something is masked matches this. */
const SUSPECT_TEXT = /[=:@]|-----|bearer|basic|eyJ|gh[pousr]_|xox|AKIA|sk-/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g;
/** A JSON web token, and the tokens that well-known services issue. */
const KNOWN_TOKEN =
  /(?<![\w-])(?:eyJ[\w-]+\.[\w-]+\.[\w-]*|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[A-Z0-9]{16}|sk-[\w-]{20,})/g;
const AUTHORIZATION = /\b(Bearer|Basic)\s{1,3}([\w.~+/=-]{4,})/gi;

/**
 * A text without its secrets, wherever they are in it: logins of addresses, values of secret names (`password=x`, `"token": "x"`), what follows
 * `Bearer`, private keys and known kinds of tokens. Takes time that grows with the length of the text alone.
 */
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

/** A word of a text: each `://` may be followed by a login, and `user:password@host/` may be one. */
function maskLogins(word: string): string {
  if (!word.includes('@')) return word;
  if (!word.includes('://')) return maskPlainLogin(word);
  const [head = '', ...addresses] = word.split('://');
  return [head, ...addresses.map(maskAuthority)].join('://');
}

/** A password may hold anything: where there may be one, nothing is shown before the last `@`. */
function maskAuthority(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  const [authority = ''] = /^[^/?#]*/.exec(address) ?? [];
  const hasLogin = authority.includes('@') || /:(?!\d{1,5}$)/.test(authority);
  return hasLogin ? `${HIDDEN}${address.slice(at)}` : address;
}

/** `root:password@tcp(db)/x`; but `to:ann@example.com` is an address of mail. */
function maskPlainLogin(word: string): string {
  const at = word.lastIndexOf('@');
  const isLogin = /^[("'`[{<]?[\w.+-]{1,64}:[^"'`{[\s]/.test(word) && word.indexOf(':') < at - 1;
  return isLogin && /^@[\w.-]{0,255}(?:\(|:\d|\/)/.test(word.slice(at)) ? `${HIDDEN}${word.slice(at)}` : word;
}

const ASSIGNMENT = /(?<![\w.-])(["']?)([\w.-]{1,80})\1(\s{0,3}[=:]\s{0,3})/g;
const ASSIGNED =
  /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\{[^}]*\}?|\[[^\]]*\]?|(?:(?:Bearer|Basic|Digest|Negotiate)\s{1,3})?[^\s&;"'<>]+/iy;
/** `token: expected a text` says something of the field. */
const PROSE = /^[A-Z]?[a-z]+[.,;:!?]?$/;

function maskAssignments(text: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: found, 2: name = '', 3: sign = '', index } of text.matchAll(ASSIGNMENT)) {
    if (index < end || !isSecretName(name)) continue;
    const start = index + found.length;
    ASSIGNED.lastIndex = start;
    const [value = ''] = ASSIGNED.exec(text) ?? [];
    if (value === '' || value.startsWith(HIDDEN) || (/:\s/.test(sign) && PROSE.test(value))) continue;
    const quote = /^["']/.exec(value)?.[0] ?? '';
    shown += `${text.slice(end, start)}${quote}${HIDDEN}${quote}`;
    end = start + value.length;
  }
  return shown + text.slice(end);
}

/**
 * `mysql://user:password@host` as `mysql://***@host`, `user:password@host` as `***@host`, `…?user=a&password=x&b=1` as
 * `…?user=a&password=***`: of a text that is one address. A password may hold anything: nothing is shown before the last `@` of what may hold a
 * login but the scheme, and nothing after the name of the first parameter that is a secret.
 */
export function withoutCredentials(text: string): string {
  return withoutSecretParameters(withoutLogin(text));
}

/** What an address begins with that is no secret. */
const SCHEME = new RegExp(`^(?:jdbc:)?(?:(?:${schemesOf(false)}|${schemesOf(true)}|https?):)?(?://)?`, 'i');

/** The name of a parameter with its `=`. Looks at each run of letters once: texts may be long. */
const PARAMETER = /(?<![^?&;=\s])([^?&;=\s]+)=/g;

/** Searches from the ends: a pattern such as `//.*@` takes the square of a text of many slashes. */
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
