import type { EpochMs } from '../../../base/clock';
import { type Completion, recordOfEnd } from '../../../domain/completion';
import { NO_DATA } from '../../../domain/job-data';
import { firstOfEach, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import {
  type Occurrence,
  occurrenceOf,
  occurrenceOfTrigger,
  partOfTrigger,
  withoutOccurrence,
} from '../../../domain/occurrence';
import { type OrphanedFiredTrigger, type PlannedRecovery, recoveryTriggerKey } from '../../../domain/recovery';
import { planReruns } from '../../../domain/retry';
import { detailOfPart, MIN_PRUNED, RUN_OUTCOMES, type RunRecord, type RunRetention } from '../../../domain/run';
import { RERUN, RERUNNABLE } from '../../../domain/run-detail';
import type { FailedRunResolution } from '../../job-store';
import { readPolicy } from '../rows/job-data';
import type { NodeTransaction } from '../rows/node-transaction';
import { readPlainJob } from '../rows/read-rows';
import { type RunRow, runColumns, runKeyList } from '../rows/run-rows';
import { toBoolean, toFlag } from '../rows/trigger-kinds';
import { selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import { deleteCheckpoints } from './checkpoints';
import type { Extension, OrphanedFirings } from './extension';
import { type FurtherRun, insertFurtherRuns, planFurtherRuns } from './further-runs';
import { policyOfOrphan } from './orphan-policy';
import { saveCounts, selectOccurrencesOf } from './parts';

export const RUNS: Extension = {
  ended: (tx, { owned, stored }) =>
    insertRuns(
      tx,
      runsOf(owned, (key) => stored.has(keyText(key))),
    ),
  async recovered(tx, orphaned, recoveries) {
    await recordEnded(tx, orphaned, recoveries);
  },
};

/** Returns the records of the runs that end. Leaves out runs without a record. `isStored`: whether the trigger of a further run was stored. */
export function runsOf(
  completions: readonly Completion[],
  isStored: (further: TriggerKey) => boolean = () => true,
): readonly RunRecord[] {
  return completions.map((each) => recordOfEnd(each, isStored)).filter((run) => run !== undefined);
}

/** Stores the records of ended runs. Sends no statement if there are none. */
export async function insertRuns(tx: NodeTransaction, runs: readonly RunRecord[]) {
  await writeRows(tx, 'insertRuns', runs.map(runColumns));
}

/**
 * Deletes up to `maxCount` runs past their retention, oldest first, and returns the number. Starts no further batch after `maxMs` milliseconds.
 * Deletes by key, so that no other rows are locked.
 */
export async function pruneRuns(tx: NodeTransaction, retention: RunRetention): Promise<number> {
  const { maxCount, maxMs = Number.POSITIVE_INFINITY } = retention;
  const end = tx.node.clock.monotonic() + maxMs;
  let pruned = 0;
  while (pruned < maxCount) {
    const count = Math.min(MIN_PRUNED, maxCount - pruned);
    const deleted = await pruneOldest(tx, { ...retention, maxCount: count });
    pruned += deleted;
    if (deleted < count || tx.node.clock.monotonic() >= end) break;
  }
  return pruned;
}

async function pruneOldest(
  tx: NodeTransaction,
  { before, outcomes = RUN_OUTCOMES, deadLetters = false, maxCount }: RunRetention,
): Promise<number> {
  type RunKey = Pick<RunRow, 'ENDED_TIME' | 'RUN_ID'>;
  const isDeadLetter = toFlag(deadLetters);
  const select = (outcome: string) =>
    tx.all<RunKey>('selectOldRuns', { outcome, isDeadLetter, before, limit: maxCount });
  const found = (await Promise.all([...new Set(outcomes)].map(select))).flat();
  const oldest = found.sort((a, b) => a.ENDED_TIME - b.ENDED_TIME).slice(0, maxCount);
  const rows = oldest.map(({ ENDED_TIME, RUN_ID }) => [ENDED_TIME, RUN_ID]);
  return writeRows(tx, 'deleteRuns', rows, { isDeadLetter });
}

interface ResolvedFailedRuns {
  /** One answer per resolution, in the same order; false if nothing was changed. */
  readonly answers: readonly boolean[];
  /** Earliest fire time of the stored reruns; undefined if there are none. */
  readonly earliest: EpochMs | undefined;
}

/**
 * Resolves dead letters and other failed runs: clears their marks, stores the triggers that rerun them, and deletes the checkpoints of discarded
 * runs. Must run under TRIGGER_ACCESS. Throws `StaleRead` if another transaction has cleared a mark since it was read.
 */
export async function resolveFailedRuns(
  tx: NodeTransaction,
  resolutions: readonly FailedRunResolution[],
): Promise<ResolvedFailedRuns> {
  const requested = firstOfEach(resolutions, ({ runId }) => runId);
  const triggers = requested.flatMap(({ rerun }) => rerun ?? []);
  const marks = { rerunnable: RERUNNABLE, rerun: RERUN }; // prefixes of run details
  type Resolvable = Pick<RunRow, 'RUN_ID' | 'IS_DEAD_LETTER'>;
  const rows = requested.map(runKeyList);
  const [marked, reruns] = await Promise.all([
    selectByRows<Resolvable>(tx, 'selectResolvableRuns', rows, { rerunnable: RERUNNABLE }),
    planFurtherRuns(tx, triggers, { isRequested: true }),
  ]);
  const found = new Map(marked.map(({ RUN_ID, IS_DEAD_LETTER }) => [RUN_ID, toBoolean(IS_DEAD_LETTER)]));
  const withJob = new Set(reruns.map(({ trigger }) => keyText(trigger.key)));
  const done = requested.filter(({ runId, rerun }) =>
    rerun === null ? found.get(runId) === true : found.has(runId) && withJob.has(keyText(rerun.key)),
  );
  const wanted = new Set(done.flatMap(({ rerun }) => (rerun === null ? [] : [keyText(rerun.key)])));
  const discarded = done.flatMap(({ checkpoint }) => checkpoint ?? []);
  const further = reruns.filter(({ trigger }) => wanted.has(keyText(trigger.key)));
  const [, earliest] = await Promise.all([
    writeEveryRow(tx, 'resolveRuns', done.map(runKeyList), marks),
    reopenOccurrences(tx, further).then((planned) => insertFurtherRuns(tx, planned)),
    deleteCheckpoints(tx, discarded),
  ]);
  const resolved = new Set(done);
  return { answers: resolutions.map((each) => resolved.has(each)), earliest };
}

/** Makes occurrences that have not ended wait for the reruns of their parts (shards). Returns the reruns to store. */
async function reopenOccurrences(tx: NodeTransaction, further: readonly FurtherRun[]): Promise<readonly FurtherRun[]> {
  const stored = further.filter(({ state }) => state === null);
  const added = further.filter(({ state }) => state !== null);
  const parts = added.filter(({ trigger }) => partOfTrigger(trigger) !== null);
  if (parts.length === 0) return further;
  const ids = new Set(parts.flatMap(({ trigger }) => occurrenceOfTrigger(trigger).id ?? []));
  const found = await selectOccurrencesOf(tx, [...ids]);
  const ongoing = new Map(found.map((occurrence) => [occurrence.id, occurrence]));
  const reruns = added.map(({ trigger }) => trigger);
  const { triggers, reopened } = planReruns(reruns, (id) => ongoing.get(id));
  const counted = reopened.map((after) => ({ before: ongoing.get(after.id)?.remaining ?? 0, after }));
  await saveCounts(tx, counted);
  return [...stored, ...added.map((each, index) => ({ ...each, trigger: triggers[index] ?? each.trigger }))];
}

/**
 * Records runs that ended with their node, if their history is enabled: `lost`, or if the node has left in order, `handedOver` or `interrupted`. A run
 * that nothing repeats becomes a dead letter if it is a one-off, or was handed over too often. Stores the database time, because the real end time is
 * unknown.
 */
async function recordEnded(
  tx: NodeTransaction,
  orphaned: OrphanedFirings,
  recoveries: readonly PlannedRecovery[],
): Promise<void> {
  const repeated = new Set(recoveries.map(({ trigger }) => keyText(trigger.key)));
  const runs = orphaned.firings.flatMap((firing, index) => {
    const { runId, state, jobKey } = firing;
    if (state !== 'EXECUTING' || jobKey === null) return [];
    const isRepeated = repeated.has(keyText(recoveryTriggerKey(runId)));
    const isDeadLetter = !isRepeated && (firing.isOneOff || (orphaned.isHandedOver && firing.requestsRecovery));
    if (!isDeadLetter && policyOfOrphan(orphaned, index, tx.node).history === 'none') return [];
    const left = isRepeated ? ('handedOver' as const) : ('interrupted' as const);
    const outcome = orphaned.isHandedOver ? left : ('lost' as const);
    return [
      {
        ...recordOfOrphan(orphaned, index, jobKey),
        outcome,
        isDeadLetter,
        detail: detailOfOrphan(tx, orphaned, index, isDeadLetter),
      },
    ];
  });
  if (runs.length === 0) return;
  const [clock] = await tx.all<{ NOW_TIME: number }>('selectClock');
  const endTime = Math.floor(clock?.NOW_TIME ?? tx.node.clock.now());
  await insertRuns(
    tx,
    runs.map((run) => ({ ...run, endTime, error: null })),
  );
}

function occurrenceOfOrphan({ runId, triggerKey, trigger, scheduledTime }: OrphanedFiredTrigger): Occurrence {
  const data = trigger?.data ?? NO_DATA;
  return occurrenceOf({ runId, trigger: { key: triggerKey, data }, scheduledFireTime: scheduledTime });
}

function recordOfOrphan({ instanceId, firings, jobRows }: OrphanedFirings, index: number, jobKey: JobKey) {
  const firing = firings[index] as OrphanedFiredTrigger;
  const { id: occurrenceId, triggerKey, scheduledTime, attempt } = occurrenceOfOrphan(firing);
  const { runId, firedTime: fireTime } = firing;
  const jobType = jobRows[index]?.JOB_CLASS_NAME ?? '';
  return { runId, occurrenceId, triggerKey, scheduledTime, attempt, jobKey, jobType, instanceId, fireTime };
}

/** A dead letter contains what a rerun needs: the data, priority and policy of the trigger, and the job if it may be deleted. */
function detailOfOrphan(
  { node }: NodeTransaction,
  { firings, storedData, jobRows }: OrphanedFirings,
  index: number,
  isDeadLetter: boolean,
): string | null {
  const firing = firings[index] as OrphanedFiredTrigger;
  const part = detailOfPart(occurrenceOfOrphan(firing));
  if (!isDeadLetter) return part.shard === undefined ? null : JSON.stringify(part);
  const policy = readPolicy(storedData.get(firing.runId) ?? null);
  const jobRow = jobRows[index] ?? null;
  const job = jobRow === null ? null : readPlainJob(jobRow, node);
  return JSON.stringify({
    ...part,
    triggerData: withoutOccurrence(firing.trigger?.data ?? NO_DATA),
    priority: firing.priority,
    ...(policy !== undefined && { policy }),
    ...(job !== null && !job.durable && { job: { ...job, key: undefined } }),
  });
}
