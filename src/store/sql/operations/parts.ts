import { type Completion, type EndedParts, type EndedRun, endedPartsOf, endOfParts } from '../../../domain/completion';
import { afterParts, type SpreadOccurrence } from '../../../domain/spread-occurrence';
import type { OccurrenceSweepRequest } from '../../job-store';
import { jobKeyOf, keyList, type TriggerRow, toFireTime, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { toBoolean, toFlag } from '../rows/trigger-kinds';
import { selectByRows, writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Reader } from './read-cluster';

/*
 * Occurrences that are run in parts: a row of QRTZ_X_PARTS counts the parts that have not ended for good. It is written by the transaction
 * that stores their triggers, and by those that end them.
 */

type PartsRow = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'JOB_NAME' | 'JOB_GROUP'> & {
  readonly OCCURRENCE_ID: string;
  readonly SCHED_TIME: number;
  readonly STARTED_TIME: number;
  readonly PARTS: number;
  readonly REMAINING: number;
  readonly FAILED: number;
  readonly IS_BROADCAST: string;
};

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

/** Begins to count the parts that completions have stored. */
export async function insertParts(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  begun: readonly SpreadOccurrence[],
): Promise<void> {
  const rows = begun.map(
    ({ id, triggerKey, jobKey, scheduledTime, startTime, parts, remaining, failed, isBroadcast }) => [
      id,
      ...keyList(triggerKey),
      ...keyList(jobKey),
      ...[scheduledTime, startTime, parts, remaining, failed],
      toFlag(isBroadcast),
    ],
  );
  await writeEveryRow(tx, 'insertParts', { schedName }, rows);
}

/** Counts the parts that completions end for good; the occurrences that end with them, by the completion of the last part. */
export async function endParts(
  tx: SqlTransaction,
  node: SqlNode,
  owned: readonly Completion[],
): Promise<ReadonlyMap<Completion, SpreadOccurrence>> {
  const ended = endedPartsOf(owned);
  const { schedName } = node;
  const found = await selectByRows<PartsRow>(tx, 'selectParts', { schedName }, [...ended.keys()]);
  const counted = found.map((row) => {
    const { last, ...parts } = ended.get(row.OCCURRENCE_ID) as EndedParts;
    return { last, before: row.REMAINING, after: afterParts(toOccurrence(row), parts) };
  });
  await saveCounts(tx, node, counted);
  return new Map(counted.flatMap(({ last, after }) => (after.remaining === 0 ? [[last, after]] : [])));
}

/** An occurrence with the parts that were counted anew, and how many remained of it before. */
export interface CountedParts {
  readonly before: number;
  readonly after: SpreadOccurrence;
}

/** Writes what remains of occurrences; those of which nothing does are over. Throws `StaleRead` when one is not any more as it was read. */
export async function saveCounts(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  counted: readonly CountedParts[],
): Promise<void> {
  const over = counted.filter(({ after }) => after.remaining === 0);
  const goingOn = counted.filter(({ after }) => after.remaining > 0);
  const counts = goingOn.map(({ before, after }) => [after.id, before, after.remaining, after.failed]);
  const deleted = over.map(({ before, after }) => [after.id, before]);
  await Promise.all([
    writeEveryRow(tx, 'updateParts', { schedName }, counts),
    writeEveryRow(tx, 'deleteParts', { schedName }, deleted),
  ]);
}

/** The ends of occurrences that triggers wait for. */
export function awaitedEndsOf(ended: ReadonlyMap<Completion, SpreadOccurrence>): readonly EndedRun[] {
  const awaited = [...ended].filter(([{ firing }]) => firing.hasFollowers === true);
  return awaited.map(([{ end }, occurrence]) => endOfParts(occurrence, end?.endTime ?? 0));
}

/** Those of these ids that go on. */
export async function selectOccurrencesOf(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  ids: readonly string[],
): Promise<readonly SpreadOccurrence[]> {
  return (await selectByRows<PartsRow>(tx, 'selectParts', { schedName }, ids)).map(toOccurrence);
}

/** More at once are not listed. */
export const MAX_OCCURRENCES = 10_000;

/** A page of the occurrences that go on, in the order of their ids. */
export async function selectOccurrences(
  reader: Reader,
  { schedName }: SqlNode,
  { after, maxCount }: Pick<OccurrenceSweepRequest, 'after' | 'maxCount'>,
): Promise<readonly SpreadOccurrence[]> {
  const rows = await reader.all<PartsRow>('selectOccurrences', { schedName, afterId: after ?? '', limit: maxCount });
  return rows.map(toOccurrence);
}
