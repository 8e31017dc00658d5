import { DAY_MS, type EpochMs } from '../../base/clock';
import { clockShape, dateShape } from '../time/day-shape';
import type { LocalMs } from '../time/time-zone';
import { dayOf, plusDays, startOfDay } from '../time/wall-clock';
import { ChainedCalendar, type SearchSteps } from './chained-calendar';

/** Base class of calendars that exclude whole days. */
export abstract class DayCalendar extends ChainedCalendar {
  /** True if the calendar excludes the day of the local time. */
  protected abstract excludesDay(local: LocalMs): boolean;

  protected includes(time: EpochMs): boolean {
    return !this.excludesDay(this.zone.localAt(time));
  }

  /** Advances one date at a time, until the UTC offset changes. Stops there, because an offset change can return to an earlier date. */
  protected excludedUntil(time: EpochMs): EpochMs {
    const offset = this.zone.offsetAt(time);
    const end = this.zone.steadyUntil(time);
    let date = dayOf(time + offset) + 1;
    while (date * DAY_MS - offset < end && this.excludesDay(date * DAY_MS)) date++;
    return Math.min(date * DAY_MS - offset, end);
  }

  protected ownDayShape(day: EpochMs): string {
    return `${clockShape(this.zone, day)} ${dateShape(day, (date) => this.excludesDay(date))}`;
  }

  /** Returns the time itself if its day is included, otherwise the start of the next included day. */
  protected override search(time: EpochMs, steps: SearchSteps): EpochMs | null {
    const from = this.notBefore(time, steps);
    if (from === null) return null;
    const day = startOfDay(this.zone, from);
    return this.acceptsDay(day) ? from : this.firstDayFrom(day, steps);
  }

  /** Returns the time at which the search starts: `time`, or the base calendar's next included time if that is later. Null if there is none. */
  protected notBefore(time: EpochMs, steps: SearchSteps): EpochMs | null {
    const inBase = this.nextIncludedInBase(time, steps);
    return inBase === null ? null : Math.max(inBase, time);
  }

  /** True if a search may return the day that starts at `start`. */
  protected acceptsDay(start: EpochMs): boolean {
    return this.includes(start);
  }

  /** Returns the start of the first day at or after `start` that `acceptsDay` accepts. Null when the search reaches its limit. */
  protected firstDayFrom(start: EpochMs, steps: SearchSteps): EpochMs | null {
    for (let day = start; steps.mayCheck(day, this.depth); day = plusDays(this.zone, day, 1)) {
      if (this.acceptsDay(day)) return day;
    }
    return null;
  }
}
