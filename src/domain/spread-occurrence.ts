import type { EpochMs } from '../base/clock';
import type { JobKey, TriggerKey } from './keys';

/** An occurrence with parts, from its first firing until all parts have ended. */
export interface SpreadOccurrence {
  /** Id of the occurrence. */
  readonly id: string;
  /** Trigger whose occurrence was divided. It may have been deleted since. */
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  /** Scheduled fire time, in epoch milliseconds. */
  readonly scheduledTime: EpochMs;
  /** Time at which the occurrence was divided, in epoch milliseconds. */
  readonly startTime: EpochMs;
  readonly parts: number;
  /** Number of parts that have not ended. */
  readonly remaining: number;
  /** Number of parts that have failed. */
  readonly failed: number;
  /** True if each part belongs to a single node. */
  readonly isBroadcast: boolean;
}

/** Returns the occurrence after `count` further parts have ended, `failed` of which have failed. */
export function afterParts(
  { remaining, failed, ...occurrence }: SpreadOccurrence,
  ended: { readonly count: number; readonly failed: number },
): SpreadOccurrence {
  return { ...occurrence, remaining: Math.max(0, remaining - ended.count), failed: failed + ended.failed };
}

/** Returns the occurrence after a rerun of a failed part was stored. The occurrence waits for the part again. */
export function withRerun({ remaining, failed, ...occurrence }: SpreadOccurrence): SpreadOccurrence {
  return { ...occurrence, remaining: remaining + 1, failed: Math.max(0, failed - 1) };
}

/**
 * Returns the occurrence with the number of unended parts corrected to `left`. Missing parts count as failed; for parts that exist after all, the
 * number of failed parts decreases.
 */
export function recounted({ remaining, failed, ...occurrence }: SpreadOccurrence, left: number): SpreadOccurrence {
  return { ...occurrence, remaining: left, failed: Math.max(0, failed + remaining - left) };
}
