import type { EpochMs } from '../../base/clock';
import type { LocalMs } from '../time/time-zone';
import { ChainedCalendar } from './chained-calendar';
import { nextDay, startOfDay } from './local-days';
import type { SearchSteps } from './search-steps';

/** What the calendars share that exclude whole days. */
export abstract class DayCalendar extends ChainedCalendar {
  /** Whether the day of a wall-clock reading is excluded. */
  protected abstract excludesDay(local: LocalMs): boolean;

  protected includes(time: EpochMs): boolean {
    return !this.excludesDay(this.zone.localAt(time));
  }

  /** An included day's own time, or the start of the next included day. */
  protected search(time: EpochMs, steps: SearchSteps): EpochMs | null {
    const from = this.notBefore(time, steps);
    if (from === null) return null;
    const day = startOfDay(this.zone, from);
    return this.acceptsDay(day) ? from : this.firstDayFrom(day, steps);
  }

  /** Where the search begins: at `time`, or later if the base excludes it. */
  protected notBefore(time: EpochMs, steps: SearchSteps): EpochMs | null {
    const inBase = this.nextIncludedInBase(time, steps);
    return inBase === null ? null : Math.max(inBase, time);
  }

  /** Whether the search may end at a day that starts at `start`. */
  protected acceptsDay(start: EpochMs): boolean {
    return this.includes(start);
  }

  /** The start of the first accepted day. */
  protected firstDayFrom(start: EpochMs, steps: SearchSteps): EpochMs | null {
    for (let day = start; steps.mayLookAt(day, this.depth); day = nextDay(this.zone, day)) {
      if (this.acceptsDay(day)) return day;
    }
    return null;
  }
}
