import type { EpochMs } from '../../base/clock';
import type { Trigger } from '../trigger';
import type { FireTimeSequence } from './fire-time-sequence';

/** Functions that implement one trigger kind. They are pure and ignore the trigger's calendar. */
export interface TriggerBehaviour<T extends Trigger> {
  /**
   * Validates the trigger. Throws INVALID_TRIGGER, CRON_SYNTAX or UNKNOWN_TIME_ZONE; the message states the field, the expected value and the value
   * found.
   */
  validate(trigger: T): void;
  /** Returns the first fire time of a trigger. Null if there is none. */
  firstFireTime(trigger: T): EpochMs | null;
  /** Returns the first fire time after `after`. Null if there is none. */
  fireTimeAfter(trigger: T, after: EpochMs): EpochMs | null;
  /** Returns the fire times as a sequence, for searches that skip some of the fire times. */
  fireTimes(trigger: T): FireTimeSequence;
  /** Returns the last fire time of the trigger. Null if it is unknown or the trigger never ends. */
  finalFireTime(trigger: T): EpochMs | null;
}
