import type { EpochMs } from '../../../base/clock';
import { LimitCapacity, type Moving, type Waiting } from '../../../domain/batch-limiter';
import { type FreedLimits, freedLimits } from '../../../domain/freed-limits';
import { type FiringDemand, groupKey, isLimitGone } from '../../../domain/limit-claims';
import { DEFERRED_JOBS, DEFERRED_PREFIX } from '../../../domain/occurrence';
import { type RunsPerSlot, SlotSharing } from '../../../domain/slot-sharing';
import type { AcquireRequest } from '../../job-store';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { Extension } from './extension';
import { type LimitedFiring, readRates, writeLine } from './rates';
import { slotsOf, wake, wakeFor } from './waiters';

/*
 * Limits of concurrent firings. An executing firing has a row in QRTZ_X_HELD for each key that it holds, in addition to its fired trigger. A trigger
 * whose limit is exhausted is BLOCKED and has a row in QRTZ_X_WAITERS. It is not acquired until a firing under the same key has ended. An occurrence
 * with parts (shards) has a row in QRTZ_X_HELD for the key of its job's overlap rule. This row counts while the occurrence has a row in QRTZ_X_PARTS.
 * A firing deferred by an overlap rule has a row in QRTZ_X_HELD for the key of a queue, until its deferred trigger fires. Everything is written under
 * TRIGGER_ACCESS, except that `completeFast` deletes the rows of the firings that it ends.
 */

/** Time of a batch, and the number of short runs that may share a slot. */
export interface BatchStart extends Pick<AcquireRequest, 'now'> {
  readonly runsPerSlot?: RunsPerSlot | undefined;
}

export async function readCapacity(
  tx: NodeTransaction,
  { now, runsPerSlot }: BatchStart,
  demands: readonly FiringDemand[],
): Promise<LimitCapacity> {
  const overlaps = demands.flatMap(({ overlap }) => overlap ?? []);
  const cancelled = new Set(overlaps.flatMap(({ key, cancels }) => (cancels ? [key] : [])));
  const queues = new Set(overlaps.flatMap(({ queueKey, maxQueued }) => (maxQueued > 0 ? [queueKey] : [])));
  const [held, holders, queued, rates] = await Promise.all([
    selectByRows<KeyRow & { readonly HELD: number }>(tx, 'countHeld', roomsOf(demands)),
    selectByRows<KeyRow & { readonly ENTRY_ID: string }>(tx, 'selectHolders', [...cancelled]),
    selectByRows<KeyRow & { readonly QUEUED: number }>(tx, 'countQueued', [...queues], DEFERRED),
    readRates(tx, now, demands),
  ]);
  const counts = new Map(held.map(({ LIMIT_KEY, HELD }) => [LIMIT_KEY, HELD]));
  const queueCounts = new Map(queued.map(({ LIMIT_KEY, QUEUED }) => [LIMIT_KEY, QUEUED]));
  const state = {
    heldOf: (key: string) => counts.get(key) ?? 0,
    holdersOf: (key: string) => holders.flatMap(({ LIMIT_KEY, ENTRY_ID }) => (LIMIT_KEY === key ? [ENTRY_ID] : [])),
    queuedOf: (key: string) => queueCounts.get(key) ?? 0,
    ...rates,
  };
  return new LimitCapacity(state, now, new SlotSharing(demands, runsPerSlot));
}

/** Key of each limit, and the number of runs up to which it has enough capacity for all firings. Negative if it may not have enough. */
function roomsOf(demands: readonly FiringDemand[]): readonly (readonly [string, number])[] {
  const rooms = new Map<string, { limit: number; count: number }>();
  for (const { claims } of demands)
    for (const { key, limit } of claims) {
      const room = rooms.get(key) ?? { limit, count: 0 };
      const enough = limit < Number.POSITIVE_INFINITY ? limit : 0; // an overlap rule asks whether any run executes
      rooms.set(key, { limit: Math.min(room.limit, enough), count: room.count + 1 });
    }
  return [...rooms].map(([key, { limit, count }]) => [key, Math.max(-1, limit - count)]);
}

interface KeyRow {
  readonly LIMIT_KEY: string;
}

const DEFERRED = { prefix: DEFERRED_PREFIX, deferredGroup: DEFERRED_JOBS } as const;

/** Records the capacity that firings take, and the queue positions that they leave. Must be called in the transaction that fires them. */
export async function takeLimits(tx: NodeTransaction, firings: readonly LimitedFiring[]): Promise<void> {
  const limited = firings.filter(({ terms }) => terms !== null);
  if (limited.length === 0) return;
  const taken = limited.flatMap(({ firing: { runId, holds = [] }, terms }) =>
    [...holds, ...(terms?.queues === undefined ? [] : [terms.queues])].map((key) => [key, runId]),
  );
  const left = limited.flatMap(({ terms }) => terms?.leaves ?? []).map(({ key, runId }) => [key, runId]);
  const passed = new Set(limited.flatMap(({ terms }) => terms?.passes ?? []));
  await Promise.all([
    writeEveryRow(tx, 'insertHeld', taken),
    writeRows(tx, 'deleteHeld', left),
    writeLine(tx, limited),
  ]);
  if (passed.size > 0) await wake(tx, new Map([...passed].map((key) => [key, 1])));
}

/** Wakes one waiting trigger of each limit that had capacity for a refused trigger, because the refused trigger now waits for another limit. */
export async function passOn(
  tx: NodeTransaction,
  refused: readonly { readonly verdict: Waiting | Moving }[],
): Promise<void> {
  const others = refused.flatMap(({ verdict }) => verdict.others);
  if (others.length > 0) await wake(tx, new Map(others.map(({ key }) => [key, 1])));
}

export const LIMITS: Extension = {
  freed: (tx, { owned, started, occurrences }) =>
    releaseLimits(tx, freedLimits(owned, { started: new Set(started), ended: occurrences })),
  async recovered(tx) {
    await wakeIdle(tx, await findIdleLimits(tx, MAX_WOKEN));
  },
};

/** Maximum number of keys to release and to wake in the transaction of a recovery. A later sweep finds the rest. */
const MAX_WOKEN = 200;

/**
 * Releases limits, and unblocks one waiting trigger per released unit. Returns the triggers' earliest fire time, or undefined if none was
 * waiting. The units in `passedOn` move to another holder and unblock no trigger.
 */
export async function releaseLimits(
  tx: NodeTransaction,
  { freed, passedOn }: FreedLimits,
): Promise<EpochMs | undefined> {
  if (freed.length === 0 && passedOn.length === 0) return undefined;
  const moved = passedOn.filter(({ from, to }) => from.id !== to.id);
  const deleted = [...freed, ...moved.map(({ from }) => from)].map(({ key, id }) => [key, id]);
  const inserted = moved.map(({ to: { key, id } }) => [key, id]);
  await Promise.all([writeRows(tx, 'deleteHeld', deleted), writeEveryRow(tx, 'insertHeld', inserted)]);
  return freed.length === 0 ? undefined : wakeFor(tx, slotsOf(freed));
}

/**
 * Findings of a sweep of limits. `ended`: rows of QRTZ_X_HELD whose execution has ended. `idle`: keys that have capacity although triggers wait for
 * them. Causes: a node died, an unblocked trigger was deleted, or the limit was raised.
 */
export interface IdleLimits {
  readonly ended: readonly { readonly LIMIT_KEY: string; readonly ENTRY_ID: string }[];
  readonly idle: readonly { readonly LIMIT_KEY: string; readonly MAX_RUNNING: number; readonly HELD: number }[];
}

/** Returns rows of QRTZ_X_HELD whose execution has ended, and keys with capacity that triggers wait for: at most `limit` of each. */
export async function findIdleLimits(reader: NodeReader, limit: number): Promise<IdleLimits> {
  const { policy } = reader.node;
  const ended = await reader.all<IdleLimits['ended'][number]>('selectEndedHeld', { limit, ...DEFERRED });
  const rows = JSON.stringify(Object.entries(policy.groupLimits ?? {}).map(([group, max]) => [groupKey(group), max]));
  return { ended, idle: await reader.all<IdleLimits['idle'][number]>('selectIdleLimits', { limit, rows }) };
}

/** Deletes rows of QRTZ_X_HELD whose execution has ended, and unblocks triggers that wait for keys with capacity. */
export async function wakeIdle(tx: NodeTransaction, { ended, idle }: IdleLimits): Promise<void> {
  const rows = ended.map(({ LIMIT_KEY, ENTRY_ID }) => [LIMIT_KEY, ENTRY_ID]);
  await writeRows(tx, 'deleteHeld', rows);
  await wake(tx, new Map(idle.map((each) => [each.LIMIT_KEY, freeOf(each, tx.node)])));
}

/** Number of triggers to unblock in one transaction for a group that no longer has a limit. None of these triggers needs to wait any more. */
const FREED_AT_ONCE = 1_000;

function freeOf({ LIMIT_KEY, MAX_RUNNING, HELD }: IdleLimits['idle'][number], { policy }: SqlNode): number {
  return isLimitGone(LIMIT_KEY, policy.groupLimits) ? FREED_AT_ONCE : MAX_RUNNING - HELD;
}
