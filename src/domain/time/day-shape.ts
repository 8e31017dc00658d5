import type { EpochMs } from '../../base/clock';
import type { LocalMs, TimeZone } from './time-zone';

// Days of UTC of equal shape have the same times: the clocks of the zone and the dates around them are the same.

const DAY_MS = 86_400_000;

/** Whether a change of the clocks skips a time of day, in milliseconds, or shows it twice. */
export function movesTimeOfDay(zone: TimeZone, change: EpochMs, timeOfDay: number): boolean {
  const before = change + zone.offsetAt(change - 1);
  const after = change + zone.offsetAt(change);
  const sinceFirst = (timeOfDay - Math.min(before, after)) % DAY_MS;
  return (sinceFirst < 0 ? sinceFirst + DAY_MS : sinceFirst) < Math.abs(after - before);
}

/** The offsets of a zone around a day, and when they change. */
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

/** For which of the dates that a clock can show on a day, or on so many days before it, `isSuch` holds. */
export function dateShape(day: EpochMs, isSuch: (date: LocalMs) => boolean, daysBefore = 1): string {
  let shape = '';
  for (let date = day - (daysBefore + 1) * DAY_MS; date <= day + DAY_MS; date += DAY_MS)
    shape += isSuch(date) ? '1' : '0';
  return shape;
}

/** The shape of a day of UTC, given by its first instant; null when nothing is known of it. */
type DayShape = (day: EpochMs) => string | null;

/** Days in which the search examined fewer times are not remembered: finding out their shape would cost more. */
const WORTH_REMEMBERING = 20;

/**
 * Days in which a search found nothing, by their shape. A calendar may exclude second by second what a trigger fires second by
 * second, for weeks or for ever: one day of each shape is searched, the others are passed over.
 */
export class EmptyDays {
  readonly #shapeOf: DayShape;
  readonly #lastTime: EpochMs;
  readonly #shapes = new Set<string>();
  #day: EpochMs;
  /** How many times of this day were examined; null when the search did not begin with the day. */
  #examined: number | null = null;

  /** The search begins at `time`, somewhere in a day; beyond `lastTime` it is over. */
  constructor(time: EpochMs, lastTime: EpochMs, shapeOf: DayShape) {
    this.#day = startOfDay(time);
    this.#lastTime = lastTime;
    this.#shapeOf = shapeOf;
  }

  /** The search has found something and goes on from `time`. */
  beginAgain(time: EpochMs): void {
    this.#day = startOfDay(time);
    this.#examined = null;
  }

  /**
   * Up to when, exclusive, nothing will be found, given that nothing was found before `time`: `time` itself, or the end of days
   * that are known. Times are asked in ascending order.
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
