import type { EpochMs } from '../../base/clock';

/** Times at which triggers must not fire. Implementations must be pure: the same time always gives the same result. */
export interface Calendar {
  /** False at times that are excluded, here or in the base calendar. */
  isIncluded(time: EpochMs): boolean;
  /** The first included time after `time` (some kinds: at or after); null when all is excluded. */
  nextIncludedTime(time: EpochMs): EpochMs | null;
  /**
   * Returns a time after `time`, but not after the next included time, so that a search can skip ahead. Null if no time is left. Without this method,
   * searches call `nextIncludedTime`.
   */
  nextPossiblyIncludedTime?(time: EpochMs): EpochMs | null;
  /** The calendar as data, for stores and files; `calendarFrom` reads it back. */
  toJSON(): CalendarData;
}

/** A calendar as JSON. `base` chains another calendar, whose exclusions also hold. */
export type CalendarData = CalendarDataCommon &
  (
    | { readonly type: 'base' }
    /** `excludedDays`: [month 1-12, day 1-31], every year. */
    | { readonly type: 'annual'; readonly excludedDays: readonly (readonly [number, number])[] }
    /** `cronExpression` matches the EXCLUDED seconds. */
    | { readonly type: 'cron'; readonly cronExpression: string }
    /** Excludes `from`–`to` ("HH:MM[:SS[:mmm]]"), or all else when `invert`. */
    | { readonly type: 'daily'; readonly from: string; readonly to: string; readonly invert: boolean }
    /** `excludedDates`: "YYYY-MM-DD" in the calendar's zone. */
    | { readonly type: 'holiday'; readonly excludedDates: readonly string[] }
    /** `excludedDays`: 1-31. */
    | { readonly type: 'monthly'; readonly excludedDays: readonly number[] }
    /** `excludedDays`: 1 = Sunday … 7 = Saturday. */
    | { readonly type: 'weekly'; readonly excludedDays: readonly number[] }
  );

interface CalendarDataCommon {
  readonly description: string | null;
  /** IANA zone in which days and times of day are read. */
  readonly timeZone: string;
  readonly base: CalendarData | null;
}
