import type { EpochMs } from '../base/clock';
import type { JobKey, TriggerKey } from './keys';

/** An occurrence that is divided into parts (shards), from its first firing until all parts have ended. */
export interface SpreadOccurrence {
  /** Id of the occurrence. */
  readonly id: string;
  /** Trigger whose occurrence was divided into parts. It may have been deleted since. */
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  /** Scheduled fire time, in epoch milliseconds. */
  readonly scheduledTime: EpochMs;
  /** Time at which the occurrence was divided, in epoch milliseconds. */
  readonly startTime: EpochMs;
  readonly parts: number;
  /** Number of parts (shards) that have not ended. */
  readonly remaining: number;
  /** Number of parts (shards) that have failed. */
  readonly failed: number;
  /** True for a broadcast, in which each node runs one part. */
  readonly isBroadcast: boolean;
}

/** Returns the occurrence after `count` more parts (shards) have ended, of which `failed` parts have failed. */
export function afterParts(
  { remaining, failed, ...occurrence }: SpreadOccurrence,
  ended: { readonly count: number; readonly failed: number },
): SpreadOccurrence {
  return { ...occurrence, remaining: Math.max(0, remaining - ended.count), failed: failed + ended.failed };
}

/** Returns the occurrence after a rerun of one of its failed parts (shards) was stored. The occurrence waits for this part again. */
export function withRerun({ remaining, failed, ...occurrence }: SpreadOccurrence): SpreadOccurrence {
  return { ...occurrence, remaining: remaining + 1, failed: Math.max(0, failed - 1) };
}

/**
 * Returns the occurrence with the number of parts (shards) that have not ended corrected to `left`. Parts that are missing count as failed. If more
 * parts remain than were counted, the number of failed parts decreases.
 */
export function recounted({ remaining, failed, ...occurrence }: SpreadOccurrence, left: number): SpreadOccurrence {
  return { ...occurrence, remaining: left, failed: Math.max(0, failed + remaining - left) };
}
