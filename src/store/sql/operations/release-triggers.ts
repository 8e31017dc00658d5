import type { AcquiredTrigger } from '../../../domain/firing';
import { nextState } from '../../../domain/trigger-state';
import { type TriggerRow, toTime } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import { deleteReservations } from './fire-triggers';
import { selectTriggers } from './select-triggers';
import { moveTriggers } from './write-triggers';

/** Puts back what was acquired and not fired; what is no longer ours is left alone. To be run under TRIGGER_ACCESS. */
export async function releaseTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  acquired: readonly AcquiredTrigger[],
): Promise<void> {
  const sought = acquired.map(({ trigger, fireInstanceId }) => ({ key: trigger.key, entryId: fireInstanceId }));
  const found = await selectTriggers(tx, node, sought);
  const held = acquired.flatMap((each, index) =>
    found[index]?.firedState === 'ACQUIRED' ? [{ acquired: each, row: found[index].row }] : [],
  );
  await deleteReservations(
    tx,
    node,
    held.map(({ acquired: { fireInstanceId } }) => fireInstanceId),
  );
  const rows = held.flatMap(({ acquired: { trigger }, row }) => (isReserved(row, trigger.nextFireTime) ? [row] : []));
  await moveTriggers(
    tx,
    node,
    rows.map((row) => ({ from: row, state: stateAfterRelease(row) })),
  );
}

function isReserved(row: TriggerRow | null, time: number | null): row is TriggerRow {
  return row?.TRIGGER_STATE === 'ACQUIRED' && toTime(row.NEXT_FIRE_TIME) === time;
}

function stateAfterRelease({ JOB_EXECUTING }: TriggerRow) {
  return nextState('ACQUIRED', 'release', { jobExecuting: JOB_EXECUTING === 1, groupPaused: false });
}
