import type { Completion } from '../../../domain/completion';
import type { SqlNode } from '../sql-node';
import type { RunOptions, Transactions } from '../transactions';
import {
  type CompletedBatch,
  type CompletionMode,
  completeTriggers,
  needsLock,
  OtherModeNeeded,
} from './complete-triggers';
import { holdsAny } from './resolve-unknown';

/**
 * Ends firings on the connection for completions, beside the next acquisition. Takes TRIGGER_ACCESS only where a completion
 * touches more than the rows that its own fired row guards: of non-concurrent jobs, and when it settles triggers.
 */
export async function runCompletions(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
): Promise<CompletedBatch> {
  let mode: CompletionMode = { isLocked: completions.some(needsLock), isPrecise: false };
  for (;;) {
    try {
      return await runIn(transactions, node, completions, mode);
    } catch (error) {
      // Each mode asks for the other at most once, so this ends.
      if (!(error instanceof OtherModeNeeded)) throw error;
      mode = error.mode;
    }
  }
}

function runIn(
  transactions: Transactions,
  node: SqlNode,
  completions: readonly Completion[],
  mode: CompletionMode,
): Promise<CompletedBatch> {
  const options: RunOptions<CompletedBatch> = {
    role: 'completions',
    resolveUnknown: async (tx, result) => {
      const entryIds = completions
        .filter((_, index) => result.outcomes[index]?.status === 'completed')
        .map(({ firing }) => firing.fireInstanceId);
      const isOpen = await holdsAny(tx, node, entryIds, 'EXECUTING');
      return isOpen ? { status: 'notCommitted' } : { status: 'committed', result };
    },
  };
  const locks = mode.isLocked ? 'TRIGGER_ACCESS' : null;
  return transactions.run(locks, (tx) => completeTriggers(tx, node, completions, mode), options);
}
