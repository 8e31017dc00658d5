import type { EpochMs } from '../base/clock';
import type { JobKey, TriggerKey } from './keys';

/** An occurrence that is run in parts, from its first firing until each part has ended for good. */
export interface SpreadOccurrence {
  /** The id of the occurrence. */
  readonly id: string;
  /** The trigger whose occurrence it is; it may be gone. */
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  /** When it was to fire. */
  readonly scheduledTime: EpochMs;
  /** When it was taken apart. */
  readonly startTime: EpochMs;
  readonly parts: number;
  /** Parts that have not ended for good. */
  readonly remaining: number;
  /** Parts that have, as failed. */
  readonly failed: number;
  /** Each part belongs to one node. */
  readonly isBroadcast: boolean;
}

/** The occurrence after so many of its parts have ended, so many of them as failed. */
export function afterParts(
  { remaining, failed, ...occurrence }: SpreadOccurrence,
  ended: { readonly count: number; readonly failed: number },
): SpreadOccurrence {
  return { ...occurrence, remaining: Math.max(0, remaining - ended.count), failed: failed + ended.failed };
}

/** The occurrence of which a part that had failed is rerun: it is waited for again. */
export function withRerun({ remaining, failed, ...occurrence }: SpreadOccurrence): SpreadOccurrence {
  return { ...occurrence, remaining: remaining + 1, failed: Math.max(0, failed - 1) };
}

/** The occurrence of which so many parts wait or are being run: any others that remained have failed; one that goes on after all has not. */
export function recounted({ remaining, failed, ...occurrence }: SpreadOccurrence, left: number): SpreadOccurrence {
  return { ...occurrence, remaining: left, failed: Math.max(0, failed + remaining - left) };
}
