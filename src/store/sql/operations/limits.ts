import { type EpochMs, earliestOf } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import type { TriggerFiring } from '../../../domain/firing';
import { claimOf, type LimitClaim, LimitRoom } from '../../../domain/limit-claims';
import type { ReadTrigger } from '../rows/read-rows';
import { fromTime, keyList, type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Reader } from './read-cluster';
import { moveTriggers } from './write-triggers';

/*
 * Limits of concurrent firings. What executes under a key is a row of QRTZ_X_HELD beside its fired trigger; what finds its key full is
 * BLOCKED, waits in QRTZ_X_WAITERS, and is read by no acquisition until something of the key has ended. All of it under TRIGGER_ACCESS.
 */

/** A due trigger that its limit does not let fire. */
export interface RefusedTrigger {
  readonly row: TriggerRow;
  readonly claim: LimitClaim;
}

/** Whether the firings of these triggers have limits, and how much of those is left; null: none has, and nothing was read. */
export async function readRoom(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  reads: readonly Pick<ReadTrigger, 'trigger' | 'jobDetail'>[],
): Promise<LimitRoom | null> {
  const keys = new Set(reads.flatMap((read) => claimOf(read)?.key ?? []));
  if (keys.size === 0) return null;
  type Row = { readonly LIMIT_KEY: string; readonly HELD: number };
  const rows = await selectByRows<Row>(tx, 'countHeld', { schedName }, [...keys]);
  const held = new Map(rows.map(({ LIMIT_KEY, HELD }) => [LIMIT_KEY, HELD]));
  return new LimitRoom((key) => held.get(key) ?? 0);
}

/** Records what firings take. To be called in the transaction that fires them. */
export async function takeLimits(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  firings: readonly TriggerFiring[],
): Promise<void> {
  await writeEveryRow(tx, 'insertHeld', { schedName }, firings.flatMap(heldRow));
}

/** Blocks the triggers until there is room. `from`: the state in which they were read. */
export async function makeWait(tx: SqlTransaction, node: SqlNode, refused: readonly RefusedTrigger[]): Promise<void> {
  const rows = refused.map(({ row, claim }) => [
    ...keyList(triggerKeyOf(row)),
    claim.key,
    claim.limit,
    fromTime(row.NEXT_FIRE_TIME),
  ]);
  await Promise.all([
    moveTriggers(
      tx,
      node,
      refused.flatMap(({ row }) => (row.TRIGGER_STATE === 'WAITING' ? [{ from: row, state: 'BLOCKED' as const }] : [])),
    ),
    writeRows(tx, 'upsertWaiters', { schedName: node.schedName }, rows),
  ]);
}

/** Gives back what firings held that have ended, and lets as many go on; the earliest of their fire times, if any were waiting. */
export async function releaseLimits(
  tx: SqlTransaction,
  node: SqlNode,
  ended: readonly Completion[],
): Promise<EpochMs | undefined> {
  const rows = ended.flatMap(({ firing }) => heldRow(firing));
  if (rows.length === 0) return undefined;
  await writeRows(tx, 'deleteHeld', { schedName: node.schedName }, rows);
  const free = new Map<string, number>();
  for (const [key] of rows) free.set(key, (free.get(key) ?? 0) + 1);
  return wake(tx, node, free);
}

/** What is held by nothing that executes, and keys that triggers wait for although they are not full: a node died, or what was let go on was deleted. */
export interface IdleLimits {
  readonly ended: readonly { readonly LIMIT_KEY: string; readonly ENTRY_ID: string }[];
  readonly idle: readonly { readonly LIMIT_KEY: string; readonly MAX_RUNNING: number; readonly HELD: number }[];
}

/** At most `limit` of each. */
export async function findIdleLimits(reader: Reader, { schedName }: SqlNode, limit: number): Promise<IdleLimits> {
  const ended = await reader.all<IdleLimits['ended'][number]>('selectEndedHeld', { schedName, limit });
  return { ended, idle: await reader.all<IdleLimits['idle'][number]>('selectIdleLimits', { schedName, limit }) };
}

/** Puts both right. */
export async function wakeIdle(tx: SqlTransaction, node: SqlNode, { ended, idle }: IdleLimits): Promise<void> {
  const rows = ended.map(({ LIMIT_KEY, ENTRY_ID }) => [LIMIT_KEY, ENTRY_ID]);
  await writeRows(tx, 'deleteHeld', { schedName: node.schedName }, rows);
  await wake(tx, node, new Map(idle.map(({ LIMIT_KEY, MAX_RUNNING, HELD }) => [LIMIT_KEY, MAX_RUNNING - HELD])));
}

function heldRow(
  firing: Pick<TriggerFiring, 'trigger' | 'jobDetail' | 'fireInstanceId'>,
): (readonly [string, string])[] {
  const claim = claimOf(firing);
  return claim === null ? [] : [[claim.key, firing.fireInstanceId]];
}

interface WaiterRow extends Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'> {
  readonly NEXT_FIRE_TIME: number;
  /** Null: the trigger is gone. */
  readonly TRIGGER_STATE: string | null;
}

/** What is read besides those that may go on: waiters whose triggers were paused, deleted or let go on by something else. */
const STALE_AT_ONCE = 50;

async function wake(
  tx: SqlTransaction,
  node: SqlNode,
  free: ReadonlyMap<string, number>,
): Promise<EpochMs | undefined> {
  const found = await Promise.all([...free].map(([key, count]) => firstWaiters(tx, node, key, count)));
  const waiters = found.flat();
  const moved = waiters.flatMap((waiter) => {
    const state = stateAfterWaiting(waiter);
    return state === null ? [] : [{ from: { ...waiter, TRIGGER_STATE: waiter.TRIGGER_STATE as string }, state }];
  });
  await Promise.all([
    moveTriggers(tx, node, moved),
    writeRows(
      tx,
      'deleteWaiters',
      { schedName: node.schedName },
      waiters.map((waiter) => keyList(triggerKeyOf(waiter))),
    ),
  ]);
  return earliestOf(waiters.flatMap((waiter) => (isWaiting(waiter) ? [waiter.NEXT_FIRE_TIME] : [])));
}

/** As many as may go on, and before them what does not wait any more. */
async function firstWaiters(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  limitKey: string,
  count: number,
): Promise<readonly WaiterRow[]> {
  const waiters = await tx.all<WaiterRow>('selectWaiters', { schedName, limitKey, limit: count + STALE_AT_ONCE });
  let left = count;
  return waiters.filter((waiter) => !isWaiting(waiter) || left-- > 0);
}

function isWaiting({ TRIGGER_STATE }: WaiterRow): boolean {
  return TRIGGER_STATE === 'BLOCKED';
}

function stateAfterWaiting({ TRIGGER_STATE }: WaiterRow): 'WAITING' | 'PAUSED' | null {
  if (TRIGGER_STATE === 'BLOCKED') return 'WAITING';
  return TRIGGER_STATE === 'PAUSED_BLOCKED' ? 'PAUSED' : null;
}
