import { HIDDEN, isNamedSecret, isSecretName, isSecretPair, maskText, maskValue } from '../base/secrets';

/** Maximum length of a string in an input that must be shortened, in UTF-16 code units. */
const MAX_TEXT = 200;
/** Maximum length of a recorded input as JSON, in UTF-16 code units. */
export const MAX_INPUT = 8_192;
/** Maximum nesting depth of a recorded input; deeper values are replaced by `…`. More than any schedule needs. */
const DEEPEST = 32;
/** Maximum number of list items or object fields in an input that must be shortened. */
const MAX_ENTRIES = 50;

/** Returns JSON of at most `MAX_INPUT` characters, with secrets masked. If too long, shortens strings and lists, or records only field names. */
export function recordedInput(input: Readonly<Record<string, unknown>>): string {
  const masked = maskValue(input) as Readonly<Record<string, unknown>>;
  const whole = toText(limited(masked, false));
  if (whole.length <= MAX_INPUT) return whole;
  const truncated = toText(limited(masked, true));
  if (truncated.length <= MAX_INPUT) return truncated;
  const names = Object.keys(masked)
    .slice(0, MAX_ENTRIES)
    .map((name) => beginning(name, MAX_TEXT / 2));
  return JSON.stringify({ tooLong: true, fields: names });
}

/** Returns the secrets in an input, to hide them in error messages. Omits values of up to three characters, which also occur in harmless text. */
export function secretsOf(input: unknown, isSecret = false, depth = 0): readonly string[] {
  if (typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint') {
    const text = String(input);
    return isSecret && text.length > 3 ? [text] : [];
  }
  if (depth > DEEPEST || typeof input !== 'object' || input === null) return [];
  const isPair = Array.isArray(input) && isSecretPair(input);
  return Object.entries(input).flatMap(([name, value]) =>
    secretsOf(
      value,
      isSecret || isSecretName(name) || isNamedSecret(input, name) || (isPair && name === '1'),
      depth + 1,
    ),
  );
}

/** Masks the given secrets in a string, and everything else that looks like a secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // Longer secrets are replaced first, because one secret may contain another.
  const ordered = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return maskText(ordered.reduce((shortened, secret) => shortened.replaceAll(secret, HIDDEN), text));
}

/** Truncates a string to at most `length` UTF-16 code units, including the final `…`. Does not split a surrogate pair. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function limited(value: unknown, isTruncated: boolean, depth = 0): unknown {
  if (typeof value === 'string') return isTruncated ? beginning(value, MAX_TEXT) : value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === DEEPEST) return '…';
  const max = isTruncated ? MAX_ENTRIES : Number.POSITIVE_INFINITY;
  const inside = (each: unknown) => limited(each, isTruncated, depth + 1);
  if (Array.isArray(value)) return value.slice(0, max).map(inside);
  // Object.fromEntries stores `__proto__` as an ordinary field, so arbitrary names are safe.
  const entries = Object.entries(value).slice(0, max);
  return Object.fromEntries(
    entries.map(([name, each]) => [isTruncated ? beginning(name, MAX_TEXT) : name, inside(each)]),
  );
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
