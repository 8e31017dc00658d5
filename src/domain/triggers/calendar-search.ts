import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import { nextPossiblyIncluded, shapeOfDay } from '../calendars/chained-calendar';
import { MAX_YEAR } from '../trigger';
import type { FireTimeSequence } from './fire-time-sequence';

/*
 * A search passes over a fire time only when it is proven to be excluded: by the calendar, which knows up to when it includes
 * nothing, or because a day of the same shape had nothing. So it finds the same as a walk from one fire time to the next, and
 * ends with the last year (ADR 0018).
 */

const DAY_MS = 86_400_000;

/** Where searches end. Cron ends with the last year; in the easternmost zone that is in the day before, in UTC. */
const LAST_SEARCHED = Date.UTC(MAX_YEAR, 11, 31) - 1;

/** Refusals after which a search remembers empty days: up to here that costs more than it saves. */
const FEW_REFUSALS = 50;

/** Refusals after which the calendar is searched by itself: it may include nothing at all, second by second. */
const MANY_REFUSALS = 2_000;

/** Steps that the calendar takes ahead of the trigger up to then: a hundred years of whole days, or a few minutes of seconds. */
const FEW_STEPS = 200;

/** Refused fire times that are passed over as Quartz does when a calendar was replaced; then as anywhere. */
const QUARTZ_STEPS = 10_000;

/** `first`, or the earliest fire time after it that the calendar includes; null when there is none up to the last year. */
export function firstIncluded(
  first: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
): EpochMs | null {
  if (first === null || calendar === null || calendar.isIncluded(first)) return first;
  let days: EmptyDays | null = null;
  let calendarDays: EmptyDays | null = null;
  let time: EpochMs | null = first;
  for (let refusals = 1; time !== null && time <= LAST_SEARCHED; refusals++) {
    if (refusals === FEW_REFUSALS) days = daysOfBoth(time, calendar, fireTimes);
    if (refusals === MANY_REFUSALS)
      calendarDays = new EmptyDays(time, LAST_SEARCHED, (day) => shapeOfDay(calendar, day));
    const bound = Math.max(refusedUntil(calendar, time, calendarDays), days?.emptyUntil(time) ?? time);
    if (bound > LAST_SEARCHED) return null;
    time = fireTimes.leap(time, bound);
    if (time !== null && calendar.isIncluded(time)) return time;
  }
  return null;
}

/**
 * `from`, or the fire time a trigger goes on with when its calendar was replaced and refuses `from`. As in Quartz, a
 * refused time in the past takes with it one more that is older than the misfire threshold.
 */
export function nextOnNewCalendar(
  from: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
  { now, misfireThreshold }: { readonly now: EpochMs; readonly misfireThreshold: number },
): EpochMs | null {
  let time = from;
  if (calendar === null) return time;
  for (let refusals = 0; time !== null && time < now && !calendar.isIncluded(time); refusals++) {
    if (refusals === QUARTZ_STEPS) return firstIncluded(time, calendar, fireTimes);
    time = fireTimes.after(time);
    if (time !== null && time < now && now - time >= misfireThreshold) time = fireTimes.after(time);
  }
  return time === null || time < now ? time : firstIncluded(time, calendar, fireTimes);
}

/**
 * A time before which a calendar that refuses `time` includes none; with `days`, the first one that it includes. Infinity when it
 * never includes one again.
 */
function refusedUntil(calendar: Calendar, time: EpochMs, days: EmptyDays | null): EpochMs {
  days?.beginAgain(time);
  let bound = time;
  for (let step = 0; bound <= LAST_SEARCHED && (step < FEW_STEPS || days !== null); step++) {
    const next = nextPossiblyIncluded(calendar, bound);
    if (next === null) return Number.POSITIVE_INFINITY;
    bound = days?.emptyUntil(next) ?? next;
    if (bound > LAST_SEARCHED || calendar.isIncluded(bound)) break;
  }
  return bound;
}

/** Days in which the trigger fires at no time that the calendar includes. */
function daysOfBoth(time: EpochMs, calendar: Calendar, fireTimes: FireTimeSequence): EmptyDays {
  return new EmptyDays(time, LAST_SEARCHED, (day) => {
    const ofTrigger = fireTimes.dayShape(day);
    const ofCalendar = ofTrigger === null ? null : shapeOfDay(calendar, day);
    return ofCalendar === null ? null : `${ofTrigger};${ofCalendar}`;
  });
}

/** The shape of a day of UTC (time/day-shape.ts); null when nothing is known of it. */
type DayShape = (day: EpochMs) => string | null;

/** Fewer times to look at in a day cost less than to find out its shape. */
const WORTH_REMEMBERING = 20;

/**
 * Days in which a search found nothing, by their shape. A calendar may exclude second by second what a trigger fires second by
 * second, for weeks or for ever: one day of each shape is searched, the others are passed over.
 */
class EmptyDays {
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
    if (time < this.#day + DAY_MS) return Math.max(time, this.#day);
    this.#remember();
    let day = dayOf(time);
    while (day <= this.#lastTime && this.#isKnown(day)) day += DAY_MS;
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
  return Math.floor(time / DAY_MS) * DAY_MS;
}
