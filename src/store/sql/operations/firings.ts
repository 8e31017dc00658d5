import type { EpochMs } from '../../../base/clock';
import type { LimitCapacity, Moving, Waiting } from '../../../domain/batch-limiter';
import { type FiringTerms, planFiring, stateAfterFiring, type TriggerFiring } from '../../../domain/firing';
import { demandOf, type FiringCandidate } from '../../../domain/limit-claims';
import { isRecoverable } from '../../../domain/shards';
import { withLastHolding } from '../../../domain/slot-sharing';
import type { NodeTransaction } from '../rows/node-transaction';
import { computed, type ReadTrigger } from '../rows/read-rows';
import { fromTime, keyList, type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { toFlag } from '../rows/trigger-kinds';
import { NodeFencedError, StaleRead } from '../runtime/retry-rules';
import { type RowOfSet, writeEveryRow, writeRows } from '../runtime/row-batches';
import { hasJoined } from './check-in';
import { type BatchStart, passOn, readCapacity, takeLimits } from './limits';
import { forgetFirstDue } from './misfired';
import { delayTurns, writeRates } from './rates';
import { type AdvancedTrigger, advanceTriggers, blockTriggersOf, moveTriggers } from './write-triggers';

/* Firings of due triggers, as far as limits and rates have capacity. Runs under TRIGGER_ACCESS, in the transaction that acquires or fires. */

/** A due trigger that a concurrency limit or rate limit prevents from firing now. */
export interface RefusedTrigger {
  readonly row: TriggerRow;
  readonly verdict: Waiting | Moving;
}

/** Reads the remaining capacity of the limits and rate limits of these triggers. Returns null, without reading, if none applies. */
export async function readCapacityFor(
  tx: NodeTransaction,
  batch: BatchStart,
  candidates: readonly FiringCandidate[],
): Promise<LimitCapacity | null> {
  const demands = candidates.map((each) => demandOf(each, tx.node.policy.groupLimits)).filter((each) => each !== null);
  return demands.length === 0 ? null : readCapacity(tx, batch, demands); // null in nearly all cases
}

/**
 * Blocks refused triggers until their limit has capacity, or defers them to the time that a rate limit allows. Then wakes triggers that may use the
 * capacity that the refused triggers leave. The caller must already have blocked a reserved trigger that waits for a limit. `row`: row from which the
 * trigger was read.
 */
export async function refuse(tx: NodeTransaction, refused: readonly RefusedTrigger[]): Promise<void> {
  if (refused.length === 0) return;
  const blocked = refused.flatMap(({ row, verdict }) =>
    verdict.status === 'waits' && row.TRIGGER_STATE === 'WAITING' ? [{ from: row, state: 'BLOCKED' as const }] : [],
  );
  const waiters = refused.flatMap(({ row, verdict }) => {
    if (verdict.status !== 'waits') return [];
    const { key, limit } = verdict.claim;
    tx.node.limits.refusedBy.set(key, limit);
    return [[...keyList(triggerKeyOf(row)), key, limit, fromTime(row.NEXT_FIRE_TIME)]];
  });
  const delayed = refused.flatMap(({ row, verdict }) => (verdict.status === 'moves' ? [{ row, to: verdict.to }] : []));
  await Promise.all([moveTriggers(tx, blocked), writeRows(tx, 'upsertWaiters', waiters), delayTurns(tx, delayed)]);
  await passOn(tx, refused);
}

/** Stores changed states of rate limits and new fire times of deferred firings. Must be called after the refused triggers were moved. */
export async function saveTurns(tx: NodeTransaction, capacity: LimitCapacity | null): Promise<void> {
  if (capacity !== null) await writeRates(tx, capacity.rateChanges());
}

export interface PlannedFiring {
  readonly read: ReadTrigger;
  readonly firing: TriggerFiring;
  /** Effects of limits and rules on the firing; null if there are none. */
  readonly terms: FiringTerms | null;
}

export interface FiredRows {
  readonly statement: 'insertReservations' | 'insertFirings' | 'insertImmediateFirings' | 'markExecuting';
  readonly now: EpochMs;
  readonly rows: readonly RowOfSet[];
}

/** Plans the firing of a trigger; null if this node cannot compute it. The rest of the batch still fires; another node may fire this trigger. */
export function planFiringOf(
  read: ReadTrigger,
  runId: string,
  node: SqlNode,
  { now, terms }: { readonly now: EpochMs; readonly terms: FiringTerms | null },
): PlannedFiring | null {
  const firing = computed(read.row, node, () =>
    planFiring(read, runId, { now, rules: node.policy.rules }, terms ?? undefined),
  );
  return firing === null ? null : { read, firing, terms };
}

/** Returns the planned firings of a batch; of firings that share a slot of a limit, only the last one holds the limit. */
export function withSlots(planned: readonly PlannedFiring[]): readonly PlannedFiring[] {
  const firings = withLastHolding(planned.map(({ firing }) => firing));
  return planned.map(({ read, terms }, index) => ({ read, firing: firings[index] as TriggerFiring, terms }));
}

/** Returns the planned firing with the effects of limits and rules, or unchanged if `terms` is null. */
export function underTerms({ read, firing }: PlannedFiring, terms: FiringTerms | null): PlannedFiring {
  if (terms === null) return { read, firing, terms };
  const { holds, isAwaited, finding } = terms;
  const effects = { ...(holds && { holds }), ...(isAwaited && { isAwaited }), ...(finding && { finding }) };
  return { read, firing: { ...firing, ...effects }, terms };
}

/** IS_NONCONCURRENT and REQUESTS_RECOVERY: the last columns of insertFirings and markExecuting. */
export function firingFlags(firing: TriggerFiring) {
  return [toFlag(firing.jobDetail.disallowConcurrentExecution), toFlag(isRecoverable(firing))] as const;
}

/** Writes firings: first fired triggers, so that this node owns them, then changes to triggers and limits. Throws the errors of `writeFired`. */
export async function saveFirings(
  tx: NodeTransaction,
  planned: readonly PlannedFiring[],
  fired: FiredRows,
): Promise<void> {
  const nonConcurrent = planned.filter(({ firing }) => firing.jobDetail.disallowConcurrentExecution);
  const jobs = nonConcurrent.map(({ firing }) => firing.jobDetail.key); // a batch has at most one firing of a non-concurrent job
  await writeFired(tx, fired, () => [
    advanceTriggers(tx, planned.map(toAdvanced)),
    blockTriggersOf(tx, jobs),
    takeLimits(tx, planned),
    forgetFirstDue(
      tx,
      planned.map(({ read }) => read.row),
    ),
  ]);
}

function toAdvanced({ read, firing }: PlannedFiring): AdvancedTrigger {
  return { from: read.row, before: read.trigger, trigger: firing.trigger, state: stateAfterFiring(firing) };
}

/** Writes fired triggers, then `writeRest`. Throws `StaleRead` if one cannot be written, and `NodeFencedError` if this node may no longer fire. */
export async function writeFired(
  tx: NodeTransaction,
  { statement, now, rows }: FiredRows,
  writeRest: () => readonly Promise<unknown>[],
): Promise<void> {
  const { instanceId } = tx.node;
  // Epoch of the incarnation that requested the firings, even if the node has started another incarnation since. Null if no other node can recover
  // the firings.
  const epoch = tx.node.incarnation?.epoch ?? null;
  // markExecuting updates reservations that the node already owns. New rows must belong to the incarnation.
  const guard = statement === 'markExecuting' ? {} : { epoch };
  try {
    const fired = writeEveryRow(tx, statement, rows, { instanceId, now, ...guard });
    await Promise.all([fired, ...writeRest()]);
  } catch (error) {
    if (!(error instanceof StaleRead) || epoch === null) throw error;
    throw (await hasJoined(tx, { instanceId, epoch })) ? error : new NodeFencedError(instanceId);
  }
}
