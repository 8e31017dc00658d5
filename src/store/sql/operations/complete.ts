import { type EpochMs, earliestOf } from '../../../base/clock';
import { type Completion, concernsOthers, storesNothingElse } from '../../../domain/completion';
import { heldLimitsOf } from '../../../domain/freed-limits';
import {
  type NodeRunOptions,
  type NodeTransaction,
  type NodeTransactions,
  type NodeWork,
  withNode,
} from '../rows/node-transaction';
import { inPresentIncarnation } from '../rows/sql-node';
import { StaleRead } from '../runtime/retry-rules';
import { writeRows } from '../runtime/row-batches';
import type { CommitResolution, LockName } from '../runtime/transactions';
import { hasJoined } from './check-in';
import { completeLocked } from './complete-locked';
import { completeByScript } from './complete-script';
import {
  ALONE,
  type CompletedBatch,
  deleteFinished,
  ENDED,
  FAILED,
  FENCED,
  type FinishedTrigger,
  outcomeOf,
  UnexpectedRows,
} from './completed-batch';
import { EXTENSIONS } from './extensions';
import { selectFiredTriggers } from './fired-triggers';
import { listRuns } from './list-runs';
import { isolateFailures, refuseLocked, reportRejected } from './refused-triggers';
import { wakeFreed } from './waiters';
import { runsOf } from './write-runs';

/**
 * Ends firings on the connection for completions, in parallel with the next acquisition. Acquires TRIGGER_ACCESS if a completion must read, or
 * affects rows that its own fired trigger does not protect. This applies to non-concurrent jobs, to changes of triggers or job data, and to
 * possible last firings of triggers kept for recovery. A completion that the database rejects fails alone.
 */
export async function complete(
  transactions: NodeTransactions,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const parts: CompletedBatch[] = [];
  const run = async (part: readonly Completion[]) => {
    const batch = await completePart(transactions, part);
    parts.push(batch);
    return batch.outcomes;
  };
  const outcomes = await isolateFailures(completions, run, ({ firing }, error) => {
    reportRejected(transactions.node, firing.trigger.key, 'completing', error);
    return FAILED;
  });
  const earliestIn = (times: readonly (EpochMs | undefined)[]) => earliestOf(times.map((time) => time ?? null));
  return {
    outcomes,
    earliest: earliestIn(parts.map(({ earliest }) => earliest)),
    earliestHere: earliestIn(parts.map(({ earliestHere }) => earliestHere)),
  };
}

/** Tries a script, then each way of `waysToComplete` in order, until one finds the rows it expects. Throws `UnexpectedRows` if none does. */
async function completePart(
  transactions: NodeTransactions,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const living = inPresentIncarnation(transactions.node);
  const options: NodeRunOptions<CompletedBatch> = {
    role: 'completions',
    isSplit: completions.length > 1,
    resolveUnknown: (tx, batch) => resolveUnknown(withNode(tx, living), completions, batch),
  };
  const byScript = await completeByScript(transactions, completions, (tx) =>
    resolveScript(withNode(tx, living), completions),
  );
  if (byScript !== null) return byScript;
  for (const { lock, work } of waysToComplete(completions)) {
    try {
      const batch = await transactions.run(lock, work, options);
      if (lock !== null) return batch;
      // After a failure, the store wakes them again (`LimitWatch.mustWakeAgain`).
      const earliest = await wakeFreed(transactions, completions.flatMap(heldLimitsOf)).catch(() => undefined);
      return { ...batch, earliest };
    } catch (error) {
      if (!(error instanceof UnexpectedRows)) throw error;
    }
  }
  throw new UnexpectedRows(); // the last way failed too, although it makes no assumptions
}

/** A way to end firings. `lock`: the lock it requires; null if none. */
interface WayToComplete {
  readonly lock: LockName | null;
  /** Throws `UnexpectedRows` if the stored rows contradict an assumption of this way. The next way must then run. */
  readonly work: NodeWork<CompletedBatch>;
}

/** Returns the ways to end firings, fastest first: without a lock if possible, under the lock, and under the lock without assumptions. */
export function waysToComplete(completions: readonly Completion[]): readonly WayToComplete[] {
  const locked = (isOwnedUnknown: boolean): WayToComplete => ({
    lock: 'TRIGGER_ACCESS',
    async work(tx) {
      const keys = completions.map(({ firing }) => firing.trigger.key);
      await refuseLocked(tx, keys);
      return completeLocked(tx, completions, { isOwnedUnknown });
    },
  });
  const ways = [locked(false), locked(true)];
  if (!completions.every(isFast)) return ways;
  return [{ lock: null, work: (tx) => completeFast(tx, completions) }, ...ways];
}

/**
 * Checks whether a commit without an answer took effect. Missing fired triggers were deleted by this commit, or by the node that ended this
 * incarnation and recovered its firings. If the incarnation has ended, only the record of a run shows which: other completions count as fenced.
 */
async function resolveUnknown(
  tx: NodeTransaction,
  completions: readonly Completion[],
  batch: CompletedBatch,
): Promise<CommitResolution<CompletedBatch>> {
  const completed = completions.filter((_, index) => batch.outcomes[index]?.status === 'completed');
  const entryIds = completed.map(({ firing }) => firing.runId);
  const stillStored = await selectFiredTriggers(tx, entryIds, 'EXECUTING');
  if (stillStored.size > 0) return { status: 'notCommitted' };
  const { instanceId } = tx.node;
  const epoch = tx.node.incarnation?.epoch ?? null; // null: no other node may recover this node's firings
  if (epoch === null || (await hasJoined(tx, { instanceId, epoch }))) return { status: 'committed', result: batch };
  const recorded = await selectRecorded(tx, completed);
  const outcomes = batch.outcomes.map((each, index) => {
    const isStored = each.status !== 'completed' || recorded.has(completions[index]?.firing.runId ?? '');
    return isStored ? each : FENCED;
  });
  return { status: 'committed', result: { ...batch, outcomes } };
}

/** Ends the runs that an unanswered script has not ended. Those that are no longer stored were ended by it, or recovered by another node. */
async function resolveScript(tx: NodeTransaction, completions: readonly Completion[]): Promise<CompletedBatch> {
  const unblockedNow = tx.node.clock.now(); // the script's answer would have said when they are due
  const asFound = { outcomes: completions.map(() => ENDED), earliest: undefined, earliestHere: unblockedNow };
  const resolution = await resolveUnknown(tx, completions, asFound);
  return resolution.status === 'committed'
    ? resolution.result
    : completeLocked(tx, completions, { isOwnedUnknown: true });
}

/** Returns the ids of the runs whose record the completion stored. A recovered run is recorded as `lost` instead. */
async function selectRecorded(tx: NodeTransaction, ended: readonly Completion[]): Promise<Set<string>> {
  const runIds = runsOf(ended).map(({ runId }) => runId);
  if (runIds.length === 0) return new Set();
  const { items } = await listRuns(tx, { runIds, detail: 'none', take: runIds.length });
  return new Set(items.filter(({ outcome }) => outcome !== 'lost').map(({ runId }) => runId));
}

/** True if a completion needs neither reads nor the lock, provided nothing has changed since its trigger fired. */
function isFast(completion: Completion): boolean {
  const { firing, instruction } = completion;
  const { nextFireTime, calendarName } = firing.trigger;
  const isAsFired = instruction !== 'DELETE_TRIGGER' || (nextFireTime === null && calendarName === null);
  return isAsFired && storesNothingElse(completion) && !concernsOthers(completion);
}

/**
 * Ends firings without reading. The numbers of changed rows show whether the stored state is as expected. Throws `UnexpectedRows` if a job has
 * become non-concurrent (its fired trigger is marked) or a trigger was rescheduled (it has a next fire time).
 */
export async function completeFast(tx: NodeTransaction, completions: readonly Completion[]): Promise<CompletedBatch> {
  const { instanceId } = tx.node;
  const entryIds = completions.map(({ firing }) => firing.runId);
  try {
    const held = completions.flatMap(heldLimitsOf).map(({ key, id }) => [key, id] as const);
    const [deleted, deletions] = await Promise.all([
      writeRows(tx, 'deleteConcurrentFirings', entryIds, { instanceId }),
      deleteFinished(tx, completions.flatMap(finishedAsFired)),
      ...EXTENSIONS.map(({ ended }) => ended?.(tx, { ...ALONE, owned: completions })),
      writeRows(tx, 'deleteHeld', held),
    ]);
    if (deleted !== entryIds.length) throw new UnexpectedRows();
    return { outcomes: completions.map((each) => outcomeOf(each, deletions)), earliest: undefined };
  } catch (error) {
    throw error instanceof StaleRead ? new UnexpectedRows() : error;
  }
}

/** Array with the trigger if the completion deletes it, else empty. Assumes that nothing has changed; the deletion itself checks the job's row. */
function finishedAsFired(completion: Completion): readonly FinishedTrigger[] {
  if (completion.instruction !== 'DELETE_TRIGGER') return [];
  const { trigger, jobDetail } = completion.firing;
  return [{ completion, type: trigger.kind, jobKey: jobDetail.key, mayLeaveOrphan: true }];
}
