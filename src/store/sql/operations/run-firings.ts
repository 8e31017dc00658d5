import type { EpochMs } from '../../../base/clock';
import { toError } from '../../../base/errors';
import type { AcquiredTrigger, FireResult } from '../../../domain/firing';
import { formatKey, type TriggerKey } from '../../../domain/keys';
import { LockedByOthers } from '../rows/locked-rows';
import type { SqlNode } from '../rows/sql-node';
import { bisectBatch } from '../runtime/bisect-batch';
import { mayBeOfOneRow } from '../runtime/retry-rules';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Transactions } from '../runtime/transactions';
import { repeat } from '../runtime/transactions';
import { fireTriggers } from './fire-triggers';
import { releaseTriggers } from './release-triggers';
import { resolveFirings } from './resolve-unknown';
import { refuseLocked } from './skip-locked';

/** Fires what is still ours; what the database refuses is given back and set aside, and the others are fired. */
export async function runFirings(
  transactions: Transactions,
  node: SqlNode,
  acquired: readonly AcquiredTrigger[],
  now: EpochMs,
): Promise<readonly FireResult[]> {
  const fire = (part: readonly AcquiredTrigger[]) =>
    transactions.run('TRIGGER_ACCESS', (tx) => fireUnlocked(tx, node, part, now), {
      isSplit: part.length > 1,
      resolveUnknown: (tx, results) => resolveFirings(tx, node, results),
    });
  const outcomes = await bisectBatch(acquired, fire);
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.status === 'failed' ? [{ acquired: acquired[index] as AcquiredTrigger, error: outcome.error }] : [],
  );
  for (const { acquired: each, error } of failed) refuse(node, each, error);
  await giveBack(
    transactions,
    node,
    failed.map(({ acquired: each }) => each),
  );
  return outcomes.map((outcome, index) =>
    outcome.status === 'done'
      ? outcome.result
      : { status: 'notFired', acquired: acquired[index] as AcquiredTrigger, reason: 'failed' },
  );
}

async function fireUnlocked(
  tx: SqlTransaction,
  node: SqlNode,
  part: readonly AcquiredTrigger[],
  now: EpochMs,
): Promise<readonly FireResult[]> {
  await refuseLocked(tx, node, part.map(keyOf));
  return fireTriggers(tx, node, part, now);
}

async function releaseUnlocked(tx: SqlTransaction, node: SqlNode, part: readonly AcquiredTrigger[]): Promise<void> {
  await refuseLocked(tx, node, part.map(keyOf));
  await releaseTriggers(tx, node, part);
}

function keyOf({ trigger }: AcquiredTrigger): TriggerKey {
  return trigger.key;
}

/** Gives back what was acquired. What the database refuses is kept, and given back at another time. Rejects when the store is down. */
export async function runReleases(
  transactions: Transactions,
  node: SqlNode,
  acquired: readonly AcquiredTrigger[],
): Promise<void> {
  const release = async (part: readonly AcquiredTrigger[]) => {
    const options = { isSplit: part.length > 1, resolveUnknown: repeat };
    await transactions.run('TRIGGER_ACCESS', (tx) => releaseUnlocked(tx, node, part), options);
    return part;
  };
  const outcomes = await bisectBatch(acquired, release);
  outcomes.forEach((outcome, index) => {
    if (outcome.status === 'failed') keep(node, acquired[index] as AcquiredTrigger, outcome.error);
  });
}

/** Gives back what could not be given back before; if that fails again, it is kept again. */
export function releasePending(transactions: Transactions, node: SqlNode): Promise<void> {
  return giveBack(transactions, node, node.rejectedTriggers.takePendingReleases());
}

async function giveBack(transactions: Transactions, node: SqlNode, acquired: readonly AcquiredTrigger[]) {
  if (acquired.length === 0) return;
  try {
    await runReleases(transactions, node, acquired);
  } catch (error) {
    for (const each of acquired) keep(node, each, error);
  }
}

function keep(node: SqlNode, acquired: AcquiredTrigger, error: unknown): void {
  const isRefused = mayBeOfOneRow(error);
  node.rejectedTriggers.addPendingRelease(acquired, isRefused && !(error instanceof LockedByOthers)); // a lock may be gone at any moment
  if (isRefused) report(node, acquired, 'giving back', error);
}

function refuse(node: SqlNode, acquired: AcquiredTrigger, error: unknown): void {
  if (!mayBeOfOneRow(error)) return;
  if (!(error instanceof LockedByOthers)) node.rejectedTriggers.add(acquired.trigger.key);
  report(node, acquired, 'firing', error);
}

function report(node: SqlNode, { trigger }: AcquiredTrigger, doing: 'firing' | 'giving back', error: unknown): void {
  if (error instanceof LockedByOthers && !node.lockedRows.isNews(trigger.key)) return;
  node.onRowProblem({ what: 'trigger', name: formatKey(trigger.key), doing, error: toError(error) });
}
