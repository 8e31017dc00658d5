import type { EpochMs } from '../../base/clock';
import type { Trigger } from '../trigger';
import type { FireTimeSequence } from './fire-time-sequence';

/** All that differs between trigger kinds: pure functions over trigger data, without regard to a calendar. */
export interface TriggerBehaviour<T extends Trigger> {
  /** Throws INVALID_TRIGGER (or CRON_SYNTAX, UNKNOWN_TIME_ZONE) naming the field, what was expected and what was found. */
  validate(trigger: T): void;
  /** The fire time a trigger begins with. */
  firstFireTime(trigger: T): EpochMs | null;
  /** The first fire time after `after`; null when there is none. */
  fireTimeAfter(trigger: T, after: EpochMs): EpochMs | null;
  /** The fire times as a sequence, for a search that passes over some. */
  fireTimes(trigger: T): FireTimeSequence;
  /** The last time the trigger will fire; null when unknown or never ending. */
  finalFireTime(trigger: T): EpochMs | null;
}
