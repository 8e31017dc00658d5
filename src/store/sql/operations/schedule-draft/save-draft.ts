import type { EpochMs } from '../../../../base/clock';
import { encodeCalendar } from '../../rows/calendar';
import { earliestOf } from '../../rows/earliest';
import { fromTime, jobColumns, jobKeyColumns, keyList, toHex, triggerColumns } from '../../rows/rows';
import type { SqlNode } from '../../rows/sql-node';
import { type KindRow, kindRowOf } from '../../rows/trigger-kinds';
import { ALIKE_JOBS, ALIKE_SIMPLE_TRIGGERS, ALIKE_TRIGGERS, withCommonColumns } from '../../runtime/common-columns';
import { type RowBatch, writeAll, writeEveryRow, writeRows } from '../../runtime/row-batches';
import type { SqlTransaction } from '../../runtime/sql-driver';
import { deleteKindRows } from '../delete-triggers';
import { deletePausedGroups, insertPausedGroups } from '../paused-groups';
import { writeFired } from '../plan-firings';
import { blockTriggersOf, endReservations } from '../write-triggers';
import { saveDeclared } from './declared-draft';
import type { JobDraft, ScheduleDraft, TriggerBefore, TriggerDraft, TriggerNow } from './schedule-draft';

/** A trigger that was stored and whose definition changed. */
type Changed = TriggerDraft & { readonly before: TriggerBefore; readonly now: TriggerNow };

/**
 * Writes what a change set came to, in the order that foreign keys ask for, and `fired`, the fired rows of what it adds. The
 * earliest fire time that came within reach; null: some did, and it is not known which; undefined: none did.
 */
export async function saveDraft(
  tx: SqlTransaction,
  node: SqlNode,
  draft: ScheduleDraft,
  fired: RowBatch,
): Promise<EpochMs | null | undefined> {
  const jobs = [...draft.jobs.values()];
  const triggers = [...draft.triggers.values()];
  await clearAway(tx, node, triggers);
  await write(tx, node, definitions(jobs, triggers, node), fired);
  const gone = jobs.filter(({ before, facts }) => before !== null && facts === null);
  await writeEveryRow(
    tx,
    'deleteJobs',
    { schedName: node.schedName },
    gone.map(({ key }) => jobKeyColumns(key)),
  );
  await writeCalendars(tx, node, draft);
  await saveDeclared(tx, node, draft.declared);
  await insertPausedGroups(
    tx,
    node,
    [...draft.paused].filter((group) => !draft.pausedBefore.has(group)),
  );
  await deletePausedGroups(
    tx,
    node,
    [...draft.pausedBefore].filter((group) => !draft.paused.has(group)),
  );
  await blockAndUnblock(tx, node, jobs);
  return earliestWithinReach(draft);
}

/** In one turn with what is fired, if anything is: only then does it matter whether the node may fire. */
function write(tx: SqlTransaction, node: SqlNode, sets: Iterable<RowBatch>, fired: RowBatch): Promise<void> {
  if (fired.rows.length === 0) return writeAll(tx, { schedName: node.schedName }, sets);
  return writeFired(tx, node, followedBy(sets, fired));
}

function* followedBy(sets: Iterable<RowBatch>, last: RowBatch): Generator<RowBatch, void> {
  yield* sets;
  yield last;
}

/** Triggers that go, and of those that change what hangs on their old definition. */
async function clearAway(tx: SqlTransaction, node: SqlNode, drafts: readonly TriggerDraft[]): Promise<void> {
  const gone = drafts.filter((each) => each.before !== null && each.now === null);
  const touched = [...gone, ...drafts.filter(isChanged)];
  await endReservations(
    tx,
    node,
    touched.map(({ key, before }) => ({ key, state: before?.state ?? '' })),
  );
  const types = new Set(touched.map(({ before }) => before?.type ?? null));
  await deleteKindRows(
    tx,
    node,
    types,
    touched.map(({ key }) => keyList(key)),
  );
  await writeEveryRow(
    tx,
    'deleteTriggers',
    { schedName: node.schedName },
    gone.map(({ key }) => keyList(key)),
  );
}

/** Jobs before the triggers that name them, and those before what their kinds keep. */
function* definitions(
  jobs: readonly JobDraft[],
  triggers: readonly TriggerDraft[],
  node: SqlNode,
): Generator<RowBatch, void> {
  const newJobs = jobs.filter(({ before }) => before === null);
  yield withCommonColumns({ statement: 'insertJobs', rows: jobRows(newJobs, node) }, ALIKE_JOBS);
  yield {
    statement: 'updateJobs',
    rows: jobRows(
      jobs.filter(({ before }) => before !== null),
      node,
    ),
  };
  const changed = triggers.filter(isChanged);
  yield { statement: 'updateTriggers', rows: changed.flatMap((each) => changedRow(each, node)) };
  const added = triggers.filter(({ before, now }) => before === null && now !== null);
  const rows = added.flatMap((each) => definitionRow(each, node));
  yield withCommonColumns({ statement: 'insertTriggers', rows }, ALIKE_TRIGGERS);
  yield* kindRows([...changed, ...added]);
}

function isChanged(draft: TriggerDraft): draft is Changed {
  return draft.before !== null && draft.now !== null && draft.isWritten;
}

function jobRows(jobs: readonly JobDraft[], node: SqlNode) {
  return jobs.flatMap(({ written, storedData }) => (written === null ? [] : [jobColumns(written, storedData, node)]));
}

function changedRow(draft: Changed, node: SqlNode) {
  return definitionRow(draft, node).map((row) => [...row, draft.before.state, fromTime(draft.before.nextFireTime)]);
}

function definitionRow({ now, before }: TriggerDraft, node: SqlNode) {
  if (now === null || now.trigger === null) return [];
  return [triggerColumns(now.trigger, now.state, before?.storedData ?? null, node)];
}

function* kindRows(drafts: readonly TriggerDraft[]): Generator<RowBatch, void> {
  const rows: Readonly<Record<KindRow['statement'], KindRow['row'][]>> = {
    insertSimpleTriggers: [],
    insertCronTriggers: [],
    insertSimpropTriggers: [],
  };
  for (const { now } of drafts) {
    if (now === null || now.trigger === null) continue;
    const { statement, row } = kindRowOf(now.trigger);
    rows[statement].push(row);
  }
  yield withCommonColumns(
    { statement: 'insertSimpleTriggers', rows: rows.insertSimpleTriggers },
    ALIKE_SIMPLE_TRIGGERS,
  );
  yield { statement: 'insertCronTriggers', rows: rows.insertCronTriggers };
  yield { statement: 'insertSimpropTriggers', rows: rows.insertSimpropTriggers };
}

async function writeCalendars(tx: SqlTransaction, { schedName }: SqlNode, draft: ScheduleDraft): Promise<void> {
  const changed = [...draft.calendars].filter(
    ([, { before, now, isStored, isPresent }]) => now !== before || isStored !== isPresent,
  );
  const gone = changed.filter(([, { isStored }]) => isStored).map(([calendarName]) => ({ calendarName }));
  await writeEveryRow(tx, 'deleteCalendars', { schedName }, gone);
  const present = changed.flatMap(([calendarName, { now }]) =>
    now === null ? [] : [{ calendarName, calendar: toHex(encodeCalendar(now)) }],
  );
  await writeEveryRow(tx, 'insertCalendars', { schedName }, present);
}

/** A stored job that becomes non-concurrent while it executes blocks its triggers, and one that ceases to be lets them go on. */
async function blockAndUnblock(tx: SqlTransaction, node: SqlNode, jobs: readonly JobDraft[]): Promise<void> {
  const executing = jobs.filter(({ before, facts, isExecuting }) => before !== null && facts !== null && isExecuting);
  const changed = executing.filter(
    ({ before, facts }) => before?.disallowConcurrentExecution !== facts?.disallowConcurrentExecution,
  );
  const isSerial = ({ facts }: JobDraft) => facts?.disallowConcurrentExecution === true;
  const serial = changed.filter(isSerial).map(({ key }) => key);
  await writeRows(tx, 'markFiringsNonConcurrent', { schedName: node.schedName }, serial.map(jobKeyColumns));
  await blockTriggersOf(tx, node, serial);
  const concurrent = changed.filter((job) => !isSerial(job)).map(({ key }) => jobKeyColumns(key));
  await writeRows(tx, 'unblockTriggers', { schedName: node.schedName }, concurrent);
}

function earliestWithinReach(draft: ScheduleDraft): EpochMs | null | undefined {
  const isRequeued = [...draft.jobs.values()].some(
    ({ before, facts }) =>
      before !== null &&
      facts !== null &&
      (before.jobType !== facts.jobType || before.disallowConcurrentExecution !== facts.disallowConcurrentExecution),
  );
  if (isRequeued) return null;
  const written = [...draft.triggers.values()].filter(({ isWritten }) => isWritten);
  return earliestOf(written.map(({ now }) => (now?.state === 'WAITING' ? (now.trigger?.nextFireTime ?? null) : null)));
}
