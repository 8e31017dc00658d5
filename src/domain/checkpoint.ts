import { SchedulerError, toError } from '../base/errors';
import { checkJobData } from './check-job-data';
import type { Completion } from './completion';
import type { TriggerFiring } from './firing';
import { DEFERRED_JOBS, isGroupOfFurtherRuns, type Occurrence, occurrenceOfTrigger, RETRYING_JOBS } from './occurrence';
import { RECOVERING_JOBS } from './recovery';

/** How far the job of an occurrence has come: what a run saves, so that the next run of the same occurrence goes on from there. */

/** The most that a checkpoint may take, in bytes of UTF-8 JSON. */
export const MAX_CHECKPOINT_BYTES = 64 * 1024;

/** What a checkpoint belongs to: an occurrence, or one part of it. */
export interface CheckpointKey {
  readonly occurrenceId: string;
  /** Which part of the occurrence, from 0; null: it has no parts. */
  readonly shard: number | null;
}

/** A checkpoint that a run saves. */
export interface SavedCheckpoint extends CheckpointKey {
  /** The run: without its fired trigger nothing is stored. */
  readonly runId: string;
  /** As JSON. */
  readonly value: string;
}

/** The key of the checkpoint of an occurrence. */
export function checkpointKeyOf({
  id,
  shard,
}: Pick<Occurrence, 'id'> & {
  readonly shard?: { readonly index: number } | undefined;
}): CheckpointKey {
  return { occurrenceId: id, shard: shard?.index ?? null };
}

/** A text that only this key has. */
export function checkpointKeyText({ occurrenceId, shard }: CheckpointKey): string {
  return `${shard ?? ''} ${occurrenceId}`;
}

/** Whether an earlier run of the occurrence of this firing may have saved something: first runs need not look. */
export function mayHaveCheckpoint(firing: TriggerFiring): boolean {
  const { group } = firing.trigger.key;
  if (!isGroupOfFurtherRuns(group)) return firing.recovering;
  if (group === RETRYING_JOBS || group === RECOVERING_JOBS || group === DEFERRED_JOBS) return true;
  return firing.recovering || occurrenceOfTrigger(firing.trigger).attempt > 1;
}

/** A value as the text in which it is stored. Throws INVALID_ARGUMENT for what JSON cannot hold, and for more than `MAX_CHECKPOINT_BYTES`. */
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

/** What becomes of checkpoints when runs end. */
export interface SettledCheckpoints {
  /** Their occurrences have ended, and nobody will run them again. */
  readonly over: readonly CheckpointKey[];
  /** They are kept for the runs that follow: a retry, or the rerun of a dead letter. */
  readonly kept: readonly Omit<SavedCheckpoint, 'value'>[];
}

/** What becomes of the checkpoints of runs that end; both lists are empty where none of them has one. */
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
