import type { TriggerKey } from '../domain/keys';
import type { DurationLike } from '../domain/retry-policy';

/** Options of a backfill, which runs a trigger's past fire times, including times that have already run. */
export interface BackfillOptions {
  /** Start of the range, inclusive. */
  readonly from: Date;
  /** End of the range, exclusive. A range that contains future fire times is refused, because the trigger will fire at them anyway. */
  readonly to: Date;
  /** Maximum number of fire times: 1 to 10,000 (default 1,000). `backfill` rejects if the range contains more. */
  readonly max?: number;
  /** Interval between the runs; the first starts now. Default: 0, which starts all runs as soon as workers are free. */
  readonly spacing?: DurationLike;
}

/** Result of storing a backfill. */
export interface BackfillReport {
  /** Group of the triggers that the backfill stored. Pass it to `dropBackfill`. */
  readonly group: string;
  /** Number of fire times to run. */
  readonly count: number;
  /** Fire times to run, oldest first. */
  readonly times: readonly Date[];
}

/** Backfill or catch-up whose runs have not all ended. */
export interface Backfill {
  /** Group of the triggers that run the fire times. */
  readonly group: string;
  /** Trigger whose past fire times are run. */
  readonly triggerKey: TriggerKey;
  /** Number of fire times whose runs have not ended. */
  readonly left: number;
  /** Oldest fire time whose run has not ended. */
  readonly from: Date;
  /** Newest fire time whose run has not ended. */
  readonly to: Date;
}
