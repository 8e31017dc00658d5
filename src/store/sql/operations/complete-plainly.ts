import { type Completion, concernsOthers, mayEndTrigger } from '../../../domain/completion';
import { StaleRead } from '../restart-rules';
import { writeRows } from '../row-sets';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { type CompletedBatch, OtherModeNeeded } from './complete-triggers';
import { deleteFinished, type FinishedTrigger, outcomeOf } from './delete-finished';

/** Whether a completion can be carried out with what is known from its firing, if nothing was changed meanwhile. */
export function isPlain(completion: Completion): boolean {
  const { firing, instruction, jobData } = completion;
  const isAsFired = instruction !== 'DELETE_TRIGGER' || firing.trigger.nextFireTime === null;
  return isAsFired && jobData === undefined && !concernsOthers(completion) && !mayEndTrigger(completion);
}

/**
 * Ends firings without looking: nothing is read, and every row that does not go as expected throws `OtherModeNeeded`, so
 * that the batch is undone and gone about with care. A job that became non-concurrent meanwhile has marked the fired row; a
 * trigger that was rescheduled has a next fire time. Most batches are such, and reading them was a sixth of their cost.
 */
export async function completePlainly(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const { schedName, instanceId } = node;
  const entryIds = completions.map(({ firing }) => firing.fireInstanceId);
  try {
    const [deleted, deletions] = await Promise.all([
      writeRows(tx, 'deletePlainFirings', { schedName, instanceId }, entryIds),
      deleteFinished(tx, node, completions.flatMap(toFinished)),
    ]);
    if (deleted !== entryIds.length) throw careNeeded();
    return { outcomes: completions.map((each) => outcomeOf(each, deletions)), earliest: undefined };
  } catch (error) {
    throw error instanceof StaleRead ? careNeeded() : error;
  }
}

function careNeeded(): OtherModeNeeded {
  return new OtherModeNeeded({ isPlain: false, isLocked: false, isPrecise: false });
}

/** As it was fired: the trigger fires no more, and the job is what it was; whether it is durable, its row tells. */
function toFinished(completion: Completion): readonly FinishedTrigger[] {
  if (completion.instruction !== 'DELETE_TRIGGER') return [];
  const { trigger, jobDetail } = completion.firing;
  return [{ completion, type: trigger.kind, jobKey: jobDetail.key, mayLeaveOrphan: true }];
}
