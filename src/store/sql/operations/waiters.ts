import { type EpochMs, earliestOf } from '../../../base/clock';
import type { HeldLimit } from '../../../domain/freed-limits';
import type { NodeTransaction, NodeTransactions } from '../rows/node-transaction';
import { keyList, triggerKeyOf } from '../rows/rows';
import { writeRows } from '../runtime/row-batches';
import { repeat } from '../runtime/transactions';
import type { TriggerName } from './select-definitions';
import { moveTriggers } from './write-triggers';

/*
 * Triggers that wait for limits. A completion without the cluster-wide lock and a firing transaction may overlap: the firing counts a run that the
 * completion ends, and the completion finds no trigger that waits. Each therefore commits its own change before it reads the change of the other
 * (`wakeFreed`, `wakeMissed`), so at least one of them wakes the trigger.
 */

interface WaiterRow extends TriggerName {
  readonly NEXT_FIRE_TIME: number;
  /** State of the trigger; null if the trigger was deleted. */
  readonly TRIGGER_STATE: string | null;
}

/** Number of additional waiters to read, because some waiters may have been paused, deleted or unblocked since they started to wait. */
const STALE_AT_ONCE = 50;

/** Unblocks waiting triggers: at most `free` for each limit. Returns their earliest fire time; undefined if there are none. */
export async function wake(tx: NodeTransaction, free: ReadonlyMap<string, number>): Promise<EpochMs | undefined> {
  const found = await Promise.all([...free].map(([key, count]) => firstWaiters(tx, key, count)));
  const waiters = found.flat();
  const moved = waiters.flatMap((waiter) => {
    const state = stateAfterWaiting(waiter);
    return state === null ? [] : [{ from: { ...waiter, TRIGGER_STATE: waiter.TRIGGER_STATE as string }, state }];
  });
  const rows = waiters.map((waiter) => keyList(triggerKeyOf(waiter)));
  await Promise.all([moveTriggers(tx, moved), writeRows(tx, 'deleteWaiters', rows)]);
  return earliestOf(waiters.flatMap((waiter) => (isWaiting(waiter) ? [waiter.NEXT_FIRE_TIME] : [])));
}

/** Returns the first `count` waiters that are still BLOCKED, and all other waiters among the rows read, because these no longer wait. */
async function firstWaiters(tx: NodeTransaction, limitKey: string, count: number) {
  const waiters = await tx.all<WaiterRow>('selectWaiters', { limitKey, limit: count + STALE_AT_ONCE });
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

/** Unblocks the triggers that can use the freed slots. Returns their earliest fire time; undefined if there are none. */
export function wakeFor(tx: NodeTransaction, freed: ReadonlyMap<string, number>): Promise<EpochMs | undefined> {
  const { triggersPerSlot } = tx.node.limits;
  return wake(tx, new Map([...freed].map(([key, slots]) => [key, slots * triggersPerSlot])));
}

/** Number of freed slots of each limit. */
export function slotsOf(freed: readonly HeldLimit[]): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  for (const { key } of freed) slots.set(key, (slots.get(key) ?? 0) + 1);
  return slots;
}

/** Unblocks triggers that wait for the freed slots. Must be called after the commit that freed them. After a failure, the next call wakes them too. */
export async function wakeFreed(
  transactions: NodeTransactions,
  freed: readonly HeldLimit[],
): Promise<EpochMs | undefined> {
  const { limits } = transactions.node;
  limits.owe(slotsOf(freed));
  const free = limits.takeOwed();
  if (free.size === 0) return undefined;
  const params = { rows: JSON.stringify([...free.keys()]) };
  try {
    const awaited = await transactions.all<{ readonly LIMIT_KEY: string }>('selectAwaitedLimits', params);
    return await wakeEach(transactions, new Map(awaited.map(({ LIMIT_KEY }) => [LIMIT_KEY, free.get(LIMIT_KEY) ?? 0])));
  } catch (error) {
    limits.owe(free);
    limits.mustWakeAgain = true;
    throw error;
  }
}

/**
 * Unblocks triggers that a limit refused while another transaction freed capacity. Must be called after the commit that blocked the triggers. After a
 * failure, the next call checks these limits again.
 */
export async function wakeMissed(transactions: NodeTransactions): Promise<EpochMs | undefined> {
  const { limits } = transactions.node;
  const refused = limits.takeRefused();
  if (refused.length === 0) return undefined;
  try {
    return await wakeEach(transactions, await freeSlotsOf(transactions, refused));
  } catch (error) {
    limits.refusedBefore(refused);
    limits.mustWakeAgain = true;
    throw error;
  }
}

/** Repeats the wakes that failed. Returns the earliest fire time of the triggers; undefined if there are none. */
export async function wakeAgain(transactions: NodeTransactions): Promise<EpochMs | undefined> {
  transactions.node.limits.mustWakeAgain = false;
  const times = [await wakeFreed(transactions, []), await wakeMissed(transactions)];
  return earliestOf(times.map((time) => time ?? null));
}

/** Numbers of runs that the limits allow in addition to those that hold them, without limits that allow none. */
async function freeSlotsOf(
  transactions: NodeTransactions,
  limits: readonly (readonly [string, number])[],
): Promise<ReadonlyMap<string, number>> {
  type Held = { readonly LIMIT_KEY: string; readonly HELD: number };
  const rows = JSON.stringify(limits.map(([key]) => [key, -1]));
  const held = await transactions.all<Held>('countHeld', { rows });
  const counts = new Map(held.map(({ LIMIT_KEY, HELD }) => [LIMIT_KEY, HELD]));
  const free = limits.map(([key, limit]) => [key, limit - (counts.get(key) ?? 0)] as const);
  return new Map(free.filter(([, count]) => count > 0));
}

function wakeEach(transactions: NodeTransactions, free: ReadonlyMap<string, number>): Promise<EpochMs | undefined> {
  if (free.size === 0) return Promise.resolve(undefined);
  return transactions.run('TRIGGER_ACCESS', (tx) => wakeFor(tx, free), {
    role: 'completions',
    resolveUnknown: repeat, // a trigger that is unblocked too early is blocked again
  });
}
