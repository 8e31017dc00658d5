import { toError } from '../../../base/errors';
import { addAll } from '../../../base/lists';
import type { AcquiredTrigger } from '../../../domain/firing';
import { formatKey, keyText, type TriggerKey } from '../../../domain/keys';
import { nextState } from '../../../domain/trigger-state';
import type { NodeTransaction, NodeTransactions } from '../rows/node-transaction';
import { type TriggerRow, toTime, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import { LockedByOthers } from '../rows/skipped-triggers';
import type { RowProblem, SqlNode } from '../rows/sql-node';
import { mayBeOfOneRow } from '../runtime/retry-rules';
import { repeat } from '../runtime/transactions';
import { deleteReservations } from './fired-triggers';
import { type FoundTrigger, selectTriggerKeys, selectTriggerRows, selectTriggers } from './select-definitions';
import { moveTriggers } from './write-triggers';

type Doing = NonNullable<RowProblem['doing']>;

const NONE: ReadonlySet<string> = new Set();

/** Returns the rows that no other session has locked, and reports the locked rows. */
export async function withoutLocked(tx: NodeTransaction, rows: readonly TriggerRow[]): Promise<readonly TriggerRow[]> {
  const locked = await selectLocked(tx, rows.map(triggerKeyOf));
  if (locked.size === 0) return rows;
  const isLocked = (row: TriggerRow) => locked.has(keyText(triggerKeyOf(row)));
  for (const key of rows.filter(isLocked).map(triggerKeyOf))
    reportRejected(tx.node, key, 'firing', new LockedByOthers([key]));
  return rows.filter((row) => !isLocked(row));
}

/** Throws `LockedByOthers` if a session outside the cluster has locked a row: waiting would hold the cluster's lock. The caller splits the batch. */
export async function refuseLocked(tx: NodeTransaction, keys: readonly TriggerKey[]): Promise<void> {
  const locked = await selectLocked(tx, keys);
  if (locked.size === 0) return;
  const stored = (await selectTriggerRows(tx, keys)).map(triggerKeyOf); // a deleted trigger is not locked
  const held = stored.filter((key) => locked.has(keyText(key)));
  if (held.length > 0) throw new LockedByOthers(held);
}

/** Returns the keys of locked rows and of missing rows, in the form of `keyText`. Sends no statement unless a locked row was suspected recently. */
async function selectLocked(tx: NodeTransaction, keys: readonly TriggerKey[]) {
  if (!tx.node.lockedRows.areSuspected || keys.length === 0) return NONE;
  const free = await selectTriggerKeys(tx, 'selectUnlockedTriggers', keys.map(triggerKeyColumns));
  const locked = new Set(keys.map(keyText));
  for (const key of free) locked.delete(keyText(key));
  if (locked.size > 0) tx.node.lockedRows.skip();
  return locked;
}

/** Maximum number of triggers to reject one by one before the batch fails. If so many fail, no single row is the cause. */
const MAX_REJECTED = 10;

/**
 * Runs a batch. If it fails and one item may be the cause, runs each item alone. `onFailed` returns the result of an item that fails alone.
 * `run` returns one result per item, in order, and must try twice before it rejects (`RunOptions.isSplit`). If the store as a whole fails, no
 * further items run. The batch then rejects if no item has succeeded; otherwise the remaining items count as failed.
 */
export async function isolateFailures<Item, Result>(
  items: readonly Item[],
  run: (part: readonly Item[]) => Promise<readonly Result[]>,
  onFailed: (item: Item, error: unknown) => Result,
): Promise<readonly Result[]> {
  try {
    return items.length === 0 ? [] : await run(items);
  } catch (error) {
    if (!mayBeOfOneRow(error)) throw error;
    if (items.length === 1) return items.map((item) => onFailed(item, error));
  }
  const results: Result[] = [];
  let hasSucceeded = false;
  let outage: unknown = null;
  for (const item of items) {
    try {
      if (outage !== null) throw outage;
      addAll(results, await run([item]));
      hasSucceeded = true;
    } catch (error) {
      if (!mayBeOfOneRow(error)) outage = error;
      if (outage !== null && !hasSucceeded) throw outage;
      results.push(onFailed(item, error));
    }
  }
  return results;
}

/** Input of one attempt to run a batch. The attempt itself selects the triggers. */
export interface FoundBatch {
  /** Maximum size of the batch. The attempt must select the first triggers. */
  readonly maxCount: number;
  /** Must be called with the keys of the batch before anything is written. */
  readonly onBatch: (keys: readonly TriggerKey[]) => void;
}

/**
 * Runs a batch whose triggers `run` selects. If the batch fails and one trigger may be the cause, runs only the first trigger. If this trigger
 * fails alone, passes it to `rejectOne`; `run` must not select it again. Resolves to the result of the first successful run. Rejects with the
 * error if `MAX_REJECTED` triggers have been rejected.
 */
export async function isolateFoundFailures<Result>(
  maxCount: number,
  run: (batch: FoundBatch) => Promise<Result>,
  rejectOne: (key: TriggerKey, error: unknown) => void,
): Promise<Result> {
  let limit = maxCount;
  for (let rejected = 0; ; ) {
    let found: readonly TriggerKey[] = [];
    const onBatch = (keys: readonly TriggerKey[]) => {
      found = keys;
    };
    try {
      return await run({ maxCount: limit, onBatch });
    } catch (error) {
      const [first] = found;
      if (first === undefined || !mayBeOfOneRow(error) || rejected === MAX_REJECTED) throw error;
      limit = 1;
      if (found.length > 1) continue;
      rejectOne(first, error);
      rejected++;
      limit = maxCount;
    }
  }
}

/** Reports a trigger that the database rejects, and skips it for a minute. A locked row is not skipped, because its lock may end at any time. */
export function reject(node: SqlNode, key: TriggerKey, doing: Doing, error: unknown): void {
  if (mayBeOfOneRow(error) && !(error instanceof LockedByOthers)) node.rejectedTriggers.add(key);
  reportRejected(node, key, doing, error);
}

/** Reports that the database rejected an action on a trigger. Reports nothing if the store as a whole failed, and each locked row only once. */
export function reportRejected(node: SqlNode, key: TriggerKey, doing: Doing, error: unknown): void {
  if (!mayBeOfOneRow(error)) return;
  if (error instanceof LockedByOthers && !node.lockedRows.shouldReport(key)) return;
  node.onRowProblem({ what: 'trigger', name: formatKey(key), doing, error: toError(error) });
}

/** Releases acquired triggers. Stores those whose release the database rejects, to release them later. Rejects if the store as a whole is down. */
export async function release(transactions: NodeTransactions, acquired: readonly AcquiredTrigger[]) {
  const run = async (part: readonly AcquiredTrigger[]) => {
    const options = { isSplit: part.length > 1, resolveUnknown: repeat };
    await transactions.run('TRIGGER_ACCESS', (tx) => releaseTriggers(tx, part), options);
    return part;
  };
  await isolateFailures(acquired, run, (each, error) => {
    keep(transactions.node, each, error);
    return each;
  });
}

/** Same as `release`, but stores every reservation that it cannot release, even if the store is down. */
export async function releaseOrKeep(transactions: NodeTransactions, acquired: readonly AcquiredTrigger[]) {
  if (acquired.length === 0) return;
  try {
    await release(transactions, acquired);
  } catch (error) {
    for (const each of acquired) keep(transactions.node, each, error);
  }
}

/** Releases reservations whose earlier release failed. A reservation that fails again is stored for the next attempt. */
export function releasePending(transactions: NodeTransactions): Promise<void> {
  return releaseOrKeep(transactions, transactions.node.rejectedTriggers.takePendingReleases());
}

function keep(node: SqlNode, acquired: AcquiredTrigger, error: unknown): void {
  node.rejectedTriggers.addPendingRelease(acquired);
  reject(node, acquired.trigger.key, 'releasing', error);
}

/** Deletes reservations that have not fired and restores their triggers. Ignores those that this node does not own. Must run under TRIGGER_ACCESS. */
async function releaseTriggers(tx: NodeTransaction, acquired: readonly AcquiredTrigger[]): Promise<void> {
  const found = await selectReserved(tx, acquired);
  const held = acquired.filter((_, index) => found[index]?.firedState === 'ACQUIRED');
  const entryIds = held.map(({ runId }) => runId);
  await deleteReservations(tx, entryIds);
  const moved = acquired.flatMap((each, index) => {
    const { row = null, firedState = null } = found[index] ?? {};
    if (row === null || !isOurs(each, { row, firedState })) return [];
    const circumstances = { jobExecuting: row.JOB_EXECUTING === 1, groupPaused: false };
    return [{ from: row, state: nextState('ACQUIRED', 'release', circumstances) }];
  });
  await moveTriggers(tx, moved);
}

/** Returns one stored state per reservation, in the same order. Throws `LockedByOthers` as `refuseLocked` does. */
export async function selectReserved(
  tx: NodeTransaction,
  acquired: readonly AcquiredTrigger[],
): Promise<readonly FoundTrigger[]> {
  const sought = acquired.map(({ trigger, runId }) => ({ key: trigger.key, entryId: runId }));
  const keys = sought.map(({ key }) => key);
  await refuseLocked(tx, keys);
  return selectTriggers(tx, sought);
}

/** True if this node still holds the reservation. Every change that ends a reservation deletes its fired trigger. */
export function isOurs({ trigger }: AcquiredTrigger, { row, firedState }: FoundTrigger): boolean {
  if (firedState !== 'ACQUIRED' || row?.TRIGGER_STATE !== 'ACQUIRED') return false;
  return toTime(row.NEXT_FIRE_TIME) === trigger.nextFireTime;
}
