import { type Completion, type EndedParts, type EndedRun, endedPartsOf, endOfParts } from '../../../domain/completion';
import { afterParts, type SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { OccurrenceSweepRequest } from '../../job-store';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyOf, keyList, toFireTime, triggerKeyOf } from '../rows/rows';
import { toBoolean, toFlag } from '../rows/trigger-kinds';
import { selectByRows, writeEveryRow } from '../runtime/row-batches';
import type { JobName, TriggerName } from './select-definitions';

/* Occurrences with parts (shards). A row of QRTZ_X_PARTS counts the remaining parts; the transactions that store or end parts write it. */

interface PartsRow extends TriggerName, JobName {
  readonly OCCURRENCE_ID: string;
  readonly SCHED_TIME: number;
  readonly STARTED_TIME: number;
  readonly PARTS: number;
  readonly REMAINING: number;
  readonly FAILED: number;
  readonly IS_BROADCAST: string;
}

function toOccurrence(row: PartsRow): SpreadOccurrence {
  return {
    id: row.OCCURRENCE_ID,
    triggerKey: triggerKeyOf(row),
    jobKey: jobKeyOf(row),
    scheduledTime: toFireTime(row.SCHED_TIME),
    startTime: toFireTime(row.STARTED_TIME),
    parts: row.PARTS,
    remaining: row.REMAINING,
    failed: row.FAILED,
    isBroadcast: toBoolean(row.IS_BROADCAST),
  };
}

export async function insertParts(tx: NodeTransaction, started: readonly SpreadOccurrence[]) {
  const rows = started.map(
    ({ id, triggerKey, jobKey, scheduledTime, startTime, parts, remaining, failed, isBroadcast }) => [
      id,
      ...keyList(triggerKey),
      ...keyList(jobKey),
      ...[scheduledTime, startTime, parts, remaining, failed],
      toFlag(isBroadcast),
    ],
  );
  await writeEveryRow(tx, 'insertParts', rows);
}

/** Counts the parts (shards) that completions end. Returns the occurrences whose last part has ended, by the completion of that part. */
export async function endParts(
  tx: NodeTransaction,
  owned: readonly Completion[],
): Promise<ReadonlyMap<Completion, SpreadOccurrence>> {
  const ended = endedPartsOf(owned);
  const found = await selectByRows<PartsRow>(tx, 'selectParts', [...ended.keys()]);
  const counted = found.map((row) => {
    const { last, ...parts } = ended.get(row.OCCURRENCE_ID) as EndedParts;
    return { last, before: row.REMAINING, after: afterParts(toOccurrence(row), parts) };
  });
  await saveCounts(tx, counted);
  return new Map(counted.flatMap(({ last, after }) => (after.remaining === 0 ? [[last, after]] : [])));
}

/** An occurrence with updated counts. `before`: number of remaining parts before the update. */
export interface CountedParts {
  readonly before: number;
  readonly after: SpreadOccurrence;
}

/** Writes the counts of occurrences, and deletes those without remaining parts. Throws `StaleRead` if a count has changed since it was read. */
export async function saveCounts(tx: NodeTransaction, counted: readonly CountedParts[]) {
  const over = counted.filter(({ after }) => after.remaining === 0);
  const goingOn = counted.filter(({ after }) => after.remaining > 0);
  const counts = goingOn.map(({ before, after }) => [after.id, before, after.remaining, after.failed]);
  const deleted = over.map(({ before, after }) => [after.id, before]);
  await Promise.all([writeEveryRow(tx, 'updateParts', counts), writeEveryRow(tx, 'deleteParts', deleted)]);
}

/** Returns the ends of the occurrences that other triggers wait for. */
export function awaitedEndsOf(ended: ReadonlyMap<Completion, SpreadOccurrence>): readonly EndedRun[] {
  const awaited = [...ended].filter(([{ firing }]) => firing.hasFollowers === true);
  return awaited.map(([{ end }, occurrence]) => endOfParts(occurrence, end?.endTime ?? 0));
}

/** Returns the occurrences with these ids that have not ended. */
export async function selectOccurrencesOf(
  tx: NodeTransaction,
  ids: readonly string[],
): Promise<readonly SpreadOccurrence[]> {
  return (await selectByRows<PartsRow>(tx, 'selectParts', ids)).map(toOccurrence);
}

/** Maximum number of occurrences to list in one query. */
export const MAX_OCCURRENCES = 10_000;

/** Returns at most `maxCount` occurrences that have not ended, ordered by id. Starts after `after` (null: from the beginning). */
export async function selectOccurrences(
  reader: NodeReader,
  { after, maxCount }: Pick<OccurrenceSweepRequest, 'after' | 'maxCount'>,
): Promise<readonly SpreadOccurrence[]> {
  const rows = await reader.all<PartsRow>('selectOccurrences', { afterId: after ?? '', limit: maxCount });
  return rows.map(toOccurrence);
}
