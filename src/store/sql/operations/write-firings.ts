import type { EpochMs } from '../../../base/clock';
import { type FiringTerms, planFiring, stateAfterFiring, type TriggerFiring } from '../../../domain/firing';
import { isRecoverable } from '../../../domain/shards';
import { computed, type ReadTrigger } from '../rows/read-rows';
import type { SqlNode } from '../rows/sql-node';
import { toFlag } from '../rows/trigger-kinds';
import { NodeFencedError, StaleRead } from '../runtime/retry-rules';
import { type RowOfSet, writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { hasJoined } from './check-in';
import { takeLimits } from './limits';
import { type AdvancedTrigger, advanceTriggers, blockTriggersOf } from './write-triggers';

/** A trigger as it was read, and its firing. */
export interface PlannedFiring {
  readonly read: ReadTrigger;
  readonly firing: TriggerFiring;
  /** What it writes of limits; null: nothing. */
  readonly terms: FiringTerms | null;
}

/** When, and under which terms, a trigger fires; null: nothing limits it. */
export interface FiringMoment {
  readonly now: EpochMs;
  readonly terms: FiringTerms | null;
}

/** Rows of firings or reservations, and the statement that writes them. */
export interface FiredRows {
  readonly statement: 'insertReservations' | 'insertFirings' | 'insertImmediateFirings' | 'markExecuting';
  readonly now: EpochMs;
  readonly rows: readonly RowOfSet[];
}

/** The firing of a trigger that was read. Null: this node cannot compute it, which must keep neither others from firing nor other nodes from firing it. */
export function planFiringOf(
  read: ReadTrigger,
  runId: string,
  node: SqlNode,
  { now, terms }: FiringMoment,
): PlannedFiring | null {
  const firing = computed(read.row, node, () => planFiring(read, runId, now, terms ?? undefined));
  return firing === null ? null : { read, firing, terms };
}

/** A planned firing with what its limits say of it. */
export function underTerms({ read, firing }: PlannedFiring, terms: FiringTerms | null): PlannedFiring {
  if (terms === null) return { read, firing, terms };
  const { holds, finding } = terms;
  return { read, firing: { ...firing, ...(holds && { holds }), ...(finding && { finding }) }, terms };
}

/** IS_NONCONCURRENT and REQUESTS_RECOVERY: the end of a row for insertFirings and markExecuting. */
export function firingFlags(firing: TriggerFiring) {
  return [toFlag(firing.jobDetail.disallowConcurrentExecution), toFlag(isRecoverable(firing))] as const;
}

/**
 * Writes firings: their own rows among the fired triggers first, so that they are ours, then what they do to triggers.
 * Throws as `writeFired`.
 */
export async function saveFirings(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedFiring[],
  fired: FiredRows,
): Promise<void> {
  const nonConcurrent = planned.filter(({ firing }) => firing.jobDetail.disallowConcurrentExecution);
  const jobs = nonConcurrent.map(({ firing }) => firing.jobDetail.key); // at most one firing of each is in a batch
  await writeFired(tx, node, fired, () => [
    advanceTriggers(tx, node, planned.map(toAdvanced)),
    blockTriggersOf(tx, node, jobs),
    takeLimits(tx, node, planned),
  ]);
}

function toAdvanced({ read, firing }: PlannedFiring): AdvancedTrigger {
  return { from: read.row, before: read.trigger, trigger: firing.trigger, state: stateAfterFiring(firing) };
}

/**
 * Writes fired triggers, then what follows from them; throws `StaleRead` when one cannot be had, and `NodeFencedError` when the
 * node may have none.
 */
export async function writeFired(
  tx: SqlTransaction,
  node: SqlNode,
  { statement, now, rows }: FiredRows,
  writeRest: () => readonly Promise<void>[],
): Promise<void> {
  const { schedName, instanceId } = node;
  // The incarnation in which this was requested, even if there is a later one by now; null where nobody else could recover it.
  const epoch = node.incarnation?.epoch ?? null;
  // A reservation that is fired is the node's already; a new one must belong to that incarnation.
  const guard = statement === 'markExecuting' ? {} : { epoch };
  try {
    const fired = writeEveryRow(tx, statement, { schedName, instanceId, now, ...guard }, rows);
    await Promise.all([fired, ...writeRest()]);
  } catch (error) {
    if (!(error instanceof StaleRead) || epoch === null) throw error;
    throw (await hasJoined(tx, node, { instanceId, epoch })) ? error : new NodeFencedError(instanceId);
  }
}
