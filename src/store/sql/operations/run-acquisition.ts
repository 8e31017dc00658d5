import { toError } from '../../../base/errors';
import { formatKey, type TriggerKey } from '../../../domain/keys';
import type { AcquireResult, MisfireRequest, MisfireSweep } from '../../job-store';
import type { RowProblem, SqlNode } from '../rows/sql-node';
import { bisectFoundBatch, type FoundBatch } from '../runtime/bisect-batch';
import type { Transactions } from '../runtime/transactions';
import { acquireTriggers, type TimedRequest } from './acquire-triggers';
import type { BacklogCursor } from './backlog-cursor';
import { recoverMisfires } from './recover-misfires';
import { resolveAcquisition, resolveMisfires } from './resolve-unknown';
import { releasePending } from './run-firings';

/** Acquires what is due; a trigger that the database refuses is set aside, and the others are acquired. */
export async function runAcquisition(
  transactions: Transactions,
  node: SqlNode,
  request: TimedRequest,
  scan: BacklogCursor,
): Promise<AcquireResult> {
  await releasePending(transactions, node);
  const acquire = (batch: FoundBatch) =>
    transactions.run('TRIGGER_ACCESS', (tx) => acquireTriggers(tx, node, { ...request, ...batch }, scan), {
      isSplit: batch.maxCount > 1,
      resolveUnknown: (tx, result) => resolveAcquisition(tx, node, result),
    });
  return bisectFoundBatch(request.maxCount, acquire, rejectedTriggers(node, 'firing'));
}

/** Sweeps once; a trigger that the database refuses is set aside, and the others are swept. */
export function runMisfires(transactions: Transactions, node: SqlNode, request: MisfireRequest): Promise<MisfireSweep> {
  const recover = (batch: FoundBatch) =>
    transactions.run('TRIGGER_ACCESS', (tx) => recoverMisfires(tx, node, { ...request, ...batch }), {
      isSplit: batch.maxCount > 1,
      resolveUnknown: (tx, result) => resolveMisfires(tx, node, result),
    });
  return bisectFoundBatch(request.maxCount, recover, rejectedTriggers(node, 'recovering the misfire of'));
}

function rejectedTriggers(node: SqlNode, doing: NonNullable<RowProblem['doing']>) {
  return (key: TriggerKey, error: unknown) => {
    node.rejectedTriggers.add(key);
    node.onRowProblem({ what: 'trigger', name: formatKey(key), doing, error: toError(error) });
  };
}
