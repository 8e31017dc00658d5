import { type EpochMs, earliestOf } from '../../../base/clock';
import { type Completion, type EndedRun, endsOfParts, losesParts } from '../../../domain/completion';
import { type DeletedRun, endsOfDeleted, namesOfRuns, recordOfDeleted } from '../../../domain/deleted-runs';
import { heldBy } from '../../../domain/freed-limits';
import { type JobKey, keyText } from '../../../domain/keys';
import { isGroupOfFurtherRuns, occurrenceOfTrigger } from '../../../domain/occurrence';
import type { OrphanedFiredTrigger } from '../../../domain/recovery';
import type { RunName } from '../../../domain/run';
import { partPrefix } from '../../../domain/shards';
import { recounted, type SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyColumns, type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { Extension, IndirectEnds } from './extension';
import { insertFurtherRuns, planFurtherRuns } from './further-runs';
import { releaseLimits } from './limits';
import { startFurtherRuns } from './occurrence-ends';
import {
  type CountedParts,
  insertParts,
  MAX_OCCURRENCES,
  saveCounts,
  selectOccurrences,
  selectOccurrencesOf,
} from './parts';
import { readTriggerData } from './runs-of-triggers';
import type { TriggerName } from './select-definitions';
import { insertRuns } from './write-runs';

/*
 * Parts (shards) of occurrences that end without a completion, because their triggers were deleted or are in ERROR, or because their node died. The
 * transaction that removes such parts counts them as failed. A periodic sweep finds parts that were removed in other ways. This file also records the
 * ends of deleted waiting runs.
 */

export const PARTS: Extension = {
  async stored(tx, { isCleared }) {
    if (isCleared) await tx.run('deleteAllParts');
  },
  ended: (tx, { started }) => insertParts(tx, started),
  endedIndirectly: (tx, { owned, stored }) => endPartsLostBy(tx, owned, stored),
  recovered: (tx, { firings }) => endLostParts(tx, jobsOfParts(firings), tx.node.clock.now()),
};

/** Returns the jobs of further runs that were executing. Such a run may be a part (shard) of an occurrence. */
function jobsOfParts(firings: readonly OrphanedFiredTrigger[]): readonly JobKey[] {
  const parts = firings.filter(
    ({ triggerKey, state }) => state === 'EXECUTING' && isGroupOfFurtherRuns(triggerKey.group),
  );
  return parts.flatMap(({ jobKey }) => jobKey ?? []);
}

/** Recounts occurrences of these jobs after parts (shards) were removed, and ends those without remaining parts. Must run under TRIGGER_ACCESS. */
export async function endLostParts(tx: NodeTransaction, jobs: readonly JobKey[], now: EpochMs): Promise<IndirectEnds> {
  return endCounted(tx, await recount(tx, await occurrencesOfJobs(tx, jobs)), now);
}

/** Recounts occurrences whose parts (shards) completions remove; `by` is the first such completion. `stored`: further runs, as `keyText`. */
async function endPartsLostBy(
  tx: NodeTransaction,
  owned: readonly Completion[],
  stored: ReadonlySet<string>,
): Promise<IndirectEnds> {
  const losing = owned.filter((each) =>
    losesParts(each, each.further?.some(({ key }) => !stored.has(keyText(key))) === true),
  );
  const jobs = losing.map(({ firing }) => firing.jobDetail.key);
  const [by] = losing;
  return { ...(await endLostParts(tx, jobs, by?.end?.endTime ?? tx.node.clock.now())), by };
}

/**
 * Counts parts (shards) of occurrences as remaining again if they had counted as failed but can still run. `jobs`: jobs of the occurrences. Must run
 * under TRIGGER_ACCESS, after the change that lets the parts run.
 */
export async function reopenParts(tx: NodeTransaction, jobs: readonly JobKey[]): Promise<void> {
  const counted = await recount(tx, await occurrencesOfJobs(tx, jobs));
  const reopened = counted.filter(({ before, after }) => after.remaining > before);
  await saveCounts(tx, reopened);
}

async function occurrencesOfJobs(tx: NodeTransaction, jobs: readonly JobKey[]) {
  if (jobs.length === 0) return [];
  const selected = new Set(jobs.map(keyText));
  const all = await selectOccurrences(tx, { after: null, maxCount: MAX_OCCURRENCES });
  return all.filter(({ jobKey }) => selected.has(keyText(jobKey)));
}

/** Returns the occurrences that have no waiting or executing part (shard). */
export async function findAbandoned(
  reader: NodeReader,
  occurrences: readonly SpreadOccurrence[],
): Promise<readonly SpreadOccurrence[]> {
  const abandoned: SpreadOccurrence[] = [];
  for (const occurrence of occurrences) if ((await countLeft(reader, occurrence)) === 0) abandoned.push(occurrence);
  return abandoned;
}

/** Ends occurrences that still have no waiting or executing part (shard). Their remaining parts count as failed. Must run under TRIGGER_ACCESS. */
export async function endAbandoned(
  tx: NodeTransaction,
  occurrences: readonly SpreadOccurrence[],
  now: EpochMs,
): Promise<IndirectEnds> {
  const ids = occurrences.map(({ id }) => id);
  return endCounted(tx, await recount(tx, await selectOccurrencesOf(tx, ids)), now);
}

/** Counts the remaining parts (shards) of the occurrences, and returns the occurrences whose stored number differs. `occurrences`: as stored now. */
async function recount(tx: NodeTransaction, occurrences: readonly SpreadOccurrence[]) {
  const changed: CountedParts[] = [];
  for (const occurrence of occurrences) {
    const { remaining: before } = occurrence;
    const left = await countLeft(tx, occurrence);
    if (left !== null && left !== before) changed.push({ before, after: recounted(occurrence, left) });
  }
  return changed;
}

async function endCounted(tx: NodeTransaction, counted: readonly CountedParts[], now: EpochMs): Promise<IndirectEnds> {
  if (counted.length === 0) return { ended: [], earliest: undefined };
  await saveCounts(tx, counted);
  const ended = counted.map(({ after }) => after).filter(({ remaining }) => remaining === 0);
  const started = await startFollowers(tx, endsOfParts(ended, now));
  const released = await releaseLimits(tx, { freed: ended.map(heldBy), passedOn: [] });
  return { ended, earliest: earliestOf([started ?? null, released ?? null]) };
}

interface EndedRuns {
  readonly endedRuns: readonly RunName[];
  /** Earliest fire time of the triggers that waited for these ends; undefined if none waited. */
  readonly earliest: EpochMs | undefined;
}

/** Records the ends of deleted waiting runs, and starts the triggers that wait for these ends. Must run under TRIGGER_ACCESS, after the deletion. */
export async function endDeletedRuns(
  tx: NodeTransaction,
  deleted: readonly DeletedRun[],
  now: EpochMs,
): Promise<EndedRuns> {
  if (deleted.length === 0) return { endedRuns: [], earliest: undefined };
  const at = { instanceId: tx.node.instanceId, now };
  const runs = deleted.map((each) => recordOfDeleted(tx.node.newRunId(), each, at));
  await insertRuns(tx, runs);
  return { endedRuns: namesOfRuns(runs), earliest: await startFollowers(tx, endsOfDeleted(deleted, runs)) };
}

/** Starts the triggers that wait for these ends, which have no completion. Returns the triggers' earliest fire time; undefined if none waited. */
async function startFollowers(tx: NodeTransaction, ends: readonly EndedRun[]): Promise<EpochMs | undefined> {
  const starts = await planFurtherRuns(tx, await startFurtherRuns(tx, [], ends));
  return insertFurtherRuns(tx, starts);
}

/** Returns the number of parts (shards) that are waiting or executing; null if the number cannot be determined. */
async function countLeft(reader: NodeReader, occurrence: SpreadOccurrence): Promise<number | null> {
  const firstName = partPrefix(occurrence.id);
  const endName = `${firstName.slice(0, -1)}\``; // '`' follows '_', the last character of the prefix
  const params = { firstName, endName };
  const [row] = await reader.all<{ readonly PARTS_LEFT: number }>('countPartsLeft', params);
  const furtherRuns = await countFurtherRuns(reader, occurrence);
  return row === undefined || furtherRuns === null ? null : row.PARTS_LEFT + furtherRuns;
}

/** Counts the occurrence's further runs. Null if a run may belong to any occurrence: it is unreadable, or executes with a deleted trigger. */
async function countFurtherRuns(reader: NodeReader, { id, jobKey }: SpreadOccurrence): Promise<number | null> {
  type Row = TriggerName & Pick<TriggerRow, 'JOB_DATA'> & { readonly IS_STORED: number };
  const params = jobKeyColumns(jobKey);
  let count = 0;
  for (const row of await reader.all<Row>('selectFurtherRunsOfJob', params)) {
    const data = readTriggerData(row, reader.node);
    if (row.IS_STORED === 0 || data === null) return null;
    const { id: occurrenceId, shard } = occurrenceOfTrigger({ key: triggerKeyOf(row), data });
    if (occurrenceId === id && shard?.isCounted === true) count++;
  }
  return count;
}
