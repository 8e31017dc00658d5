import type { EpochMs } from '../../base/clock';
import type { Trigger } from '../trigger';
import type { FireTimeSequence } from './fire-time-sequence';

/** Differences between trigger kinds: pure functions over trigger data, without regard to a calendar. */
export interface TriggerBehaviour<T extends Trigger> {
  /** Checks the trigger. Throws INVALID_TRIGGER (or CRON_SYNTAX, UNKNOWN_TIME_ZONE), which names the field, what was expected and what was found. */
  validate(trigger: T): void;
  /** Returns the first fire time of a trigger. */
  firstFireTime(trigger: T): EpochMs | null;
  /** The first fire time after `after`; null when there is none. */
  fireTimeAfter(trigger: T, after: EpochMs): EpochMs | null;
  /** Returns the fire times as a sequence, for a search that skips some. */
  fireTimes(trigger: T): FireTimeSequence;
  /** Returns the last fire time of the trigger. Null if it is unknown or the trigger never ends. */
  finalFireTime(trigger: T): EpochMs | null;
}
