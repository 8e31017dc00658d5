import type { EpochMs } from '../base/clock';
import type { JobKey, TriggerKey } from './keys';

/** An occurrence that is run in parts, from its first firing until every part has ended. */
export interface SpreadOccurrence {
  /** The id of the occurrence. */
  readonly id: string;
  /** The trigger whose occurrence it is. It may have been deleted. */
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  /** Scheduled fire time. */
  readonly scheduledTime: EpochMs;
  /** Time at which it was divided into parts. */
  readonly startTime: EpochMs;
  readonly parts: number;
  /** Number of parts that have not ended. */
  readonly remaining: number;
  /** Number of parts that have failed. */
  readonly failed: number;
  /** True if each part belongs to one node. */
  readonly isBroadcast: boolean;
}

/** Returns the occurrence after the given numbers of parts have ended and failed. */
export function afterParts(
  { remaining, failed, ...occurrence }: SpreadOccurrence,
  ended: { readonly count: number; readonly failed: number },
): SpreadOccurrence {
  return { ...occurrence, remaining: Math.max(0, remaining - ended.count), failed: failed + ended.failed };
}

/** Returns the occurrence after a failed part is rerun: it waits for the part again. */
export function withRerun({ remaining, failed, ...occurrence }: SpreadOccurrence): SpreadOccurrence {
  return { ...occurrence, remaining: remaining + 1, failed: Math.max(0, failed - 1) };
}

/** Returns the occurrence with `left` parts that wait or run. Any others that remained count as failed; a part that continues after all does not. */
export function recounted({ remaining, failed, ...occurrence }: SpreadOccurrence, left: number): SpreadOccurrence {
  return { ...occurrence, remaining: left, failed: Math.max(0, failed + remaining - left) };
}
