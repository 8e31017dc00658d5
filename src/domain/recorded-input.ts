import { HIDDEN, isNamedSecret, isSecretName, isSecretPair, maskText, maskValue } from '../base/secrets';

/** The longest text that is recorded of an input whose whole is too long, in UTF-16 units. */
const MAX_TEXT = 200;
/** The longest JSON that is recorded, in UTF-16 units. */
export const MAX_INPUT = 8_192;
/** Deeper than any schedule: what is deeper is left out. */
const DEEPEST = 32;
/** The longest list, and the most fields of an object, that are recorded where the whole is too long. */
const MAX_ENTRIES = 50;

/**
 * JSON of at most `MAX_INPUT` units as it is recorded, without secrets. What is too long is cut, text by text; if that is not enough, only
 * the names of the fields are kept.
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

/** The texts of an input that must be shown nowhere, not even in a message; those of three units and fewer are part of too many texts. */
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

/** A text without these secrets, and without those that can be seen to be some. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The longest first: one may be part of another.
  const ordered = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return maskText(ordered.reduce((shortened, secret) => shortened.replaceAll(secret, HIDDEN), text));
}

/** At most so many units of a text, and no half of a character. */
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
  // Names may be any: as entries, `__proto__` is one like the others.
  const entries = Object.entries(value).slice(0, most);
  return Object.fromEntries(
    entries.map(([name, each]) => [isCut ? beginning(name, MAX_TEXT) : name, limited(each, inside)]),
  );
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
