import { DAY_MS, type EpochMs } from '../../base/clock';
import type { LocalMs, TimeZone } from './time-zone';

// The shape of a UTC day is a string. It encodes the UTC offsets around the day, and which of the local dates around it a schedule selects. Days with
// the same shape have the same fire times of day, so a search can skip days that are shaped like one without a result.

/** True if a clock change skips or repeats a time of day. `timeOfDay` is in milliseconds since midnight. */
export function movesTimeOfDay(zone: TimeZone, change: EpochMs, timeOfDay: number): boolean {
  const before = change + zone.offsetAt(change - 1);
  const after = change + zone.offsetAt(change);
  const sinceFirst = (timeOfDay - Math.min(before, after)) % DAY_MS;
  return (sinceFirst < 0 ? sinceFirst + DAY_MS : sinceFirst) < Math.abs(after - before);
}

/** Returns a string of the UTC offsets of a zone around a day, with the times at which they change. */
export function clockShape(zone: TimeZone, day: EpochMs): string {
  const from = day - 2 * DAY_MS;
  const to = day + 3 * DAY_MS;
  let offset = zone.offsetAt(from);
  let shape = String(offset);
  for (let at = zone.steadyUntil(from); at < to; at = zone.steadyUntil(at)) {
    const changed = zone.offsetAt(at);
    if (changed !== offset) shape += `,${at - day}:${changed}`;
    offset = changed;
  }
  return shape;
}

/** One digit per date, 1 if `isSelected`. Covers every local date of any time zone during the UTC day `day` or the `daysBefore` days before it. */
export function dateShape(day: EpochMs, isSelected: (date: LocalMs) => boolean, daysBefore = 1): string {
  let shape = '';
  for (let date = day - (daysBefore + 1) * DAY_MS; date <= day + DAY_MS; date += DAY_MS)
    shape += isSelected(date) ? '1' : '0';
  return shape;
}

/** Returns the shape of the UTC day that starts at `day`, or null if it is unknown. */
type DayShape = (day: EpochMs) => string | null;

/** Minimum number of times checked on a day before its shape is stored. For fewer, computing the shape would cost more than it saves. */
const WORTH_REMEMBERING = 20;

/** Shapes of days without a result, so that a search skips similar days: a calendar may exclude all fire times for weeks or permanently. */
export class EmptyDays {
  readonly #shapeOf: DayShape;
  readonly #lastTime: EpochMs;
  readonly #shapes = new Set<string>();
  #day: EpochMs;
  /** Number of times checked on the current day; null if the search did not start at the beginning of the day. */
  #examined: number | null = null;

  /** Starts a search at `time`, which may be within a day. The search ends after `lastTime`. */
  constructor(time: EpochMs, lastTime: EpochMs, shapeOf: DayShape) {
    this.#day = startOfDay(time);
    this.#lastTime = lastTime;
    this.#shapeOf = shapeOf;
  }

  /** Restarts at `time`, after the search has found a result. */
  beginAgain(time: EpochMs): void {
    this.#day = startOfDay(time);
    this.#examined = null;
  }

  /** Returns `time`, or the end of the following days on which nothing can be found. Call it with ascending times, while nothing was found. */
  emptyUntil(time: EpochMs): EpochMs {
    if (this.#examined !== null) this.#examined++;
    if (time < this.#day + DAY_MS) return Math.max(time, this.#day);
    this.#remember();
    let day = startOfDay(time);
    while (day <= this.#lastTime && this.#isKnown(day)) day += DAY_MS;
    this.#day = day;
    this.#examined = 0;
    return Math.max(time, day);
  }

  #remember(): void {
    const isWorthIt = this.#examined !== null && this.#examined >= WORTH_REMEMBERING;
    const shape = isWorthIt ? this.#shapeOf(this.#day) : null;
    if (shape !== null) this.#shapes.add(shape);
  }

  #isKnown(day: EpochMs): boolean {
    const shape = this.#shapes.size === 0 ? null : this.#shapeOf(day);
    return shape !== null && this.#shapes.has(shape);
  }
}

function startOfDay(time: EpochMs): EpochMs {
  return Math.floor(time / DAY_MS) * DAY_MS;
}
