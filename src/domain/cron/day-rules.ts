import type { Rules } from '../rules';
import { MONTH_SHAPES } from '../time/months';

/** Rule that determines the matching days of a month. Created from the day field that is not `?`. */
export type DayRule =
  | { readonly kind: 'daysOfMonth'; readonly days: readonly number[] }
  /** A list that contains `L` or `W`. Matches the days that at least one of the rules matches. */
  | { readonly kind: 'anyOf'; readonly rules: readonly DayRule[] }
  /** `L` or `L-n`; with `nearestWeekday`, `LW` or `L-nW`. */
  | { readonly kind: 'lastDay'; readonly offset: number; readonly nearestWeekday: boolean }
  /** `nW`: the weekday nearest to day n. */
  | { readonly kind: 'nearestWeekday'; readonly day: number }
  /** Days of the week: 1 (Sunday) to 7 (Saturday). */
  | { readonly kind: 'daysOfWeek'; readonly days: readonly number[] }
  /** `n#k`: the k-th occurrence of day of the week n. */
  | { readonly kind: 'nthDayOfWeek'; readonly day: number; readonly nth: number }
  /** `nL`: the last occurrence of day of the week n. */
  | { readonly kind: 'lastDayOfWeek'; readonly day: number };

const SATURDAY = 6;
const SUNDAY = 0;

/** Returns the matching days of every month shape (length, and day of the week of the first day) as bit masks. Bit 0 is the first day. */
export function matchingDays(rule: DayRule, rules: Rules): Int32Array {
  const masks = new Int32Array(MONTH_SHAPES);
  for (let shape = 0; shape < MONTH_SHAPES; shape++) {
    const length = 28 + Math.floor(shape / 7);
    masks[shape] = daysOf(rule, { length, first: shape % 7, rules });
  }
  return masks;
}

/** Length of the month in days, and the day of the week of its first day (0 = Sunday). */
interface Month {
  readonly length: number;
  readonly first: number;
  readonly rules: Rules;
}

function daysOf(rule: DayRule, month: Month): number {
  switch (rule.kind) {
    case 'daysOfMonth':
      return bits(rule.days, month);
    case 'anyOf':
      return rule.rules.reduce((mask, each) => mask | daysOf(each, month), 0);
    case 'lastDay':
      return bits(
        [rule.nearestWeekday ? nearestWeekday(month.length - rule.offset, month) : month.length - rule.offset],
        month,
      );
    case 'nearestWeekday':
      return bits([nearestWeekday(rule.day, month)], month);
    case 'daysOfWeek':
      return bits(
        rule.days.flatMap((day) => occurrences(day, month)),
        month,
      );
    case 'nthDayOfWeek':
      return bits(occurrences(rule.day, month).slice(rule.nth - 1, rule.nth), month);
    case 'lastDayOfWeek':
      return bits(occurrences(rule.day, month).slice(-1), month);
  }
}

/** Ignores days that the month does not have. */
function bits(days: readonly number[], { length }: Month): number {
  return days.reduce((mask, day) => (day >= 1 && day <= length ? mask | (1 << (day - 1)) : mask), 0);
}

/** Returns all days of the month that fall on the given day of the week: 1 (Sunday) to 7 (Saturday). */
function occurrences(day: number, { length, first }: Month): number[] {
  const days = [];
  for (let date = 1 + ((day - 1 - first + 7) % 7); date <= length; date += 7) days.push(date);
  return days;
}

/**
 * Returns the weekday nearest to `day` within the same month; 0 if the month does not have the day. Under Quartz's rules, such a day counts into the
 * next month, and matches if the nearest weekday is still in the original month (31W matches Friday 30 April 2027).
 */
function nearestWeekday(day: number, { length, first, rules }: Month): number {
  if (rules === 'safe' && (day < 1 || day > length)) return 0;
  const dayOfWeek = (((first + day - 1) % 7) + 7) % 7;
  if (dayOfWeek === SATURDAY) return day === 1 ? day + 2 : day - 1;
  if (dayOfWeek === SUNDAY) return day === length ? day - 2 : day + 1;
  return day;
}
