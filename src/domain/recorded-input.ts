import { HIDDEN, isNamedSecret, isSecretName, isSecretPair, maskText, maskValue } from '../base/secrets';

/** Maximum length of a text in a recorded input that is too long as a whole, in UTF-16 units. */
const MAX_TEXT = 200;
/** Maximum length of a recorded input as JSON, in UTF-16 units. */
export const MAX_INPUT = 8_192;
/** Maximum depth of a recorded input, more than any schedule needs. Deeper values are omitted. */
const DEEPEST = 32;
/** Maximum length of a list, and number of fields of an object, in an input that is too long as a whole. */
const MAX_ENTRIES = 50;

/**
 * Returns the input as recorded: JSON of at most `MAX_INPUT` units, without secrets. An input that is too long is shortened text by text. If that is
 * not enough, only the names of the fields are kept.
 */
export function recordedInput(input: Readonly<Record<string, unknown>>): string {
  const masked = maskValue(input) as Readonly<Record<string, unknown>>;
  const whole = toText(limited(masked, { isCut: false, depth: 0 }));
  if (whole.length <= MAX_INPUT) return whole;
  const cut = toText(limited(masked, { isCut: true, depth: 0 }));
  if (cut.length <= MAX_INPUT) return cut;
  const names = Object.keys(masked)
    .slice(0, MAX_ENTRIES)
    .map((name) => beginning(name, MAX_TEXT / 2));
  return JSON.stringify({ tooLong: true, fields: names });
}

/**
 * Returns the texts of an input that must never be shown, not even in a message. Texts of three units or fewer are excluded, because they occur in
 * too many other texts.
 */
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

/** Removes these secrets from a text, and any others that are recognizable. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // Longest first, because one may be part of another.
  const ordered = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return maskText(ordered.reduce((shortened, secret) => shortened.replaceAll(secret, HIDDEN), text));
}

/** Returns at most `length` units of a text, without splitting a character. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

interface Limits {
  readonly isCut: boolean;
  readonly depth: number;
}

function limited(value: unknown, { isCut, depth }: Limits): unknown {
  if (typeof value === 'string') return isCut ? beginning(value, MAX_TEXT) : value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === DEEPEST) return '…';
  const most = isCut ? MAX_ENTRIES : Number.POSITIVE_INFINITY;
  const inside = { isCut, depth: depth + 1 };
  if (Array.isArray(value)) return value.slice(0, most).map((each) => limited(each, inside));
  // Names may be arbitrary. As an entry, `__proto__` is a name like any other.
  const entries = Object.entries(value).slice(0, most);
  return Object.fromEntries(
    entries.map(([name, each]) => [isCut ? beginning(name, MAX_TEXT) : name, limited(each, inside)]),
  );
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
