import { type JobData, NO_DATA } from '../../../domain/job-data';
import { formatKey, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import {
  type OrphanedFiredTrigger,
  type PlannedRecovery,
  planRecovery,
  RECOVERING_JOBS,
  type RecoveryPlan,
  type RecoveryReport,
} from '../../../domain/recovery';
import type { RecoveryOptions } from '../../cluster-store';
import { decodeJobData } from '../rows/job-data';
import {
  jobKeyColumns,
  keyList,
  readable,
  type TriggerRow,
  toFireTime,
  toState,
  triggerKeyColumns,
  triggerKeyOf,
} from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { kindRowOf, toBoolean } from '../rows/trigger-kinds';
import { selectByRows, selectOrdered, writeEveryRow, writeRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { unblockTriggersOf } from './carry-out-completions';
import { deleteKindRows } from './delete-triggers';
import { selectPausedGroups } from './paused-groups';
import { recoveryRow } from './recovery-row';
import { selectTriggers } from './select-triggers';

interface FiredRow {
  readonly ENTRY_ID: string;
  readonly STATE: string;
  readonly TRIGGER_NAME: string;
  readonly TRIGGER_GROUP: string;
  readonly FIRED_TIME: number;
  readonly SCHED_TIME: number;
  readonly PRIORITY: number;
  readonly JOB_NAME: string | null;
  readonly JOB_GROUP: string | null;
  readonly IS_NONCONCURRENT: string | null;
  readonly REQUESTS_RECOVERY: string | null;
}

/** What a node left, and the bytes in which the data of its triggers is kept. */
interface Left {
  readonly firings: readonly OrphanedFiredTrigger[];
  readonly storedData: ReadonlyMap<string, Uint8Array | null>;
}

export interface RecoverFiringsOptions extends RecoveryOptions {
  /** Which entries are meant; default: all. */
  readonly isMeant?: (entryId: string) => boolean;
}

/**
 * Recovers what an instance holds, whether or not it lives: who calls has made sure. To be run under both
 * locks. A second run finds nothing; one that is run again from the start plans the same.
 */
export async function recoverFirings(
  tx: SqlTransaction,
  node: SqlNode,
  instanceId: string,
  { maxRecoveryAttempts, isMeant = () => true }: RecoverFiringsOptions,
): Promise<RecoveryReport> {
  const left = await selectLeft(tx, node, instanceId, isMeant);
  await deleteFirings(tx, node, instanceId, left.firings);
  const executing = await selectExecutingJobs(tx, node, left.firings);
  const plan = planRecovery(left.firings, {
    maxRecoveryAttempts,
    groupPaused: left.firings.length > 0 && (await selectPausedGroups(tx, node)).has(RECOVERING_JOBS),
    isExecuting: (job) => executing.has(keyText(job)),
  });
  const released = await release(tx, node, plan);
  const inserted = await insertRecoveries(tx, node, plan.recoveries, left.storedData);
  await deleteLeftovers(tx, node, plan.leftovers);
  await unblockTriggersOf(tx, node, plan.unblocks);
  const keysIn = (isError: boolean) =>
    inserted.filter(({ state }) => (state === 'ERROR') === isError).map(({ trigger }) => trigger.key);
  return { instanceId, released, recovered: keysIn(false), exhausted: keysIn(true), lost: plan.lost };
}

/** Gives back what an instance has reserved and not fired; how much it executes. To be run under TRIGGER_ACCESS. */
export async function releaseReservations(
  tx: SqlTransaction,
  node: SqlNode,
  instanceId: string,
): Promise<{ readonly released: number; readonly executing: number }> {
  const rows = await selectFired(tx, node, instanceId);
  const reservations = rows.filter(({ STATE }) => STATE !== 'EXECUTING').map((row) => toLeft(row, null, false));
  await deleteFirings(tx, node, instanceId, reservations);
  const plan = planRecovery(reservations, { maxRecoveryAttempts: 0, groupPaused: false, isExecuting: () => false });
  return { released: await release(tx, node, plan), executing: rows.length - reservations.length };
}

function selectFired(tx: SqlTransaction, { schedName }: SqlNode, instanceId: string): Promise<FiredRow[]> {
  return tx.all<FiredRow>('selectFiringsOf', { schedName, instanceId });
}

async function selectLeft(
  tx: SqlTransaction,
  node: SqlNode,
  instanceId: string,
  isMeant: (entryId: string) => boolean,
): Promise<Left> {
  const rows = (await selectFired(tx, node, instanceId)).filter(({ ENTRY_ID }) => isMeant(ENTRY_ID));
  const keys = rows.map(triggerKeyOf);
  const found = await selectTriggers(
    tx,
    node,
    keys.map((key) => ({ key, entryId: null })),
  );
  const jobs = await selectOrdered<{ POSITION: number; JOB_NAME: string | null }>(
    tx,
    'selectJobs',
    { schedName: node.schedName },
    rows.map((row) => jobKeyColumns(jobOf(row) ?? { name: '', group: '' })),
  );
  return {
    firings: rows.map((row, index) =>
      toLeft(row, toTrigger(found[index]?.row ?? null, node), jobs[index]?.JOB_NAME !== null),
    ),
    storedData: new Map(rows.map(({ ENTRY_ID }, index) => [ENTRY_ID, found[index]?.row?.JOB_DATA ?? null])),
  };
}

/** A row that cannot be read must not keep the node's other firings from being recovered: it is recovered without its data. */
function toTrigger(row: TriggerRow | null, node: SqlNode): OrphanedFiredTrigger['trigger'] {
  if (row === null) return null;
  const name = formatKey(triggerKeyOf(row));
  const read = <T>(what: () => T) => readable(node, { what: 'trigger', name }, what);
  const state = read(() => toState(row));
  const data: JobData | null = read(() => decodeJobData(row.JOB_DATA, `trigger '${name}'`));
  return state === null ? null : { state, data: data ?? NO_DATA };
}

function toLeft(row: FiredRow, trigger: OrphanedFiredTrigger['trigger'], isJobStored: boolean): OrphanedFiredTrigger {
  return {
    fireInstanceId: row.ENTRY_ID,
    state: row.STATE === 'EXECUTING' ? 'EXECUTING' : 'ACQUIRED',
    triggerKey: triggerKeyOf(row),
    firedTime: toFireTime(row.FIRED_TIME),
    scheduledTime: toFireTime(row.SCHED_TIME),
    priority: row.PRIORITY,
    jobKey: jobOf(row),
    disallowConcurrentExecution: toBoolean(row.IS_NONCONCURRENT),
    requestsRecovery: toBoolean(row.REQUESTS_RECOVERY),
    trigger,
    isJobStored,
  };
}

function jobOf({ JOB_NAME, JOB_GROUP }: FiredRow): JobKey | null {
  return JOB_NAME === null || JOB_GROUP === null ? null : { name: JOB_NAME, group: JOB_GROUP };
}

async function deleteFirings(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  instanceId: string,
  firings: readonly OrphanedFiredTrigger[],
): Promise<void> {
  const rows = firings.map(({ fireInstanceId }) => ({ entryId: fireInstanceId }));
  await writeEveryRow(tx, 'deleteFiringsOf', { schedName, instanceId }, rows);
}

/** Which jobs still execute, now that the dead node's firings are gone. */
async function selectExecutingJobs(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  firings: readonly OrphanedFiredTrigger[],
): Promise<ReadonlySet<string>> {
  const jobs = firings.flatMap(({ jobKey, disallowConcurrentExecution }) =>
    jobKey !== null && disallowConcurrentExecution ? [jobKeyColumns(jobKey)] : [],
  );
  type Row = { readonly JOB_NAME: string; readonly JOB_GROUP: string };
  const rows = await selectByRows<Row>(tx, 'selectExecutingJobs', { schedName }, jobs);
  return new Set(rows.map(({ JOB_NAME, JOB_GROUP }) => keyText({ name: JOB_NAME, group: JOB_GROUP })));
}

function release(tx: SqlTransaction, { schedName }: SqlNode, { releases }: RecoveryPlan): Promise<number> {
  const rows = releases.map(({ triggerKey, fireTime }) => ({
    ...triggerKeyColumns(triggerKey),
    nextFireTime: fireTime,
  }));
  return writeRows(tx, 'releaseReservedTriggers', { schedName }, rows);
}

/** Those that are not stored yet: an earlier attempt may have got as far. */
async function insertRecoveries(
  tx: SqlTransaction,
  node: SqlNode,
  planned: readonly PlannedRecovery[],
  storedData: ReadonlyMap<string, Uint8Array | null>,
): Promise<readonly PlannedRecovery[]> {
  const { schedName } = node;
  const stored = await selectTriggers(
    tx,
    node,
    planned.map(({ trigger }) => ({ key: trigger.key, entryId: null })),
  );
  const missing = planned.filter((_, index) => stored[index]?.row === null);
  const rows = missing.map((recovery) => recoveryRow(recovery, node, storedData));
  await writeEveryRow(tx, 'insertTriggers', { schedName }, rows);
  const kinds = missing.map(({ trigger }) => kindRowOf(trigger).row);
  await writeEveryRow(tx, 'insertSimpleTriggers', { schedName }, kinds);
  return missing;
}

/** Triggers whose last firing died with its node, and non-durable jobs that are left without triggers. */
async function deleteLeftovers(tx: SqlTransaction, node: SqlNode, keys: readonly TriggerKey[]): Promise<void> {
  const { schedName } = node;
  type Row = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'TRIGGER_TYPE' | 'JOB_NAME' | 'JOB_GROUP'>;
  const found = await selectByRows<Row>(tx, 'selectLeftovers', { schedName }, keys.map(triggerKeyColumns));
  const rows = found.map((row) => keyList(triggerKeyOf(row)));
  await deleteKindRows(tx, node, new Set(found.map(({ TRIGGER_TYPE }) => TRIGGER_TYPE)), rows);
  await writeEveryRow(tx, 'deleteFinishedTriggers', { schedName }, rows);
  const jobs = new Map(found.map((row) => [keyText({ name: row.JOB_NAME, group: row.JOB_GROUP }), row]));
  const jobRows = [...jobs.values()].map(({ JOB_NAME, JOB_GROUP }) => keyList({ name: JOB_NAME, group: JOB_GROUP }));
  await writeRows(tx, 'deleteOrphanJobs', { schedName }, jobRows);
}
