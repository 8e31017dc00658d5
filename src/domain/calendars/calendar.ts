import type { EpochMs } from '../../base/clock';

/** Times at which triggers must not fire. Implementations must be pure: the same time always returns the same result. */
export interface Calendar {
  /** Returns true if neither this calendar nor its base calendar excludes `time`. */
  isIncluded(time: EpochMs): boolean;
  /** Returns the first included time after `time`; some calendar types may return `time` itself. Null if there is none. */
  nextIncludedTime(time: EpochMs): EpochMs | null;
  /**
   * Returns a time later than `time` and not after the next included time, so that a search can skip excluded times. Null if no included time is
   * left. If a calendar lacks this method, searches call `nextIncludedTime`.
   */
  nextPossiblyIncludedTime?(time: EpochMs): EpochMs | null;
  /** Returns the calendar as JSON data for stores and files. `calendarFrom` creates the calendar from it. */
  toJSON(): CalendarData;
}

/** A calendar as JSON data. The exclusions of the `base` calendar also apply. */
export type CalendarData = CalendarDataCommon &
  (
    | { readonly type: 'base' }
    /** `excludedDays`: [month 1-12, day 1-31], every year. */
    | { readonly type: 'annual'; readonly excludedDays: readonly (readonly [number, number])[] }
    /** `cronExpression` matches the excluded seconds. */
    | { readonly type: 'cron'; readonly cronExpression: string }
    /** Excludes the range from `from` to `to` ("HH:MM[:SS[:mmm]]") on every day. With `invert`, excludes all other times. */
    | { readonly type: 'daily'; readonly from: string; readonly to: string; readonly invert: boolean }
    /** `excludedDates`: "YYYY-MM-DD" in the calendar's time zone. */
    | { readonly type: 'holiday'; readonly excludedDates: readonly string[] }
    /** `excludedDays`: days of the month, 1-31. */
    | { readonly type: 'monthly'; readonly excludedDays: readonly number[] }
    /** `excludedDays`: 1 = Sunday … 7 = Saturday. */
    | { readonly type: 'weekly'; readonly excludedDays: readonly number[] }
  );

interface CalendarDataCommon {
  readonly description: string | null;
  /** IANA time zone of the calendar's days and times of day. */
  readonly timeZone: string;
  readonly base: CalendarData | null;
}
