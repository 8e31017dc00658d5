import { groupsOf, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import { nextState, type TriggerState } from '../../../domain/trigger-state';
import type { NodeTransaction } from '../rows/node-transaction';
import { jobKeyOf, type TriggerRow, toTime, triggerKeyOf } from '../rows/rows';
import { reopenParts } from './lost-parts';
import { distinct, earliestWaiting, type GroupsTouched } from './pause-and-resume';
import { isGroupPaused, selectPausedGroups } from './paused-groups';
import { selectTriggerRows } from './select-definitions';
import { moveTriggers } from './write-triggers';

/** Resets triggers from ERROR. If a reset trigger runs a part (shard) that counted as failed, its occurrence waits for this part again. */
export async function resetTriggersFromError(tx: NodeTransaction, keys: readonly TriggerKey[]): Promise<GroupsTouched> {
  const found = distinct(await selectTriggerRows(tx, keys));
  const rows = found.filter(({ TRIGGER_STATE }) => TRIGGER_STATE === 'ERROR');
  const paused = rows.length === 0 ? new Set<string>() : await selectPausedGroups(tx);
  const moved = rows.map((row) => ({ from: row, state: stateAfterReset(row, paused) }));
  await moveTriggers(tx, moved);
  const again = rows.filter(({ TRIGGER_GROUP }) => isGroupOfFurtherRuns(TRIGGER_GROUP)).map(jobKeyOf);
  await reopenParts(tx, again);
  const states = moved.map(({ from, state }) => ({ state, nextFireTime: toTime(from.NEXT_FIRE_TIME) }));
  return { groups: groupsOf(found.map(triggerKeyOf)), earliest: earliestWaiting(states) };
}

function stateAfterReset(row: TriggerRow, paused: ReadonlySet<string>): TriggerState {
  if (toTime(row.NEXT_FIRE_TIME) === null) return 'COMPLETE';
  const groupPaused = isGroupPaused(paused, row.TRIGGER_GROUP);
  return nextState('ERROR', 'reset', { jobExecuting: row.JOB_EXECUTING === 1, groupPaused });
}
