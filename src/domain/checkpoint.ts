import { SchedulerError, toError } from '../base/errors';
import { checkJson } from './check-job-data';
import type { Completion } from './completion';
import type { TriggerFiring } from './firing';
import { DEFERRED_JOBS, isGroupOfFurtherRuns, type Occurrence, occurrenceOfTrigger, RETRYING_JOBS } from './occurrence';
import { RECOVERING_JOBS } from './recovery';

/** Checkpoints: progress that a run saves, so that the next run of the same occurrence can continue from it. */

/** Maximum size of a checkpoint, in bytes of UTF-8 JSON. */
export const MAX_CHECKPOINT_BYTES = 64 * 1024;

/** Identifies a checkpoint by the occurrence, or part of an occurrence (shard), that saved it. */
export interface CheckpointKey {
  readonly occurrenceId: string;
  /** Index of the part (shard) within the occurrence, from 0; null if the occurrence has no parts. */
  readonly shard: number | null;
}

export interface SavedCheckpoint extends CheckpointKey {
  /** Id of the run that saved the checkpoint. The store ignores the checkpoint if the run's fired trigger no longer exists. */
  readonly runId: string;
  /** Value as JSON. */
  readonly value: string;
}

export function checkpointKeyOf({
  id,
  shard,
}: Pick<Occurrence, 'id'> & {
  readonly shard?: { readonly index: number } | undefined;
}): CheckpointKey {
  return { occurrenceId: id, shard: shard?.index ?? null };
}

/** Returns a string that is unique for the checkpoint key. */
export function checkpointKeyText({ occurrenceId, shard }: CheckpointKey): string {
  return `${shard ?? ''} ${occurrenceId}`;
}

/** True if an earlier run of the firing's occurrence may have saved a checkpoint. False for first runs, which then need no read. */
export function mayHaveCheckpoint(firing: TriggerFiring): boolean {
  const { group } = firing.trigger.key;
  if (!isGroupOfFurtherRuns(group)) return firing.recovering;
  if (group === RETRYING_JOBS || group === RECOVERING_JOBS || group === DEFERRED_JOBS) return true;
  return firing.recovering || occurrenceOfTrigger(firing.trigger).attempt > 1;
}

/** Serializes a checkpoint value for storage. Throws INVALID_ARGUMENT if the value is not JSON, or if its JSON exceeds `MAX_CHECKPOINT_BYTES`. */
export function checkpointText(value: unknown, owner: string): string {
  try {
    const what = `the checkpoint of ${owner}`;
    return JSON.stringify(checkJson(value, { what, root: 'checkpoint', limit: MAX_CHECKPOINT_BYTES }));
  } catch (thrown) {
    const cause = toError(thrown);
    throw new SchedulerError('INVALID_ARGUMENT', cause.message, { cause });
  }
}

interface CheckpointPlan {
  /** Checkpoints to delete, because their occurrences have ended and are not dead letters. */
  readonly over: readonly CheckpointKey[];
  /** Checkpoints to keep for a retry, or for a rerun of a dead letter. */
  readonly kept: readonly Omit<SavedCheckpoint, 'value'>[];
}

/** Both lists are empty if no run has a checkpoint. */
export function planCheckpoints(completions: readonly Completion[]): CheckpointPlan {
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
