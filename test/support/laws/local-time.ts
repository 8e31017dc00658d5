/*
 * Local times, read from Intl in steps of a quarter of an hour. Shares no code with the product, so that it can judge its fire times.
 */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const QUARTER = 15 * MINUTE;

/** Amounts by which the zones of these tests change their clocks. */
const SHIFTS = [30 * MINUTE, HOUR, 2 * HOUR];

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, Map<number, number>>();

/** UTC offset of a zone, in milliseconds. */
export function offsetAt(zone: string, time: number): number {
  const known = offsets.get(zone) ?? new Map<number, number>();
  offsets.set(zone, known);
  const quarter = Math.floor(time / QUARTER);
  const offset = known.get(quarter) ?? readOffset(zone, quarter * QUARTER);
  known.set(quarter, offset);
  return offset;
}

function readOffset(zone: string, time: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(zone, format);
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!) - time;
}

export const localAt = (zone: string, time: number) => time + offsetAt(zone, time);

/** True if the same local time comes again after `time`. */
export const comesAgain = (zone: string, time: number) =>
  SHIFTS.some((shift) => localAt(zone, time + shift) === localAt(zone, time));

/** True if the same local time already occurred before `time`. */
export const wasBefore = (zone: string, time: number) =>
  SHIFTS.some((shift) => localAt(zone, time - shift) === localAt(zone, time));

/** Local time that a gap skipped, if it lies as far after the start of the gap as `time` lies after its end; null otherwise. */
export function skippedAt(zone: string, time: number): number | null {
  const shift = SHIFTS.find((each) => offsetAt(zone, time) - offsetAt(zone, time - each) === each);
  return shift === undefined ? null : time + offsetAt(zone, time - shift);
}

export interface LocalDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** 1 (Sunday) to 7. */
  readonly dayOfWeek: number;
  readonly dayOfMonth: number;
  readonly daysInMonth: number;
  /** Months since year 0. */
  readonly month: number;
}

const days = new Map<number, LocalDay>();

/** Date of a local time. */
export function dayOf(local: number): LocalDay {
  const day = Math.floor(local / DAY);
  const known = days.get(day) ?? readDay(day);
  days.set(day, known);
  return known;
}

function readDay(day: number): LocalDay {
  const date = new Date(day * DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    day,
    dayOfWeek: date.getUTCDay() + 1,
    dayOfMonth: date.getUTCDate(),
    daysInMonth: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    month: year * 12 + month,
  };
}

/** Milliseconds since local midnight. */
export const timeOfDay = (local: number) => local - Math.floor(local / DAY) * DAY;

/** Instants of 2026 at which a zone changes its clocks. */
export function clockChanges(zone: string): readonly number[] {
  const found: number[] = [];
  for (let day = Date.UTC(2026, 0, 2); day < Date.UTC(2026, 11, 30); day += DAY) {
    if (offsetAt(zone, day) === offsetAt(zone, day + DAY)) continue;
    for (let at = day + QUARTER; at <= day + DAY; at += QUARTER)
      if (offsetAt(zone, at) !== offsetAt(zone, at - QUARTER)) found.push(at);
  }
  return found;
}
