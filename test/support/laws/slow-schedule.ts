import { comesAgain, DAY, dayOf, HOUR, localAt, MINUTE, skippedAt, timeOfDay, wasBefore } from './local-time';

/*
 * Fire times of a schedule, found minute by minute, and the times that a calendar includes. Shares no code with the product.
 */

interface Bounds {
  readonly zone: string;
  readonly start: number;
  readonly end: number | null;
}

export interface CronPlan extends Bounds {
  readonly kind: 'cron';
  readonly minutes: readonly number[];
  /** Null for `*`. */
  readonly hours: readonly number[] | null;
  readonly daysOfWeek: readonly number[] | null;
  readonly isNatural: boolean;
}

export interface EveryPlan extends Bounds {
  readonly kind: 'every';
  readonly interval: number;
  /** Null for no limit. */
  readonly repeats: number | null;
}

export interface IntervalPlan extends Bounds {
  readonly kind: 'interval';
  readonly unit: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH';
  readonly count: number;
  readonly skipsMissingHours: boolean;
}

export interface HoursPlan extends Bounds {
  readonly kind: 'hours';
  readonly interval: number;
  readonly opens: number;
  readonly closes: number;
  readonly daysOfWeek: readonly number[];
}

export type SlowPlan = CronPlan | EveryPlan | IntervalPlan | HoursPlan;

export type SlowCalendar = { readonly zone: string } & (
  | { readonly kind: 'weekly'; readonly daysOfWeek: readonly number[] }
  | { readonly kind: 'dates'; readonly days: readonly number[] }
  | { readonly kind: 'daily'; readonly from: number; readonly to: number; readonly invert: boolean }
);

export function isIncluded(calendar: SlowCalendar | null, time: number): boolean {
  if (calendar === null) return true;
  const local = localAt(calendar.zone, time);
  if (calendar.kind === 'weekly') return !calendar.daysOfWeek.includes(dayOf(local).dayOfWeek);
  if (calendar.kind === 'dates') return !calendar.days.includes(dayOf(local).day);
  const isInRange = timeOfDay(local) >= calendar.from && timeOfDay(local) <= calendar.to;
  return isInRange === calendar.invert;
}

/** Fire times from `from` to `to`, both inclusive, ignoring calendars and the number of repeats before `from`. */
export function fireTimes(plan: SlowPlan, from: number, to: number): readonly number[] {
  const last = plan.end === null ? to : Math.min(to, plan.end);
  const first = Math.max(from, Math.floor(plan.start / 1_000) * 1_000);
  if (plan.kind === 'every') return evenTimes(plan.start, plan.interval, plan.repeats ?? Infinity, first, last);
  if (plan.kind === 'interval' && plan.unit === 'HOUR')
    return evenTimes(plan.start, plan.count * HOUR, Infinity, first, last);
  const times = plan.kind === 'hours' ? hourTimes(plan, first, last) : minuteTimes(plan, first, last);
  return times.filter((time) => time >= first && time <= last);
}

function evenTimes(start: number, interval: number, repeats: number, first: number, last: number): number[] {
  const times: number[] = [];
  for (let at = start, n = 0; at <= last && n <= repeats; at += interval, n++) if (at >= first) times.push(at);
  return times;
}

function minuteTimes(plan: CronPlan | IntervalPlan, first: number, last: number): number[] {
  const fires = plan.kind === 'cron' ? cronFires(plan) : intervalFires(plan);
  const rest = plan.kind === 'cron' ? 0 : plan.start % MINUTE;
  const times: number[] = [];
  for (let at = Math.floor(first / MINUTE) * MINUTE + rest; at <= last; at += MINUTE) if (fires(at)) times.push(at);
  return times;
}

function cronFires({ zone, minutes, hours, daysOfWeek, isNatural }: CronPlan): (time: number) => boolean {
  const matches = (local: number) =>
    minutes.includes((timeOfDay(local) / MINUTE) % 60) &&
    (hours === null || hours.includes(Math.floor(timeOfDay(local) / HOUR))) &&
    (daysOfWeek === null || daysOfWeek.includes(dayOf(local).dayOfWeek));
  if (!isNatural) return (time) => matches(localAt(zone, time)) && !comesAgain(zone, time);
  if (hours === null) return (time) => matches(localAt(zone, time));
  return (time) => firesOnceADay(zone, time, matches);
}

/** A fixed time of day: fires once, at its first occurrence, or after the gap that skips it. */
function firesOnceADay(zone: string, time: number, matches: (local: number) => boolean, skips = false): boolean {
  const skipped = skips ? null : skippedAt(zone, time);
  if (skipped !== null && matches(skipped)) return true;
  return matches(localAt(zone, time)) && !wasBefore(zone, time);
}

function intervalFires({ zone, start, unit, count, skipsMissingHours }: IntervalPlan): (time: number) => boolean {
  const local = localAt(zone, start);
  const first = dayOf(local);
  const isDay = (at: number) => {
    const { day, month, dayOfMonth, daysInMonth } = dayOf(at);
    if (unit !== 'MONTH') return (day - first.day) % (unit === 'WEEK' ? 7 * count : count) === 0;
    return (month - first.month) % count === 0 && dayOfMonth === Math.min(first.dayOfMonth, daysInMonth);
  };
  // The start is the fire time of its own day, whichever occurrence of its time of day it is.
  const matches = (at: number) => timeOfDay(at) === timeOfDay(local) && dayOf(at).day > first.day && isDay(at);
  return (time) => time === start || (time > start && firesOnceADay(zone, time, matches, skipsMissingHours));
}

function hourTimes(plan: HoursPlan, first: number, last: number): number[] {
  const times: number[] = [];
  for (let day = Math.floor(first / DAY) - 2; day <= last / DAY + 2; day++) {
    const hours = openHours(plan, day);
    if (hours === null) continue;
    for (let at = hours.opening; at <= hours.closing; at += plan.interval) times.push(at);
  }
  return times;
}

interface OpenHours {
  readonly opening: number;
  readonly closing: number;
}

const knownHours = new WeakMap<HoursPlan, Map<number, OpenHours | null>>();

function openHours(plan: HoursPlan, day: number): OpenHours | null {
  const known = knownHours.get(plan) ?? new Map<number, OpenHours | null>();
  knownHours.set(plan, known);
  const hours = known.get(day);
  if (hours !== undefined) return hours;
  known.set(day, findHours(plan, day));
  return known.get(day) ?? null;
}

/** First and last instant of a day at which the schedule may fire; null if it does not fire on that day. */
function findHours({ zone, opens, closes, daysOfWeek }: HoursPlan, day: number): OpenHours | null {
  if (!daysOfWeek.includes(dayOf(day * DAY).dayOfWeek)) return null;
  let opening: number | null = null;
  let moved: number | null = null;
  let closing: number | null = null;
  for (let at = day * DAY - 14 * HOUR; at < day * DAY + 40 * HOUR; at += MINUTE) {
    const local = localAt(zone, at);
    if (local === day * DAY + opens) opening = at;
    if (skippedAt(zone, at) === day * DAY + opens && dayOf(local).day === day) moved = at;
    if (dayOf(local).day === day && timeOfDay(local) <= closes) closing = at;
  }
  const first = opening ?? moved;
  if (first === null || closing === null || closing < first) return null;
  const isExact = timeOfDay(localAt(zone, closing)) === closes;
  return { opening: first, closing: isExact ? closing : closing + MINUTE - 1 };
}

/** True if a missed firing of the schedule may run at `time`. */
export function isWithinHours(plan: SlowPlan, time: number): boolean {
  if (plan.kind !== 'hours') return true;
  const day = dayOf(localAt(plan.zone, time)).day;
  return [day - 1, day, day + 1].some((each) => {
    const hours = openHours(plan, each);
    return hours !== null && time >= hours.opening && time <= hours.closing;
  });
}
