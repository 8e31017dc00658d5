import { type Completion, concernsOthers, mayEndTrigger } from '../../../domain/completion';
import type { SqlNode } from '../rows/sql-node';
import { StaleRead } from '../runtime/retry-rules';
import { writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import {
  type CompletedBatch,
  deleteFinished,
  type FinishedTrigger,
  outcomeOf,
  runsOf,
  UnexpectedRows,
} from './completed-batch';
import { insertRuns } from './write-runs';

/** Whether a completion can be carried out without reading and without the lock, if nothing has changed since its trigger fired. */
export function isFast(completion: Completion): boolean {
  const { firing, instruction, jobData, further, end } = completion;
  const isAsFired = instruction !== 'DELETE_TRIGGER' || firing.trigger.nextFireTime === null;
  return (
    isAsFired &&
    jobData === undefined &&
    further === undefined &&
    end === undefined &&
    !concernsOthers(completion) &&
    !mayEndTrigger(completion)
  );
}

/**
 * Ends firings without reading anything: the row counts show whether everything was as expected. A job that became non-concurrent
 * meanwhile has marked the fired trigger; a trigger that was rescheduled has a next fire time. Throws `UnexpectedRows`.
 */
export async function completeFast(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const { schedName, instanceId } = node;
  const entryIds = completions.map(({ firing }) => firing.runId);
  try {
    const [deleted, deletions] = await Promise.all([
      writeRows(tx, 'deleteConcurrentFirings', { schedName, instanceId }, entryIds),
      deleteFinished(tx, node, completions.flatMap(finishedAsFired)),
      insertRuns(tx, node, runsOf(completions)),
    ]);
    if (deleted !== entryIds.length) throw new UnexpectedRows();
    return { outcomes: completions.map((each) => outcomeOf(each, deletions)), earliest: undefined };
  } catch (error) {
    throw error instanceof StaleRead ? new UnexpectedRows() : error;
  }
}

/** As it was fired: the trigger fires no more, and the job is what it was; whether it is durable, its row decides. */
function finishedAsFired(completion: Completion): readonly FinishedTrigger[] {
  if (completion.instruction !== 'DELETE_TRIGGER') return [];
  const { trigger, jobDetail } = completion.firing;
  return [{ completion, type: trigger.kind, jobKey: jobDetail.key, mayLeaveOrphan: true }];
}
