import type { EpochMs } from '../base/clock';
import type { Author } from './override';
import type { Rules } from './rules';

/** Current time, and misfire threshold in milliseconds. A trigger misfires if its fire time is further in the past than the threshold. */
export interface ChangeContext {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  /** Rules of the scheduler. Default: `safe`. */
  readonly rules?: Rules;
  /** User who makes the changes manually; absent if a program makes the changes. */
  readonly author?: Author;
  /** True for a plan, which shows the triggers that changed calendars end instead of refusing the change. */
  readonly isPlan?: true;
}
