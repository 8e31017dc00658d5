import type { EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import { type Completion, concernsOthers, mayEndTrigger } from '../../../domain/completion';
import { formatKey, type TriggerKey } from '../../../domain/keys';
import type { CompletionOutcome } from '../../job-store';
import { LockedByOthers } from '../locked-rows';
import { mayBeOfOneRow } from '../restart-rules';
import { runInHalves } from '../run-in-halves';
import type { SqlTransaction } from '../sql-driver';
import { inPresentLife, type SqlNode } from '../sql-node';
import type { RunOptions, Transactions } from '../transactions';
import { type CompletedBatch, type CompletionMode, completeTriggers, OtherModeNeeded } from './complete-triggers';
import { earliestOf } from './earliest';
import { resolveCompletions } from './resolve-unknown';
import { refuseLocked } from './skip-locked';

const FAILED: CompletionOutcome = { status: 'failed', deletedTrigger: false, deletedJob: false };

/**
 * Ends firings on the connection for completions, beside the next acquisition. Takes TRIGGER_ACCESS only where a completion
 * touches more than the rows that its own fired row guards: of non-concurrent jobs, when it settles triggers, and when it may be
 * the last firing to end of a trigger that is kept for its recovery. One that
 * the database refuses has failed by itself.
 */
export async function runCompletions(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const earliest: (EpochMs | undefined)[] = [];
  const outcomes = await runInHalves(completions, async (part) => {
    const batch = await runBatch(transactions, node, part);
    earliest.push(batch.earliest);
    return batch.outcomes;
  });
  return {
    outcomes: outcomes.map((outcome, index) =>
      outcome.status === 'done' ? outcome.result : failed(node, completions[index] as Completion, outcome.error),
    ),
    earliest: earliestOf(earliest.filter((time) => time !== undefined)),
  };
}

function failed(node: SqlNode, { firing }: Completion, error: unknown): CompletionOutcome {
  const isTold = error instanceof LockedByOthers && !node.lockedRows.isNews(firing.trigger.key);
  if (mayBeOfOneRow(error) && !isTold) {
    const name = formatKey(firing.trigger.key);
    node.onRowProblem({ what: 'trigger', name, doing: 'completing', error: toError(error) });
  }
  return FAILED;
}

async function runBatch(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  let mode: CompletionMode = {
    isLocked: completions.some((each) => concernsOthers(each) || mayEndTrigger(each)),
    isPrecise: false,
  };
  for (;;) {
    try {
      return await runIn(transactions, node, completions, mode);
    } catch (error) {
      // Each mode asks for a more careful one, so this ends.
      if (!(error instanceof OtherModeNeeded)) throw error;
      mode = error.mode;
    }
  }
}

function keysOf(completions: readonly Completion[]): readonly TriggerKey[] {
  return completions.map(({ firing }) => firing.trigger.key);
}

function runIn(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
  mode: CompletionMode,
): Promise<CompletedBatch> {
  const living = inPresentLife(node);
  const options: RunOptions<CompletedBatch> = {
    role: 'completions',
    startsAtOnce: true,
    isSplit: completions.length > 1,
    resolveUnknown: (tx, batch) => resolveCompletions(tx, living, completions, batch),
  };
  const locks = mode.isLocked ? 'TRIGGER_ACCESS' : null;
  const work = async (tx: SqlTransaction) => {
    if (mode.isLocked) await refuseLocked(tx, node, keysOf(completions));
    return completeTriggers(tx, node, completions, mode);
  };
  return transactions.run(locks, work, options);
}
