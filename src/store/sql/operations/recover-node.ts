import { addAll } from '../../../base/lists';
import { checkpointKeyOf } from '../../../domain/checkpoint';
import { type JobData, NO_DATA } from '../../../domain/job-data';
import { formatKey, type JobKey, keyText } from '../../../domain/keys';
import { isGroupOfFurtherRuns, occurrenceOf } from '../../../domain/occurrence';
import {
  ONE_OFF,
  type OrphanedFiredTrigger,
  type PlannedRecovery,
  planRecovery,
  RECOVERING_JOBS,
  type RecoveryContext,
  type RecoveryPlan,
  type RecoveryReport,
} from '../../../domain/recovery';
import { mayRetry } from '../../../domain/retry-policy';
import type { SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { RecoveryOptions } from '../../cluster-store';
import type { NodeTransaction } from '../rows/node-transaction';
import {
  type JobRow,
  readable,
  type TriggerRow,
  toFireTime,
  toState,
  triggerKeyColumns,
  triggerKeyOf,
} from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { kindRowOf, toBoolean } from '../rows/trigger-kinds';
import { writeEveryRow, writeRows } from '../runtime/row-batches';
import { hasSaved } from './checkpoints';
import { deleteEnded } from './ended-triggers';
import type { OrphanedFirings } from './extension';
import { EXTENSIONS } from './extensions';
import { selectExecutingJobs, unblockTriggersOf } from './fired-triggers';
import { furtherRunColumns } from './further-runs';
import { policyOfOrphan } from './orphan-policy';
import { selectPausedGroups } from './paused-groups';
import { readTriggerData, selectHeld, selectOriginStates } from './runs-of-triggers';
import { selectEachJob, selectEachTrigger, type TriggerName } from './select-definitions';

interface FiredRow extends TriggerName {
  readonly ENTRY_ID: string;
  readonly STATE: string;
  readonly FIRED_TIME: number;
  readonly SCHED_TIME: number;
  readonly PRIORITY: number;
  readonly JOB_NAME: string | null;
  readonly JOB_GROUP: string | null;
  readonly IS_NONCONCURRENT: string | null;
  readonly REQUESTS_RECOVERY: string | null;
}

/** Maximum number of firings to recover in one transaction, which blocks other nodes. Only rows inserted by hand can exceed it. */
const MAX_RECOVERED = 500;
/** Limit that includes all fired triggers of a node. */
const EVERYTHING = 2 ** 31 - 2;

export interface RecoverFiringsOptions extends RecoveryOptions {
  /** Selects the fired triggers to recover, by entry id, all in one transaction. Default: all, at most `MAX_RECOVERED` per transaction. */
  readonly isSelected?: (entryId: string) => boolean;
  /** True if the node has left in order: its runs are handed over. Default: it has died, and its runs are lost. */
  readonly hasLeft?: boolean;
}

/**
 * Recovers the firings of an instance. `hasMore`: firings remain for another transaction. The caller must have checked that the instance is
 * dead. Must run under STATE_ACCESS and TRIGGER_ACCESS. A repeated transaction plans the same recoveries, and a call after the last firing finds
 * nothing.
 */
export async function recoverFirings(
  tx: NodeTransaction,
  instanceId: string,
  { maxRecoveryAttempts, maxHandOvers, isSelected, hasLeft = false }: RecoverFiringsOptions,
): Promise<RecoveryReport> {
  const limit = isSelected === undefined ? MAX_RECOVERED : EVERYTHING;
  const found = await selectFired(tx, instanceId, limit + 1);
  const selected = isSelected === undefined ? found : found.filter(({ ENTRY_ID }) => isSelected(ENTRY_ID));
  const rows = selected.slice(0, limit);
  const read = await readOrphaned(tx, instanceId, rows);
  const orphaned = hasLeft ? await handedOver(tx, read) : read;
  const { firings, storedData } = orphaned;
  await deleteFirings(tx, instanceId, rows);
  const jobs = firings.flatMap(({ jobKey, disallowConcurrentExecution }) =>
    jobKey !== null && disallowConcurrentExecution ? [jobKey] : [],
  );
  const executing = await selectExecutingJobs(tx, jobs); // must follow the deletion of the firings
  const isExecuting = (job: JobKey) => executing.has(keyText(job));
  const limits = hasLeft ? { maxRecoveryAttempts, maxHandOvers } : { maxRecoveryAttempts };
  const plan = await planRecoveries(tx, firings, { ...limits, isExecuting });
  const released = await release(tx, plan);
  const inserted = await insertRecoveries(tx, plan.recoveries, storedData);
  await deleteEnded(tx, plan.finishedTriggers, tx.node.clock.now()); // their last firing died with the node
  const idle = plan.unblocks.filter((job) => !isExecuting(job));
  await unblockTriggersOf(tx, idle);
  const ended: SpreadOccurrence[] = [];
  for (const { recovered } of EXTENSIONS) addAll(ended, (await recovered?.(tx, orphaned, inserted))?.ended ?? []);
  const keysIn = (isError: boolean) =>
    inserted.filter(({ state }) => (state === 'ERROR') === isError).map(({ trigger }) => trigger.key);
  return {
    ...{ instanceId, released, recovered: keysIn(false), exhausted: keysIn(true), lost: plan.lost },
    ...(ended.length > 0 && { endedOccurrences: ended }),
    ...(rows.length < selected.length && { hasMore: true }),
  };
}

/** Plans recoveries. A recovery starts paused if the trigger that it recovers, or the group of recoveries, is paused. */
async function planRecoveries(
  tx: NodeTransaction,
  firings: readonly OrphanedFiredTrigger[],
  context: Pick<RecoveryContext, 'maxRecoveryAttempts' | 'maxHandOvers' | 'isExecuting'>,
): Promise<RecoveryPlan> {
  const free = planRecovery(firings, { ...context, isHeld: () => false });
  if (free.recoveries.length === 0) return free;
  const paused = await selectPausedGroups(tx);
  const recoveries = free.recoveries.map(({ trigger }) => trigger);
  const states = await selectOriginStates(tx, recoveries);
  const isHeld = await selectHeld(tx, recoveries, { states, paused });
  return planRecovery(firings, { ...context, isHeld: (each) => paused.has(RECOVERING_JOBS) || isHeld(each) });
}

/** Releases the reservations of an instance. Returns the numbers of released triggers and of executing firings. Must run under TRIGGER_ACCESS. */
export async function releaseReservations(
  tx: NodeTransaction,
  instanceId: string,
): Promise<{ readonly released: number; readonly executing: number }> {
  const rows = await selectFired(tx, instanceId, EVERYTHING);
  const reserved = rows.filter(({ STATE }) => STATE !== 'EXECUTING');
  await deleteFirings(tx, instanceId, reserved);
  const reservations = reserved.map((row) => toOrphaned(row, null, null, tx.node));
  const plan = planRecovery(reservations, { maxRecoveryAttempts: 0, isHeld: () => false, isExecuting: () => false });
  return { released: await release(tx, plan), executing: rows.length - reserved.length };
}

function selectFired(tx: NodeTransaction, instanceId: string, limit: number) {
  return tx.all<FiredRow>('selectFiringsOf', { instanceId, limit });
}

async function readOrphaned(
  tx: NodeTransaction,
  instanceId: string,
  rows: readonly FiredRow[],
): Promise<OrphanedFirings> {
  const triggerRows = await selectEachTrigger(tx, rows.map(triggerKeyOf));
  const jobKeys = rows.map((row) => jobOf(row) ?? { name: '', group: '' });
  const jobRows = await selectEachJob(tx, jobKeys);
  const firings = rows.map((row, index) =>
    toOrphaned(row, triggerRows[index] ?? null, jobRows[index] ?? null, tx.node),
  );
  const storedData = new Map(rows.map(({ ENTRY_ID }, index) => [ENTRY_ID, triggerRows[index]?.JOB_DATA ?? null]));
  return { instanceId, firings, storedData, triggerRows, jobRows, isHandedOver: false };
}

/** Marks the firings of a node that has left: also a run whose policy has retries is repeated. A new checkpoint sets its count of hand-overs to 0. */
async function handedOver(tx: NodeTransaction, orphaned: OrphanedFirings): Promise<OrphanedFirings> {
  const firings: OrphanedFiredTrigger[] = [];
  for (const [index, firing] of orphaned.firings.entries()) {
    const { retry } = policyOfOrphan(orphaned, index, tx.node);
    const requestsRecovery = firing.requestsRecovery || mayRetry(retry);
    const isRepeated = firing.state === 'EXECUTING' && requestsRecovery;
    const isNew = isRepeated && (await hasNewCheckpoint(tx, firing));
    firings.push({ ...firing, requestsRecovery, hasNewCheckpoint: isNew });
  }
  return { ...orphaned, firings, isHandedOver: true };
}

function hasNewCheckpoint(tx: NodeTransaction, { runId, triggerKey, trigger, scheduledTime }: OrphanedFiredTrigger) {
  const parts = { trigger: { key: triggerKey, data: trigger?.data ?? NO_DATA }, scheduledFireTime: scheduledTime };
  return hasSaved(tx, runId, checkpointKeyOf(occurrenceOf({ runId, ...parts })));
}

/** Decodes a trigger for its recovery; null if its state is unreadable. Drops unreadable data, so that the node's other firings are recovered. */
function toTrigger(row: TriggerRow | null, node: SqlNode): OrphanedFiredTrigger['trigger'] {
  if (row === null) return null;
  const name = formatKey(triggerKeyOf(row));
  const state = readable(node, { what: 'trigger', name }, () => toState(row));
  const data = readTriggerData(row, node);
  return state === null ? null : { state, data: data ?? NO_DATA };
}

function toOrphaned(
  row: FiredRow,
  triggerRow: TriggerRow | null,
  jobRow: JobRow | null,
  node: SqlNode,
): OrphanedFiredTrigger {
  const trigger = toTrigger(triggerRow, node);
  return {
    runId: row.ENTRY_ID,
    state: row.STATE === 'EXECUTING' ? 'EXECUTING' : 'ACQUIRED',
    triggerKey: triggerKeyOf(row),
    firedTime: toFireTime(row.FIRED_TIME),
    scheduledTime: toFireTime(row.SCHED_TIME),
    priority: row.PRIORITY,
    jobKey: jobOf(row),
    disallowConcurrentExecution: toBoolean(row.IS_NONCONCURRENT),
    requestsRecovery: toBoolean(row.REQUESTS_RECOVERY),
    isOneOff: isOneOffRow(triggerRow, trigger?.data ?? NO_DATA),
    trigger,
    isTriggerStored: triggerRow !== null,
    isJobStored: jobRow !== null,
  };
}

function isOneOffRow(row: TriggerRow | null, data: JobData): boolean {
  if (row === null) return false;
  if (isGroupOfFurtherRuns(row.TRIGGER_GROUP)) return data[ONE_OFF] === 'true';
  return row.TRIGGER_TYPE === 'SIMPLE' && row.KIND_ROW[0] === 0;
}

function jobOf({ JOB_NAME, JOB_GROUP }: FiredRow): JobKey | null {
  return JOB_NAME === null || JOB_GROUP === null ? null : { name: JOB_NAME, group: JOB_GROUP };
}

async function deleteFirings(tx: NodeTransaction, instanceId: string, fired: readonly FiredRow[]): Promise<void> {
  const rows = fired.map(({ ENTRY_ID }) => ({ entryId: ENTRY_ID }));
  await writeEveryRow(tx, 'deleteFiringsOf', rows, { instanceId });
}

function release(tx: NodeTransaction, { releases }: RecoveryPlan): Promise<number> {
  const rows = releases.map(({ triggerKey, fireTime }) => ({
    ...triggerKeyColumns(triggerKey),
    nextFireTime: fireTime,
  }));
  return writeRows(tx, 'releaseReservedTriggers', rows);
}

/**
 * Inserts the recoveries that are not stored yet, and returns them. An earlier attempt may have stored some of the planned recoveries. The data of a
 * recovery has the format of the recovered trigger's data.
 */
async function insertRecoveries(
  tx: NodeTransaction,
  planned: readonly PlannedRecovery[],
  storedData: OrphanedFirings['storedData'],
): Promise<readonly PlannedRecovery[]> {
  const keys = planned.map(({ trigger }) => trigger.key);
  const stored = await selectEachTrigger(tx, keys);
  const missing = planned.filter((_, index) => stored[index] === null);
  const rows = missing.map(({ trigger, state }) => {
    const column = storedData.get(trigger.key.name.slice('recover_'.length)) ?? null;
    return furtherRunColumns(trigger, state, column, tx.node);
  });
  await writeEveryRow(tx, 'insertTriggers', rows);
  const kinds = missing.map(({ trigger }) => kindRowOf(trigger).row);
  await writeEveryRow(tx, 'insertSimpleTriggers', kinds);
  return missing;
}
