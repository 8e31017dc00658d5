import { type Completion, concernsOthers, planCompletion } from '../../../domain/completion';
import { StaleRead } from '../restart-rules';
import { writeRows } from '../row-sets';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { carryOut } from './carry-out-completions';
import {
  type CompletedBatch,
  type CompletionTarget,
  OtherModeNeeded,
  type PlannedCompletion,
  toOutcomes,
} from './complete-triggers';

/** Whether a completion can be carried out with what is known from its firing, if nothing was changed meanwhile. */
export function isPlain(completion: Completion): boolean {
  const { firing, instruction, jobData } = completion;
  const isAsFired = instruction !== 'DELETE_TRIGGER' || firing.trigger.nextFireTime === null;
  return isAsFired && jobData === undefined && !concernsOthers(completion);
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
  const deleted = await writeRows(tx, 'deletePlainFirings', { schedName, instanceId }, entryIds);
  if (deleted !== entryIds.length) throw careNeeded();
  const planned = completions.map(expectedPlan);
  try {
    const { deletions, earliest } = await carryOut(tx, node, planned);
    return { outcomes: toOutcomes(completions, planned, deletions), earliest };
  } catch (error) {
    throw error instanceof StaleRead ? careNeeded() : error;
  }
}

function careNeeded(): OtherModeNeeded {
  return new OtherModeNeeded({ isPlain: false, isLocked: false, isPrecise: false });
}

/** The trigger fires no more if it did not when it fired, and the job is what it was. */
function expectedPlan(completion: Completion): PlannedCompletion {
  const { trigger, jobDetail } = completion.firing;
  const target: CompletionTarget = {
    POSITION: 0,
    IS_NONCONCURRENT: null,
    IS_UPDATE_DATA: null,
    IS_DURABLE: null, // only the row tells: a durable job without triggers may have become another
    TRIGGER_STATE: null,
    TRIGGER_TYPE: trigger.kind,
    NEXT_FIRE_TIME: null,
    JOB_NAME: jobDetail.key.name,
    JOB_GROUP: jobDetail.key.group,
  };
  return { completion, plan: planCompletion(completion, trigger), isSerial: false, persistsData: false, target };
}
