import type { EpochMs } from '../../base/clock';

/** The shape of a day of UTC (time/day-shape.ts); null when nothing is known of it. */
export type DayShape = (day: EpochMs) => string | null;

const DAY = 86_400_000;

/** Fewer times to look at in a day cost less than to find out its shape. */
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
  /** How many times of this day were looked at; null when the search did not see the day from its beginning on. */
  #looks: number | null = null;

  /** The search begins at `time`, somewhere in a day; beyond `lastTime` it is over. */
  constructor(time: EpochMs, lastTime: EpochMs, shapeOf: DayShape) {
    this.#day = dayOf(time);
    this.#lastTime = lastTime;
    this.#shapeOf = shapeOf;
  }

  /** The search has found something and goes on from `time`. */
  beginAgain(time: EpochMs): void {
    this.#day = dayOf(time);
    this.#looks = null;
  }

  /**
   * Up to when, exclusive, nothing will be found, given that nothing was found before `time`: `time` itself, or the end of days
   * that are known. Times are asked in ascending order.
   */
  emptyUntil(time: EpochMs): EpochMs {
    if (this.#looks !== null) this.#looks++;
    if (time < this.#day + DAY) return Math.max(time, this.#day);
    this.#remember();
    let day = dayOf(time);
    while (day <= this.#lastTime && this.#isKnown(day)) day += DAY;
    this.#day = day;
    this.#looks = 0;
    return Math.max(time, day);
  }

  #remember(): void {
    const isWorthIt = this.#looks !== null && this.#looks >= WORTH_REMEMBERING;
    const shape = isWorthIt ? this.#shapeOf(this.#day) : null;
    if (shape !== null) this.#shapes.add(shape);
  }

  #isKnown(day: EpochMs): boolean {
    const shape = this.#shapes.size === 0 ? null : this.#shapeOf(day);
    return shape !== null && this.#shapes.has(shape);
  }
}

function dayOf(time: EpochMs): EpochMs {
  return Math.floor(time / DAY) * DAY;
}
