import type { EpochMs } from '../../base/clock';
import type { Trigger } from '../trigger';
import type { FireTimeSequence } from './fire-time-sequence';

/** Functions that implement one trigger kind. They are pure and ignore the trigger's calendar. */
export interface TriggerBehaviour<T extends Trigger> {
  /** Throws INVALID_TRIGGER, CRON_SYNTAX or UNKNOWN_TIME_ZONE. */
  validate(trigger: T): void;
  firstFireTime(trigger: T): EpochMs | null;
  fireTimeAfter(trigger: T, after: EpochMs): EpochMs | null;
  /** Returns the fire times as a sequence, for searches that skip some of the fire times. */
  fireTimes(trigger: T): FireTimeSequence;
  /** Returns the last fire time of the trigger. Null if it is unknown or the trigger never ends. */
  finalFireTime(trigger: T): EpochMs | null;
}
