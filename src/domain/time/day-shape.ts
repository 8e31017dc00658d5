import type { EpochMs } from '../../base/clock';
import type { LocalMs, TimeZone } from './time-zone';

// UTC days of equal shape have the same times: the zone's clock changes and the dates around them are the same.

const DAY_MS = 86_400_000;

/** True if a clock change skips a time of day, in milliseconds, or repeats it. */
export function movesTimeOfDay(zone: TimeZone, change: EpochMs, timeOfDay: number): boolean {
  const before = change + zone.offsetAt(change - 1);
  const after = change + zone.offsetAt(change);
  const sinceFirst = (timeOfDay - Math.min(before, after)) % DAY_MS;
  return (sinceFirst < 0 ? sinceFirst + DAY_MS : sinceFirst) < Math.abs(after - before);
}

/** Returns the offsets of a zone around a day, and the times of their changes, as text. */
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

/**
 * Returns a text that shows for which dates `isSuch` holds. It covers the dates that a clock can show on a day, or on `daysBefore` days before it.
 */
export function dateShape(day: EpochMs, isSuch: (date: LocalMs) => boolean, daysBefore = 1): string {
  let shape = '';
  for (let date = day - (daysBefore + 1) * DAY_MS; date <= day + DAY_MS; date += DAY_MS)
    shape += isSuch(date) ? '1' : '0';
  return shape;
}

/** Returns the shape of a UTC day, given by its first instant, or null if it is unknown. */
type DayShape = (day: EpochMs) => string | null;

/** Minimum number of times examined in a day to remember it. Computing the shape of other days would cost more. */
const WORTH_REMEMBERING = 20;

/**
 * Days in which a search found nothing, by shape. A calendar may exclude every second in which a trigger fires, for weeks or without end. One day of
 * each shape is searched; the others are skipped.
 */
export class EmptyDays {
  readonly #shapeOf: DayShape;
  readonly #lastTime: EpochMs;
  readonly #shapes = new Set<string>();
  #day: EpochMs;
  /** Number of examined times of this day; null if the search did not begin with the day. */
  #examined: number | null = null;

  /** Starts a search at `time`, anywhere in a day. It ends after `lastTime`. */
  constructor(time: EpochMs, lastTime: EpochMs, shapeOf: DayShape) {
    this.#day = startOfDay(time);
    this.#lastTime = lastTime;
    this.#shapeOf = shapeOf;
  }

  /** Restarts the search at `time` after it has found something. */
  beginAgain(time: EpochMs): void {
    this.#day = startOfDay(time);
    this.#examined = null;
  }

  /**
   * Returns a time up to which (exclusive) nothing will be found, given that nothing was found before `time`: `time` itself, or the end of known
   * days. Call it with ascending times.
   */
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
