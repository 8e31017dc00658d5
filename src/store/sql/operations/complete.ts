import { type EpochMs, earliestOf } from '../../../base/clock';
import { type Completion, concernsOthers, mayEndTrigger } from '../../../domain/completion';
import { inPresentIncarnation, type SqlNode } from '../rows/sql-node';
import { StaleRead } from '../runtime/retry-rules';
import { writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { CommitResolution, LockName, RunOptions, Transactions, Work } from '../runtime/transactions';
import { hasJoined } from './check-in';
import { completeLocked } from './complete-locked';
import {
  type CompletedBatch,
  deleteFinished,
  FAILED,
  FENCED,
  type FinishedTrigger,
  outcomeOf,
  UnexpectedRows,
} from './completed-batch';
import type { EndedRuns } from './extension';
import { EXTENSIONS } from './extensions';
import { selectFiredTriggers } from './fired-triggers';
import { isolateFailures, refuseLocked, reportRejected } from './refused-triggers';

/**
 * Ends firings on the connection for completions, beside the next acquisition. Takes TRIGGER_ACCESS where a completion touches more
 * than the rows that its own fired trigger guards, or has to read: of non-concurrent jobs, when it settles triggers or stores job data, and
 * when it may be the last firing to end of a trigger that is kept for its recovery. One that the database rejects fails by itself.
 */
export async function complete(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const times: EpochMs[] = [];
  const run = async (part: readonly Completion[]) => {
    const { outcomes, earliest } = await completePart(transactions, node, part);
    if (earliest !== undefined) times.push(earliest);
    return outcomes;
  };
  const outcomes = await isolateFailures(completions, run, ({ firing }, error) => {
    reportRejected(node, firing.trigger.key, 'completing', error);
    return FAILED;
  });
  return { outcomes, earliest: earliestOf(times) };
}

/** In the first of the ways that meets the rows it expects. */
async function completePart(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const living = inPresentIncarnation(node);
  const options: RunOptions<CompletedBatch> = {
    role: 'completions',
    isSplit: completions.length > 1,
    resolveUnknown: (tx, batch) => resolveUnknown(tx, living, completions, batch),
  };
  for (const { lock, work } of waysToComplete(node, completions)) {
    const done = await unlessUnexpected(transactions.run(lock, work, options));
    if (done !== null) return done;
  }
  throw new UnexpectedRows(); // the last way expects nothing
}

/** One way of ending firings: under a lock, or without. */
export interface WayToComplete {
  readonly lock: LockName | null;
  /** Throws `UnexpectedRows` where the next way is needed. */
  readonly work: Work<CompletedBatch>;
}

/** The ways of ending firings, each more careful than the one before: fast where it can be, under the lock, and at last expecting nothing. */
export function waysToComplete(node: SqlNode, completions: readonly Completion[]): readonly WayToComplete[] {
  const locked = (isOwnedUnknown: boolean): WayToComplete => ({
    lock: 'TRIGGER_ACCESS',
    async work(tx) {
      const keys = completions.map(({ firing }) => firing.trigger.key);
      await refuseLocked(tx, node, keys);
      return completeLocked(tx, node, completions, { isOwnedUnknown });
    },
  });
  const ways = [locked(false), locked(true)];
  if (!completions.every(isFast)) return ways;
  return [{ lock: null, work: (tx) => completeFast(tx, node, completions) }, ...ways];
}

async function unlessUnexpected(running: Promise<CompletedBatch>): Promise<CompletedBatch | null> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof UnexpectedRows) return null;
    throw error;
  }
}

/**
 * Not committed: to be done again. Fired triggers that are gone were deleted by this commit, or by the node that ended the incarnation
 * of the firings and runs them again: once the incarnation has ended, the completions count as fenced.
 */
async function resolveUnknown(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
  batch: CompletedBatch,
): Promise<CommitResolution<CompletedBatch>> {
  const completed = completions.filter((_, index) => batch.outcomes[index]?.status === 'completed');
  const entryIds = completed.map(({ firing }) => firing.runId);
  const stillStored = await selectFiredTriggers(tx, node, entryIds, 'EXECUTING');
  if (stillStored.size > 0) return { status: 'notCommitted' };
  const { instanceId } = node;
  const epoch = node.incarnation?.epoch ?? null; // null: nobody else could have taken them away
  if (epoch === null || (await hasJoined(tx, node, { instanceId, epoch })))
    return { status: 'committed', result: batch };
  const outcomes = batch.outcomes.map((each) => (each.status === 'completed' ? FENCED : each));
  return { status: 'committed', result: { ...batch, outcomes } };
}

/** True if a completion needs neither reads nor the lock, provided that nothing has changed since its trigger fired. */
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

/** Runs whose ends touch no others. */
const ALONE: Omit<EndedRuns, 'owned'> = { occurrences: new Map(), begun: [], stored: new Set() };

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
      ...EXTENSIONS.map(({ ended }) => ended?.(tx, node, { ...ALONE, owned: completions })),
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
