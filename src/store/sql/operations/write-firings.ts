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

/** A trigger as read, and its firing. */
export interface PlannedFiring {
  readonly read: ReadTrigger;
  readonly firing: TriggerFiring;
  /** Effects on limits; null if there are none. */
  readonly terms: FiringTerms | null;
}

/** Time of a firing and the terms of its limits; null if nothing limits it. */
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

/**
 * Plans the firing of a trigger that was read; null if this node cannot compute it. The other triggers are then fired anyway, and another node
 * may fire this one.
 */
export function planFiringOf(
  read: ReadTrigger,
  runId: string,
  node: SqlNode,
  { now, terms }: FiringMoment,
): PlannedFiring | null {
  const firing = computed(read.row, node, () => planFiring(read, runId, now, terms ?? undefined));
  return firing === null ? null : { read, firing, terms };
}

/** Adds the terms of its limits to a planned firing. */
export function underTerms({ read, firing }: PlannedFiring, terms: FiringTerms | null): PlannedFiring {
  if (terms === null) return { read, firing, terms };
  const { holds, finding } = terms;
  return { read, firing: { ...firing, ...(holds && { holds }), ...(finding && { finding }) }, terms };
}

/** IS_NONCONCURRENT and REQUESTS_RECOVERY: the last columns of insertFirings and markExecuting. */
export function firingFlags(firing: TriggerFiring) {
  return [toFlag(firing.jobDetail.disallowConcurrentExecution), toFlag(isRecoverable(firing))] as const;
}

/** Writes firings: first their fired triggers, so that this node owns them, then their effects on triggers. Throws the errors of `writeFired`. */
export async function saveFirings(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedFiring[],
  fired: FiredRows,
): Promise<void> {
  const nonConcurrent = planned.filter(({ firing }) => firing.jobDetail.disallowConcurrentExecution);
  const jobs = nonConcurrent.map(({ firing }) => firing.jobDetail.key); // a batch has at most one firing of each
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
 * Writes fired triggers, then the writes that depend on them. Throws `StaleRead` if a fired trigger cannot be written, and `NodeFencedError`
 * if this node may no longer fire.
 */
export async function writeFired(
  tx: SqlTransaction,
  node: SqlNode,
  { statement, now, rows }: FiredRows,
  writeRest: () => readonly Promise<void>[],
): Promise<void> {
  const { schedName, instanceId } = node;
  // Incarnation in which the work was requested, even if a later one exists by now; null if no other node can recover it.
  const epoch = node.incarnation?.epoch ?? null;
  // The node already owns a reservation that it fires; a new one must belong to the incarnation.
  const guard = statement === 'markExecuting' ? {} : { epoch };
  try {
    const fired = writeEveryRow(tx, statement, { schedName, instanceId, now, ...guard }, rows);
    await Promise.all([fired, ...writeRest()]);
  } catch (error) {
    if (!(error instanceof StaleRead) || epoch === null) throw error;
    throw (await hasJoined(tx, node, { instanceId, epoch })) ? error : new NodeFencedError(instanceId);
  }
}
