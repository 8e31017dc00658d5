import { inspect } from 'node:util';
import { DateTime } from 'luxon';
import { luxonNameOf } from '../domain/time/zone-name';

/** `{jobName}`, `{0}`, or as Java writes formats: `{2, date, HH:mm:ss}`. */
const PLACEHOLDER = /\{\s*(\w+)\s*(?:,\s*(date|time|number)\s*(?:,([^{}]*))?)?\}/g;

/** What Java's `date` and `time` mean without a pattern. */
const DEFAULT_PATTERNS: Readonly<Record<string, string>> = { date: 'MMM d, yyyy', time: 'h:mm:ss a' };

/**
 * Fills the placeholders of a text: by name, or by position among the fields. Dates are in ISO-8601, or by the pattern of
 * Java's SimpleDateFormat that is given, in `timeZone`. What is not known stays as it is.
 */
export function formatMessage(message: string, fields: Readonly<Record<string, unknown>>, timeZone: string): string {
  const names = Object.keys(fields);
  return message.replace(PLACEHOLDER, (placeholder, word: string, type?: string, pattern?: string) => {
    const name = /^\d+$/.test(word) ? names[Number(word)] : word;
    if (name === undefined || !Object.hasOwn(fields, name)) return placeholder;
    const value = fields[name];
    const format = pattern?.trim() || DEFAULT_PATTERNS[type ?? ''];
    return value instanceof Date && format !== undefined ? formatDate(value, format, timeZone) : textOf(value);
  });
}

/** Letters that Java and luxon write differently; text in quotes is the same in both. */
const LUXON_LETTERS: Readonly<Record<string, string>> = { z: 'ZZZZ', Z: 'ZZZ', X: 'ZZ', u: 'c', Y: 'kkkk' };

function formatDate(date: Date, pattern: string, timeZone: string): string {
  const translated = pattern.replace(/'(?:[^']|'')*'|([zZXuY])\1*/g, (part, letter?: string) =>
    letter === undefined ? part : (LUXON_LETTERS[letter] ?? part),
  );
  return DateTime.fromJSDate(date, { zone: luxonNameOf(timeZone) })
    .setLocale('en-US')
    .toFormat(translated);
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? inspect(value, { breakLength: Number.POSITIVE_INFINITY }) : String(value);
}
