import type { EpochMs } from '../base/clock';
import type { Author } from './override';
import type { ClockChanges, Rules } from './rules';

/** Current time, and misfire threshold in milliseconds. A trigger misfires if its fire time is further in the past than the threshold. */
export interface ChangeContext {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  /** Rules of the scheduler. Default: `safe`. */
  readonly rules?: Rules;
  /** Clock changes of cron triggers that are stored without their own. Default: `quartz`. */
  readonly clockChanges?: ClockChanges;
  /** User who makes the changes manually; absent if a program makes the changes. */
  readonly author?: Author;
  /** True for a plan, which shows the triggers that changed calendars end instead of refusing the change. */
  readonly isPlan?: true;
}
