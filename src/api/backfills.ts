import type { TriggerKey } from '../domain/keys';
import type { DurationLike } from '../domain/retry-policy';

/** Which fire times of a trigger are run once more, or for the first time. */
export interface BackfillOptions {
  /** The first time. */
  readonly from: Date;
  /** Times before this one. Fire times that are still to come are refused: the trigger fires then itself. */
  readonly to: Date;
  /** How many times there may be: 1 to 10,000 (default 1,000). */
  readonly max?: number;
  /** How far apart they run, from now on (default 0: at once, as workers are free). */
  readonly spacing?: DurationLike;
}

/** What a backfill has stored. */
export interface BackfillReport {
  /** The group of its triggers, for `dropBackfill`. */
  readonly group: string;
  /** How many there are. */
  readonly count: number;
  /** The fire times, the oldest first. */
  readonly times: readonly Date[];
}

/** What is left of a backfill, or of what a trigger catches up. */
export interface Backfill {
  /** The group of its triggers. */
  readonly group: string;
  /** The trigger whose fire times they run. */
  readonly triggerKey: TriggerKey;
  /** How many have not ended. */
  readonly left: number;
  /** The oldest fire time that is left. */
  readonly from: Date;
  /** The newest fire time that is left. */
  readonly to: Date;
}
