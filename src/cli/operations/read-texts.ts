import { InvalidArgumentError } from 'commander';
import { DateTime } from 'luxon';
import { parseDocument } from 'yaml';
import { parseKey } from '../../domain/keys';
import { parseDuration } from '../parse-duration';
import type { InputField } from './input-fields';

/** A text of a command line as its field wants it. Throws commander's InvalidArgumentError. */
export function readText({ kind }: Pick<InputField, 'kind'>, text: string, now: number): unknown {
  switch (kind) {
    case 'number':
      return readNumber(text);
    case 'time':
      return readTime(text, now);
    case 'yaml':
      return readYaml(text);
    case 'key':
      return text.includes('/') ? parseKey(text) : text;
    default:
      return text;
  }
}

function readNumber(text: string): number {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number.');
}

/** `now`, `-90m`, `+2h` and ISO-8601, in the machine's zone unless it says otherwise, as the instant that operations take. */
export function readTime(text: string, now: number): string {
  const time = text === 'now' ? now : (relativeTime(text, now) ?? DateTime.fromISO(text).toMillis());
  if (Number.isFinite(time) && Math.abs(time) <= LAST_DATE_MS) return new Date(time).toISOString();
  throw new InvalidArgumentError("Expected an instant such as 2027-03-01T06:00Z, 2027-03-01, now, '-90m' or +2h.");
}

const LAST_DATE_MS = 8.64e15;

function relativeTime(text: string, now: number): number | null {
  const [, sign, rest = ''] = /^([+-])(.+)$/.exec(text) ?? [];
  const duration = sign === undefined ? null : parseDuration(rest);
  return duration === null ? null : now + (sign === '-' ? -duration : duration);
}

/** `3`, `R5/PT5M`, `[a, b]`, `{ max: 3 }` and JSON alike. */
function readYaml(text: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length === 0) return document.toJS({ maxAliasCount: 100 }) as unknown;
  throw new InvalidArgumentError(
    "Expected YAML or JSON, in quotes: '{ to: ops }'. Longer things are better in a --file.",
  );
}
