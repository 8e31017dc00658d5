import type { EpochMs } from '../base/clock';
import type { JobKey, TriggerKey } from './keys';

/** An occurrence that is divided into parts (shards), from its first firing until all parts have ended. */
export interface SpreadOccurrence {
  readonly id: string;
  /** Trigger of the occurrence. The trigger may have been deleted since. */
  readonly triggerKey: TriggerKey;
  /** Job that the shards run. */
  readonly jobKey: JobKey;
  readonly scheduledTime: EpochMs;
  /** Time at which the occurrence was divided, in epoch milliseconds. */
  readonly startTime: EpochMs;
  /** Number of shards in total. */
  readonly parts: number;
  /** Number of shards that have not ended: waiting, running, or waiting for a retry. */
  readonly remaining: number;
  /** Number of shards whose last attempt failed. */
  readonly failed: number;
  /** True for a broadcast, which runs one shard on each node. */
  readonly isBroadcast: boolean;
}

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

/** Corrects the number of remaining parts (shards) to `left`. Missing parts count as failed; additional parts reduce the number of failed parts. */
export function recounted({ remaining, failed, ...occurrence }: SpreadOccurrence, left: number): SpreadOccurrence {
  return { ...occurrence, remaining: left, failed: Math.max(0, failed + remaining - left) };
}
