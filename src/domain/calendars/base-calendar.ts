import type { EpochMs } from '../../base/clock';
import type { CalendarData } from './calendar';
import { type CalendarOptions, ChainedCalendar, knownFields, type SearchSteps } from './chained-calendar';

/** Excludes only the times that its base calendar excludes. */
export class BaseCalendar extends ChainedCalendar {
  /** Throws INVALID_CALENDAR if an option is invalid. */
  constructor(options: CalendarOptions = {}) {
    super(knownFields(options, [], "{ timeZone: 'UTC' }"));
  }

  toJSON(): CalendarData {
    return { type: 'base', ...this.common() };
  }

  protected includes(): boolean {
    return true;
  }

  protected excludedUntil(time: EpochMs): EpochMs {
    return time + 1;
  }

  protected ownDayShape(): string {
    return '';
  }

  protected override search(time: EpochMs, steps: SearchSteps): EpochMs | null {
    return this.nextIncludedInBase(time, steps);
  }
}
