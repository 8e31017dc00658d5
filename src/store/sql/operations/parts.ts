import type { EpochMs } from '../../../base/clock';
import { type Completion, type EndedParts, endedPartsOf, endOfParts } from '../../../domain/completion';
import { formatKey } from '../../../domain/keys';
import { occurrenceOf } from '../../../domain/occurrence';
import { afterParts, partPrefix, type SpreadOccurrence, withoutRemaining } from '../../../domain/shards';
import type { OccurrenceSweepRequest } from '../../job-store';
import { decodeJobData } from '../rows/job-data';
import { jobKeyColumns, jobKeyOf, keyList, readable, type TriggerRow, toFireTime, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { toBoolean, toFlag } from '../rows/trigger-kinds';
import { selectByRows, writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { insertFurtherRuns, planFurtherRuns } from './further-runs';
import { settleEnds } from './occurrence-ends';
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
  { schedName }: SqlNode,
  owned: readonly Completion[],
): Promise<ReadonlyMap<Completion, SpreadOccurrence>> {
  const ended = endedPartsOf(owned);
  const found = await selectByRows<PartsRow>(tx, 'selectParts', { schedName }, [...ended.keys()]);
  const counted = found.map((row) => {
    const { last, ...parts } = ended.get(row.OCCURRENCE_ID) as EndedParts;
    return { last, before: row.REMAINING, after: afterParts(toOccurrence(row), parts) };
  });
  const over = counted.filter(({ after }) => after.remaining === 0);
  const goingOn = counted.filter(({ after }) => after.remaining > 0);
  await Promise.all([
    writeEveryRow(
      tx,
      'updateParts',
      { schedName },
      goingOn.map(({ before, after }) => [after.id, before, after.remaining, after.failed]),
    ),
    writeEveryRow(
      tx,
      'deleteParts',
      { schedName },
      over.map(({ before, after }) => [after.id, before]),
    ),
  ]);
  return new Map(over.map(({ last, after }) => [last, after]));
}

/** A page of the occurrences that go on, in the order of their ids. */
export async function selectOccurrences(
  reader: Reader,
  { schedName }: SqlNode,
  { after, maxCount }: Pick<OccurrenceSweepRequest, 'after' | 'maxCount'>,
): Promise<readonly SpreadOccurrence[]> {
  const rows = await reader.all<PartsRow>('selectOccurrences', { schedName, afterId: after ?? '', limit: maxCount });
  return rows.map(toOccurrence);
}

/** Those occurrences of which no part waits or is being run. */
export async function findAbandoned(
  reader: Reader,
  node: SqlNode,
  occurrences: readonly SpreadOccurrence[],
): Promise<readonly SpreadOccurrence[]> {
  const abandoned: SpreadOccurrence[] = [];
  for (const occurrence of occurrences) {
    if (!(await hasFirstRuns(reader, node, occurrence)) && !(await hasFurtherRuns(reader, node, occurrence)))
      abandoned.push(occurrence);
  }
  return abandoned;
}

/** What giving up did. */
export interface GivenUp {
  readonly ended: readonly SpreadOccurrence[];
  /** The earliest fire time of what waited for these ends; undefined: nothing did. */
  readonly earliest: EpochMs | undefined;
}

/** Gives up what remains of them. To be run under TRIGGER_ACCESS. */
export async function giveUp(
  tx: SqlTransaction,
  node: SqlNode,
  occurrences: readonly SpreadOccurrence[],
  now: EpochMs,
): Promise<GivenUp> {
  const { schedName } = node;
  const ids = occurrences.map(({ id }) => id);
  const rows = await selectByRows<PartsRow>(tx, 'selectParts', { schedName }, ids);
  const abandoned = await findAbandoned(tx, node, rows.map(toOccurrence));
  const asRead = abandoned.map(({ id, remaining }) => [id, remaining]);
  await writeEveryRow(tx, 'deleteParts', { schedName }, asRead);
  const ended = abandoned.map(withoutRemaining);
  const ends = ended.map((occurrence) => endOfParts(occurrence, now));
  const starts = await planFurtherRuns(tx, node, await settleEnds(tx, node, [], ends));
  return { ended, earliest: await insertFurtherRuns(tx, node, starts) };
}

async function hasFirstRuns(reader: Reader, { schedName }: SqlNode, { id }: SpreadOccurrence): Promise<boolean> {
  const firstName = partPrefix(id);
  const endName = `${firstName.slice(0, -1)}\``; // the character behind the last one of the prefix
  const [row] = await reader.all<{ readonly IS_LEFT: number }>('selectPartsLeft', { schedName, firstName, endName });
  return row?.IS_LEFT !== 0;
}

/** What cannot be read, and what is run after its trigger was deleted, may belong to any. */
async function hasFurtherRuns(reader: Reader, node: SqlNode, { id, jobKey }: SpreadOccurrence): Promise<boolean> {
  type Row = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP' | 'JOB_DATA'> & { readonly IS_STORED: number };
  const params = { schedName: node.schedName, ...jobKeyColumns(jobKey) };
  const rows = await reader.all<Row>('selectFurtherRunsOfJob', params);
  return rows.some((row) => {
    const key = triggerKeyOf(row);
    const name = formatKey(key);
    const data = readable(node, { what: 'trigger', name }, () => decodeJobData(row.JOB_DATA, `trigger '${name}'`));
    if (row.IS_STORED === 0 || data === null) return true;
    return occurrenceOf({ trigger: { key, data }, scheduledFireTime: 0 }).shard?.occurrenceId === id;
  });
}
