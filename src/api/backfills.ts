import type { TriggerKey } from '../domain/keys';
import type { DurationLike } from '../domain/retry-policy';

/** Range and pace of a backfill, which runs past fire times of a trigger again or for the first time. */
export interface BackfillOptions {
  /** Start of the range, inclusive. */
  readonly from: Date;
  /** End of the range, exclusive. Future fire times are refused, because the trigger fires at them anyway. */
  readonly to: Date;
  /** Maximum number of fire times: 1 to 10,000 (default 1,000). */
  readonly max?: number;
  /** Interval between the runs, counted from now (default 0: immediately, as workers are free). */
  readonly spacing?: DurationLike;
}

/** Result of storing a backfill. */
export interface BackfillReport {
  /** Group of its triggers, for `dropBackfill`. */
  readonly group: string;
  /** Number of fire times stored. */
  readonly count: number;
  /** Fire times, oldest first. */
  readonly times: readonly Date[];
}

/** Remaining part of a backfill, or of a trigger's catch-up. */
export interface Backfill {
  /** Group of its triggers. */
  readonly group: string;
  /** Trigger whose fire times they run. */
  readonly triggerKey: TriggerKey;
  /** Number of fire times whose runs have not ended. */
  readonly left: number;
  /** Oldest remaining fire time. */
  readonly from: Date;
  /** Newest remaining fire time. */
  readonly to: Date;
}
