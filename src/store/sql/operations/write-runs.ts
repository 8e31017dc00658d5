import type { EpochMs } from '../../../base/clock';
import type { Completion } from '../../../domain/completion';
import { policyOf } from '../../../domain/execution-policy';
import { NO_DATA } from '../../../domain/job-data';
import { firstOfEach, keyText } from '../../../domain/keys';
import { occurrenceOf, occurrenceOfTrigger, partOfTrigger } from '../../../domain/occurrence';
import { planReruns } from '../../../domain/retry';
import { detailOfPart, MIN_PRUNED, RUN_OUTCOMES, type RunRecord, type RunRetention } from '../../../domain/run';
import { RERUN, RERUNNABLE } from '../../../domain/run-detail';
import type { FailedRunResolution } from '../../job-store';
import { readPolicy } from '../rows/job-data';
import type { NodeTransaction } from '../rows/node-transaction';
import { type RunRow, runColumns, runKeyList } from '../rows/run-rows';
import { toBoolean, toFlag } from '../rows/trigger-kinds';
import { selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import { deleteCheckpoints } from './checkpoints';
import type { Extension, OrphanedFirings } from './extension';
import { type FurtherRun, insertFurtherRuns, planFurtherRuns } from './further-runs';
import { saveCounts, selectOccurrencesOf } from './parts';

export const RUNS: Extension = {
  ended: (tx, { owned }) => insertRuns(tx, runsOf(owned)),
  async recovered(tx, orphaned) {
    await recordLost(tx, orphaned);
  },
};

/** Returns the records of the runs that end. Leaves out runs without a record. */
export function runsOf(completions: readonly Completion[]): readonly RunRecord[] {
  return completions.map(({ run }) => run).filter((run) => run !== undefined);
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

export interface ResolvedFailedRuns {
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

/** Records runs that died with their node, if their history is enabled. Stores the database time, because the real end time is unknown. */
async function recordLost(
  tx: NodeTransaction,
  { instanceId, firings, storedData, jobRows }: OrphanedFirings,
): Promise<void> {
  const runs = firings.flatMap((firing, index) => {
    const { runId, triggerKey, jobKey, state, trigger } = firing;
    if (state !== 'EXECUTING' || jobKey === null) return [];
    const jobRow = jobRows[index];
    const ofTrigger = { policy: readPolicy(storedData.get(runId) ?? null) ?? {} };
    const ofJob = { key: jobKey, policy: readPolicy(jobRow?.DETAIL_DATA ?? null) ?? {} };
    if (policyOf({ trigger: ofTrigger, jobDetail: ofJob }, tx.node.policy).history === 'none') return [];
    const data = trigger?.data ?? NO_DATA;
    const { shard, id, ...occurrence } = occurrenceOf({
      runId,
      trigger: { key: triggerKey, data },
      scheduledFireTime: firing.scheduledTime,
    });
    const jobType = jobRow?.JOB_CLASS_NAME ?? '';
    const detail = shard === undefined ? null : JSON.stringify(detailOfPart({ shard }));
    const name = { runId, occurrenceId: id, ...occurrence };
    return [{ ...name, jobKey, jobType, instanceId, fireTime: firing.firedTime, detail }];
  });
  if (runs.length === 0) return;
  const [clock] = await tx.all<{ NOW_TIME: number }>('selectClock');
  const endTime = clock?.NOW_TIME ?? tx.node.clock.now();
  const lost = runs.map((run) => ({ ...run, endTime, outcome: 'lost', isDeadLetter: false, error: null }) as const);
  await insertRuns(tx, lost);
}
