import type { EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { Completion } from '../../../domain/completion';
import { formatKey, type TriggerKey } from '../../../domain/keys';
import type { CompletionOutcome } from '../../job-store';
import { earliestOf } from '../rows/earliest';
import { LockedByOthers } from '../rows/locked-rows';
import { inPresentLife, type SqlNode } from '../rows/sql-node';
import { bisectBatch } from '../runtime/bisect-batch';
import { mayBeOfOneRow } from '../runtime/retry-rules';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { RunOptions, Transactions } from '../runtime/transactions';
import { completeFast, isFast } from './complete-fast';
import { completeLocked } from './complete-locked';
import { type CompletedBatch, UnexpectedRows } from './completed-batch';
import { resolveCompletions } from './resolve-unknown';
import { refuseLocked } from './skip-locked';

const FAILED: CompletionOutcome = { status: 'failed', deletedTrigger: false, deletedJob: false };

/**
 * Ends firings on the connection for completions, beside the next acquisition. Takes TRIGGER_ACCESS where a completion touches more
 * than the rows that its own fired row guards, or has to read: of non-concurrent jobs, when it settles triggers or stores job data, and
 * when it may be the last firing to end of a trigger that is kept for its recovery. One that the database refuses has failed by itself.
 */
export async function runCompletions(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const earliest: (EpochMs | undefined)[] = [];
  const outcomes = await bisectBatch(completions, async (part) => {
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

/** Fast where it can be; locked where that is needed, or where rows are not as expected; at last expecting nothing. */
async function runBatch(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  const living = inPresentLife(node);
  const options: RunOptions<CompletedBatch> = {
    role: 'completions',
    isSplit: completions.length > 1,
    resolveUnknown: (tx, batch) => resolveCompletions(tx, living, completions, batch),
  };
  const fast = () => transactions.run(null, (tx) => completeFast(tx, node, completions), options);
  const locked = (isOwnedUnknown: boolean) => {
    const work = async (tx: SqlTransaction) => {
      await refuseLocked(tx, node, keysOf(completions));
      return completeLocked(tx, node, completions, { isOwnedUnknown });
    };
    return transactions.run('TRIGGER_ACCESS', work, options);
  };
  for (const complete of completions.every(isFast) ? [fast, () => locked(false)] : [() => locked(false)]) {
    try {
      return await complete();
    } catch (error) {
      if (!(error instanceof UnexpectedRows)) throw error;
    }
  }
  return locked(true);
}

function keysOf(completions: readonly Completion[]): readonly TriggerKey[] {
  return completions.map(({ firing }) => firing.trigger.key);
}
