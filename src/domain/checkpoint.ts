import { SchedulerError, toError } from '../base/errors';
import { checkJobData } from './check-job-data';
import type { Completion } from './completion';
import type { TriggerFiring } from './firing';
import { DEFERRED_JOBS, isGroupOfFurtherRuns, type Occurrence, occurrenceOfTrigger, RETRYING_JOBS } from './occurrence';
import { RECOVERING_JOBS } from './recovery';

/** A checkpoint: saved progress of an occurrence, from which its next run continues. */

/** Maximum size of a checkpoint, in bytes of UTF-8 JSON. */
export const MAX_CHECKPOINT_BYTES = 64 * 1024;

/** Owner of a checkpoint: an occurrence, or one part of it. */
export interface CheckpointKey {
  readonly occurrenceId: string;
  /** Number of the part of the occurrence, from 0; null if it has no parts. */
  readonly shard: number | null;
}

/** A checkpoint that a run saves. */
export interface SavedCheckpoint extends CheckpointKey {
  /** Id of the run. Nothing is stored if its fired trigger is missing. */
  readonly runId: string;
  /** Value as JSON. */
  readonly value: string;
}

/** Returns the key of an occurrence's checkpoint. */
export function checkpointKeyOf({
  id,
  shard,
}: Pick<Occurrence, 'id'> & {
  readonly shard?: { readonly index: number } | undefined;
}): CheckpointKey {
  return { occurrenceId: id, shard: shard?.index ?? null };
}

/** Returns a text that is unique for the key. */
export function checkpointKeyText({ occurrenceId, shard }: CheckpointKey): string {
  return `${shard ?? ''} ${occurrenceId}`;
}

/** True if an earlier run of this firing's occurrence may have saved a checkpoint. First runs need no read. */
export function mayHaveCheckpoint(firing: TriggerFiring): boolean {
  const { group } = firing.trigger.key;
  if (!isGroupOfFurtherRuns(group)) return firing.recovering;
  if (group === RETRYING_JOBS || group === RECOVERING_JOBS || group === DEFERRED_JOBS) return true;
  return firing.recovering || occurrenceOfTrigger(firing.trigger).attempt > 1;
}

/** Serializes a value for storage. Throws INVALID_ARGUMENT if JSON cannot hold it, or if it exceeds `MAX_CHECKPOINT_BYTES`. */
export function checkpointText(value: unknown, owner: string): string {
  try {
    checkJobData({ value }, owner, MAX_CHECKPOINT_BYTES + JSON.stringify({ value: '' }).length - 2);
    return JSON.stringify(value);
  } catch (thrown) {
    const cause = toError(thrown);
    throw new SchedulerError(
      'INVALID_ARGUMENT',
      `Expected a JSON value of at most ${MAX_CHECKPOINT_BYTES} bytes as the checkpoint of ${owner}. ${cause.message}`,
      { cause },
    );
  }
}

/** Effects of run ends on checkpoints. */
export interface SettledCheckpoints {
  /** Checkpoints of occurrences that have ended and will not be rerun. */
  readonly over: readonly CheckpointKey[];
  /** Checkpoints to keep for a retry, or for the rerun of a dead letter. */
  readonly kept: readonly Omit<SavedCheckpoint, 'value'>[];
}

/** Decides which checkpoints of ended runs are kept or deleted. Both lists are empty if no run has a checkpoint. */
export function settleCheckpoints(completions: readonly Completion[]): SettledCheckpoints {
  const over: CheckpointKey[] = [];
  const kept: Omit<SavedCheckpoint, 'value'>[] = [];
  for (const { firing, run, end } of completions) {
    if (end?.hasCheckpoint !== true) continue;
    const key = checkpointKeyOf(end.occurrence);
    if (end.isFinal && run?.isDeadLetter !== true) over.push(key);
    else kept.push({ ...key, runId: firing.runId });
  }
  return { over, kept };
}
