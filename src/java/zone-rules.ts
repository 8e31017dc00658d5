import { DAY_MS, type EpochMs } from '../base/clock';
import { maxOf, minOf } from '../base/lists';
import type { TimeZone } from '../domain/time/time-zone';

/** A period with one UTC offset, in milliseconds. `saving`: the part of the offset that is daylight saving time. */
export interface OffsetPeriod {
  readonly start: EpochMs;
  readonly offset: number;
  readonly saving: number;
}

/** Rule of the clock changes after the last period, as the ten numbers of Java's SimpleTimeZone: start and end of daylight saving time. */
type LastRule = readonly number[];

interface ZoneRules {
  readonly periods: readonly [OffsetPeriod, ...OffsetPeriod[]];
  /** Yearly rule after the last period; null if the offset of the last period stays. */
  readonly lastRule: LastRule | null;
}

/** First transition in Java's tables. */
const START = Date.UTC(1900, 0, 1);
/** Java's tables end with 2037, and a rule follows. */
const RULE_FROM = Date.UTC(2038, 0, 1);
/** End of the tables of zones whose clock changes follow no rule that Java can represent, such as Morocco. */
const TABLE_END = Date.UTC(2088, 0, 1);
/** The days of the week repeat after 28 years. */
const RULE_CHECKED_UNTIL = Date.UTC(2066, 0, 1);
/** A longer period is not daylight saving time. */
const MAX_SAVING = 300 * DAY_MS;

/** Returns the offsets of a zone since 1970. Before, the offset of 1970 applies: calendars have no earlier times. */
export function zoneRulesOf(zone: TimeZone): ZoneRules {
  const changes: { readonly start: EpochMs; readonly offset: number }[] = [{ start: START, offset: zone.offsetAt(0) }];
  for (let at = 0; at < TABLE_END; ) {
    const next = zone.steadyUntil(at);
    const offset = zone.offsetAt(next);
    if (offset !== changes.at(-1)?.offset && next < TABLE_END) changes.push({ start: next, offset });
    at = next;
  }
  const periods = changes.map((period, index) => ({ ...period, saving: savingOf(changes, index) }));
  const lastRule = ruleOf(periods);
  const listed = lastRule === null ? periods : periods.filter(({ start }) => start < RULE_FROM);
  return { periods: listed as [OffsetPeriod, ...OffsetPeriod[]], lastRule };
}

/** Daylight saving time is a period of some months between two periods with smaller offsets. */
function savingOf(changes: readonly Pick<OffsetPeriod, 'start' | 'offset'>[], index: number): number {
  const [before, period, after] = [changes[index - 1], changes[index], changes[index + 1]];
  if (before === undefined || period === undefined || after === undefined) return 0;
  if (after.start - period.start > MAX_SAVING) return 0;
  return Math.max(0, period.offset - Math.max(before.offset, after.offset));
}

/** Time modes of SimpleTimeZone, with the offset in which each counts. */
const MODES: readonly ((before: OffsetPeriod, raw: number) => number)[] = [
  ({ offset }) => offset, // wall time
  (_, raw) => raw, // standard time
  () => 0, // UTC
];

function ruleOf(periods: readonly OffsetPeriod[]): LastRule | null {
  const late = periods.flatMap((period, index) => {
    const before = periods[index - 1];
    const isChecked = period.start >= RULE_FROM && period.start < RULE_CHECKED_UNTIL;
    return isChecked && before !== undefined ? [{ period, before }] : [];
  });
  const starts = late.filter(({ period }) => period.saving > 0);
  const ends = late.filter(({ before }) => before.saving > 0);
  const years = new Date(RULE_CHECKED_UNTIL).getUTCFullYear() - new Date(RULE_FROM).getUTCFullYear();
  if (starts.length !== years || ends.length !== years || late.length !== 2 * years) return null;
  const sameSaving = starts.every(({ period }) => period.saving === starts[0]?.period.saving);
  const sameRaw = ends.every(({ period }) => period.offset === ends[0]?.period.offset);
  const raw = ends[0]?.period.offset as number;
  const [start, end] = [starts, ends].map((list) => yearlyRule(list, raw));
  return sameSaving && sameRaw && start && end ? [...start, ...end] : null;
}

interface Change {
  readonly period: OffsetPeriod;
  readonly before: OffsetPeriod;
}

/** Returns month, day, day of the week, time and time mode: "the first Sunday on or after the 25th". Null if no mode fits all changes. */
function yearlyRule(changes: readonly Change[], raw: number): readonly number[] | null {
  for (const [mode, offsetIn] of MODES.entries()) {
    const dates = changes.map(({ period, before }) => new Date(period.start + offsetIn(before, raw)));
    const [first] = dates as [Date, ...Date[]];
    const time = first.getTime() % DAY_MS;
    const isYearly = dates.every(
      (date) => date.getUTCMonth() === first.getUTCMonth() && date.getTime() % DAY_MS === time,
    );
    if (!isYearly) continue;
    const days = dates.map((date) => date.getUTCDate());
    const [earliest, latest] = [minOf(days) ?? 0, maxOf(days)];
    if (earliest === latest) return [first.getUTCMonth(), earliest, 0, time, mode];
    const isWeekly = dates.every((date) => date.getUTCDay() === first.getUTCDay()) && latest - earliest <= 6;
    // A negative day of the week (1 = Sunday) means: on or after the day of the month.
    if (isWeekly) return [first.getUTCMonth(), earliest, -(first.getUTCDay() + 1), time, mode];
  }
  return null;
}
