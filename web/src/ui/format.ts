import { zone } from '../state/settings';

const PARTS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(name: string): Intl.DateTimeFormat {
  const known = formats.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('sv-SE', { ...PARTS, ...(name === 'local' ? {} : { timeZone: name }) });
  formats.set(name, format);
  return format;
}

/** Formats a time in the chosen time zone, such as `2026-03-01 04:05:06`. */
export function timeText(instant: string | number): string {
  return formatOf(zone.value).format(new Date(instant));
}

/** Formats the time of day in the chosen time zone, such as `04:05:06`. */
export function clockText(instant: string | number): string {
  return timeText(instant).slice(11);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Formats a duration, such as `340 ms`, `1.2 s`, `3 min`, `5 h` or `12 d`. */
export function durationText(milliseconds: number): string {
  const absolute = Math.abs(milliseconds);
  for (const [unit, length] of UNITS) {
    if (absolute < length) continue;
    const value = milliseconds / length;
    return `${Math.abs(value) < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${unit}`;
  }
  return `${Math.round(milliseconds)} ms`;
}

/** Formats a time relative to `now`, such as `in 3 min`, `20 s ago` or `now`. */
export function relativeTimeText(instant: string, now: number): string {
  const away = new Date(instant).getTime() - now;
  if (Math.abs(away) < 1_000) return 'now';
  return away > 0 ? `in ${durationText(away)}` : `${durationText(-away)} ago`;
}

export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** Converts the value of a datetime field, such as `2026-03-01T04:05`, to an ISO-8601 time. The value is in the chosen time zone. */
export function instantOf(text: string): string {
  const wanted = Date.parse(`${text}Z`);
  // The first step may cross a clock change, so the second step uses the offset at its result.
  const once = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(once)).toISOString();
}

/** Returns the offset of the chosen time zone from UTC at a time, in milliseconds. */
export function offsetAt(time: number): number {
  return Date.parse(`${timeText(time).replace(' ', 'T')}Z`) - Math.floor(time / 1_000) * 1_000;
}

export function zoneName(): string {
  return zone.value === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone.value;
}

/** Formats a count, such as `1,204 jobs` or `more than 10,000 jobs`. Returns an empty string for null. */
export function totalText(total: { readonly count: number; readonly isExact: boolean } | null, noun: string): string {
  if (total === null) return '';
  return `${total.isExact ? '' : 'more than '}${countText(total.count)} ${noun}${total.count === 1 ? '' : 's'}`;
}

const weekdays = new Map<string, Intl.DateTimeFormat>();

/** Formats the weekday in the chosen time zone, such as `Mon`. */
export function weekdayText(instant: string): string {
  const name = zoneName();
  const format = weekdays.get(name) ?? new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: name });
  weekdays.set(name, format);
  return format.format(new Date(instant));
}
