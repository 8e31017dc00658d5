import type { EpochMs } from '../../../base/clock';
import {
  type AcquiredTrigger,
  type FireResult,
  planFiring,
  stateAfterFiring,
  type TriggerFiring,
} from '../../../domain/firing';
import type { JobKey } from '../../../domain/keys';
import { computed, type ReadTrigger } from '../rows/read-rows';
import type { SqlNode } from '../rows/sql-node';
import { toFlag } from '../rows/trigger-kinds';
import { NodeFencedError, StaleRead } from '../runtime/retry-rules';
import { type RowOfSet, writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { hasJoined } from './check-in';
import { type AdvancedTrigger, advanceTriggers, blockTriggersOf } from './write-triggers';

/** A trigger that is reserved, or is about to be, with what it fires with. */
export interface Reserved {
  readonly read: ReadTrigger;
  readonly fireInstanceId: string;
}

/** What becomes of one reserved trigger. */
export interface PlannedFiring extends Reserved {
  /** Null: this node cannot compute its schedule. */
  readonly firing: TriggerFiring | null;
}

/** Decides a batch. One trigger that this node cannot compute must not keep the rest from firing, nor other nodes from firing it. */
export function planFirings(reserved: readonly Reserved[], node: SqlNode, now: EpochMs): readonly PlannedFiring[] {
  return reserved.map(({ read, fireInstanceId }) => ({
    read,
    fireInstanceId,
    firing: computed(read.row, node, () => planFiring(read, fireInstanceId, now)),
  }));
}

export function toAcquired({ read, fireInstanceId }: Reserved): AcquiredTrigger {
  return { trigger: read.trigger, fireInstanceId };
}

export function toFireResult(planned: PlannedFiring): FireResult {
  const { firing } = planned;
  if (firing !== null) return { status: 'fired', firing };
  return { status: 'notFired', acquired: toAcquired(planned), reason: 'invalid' };
}

/** IS_NONCONCURRENT and REQUESTS_RECOVERY: the end of a row for insertFirings and markExecuting. */
export function firingFlags({ jobDetail }: TriggerFiring) {
  return [toFlag(jobDetail.disallowConcurrentExecution), toFlag(jobDetail.requestsRecovery)] as const;
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
  await writeFired(tx, node, fired, () => [
    advanceTriggers(tx, node, planned.flatMap(toAdvanced)),
    blockTriggersOf(tx, node, serialJobs(planned)),
  ]);
}

function toAdvanced({ read, firing }: PlannedFiring): readonly AdvancedTrigger[] {
  if (firing === null) return [];
  return [{ from: read.row, before: read.trigger, trigger: firing.trigger, state: stateAfterFiring(firing) }];
}

/** At most one firing of each is in a batch. */
function serialJobs(planned: readonly PlannedFiring[]): readonly JobKey[] {
  return planned.flatMap(({ firing }) =>
    firing?.jobDetail.disallowConcurrentExecution === true ? [firing.jobDetail.key] : [],
  );
}

/** Rows of firings or reservations, and the statement that writes them. */
export interface FiredRows {
  readonly statement: 'insertReservations' | 'insertFirings' | 'insertImmediateFirings' | 'markExecuting';
  readonly now: EpochMs;
  readonly rows: readonly RowOfSet[];
}

/** The life in which this was asked for, whichever it lives by now; null where nobody else could recover it. */
function lifeOf({ life }: SqlNode): string | null {
  return life?.epoch ?? null;
}

/**
 * Writes fired rows, then what follows from them; throws `StaleRead` when one cannot be had, and `NodeFencedError` when the
 * node may have none.
 */
export async function writeFired(
  tx: SqlTransaction,
  node: SqlNode,
  { statement, now, rows }: FiredRows,
  writeRest: () => readonly Promise<void>[],
): Promise<void> {
  const { schedName, instanceId } = node;
  const epoch = lifeOf(node);
  // A reservation that is fired is the node's already; a new one must be of the life that asked for it.
  const guard = statement === 'markExecuting' ? {} : { epoch };
  try {
    const fired = writeEveryRow(tx, statement, { schedName, instanceId, now, ...guard }, rows);
    await Promise.all([fired, ...writeRest()]);
  } catch (error) {
    if (!(error instanceof StaleRead) || epoch === null) throw error;
    throw (await hasJoined(tx, node, { instanceId, epoch })) ? error : new NodeFencedError(instanceId);
  }
}
