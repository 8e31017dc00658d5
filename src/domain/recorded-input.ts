import { isSecretName, withoutCredentials } from '../base/secrets';

/** Stands in the place of a secret. */
const HIDDEN = '***';
/** The longest text that is recorded of an input whose whole is too long, in UTF-16 units. */
const LONGEST_TEXT = 200;
/** The longest JSON that is recorded, in UTF-16 units. */
export const LONGEST_INPUT = 8_192;
/** Deeper than any schedule: what is deeper is left out. */
const DEEPEST = 32;
/** The longest list, and the most fields of an object, that are recorded where the whole is too long. */
const MOST_ENTRIES = 50;

/**
 * What is recorded of an input: JSON of at most `LONGEST_INPUT` units, in which the values of secret names are replaced at any depth, as are
 * the credentials in addresses. What is too long is cut, text by text, and where that is not enough only the names of the fields stay.
 */
export function recordedInput(input: Readonly<Record<string, unknown>>): string {
  const whole = toText(shown(input, { isCut: false, depth: 0 }));
  if (whole.length <= LONGEST_INPUT) return whole;
  const cut = toText(shown(input, { isCut: true, depth: 0 }));
  if (cut.length <= LONGEST_INPUT) return cut;
  const names = Object.keys(input)
    .slice(0, MOST_ENTRIES)
    .map((name) => beginning(name, LONGEST_TEXT / 2));
  return JSON.stringify({ tooLong: true, fields: names });
}

/** The texts of an input that must be shown nowhere, not even in a message; those of three units and fewer stand in too many texts. */
export function secretsOf(input: unknown, isSecret = false, depth = 0): readonly string[] {
  if (typeof input === 'string' || typeof input === 'number' || typeof input === 'bigint') {
    const text = String(input);
    return isSecret && text.length > 3 ? [text] : [];
  }
  if (depth > DEEPEST || typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    secretsOf(value, isSecret || isSecretName(name) || isNamedSecret(input, name), depth + 1),
  );
}

/** A text with each of the secrets replaced. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The longest first: one may be part of another.
  const ordered = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return ordered.reduce((shortened, secret) => shortened.replaceAll(secret, HIDDEN), text);
}

/** At most so many units of a text, and no half of a character. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

interface Showing {
  readonly isCut: boolean;
  readonly depth: number;
}

function shown(value: unknown, { isCut, depth }: Showing): unknown {
  if (typeof value === 'string') {
    const text = value.includes('://') ? withoutCredentials(value) : value;
    return isCut ? beginning(text, LONGEST_TEXT) : text;
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === DEEPEST) return '…';
  const most = isCut ? MOST_ENTRIES : Number.POSITIVE_INFINITY;
  const inside = { isCut, depth: depth + 1 };
  if (Array.isArray(value)) return value.slice(0, most).map((each) => shown(each, inside));
  // Names may be any: as entries, `__proto__` is one like the others.
  const entries = Object.entries(value).slice(0, most);
  return Object.fromEntries(
    entries.map(([name, each]) => {
      const isSecret = isSecretName(name) || isNamedSecret(value, name);
      return [isCut ? beginning(name, LONGEST_TEXT) : name, isSecret ? HIDDEN : shown(each, inside)];
    }),
  );
}

/** `{ name: 'password', value: … }`. */
function isNamedSecret(object: object, name: string): boolean {
  if (name !== 'value') return false;
  const { name: given, key } = object as { readonly name?: unknown; readonly key?: unknown };
  return [given, key].some((each) => typeof each === 'string' && isSecretName(each));
}

function toText(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
