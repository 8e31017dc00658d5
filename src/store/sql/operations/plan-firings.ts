import type { EpochMs } from '../../../base/clock';
import {
  type AcquiredTrigger,
  type FireResult,
  type FiringParts,
  planFiring,
  stateAfterFiring,
  type TriggerFiring,
} from '../../../domain/firing';
import type { JobKey } from '../../../domain/keys';
import { LifeEnded, StaleRead } from '../restart-rules';
import { toFlag } from '../row-formats/trigger-kinds';
import { type RowOfSet, writeEveryRow } from '../row-sets';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { hasJoined } from './check-in';
import type { ReadTrigger } from './due-triggers';
import { advanceTriggers, blockTriggersOf, moveTriggers } from './write-triggers';

/** A trigger that is reserved, or is about to be, with what it fires with. */
export interface Reserved {
  readonly read: ReadTrigger;
  readonly fireInstanceId: string;
}

/** What becomes of one reserved trigger. */
export interface PlannedFiring extends Reserved {
  /** Null: its schedule cannot be computed. */
  readonly firing: TriggerFiring | null;
}

/** Decides a batch. One trigger that cannot be computed must not keep the rest from firing. */
export function planFirings(reserved: readonly Reserved[], now: EpochMs): readonly PlannedFiring[] {
  return reserved.map(({ read, fireInstanceId }) => ({
    read,
    fireInstanceId,
    firing: tryToFire(read, fireInstanceId, now),
  }));
}

/** The firing of a trigger; null when its schedule cannot be computed. */
export function tryToFire(parts: FiringParts, fireInstanceId: string, now: EpochMs): TriggerFiring | null {
  try {
    return planFiring(parts, fireInstanceId, now);
  } catch {
    return null;
  }
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

/** Writes what firings do to triggers; their own rows among the fired triggers are written already, so they are ours. */
export async function saveFirings(tx: SqlTransaction, node: SqlNode, planned: readonly PlannedFiring[]): Promise<void> {
  const fired = planned.flatMap(({ read, firing }) => (firing === null ? [] : [{ read, firing }]));
  await advanceTriggers(
    tx,
    node,
    fired.map(({ read, firing }) => ({
      from: read.row,
      before: read.trigger,
      trigger: firing.trigger,
      state: stateAfterFiring(firing),
    })),
  );
  await blockTriggersOf(tx, node, serialJobs(fired.map(({ firing }) => firing)));
  const invalid = planned.filter(({ firing }) => firing === null);
  await moveTriggers(
    tx,
    node,
    invalid.map(({ read }) => ({ from: read.row, state: 'ERROR' })),
  );
}

/** At most one firing of each is in a batch. */
function serialJobs(firings: readonly TriggerFiring[]): readonly JobKey[] {
  return firings.filter(({ jobDetail }) => jobDetail.disallowConcurrentExecution).map(({ jobDetail }) => jobDetail.key);
}

/**
 * Writes the fired row of every firing or reservation with `statement`; throws `StaleRead` when one cannot be had, and
 * `LifeEnded` when the node may have none.
 */
export async function writeFired(
  tx: SqlTransaction,
  statement: 'insertReservations' | 'insertFirings' | 'insertPromptFirings' | 'markExecuting',
  { node, now }: { readonly node: SqlNode; readonly now: EpochMs },
  rows: readonly RowOfSet[],
): Promise<void> {
  const { schedName, instanceId } = node;
  // The life in which the node reserves; null where nobody else could recover it.
  const epoch = node.life?.epoch ?? null;
  // A reservation that is fired is the node's already; a new one must be of its present life.
  const guard = statement === 'markExecuting' ? {} : { epoch };
  try {
    await writeEveryRow(tx, statement, { schedName, instanceId, now, ...guard }, rows);
  } catch (error) {
    if (!(error instanceof StaleRead) || epoch === null) throw error;
    throw (await hasJoined(tx, node, { instanceId, epoch })) ? error : new LifeEnded(instanceId);
  }
}
