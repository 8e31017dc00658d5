import type { TriggerKey } from '../domain/keys';
import type { DurationLike } from '../domain/retry-policy';

/** Range and pace of a backfill, which runs fire times of a trigger again or for the first time. */
export interface BackfillOptions {
  /** The first time. */
  readonly from: Date;
  /** Times before this one. Fire times that are still to come are refused: the trigger fires then itself. */
  readonly to: Date;
  /** Maximum number of fire times: 1 to 10,000 (default 1,000). */
  readonly max?: number;
  /** Interval between the runs, counted from now (default 0: immediately, as workers are free). */
  readonly spacing?: DurationLike;
}

/** Result of storing a backfill. */
export interface BackfillReport {
  /** The group of its triggers, for `dropBackfill`. */
  readonly group: string;
  /** Number of fire times stored. */
  readonly count: number;
  /** The fire times, the oldest first. */
  readonly times: readonly Date[];
}

/** Remaining part of a backfill, or of a trigger's catch-up. */
export interface Backfill {
  /** The group of its triggers. */
  readonly group: string;
  /** The trigger whose fire times they run. */
  readonly triggerKey: TriggerKey;
  /** Number of fire times that have not ended. */
  readonly left: number;
  /** The oldest fire time that is left. */
  readonly from: Date;
  /** The newest fire time that is left. */
  readonly to: Date;
}
