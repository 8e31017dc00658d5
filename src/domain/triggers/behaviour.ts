import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import type { Trigger } from '../trigger';
import type { FireTimeSequence } from './fire-time-sequence';

/** All that differs between trigger kinds: pure functions over trigger data. */
export interface TriggerBehaviour<T extends Trigger> {
  /** Throws INVALID_TRIGGER (or CRON_SYNTAX, UNKNOWN_TIME_ZONE) naming the field, what was expected and what was found. */
  validate(trigger: T): void;
  /** The first fire time after `after`, without regard to a calendar; null when there is none. */
  fireTimeAfter(trigger: T, after: EpochMs): EpochMs | null;
  /** The fire times as a sequence, for a search that passes over some. */
  fireTimes(trigger: T): FireTimeSequence;
  /** The last time the trigger will fire; null when unknown or never ending. */
  finalFireTime(trigger: T): EpochMs | null;
  /** The trigger with its first fire time (Quartz: computeFirstFireTime). `nextFireTime` null: it will never fire. */
  scheduled(trigger: T, calendar: Calendar | null): T;
  /** The trigger after one firing (Quartz: triggered). */
  afterFiring(trigger: T, calendar: Calendar | null): T;
  /** The trigger after its misfire instruction was applied (Quartz: updateAfterMisfire). */
  afterMisfire(trigger: T, now: EpochMs, calendar: Calendar | null): T;
  /** Whether two triggers name the same fire times; start time, progress and names are not compared. */
  sameSchedule(a: T, b: T): boolean;
}
