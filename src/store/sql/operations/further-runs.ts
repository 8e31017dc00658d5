import { type EpochMs, earliestOf } from '../../../base/clock';
import { toError } from '../../../base/errors';
import { distinctKeys, firstOfEach, formatKey, keyText } from '../../../domain/keys';
import { type Placement, placementOf } from '../../../domain/placement';
import type { SimpleTrigger } from '../../../domain/trigger';
import { restingState, type TriggerState } from '../../../domain/trigger-state';
import { readPolicy } from '../rows/job-data';
import type { NodeTransaction } from '../rows/node-transaction';
import { toJobFlags, triggerColumns } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { kindRowOf } from '../rows/trigger-kinds';
import { type ListedValue, writeEveryRow } from '../runtime/row-batches';
import { selectExecutingJobs } from './fired-triggers';
import { selectStored } from './load-draft';
import { savePlaces } from './places';
import { selectHeld, selectOriginStates } from './runs-of-triggers';
import { selectEachJob } from './select-definitions';

/** Trigger of a further run (such as a retry, a part of an occurrence, or a job that follows another job) whose job is stored. */
export interface FurtherRun {
  readonly trigger: SimpleTrigger;
  /** Initial state of the trigger; null if the trigger is already stored and stays unchanged. */
  readonly state: TriggerState | null;
  /** Nodes that may fire the trigger; null if any node may. */
  readonly placement: Placement | null;
}

/**
 * Plans the triggers of further runs. Leaves out triggers whose job is not stored. Must run under TRIGGER_ACCESS, after the preceding firings
 * were deleted: an executing firing would block the new triggers. `isRequested`: a user requested the runs, so they start even if their trigger
 * is paused.
 */
export async function planFurtherRuns(
  tx: NodeTransaction,
  triggers: readonly SimpleTrigger[],
  { isRequested = false }: { readonly isRequested?: boolean } = {},
): Promise<readonly FurtherRun[]> {
  if (triggers.length === 0) return [];
  const requested = firstOfEach(triggers, ({ key }) => keyText(key));
  const jobKeys = distinctKeys(requested.map(({ jobKey }) => jobKey));
  const [stored, rows, executing, states] = await Promise.all([
    selectStored(tx, { newTriggers: requested.map(({ key }) => key), newJobs: [], followable: [] }),
    selectEachJob(tx, jobKeys),
    selectExecutingJobs(tx, jobKeys),
    isRequested ? null : selectOriginStates(tx, requested),
  ]);
  const { pausedGroups: paused } = stored;
  const isHeld = states === null ? () => false : await selectHeld(tx, requested, { states, paused });
  const jobs = new Map(jobKeys.map((key, index) => [keyText(key), rows[index]]));
  const taken = new Set(stored.triggers.map(keyText));
  return requested.flatMap((trigger): readonly FurtherRun[] => {
    const job = jobs.get(keyText(trigger.jobKey));
    if (job == null) return [];
    if (taken.has(keyText(trigger.key))) return [{ trigger, state: null, placement: null }];
    const placement = placementOf({ trigger, jobDetail: { policy: readPolicy(job.DETAIL_DATA) } });
    const jobExecuting = toJobFlags(job).disallowConcurrentExecution && executing.has(keyText(trigger.jobKey));
    // `ALL_GROUPS_PAUSED` does not apply to groups of further runs.
    const groupPaused = paused.has(trigger.key.group) || isHeld(trigger);
    return [{ trigger, state: restingState({ jobExecuting, groupPaused }), placement }];
  });
}

/** Stores the planned triggers that are not stored yet. Returns the earliest fire time of the waiting triggers; undefined if there are none. */
export async function insertFurtherRuns(
  tx: NodeTransaction,
  planned: readonly FurtherRun[],
): Promise<EpochMs | undefined> {
  const added = planned.flatMap(({ trigger, state }) => (state === null ? [] : [{ trigger, state }]));
  const rows = added.map(({ trigger, state }) => furtherRunColumns(trigger, state, null, tx.node));
  const kinds = added.map(({ trigger }) => kindRowOf(trigger).row);
  const placed = planned.flatMap(({ trigger: { key }, placement }) => (placement === null ? [] : [{ key, placement }]));
  await Promise.all([
    writeEveryRow(tx, 'insertTriggers', rows),
    writeEveryRow(tx, 'insertSimpleTriggers', kinds),
    savePlaces(tx, placed),
  ]);
  return earliestOf(planned.map(({ trigger, state }) => (state === 'WAITING' ? trigger.nextFireTime : null)));
}

/**
 * Returns the columns of a further run's trigger, with its data in the format of `stored`. If the data cannot be stored, reports the problem and
 * stores only Quartz's own text entries, which such a trigger needs. The job still runs.
 */
export function furtherRunColumns(
  trigger: SimpleTrigger,
  state: TriggerState,
  stored: Uint8Array | null,
  node: SqlNode,
): readonly ListedValue[] {
  try {
    return triggerColumns(trigger, state, stored, node);
  } catch (thrown) {
    node.onRowProblem({ what: 'trigger', name: formatKey(trigger.key), error: toError(thrown) });
    const isOwn = ([key, value]: readonly [string, unknown]) => key.startsWith('QRTZ_') && typeof value === 'string';
    const data = Object.fromEntries(Object.entries(trigger.data).filter(isOwn));
    return triggerColumns({ ...trigger, data }, state, null, node);
  }
}
