import { numberDrawnFrom } from '../../base/ids';
import { invalidArgument } from '../check-text';
import { drawKey, parseKey, type TriggerKey, type TriggerKeyLike } from '../keys';
import type { CronField } from './cron-fields';
import type { CronText } from './split-cron';

/*
 * `H`, as in Jenkins, becomes a value hashed from the trigger's key, so that many triggers with 'H H * * * ?' do not fire in the same second.
 * The stored expression contains the value instead of `H`.
 *
 *     item  "H" | "H" "/" n | "H(" a "-" b ")" | "H(" a "-" b ")" "/" n        a, b: two numbers or two names
 *
 * The hash of a field is the first 48 bits of the SHA-256 of `group.name field` (UTF-8), as a number. For the minute of the trigger 'report':
 * `printf 'DEFAULT.report minute' | sha256sum | head -c 12`. Without a step, the value is a plus the hash modulo the number of values from a to b.
 * With a step, the first value is a plus the hash modulo the step; every n-th value up to b follows. This algorithm must never change: otherwise,
 * stored triggers would get other fire times when a newer version declares them again.
 */

const SPREAD = /^H(?:\(([^()]*)\))?(?:\/(\d+))?$/;
const RANGE = /^(?:(\d+)-(\d+)|([A-Z]{3})-([A-Z]{3}))$/;

/** Last day that every month has. A plain `H` in day-of-month never exceeds it, so that no month is skipped. */
const LAST_DAY_OF_EVERY_MONTH = 28;

export const NO_KEY = {
  problem: "'H' is a value computed from the key of the trigger, but no key was given.",
  hint: 'Set the key option.',
} as const;

/** True if the item is `H` with an optional range and step. Words such as `HELLO` and `THU` do not count. */
export function isSpread(item: string): boolean {
  return /^H(?:$|[(/])/.test(item);
}

/** Returns the index of the first field that contains an `H` item, or -1 if there is none. */
export function firstSpread(texts: readonly CronText[]): number {
  return texts.findIndex(({ text }) => text.includes('H') && text.split(',').some(isSpread));
}

/** Returns the syntax error of an `H` item; null if it is valid. `wraps`: ranges may wrap around, such as 22-2. */
export function spreadProblem(item: string, field: CronField, wraps: boolean): string | null {
  const [whole, range, step] = SPREAD.exec(item) ?? [];
  if (whole === undefined) return `expected H, H/15, H(0-29) or H(0-29)/10, found '${item}'.`;
  if (field.name === 'year') return "'H' is not allowed in the year.";
  const bounds = boundsOf(range, field);
  if (bounds === null) return `'${item}': expected a range of two numbers or of two names in parentheses.`;
  const wrong = bounds.find((value) => value < field.min || value > field.max);
  if (wrong !== undefined) return `'${item}' is out of range; expected ${field.min}-${field.max}.`;
  if (!wraps && bounds[0] > bounds[1]) return `'${item}': the range runs backwards.`;
  const size = sizeOf(bounds, field);
  if (step === undefined || (Number(step) >= 1 && Number(step) <= size)) return null;
  return `the step ${step} of '${item}' is out of range; expected 1-${size}.`;
}

/** Replaces each `H` item of a field by its hashed value. Requires that the items are valid. */
export function drawn(text: string, field: CronField, key: TriggerKey): string {
  return text
    .split(',')
    .map((item) => (isSpread(item) ? drawnItem(item, field, key) : item))
    .join(',');
}

function drawnItem(item: string, field: CronField, key: TriggerKey): string {
  const [, range, step] = SPREAD.exec(item) ?? [];
  const bounds = boundsOf(range, field) ?? [field.min, field.max];
  const { min, max } = field;
  const size = sizeOf(bounds, field);
  const stride = Number(step ?? size);
  const draw = numberDrawnFrom(`${drawKey(key)} ${field.name}`);
  const value = min + ((bounds[0] - min + (draw % stride)) % (max - min + 1));
  if (stride === size) return String(value);
  return bounds[1] === max ? `${value}/${step}` : `${value}-${bounds[1]}/${step}`;
}

/** Returns null if the range is invalid for the field. */
function boundsOf(range: string | undefined, { name, min, max, names }: CronField): readonly [number, number] | null {
  if (range === undefined) return [min, name === 'day-of-month' ? LAST_DAY_OF_EVERY_MONTH : max];
  const [, from, to, fromName, toName] = RANGE.exec(range) ?? [];
  if (from !== undefined) return [Number(from), Number(to)];
  const [first, last] = [names.indexOf(fromName ?? ''), names.indexOf(toName ?? '')];
  return first < 0 || last < 0 ? null : [first + min, last + min];
}

function sizeOf([from, to]: readonly [number, number], { min, max }: CronField): number {
  return to >= from ? to - from + 1 : to - from + 1 + (max - min + 1);
}

/** Returns the trigger key from which `H` values are hashed. A string is `group/name`, or a name in the group DEFAULT. Throws INVALID_ARGUMENT. */
export function spreadKey(key: TriggerKeyLike): TriggerKey {
  if (typeof key === 'string') return parseKey(key);
  if (typeof key?.name === 'string' && typeof key.group === 'string') return key;
  throw invalidArgument('the key of a trigger, or its name', key);
}
