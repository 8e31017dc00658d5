import { z } from 'zod';
import { isWellFormed } from '../domain/check-text';
import { timeZoneIn } from '../domain/time/time-zone';
import { timeZoneNames } from './nearest-name';
import type { ClassAliases } from './quartz-names';

/** The bound of most durations. */
export const DAY_MS = 86_400_000;

/** A whole number within bounds; the text of one is accepted too, because `.properties` and the environment hold only texts. */
export function wholeNumber(minimum: number, maximum: number) {
  return z.preprocess(fromText(/^[+-]?\d{1,15}$/, Number), z.int().min(minimum).max(maximum));
}

/** True or false, or the text of it. */
export function flag() {
  return z.preprocess(
    fromText(/^(true|false)$/i, (value) => value.toLowerCase() === 'true'),
    z.boolean(),
  );
}

/** A text of 1 to `maximum` characters, none of them half of one; a bare number is taken as one, as in `.properties`. */
export function text(maximum: number) {
  const whole = z.string().min(1).max(maximum).refine(isWellFormed, { error: 'well-formed Unicode' });
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), whole);
}

/** A text of some form; messages and documents describe it as `expected`. */
export function textLike(form: RegExp, expected: string) {
  return z.string({ error: expected }).regex(form, { error: expected }).meta({ expected });
}

/** The name of a time zone. */
export function timeZone() {
  const expected = "an IANA time zone such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+08:00'";
  const isKnown = (name: string) => timeZoneIn(name) !== null;
  return z
    .string({ error: expected })
    .refine(isKnown, { error: expected, params: { names: timeZoneNames } })
    .meta({ expected });
}

/** A list of texts, or one text with commas between them. */
export function textList() {
  const split = (value: unknown) => (typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value);
  return z.preprocess(split, z.array(z.string().min(1).max(4_096)).min(1));
}

/** One of the names of a table of classes. */
export function nameOf<Aliases extends ClassAliases>(aliases: Aliases) {
  return z.enum(Object.keys(aliases) as [keyof Aliases & string, ...(keyof Aliases & string)[]]);
}

function fromText<Value>(form: RegExp, read: (text: string) => Value) {
  return (value: unknown) => (typeof value === 'string' && form.test(value.trim()) ? read(value.trim()) : value);
}
