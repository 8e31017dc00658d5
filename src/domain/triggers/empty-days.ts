import type { EpochMs } from '../../base/clock';

/** The shape of a day of UTC; null when nothing is known of it. */
export type DayShape = (day: EpochMs) => string | null;

const DAY = 86_400_000;

/**
 * Days in which a search found no included fire time, by their shape. A calendar may exclude second by second what a trigger
 * fires second by second, for weeks or for ever; one day of each shape is searched, the others are passed over.
 */
export class EmptyDays {
  readonly #shapeOf: DayShape;
  readonly #searchedUntil: EpochMs;
  readonly #shapes = new Set<string>();
  #day: EpochMs;
  /** Whether the search has seen this day from its beginning on. */
  #isWhole = false;

  /** `time`: where the search stands, somewhere in a day. It ends at `searchedUntil`. */
  constructor(time: EpochMs, searchedUntil: EpochMs, shapeOf: DayShape) {
    this.#day = dayOf(time);
    this.#searchedUntil = searchedUntil;
    this.#shapeOf = shapeOf;
  }

  /**
   * Up to when, exclusive, nothing will be found, given that the search has come to `time` without finding anything: `time`
   * itself, or the end of days that are known. Times are asked in ascending order.
   */
  emptyUntil(time: EpochMs): EpochMs {
    if (time < this.#day + DAY) return Math.max(time, this.#day);
    this.#remember();
    let day = dayOf(time);
    while (day <= this.#searchedUntil && this.#isKnown(day)) day += DAY;
    this.#day = day;
    this.#isWhole = true;
    return Math.max(time, day);
  }

  #remember(): void {
    const shape = this.#isWhole ? this.#shapeOf(this.#day) : null;
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
