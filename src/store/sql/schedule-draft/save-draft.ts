import type { EpochMs } from '../../../base/clock';
import { deleteKindRows } from '../operations/delete-triggers';
import { earliestOf } from '../operations/earliest';
import { deletePausedGroups, insertPausedGroups } from '../operations/paused-groups';
import { blockTriggersOf, endReservations } from '../operations/write-triggers';
import { encodeCalendar } from '../row-formats/calendar';
import { kindRowOf } from '../row-formats/trigger-kinds';
import { type RowOfSet, writeEveryRow, writeRows } from '../row-sets';
import { fromTime, jobColumns, jobKeyColumns, toHex, triggerColumns, triggerKeyColumns } from '../rows';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import type { JobDraft, ScheduleDraft, TriggerBefore, TriggerDraft, TriggerNow } from './schedule-draft';

/** A trigger that was stored and whose definition changed. */
type Changed = TriggerDraft & { readonly before: TriggerBefore; readonly now: TriggerNow };

/**
 * Writes what a change set came to, in the order that foreign keys ask for. The earliest fire time that came within reach;
 * null: some did, and it is not known which; undefined: none did.
 */
export async function saveDraft(
  tx: SqlTransaction,
  node: SqlNode,
  draft: ScheduleDraft,
): Promise<EpochMs | null | undefined> {
  const jobs = [...draft.jobs.values()];
  await writeJobs(tx, node, jobs);
  await writeTriggers(tx, node, [...draft.triggers.values()]);
  const gone = jobs.filter(({ before, facts }) => before !== null && facts === null);
  await writeEveryRow(
    tx,
    'deleteJobs',
    { schedName: node.schedName },
    gone.map(({ key }) => jobKeyColumns(key)),
  );
  await writeCalendars(tx, node, draft);
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

async function writeJobs(tx: SqlTransaction, node: SqlNode, jobs: readonly JobDraft[]): Promise<void> {
  const { schedName } = node;
  const rowsOf = (drafts: readonly JobDraft[]) =>
    drafts.flatMap(({ written, storedData }) => (written === null ? [] : [jobColumns(written, storedData, node)]));
  await writeEveryRow(tx, 'insertJobs', { schedName }, rowsOf(jobs.filter(({ before }) => before === null)));
  await writeEveryRow(tx, 'updateJobs', { schedName }, rowsOf(jobs.filter(({ before }) => before !== null)));
}

async function writeTriggers(tx: SqlTransaction, node: SqlNode, drafts: readonly TriggerDraft[]): Promise<void> {
  const { schedName } = node;
  const gone = drafts.filter((each) => each.before !== null && each.now === null);
  const changed = drafts.filter((each): each is Changed => each.before !== null && each.now !== null && each.isWritten);
  const added = drafts.filter(({ before, now }) => before === null && now !== null);
  const touched = [...gone, ...changed];

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
    touched.map(({ key }) => triggerKeyColumns(key)),
  );
  await writeEveryRow(
    tx,
    'deleteTriggers',
    { schedName },
    gone.map(({ key }) => triggerKeyColumns(key)),
  );
  await writeEveryRow(
    tx,
    'updateTriggers',
    { schedName },
    changed.flatMap((each) => changedRow(each, node)),
  );
  await writeEveryRow(
    tx,
    'insertTriggers',
    { schedName },
    added.flatMap((each) => definitionRow(each, node)),
  );
  await insertKindRows(tx, node, [...changed, ...added]);
}

function changedRow(draft: Changed, node: SqlNode) {
  return definitionRow(draft, node).map((row) => [...row, draft.before.state, fromTime(draft.before.nextFireTime)]);
}

function definitionRow({ now, before }: TriggerDraft, node: SqlNode) {
  if (now === null || now.trigger === null) return [];
  return [triggerColumns(now.trigger, now.state, before?.storedData ?? null, node)];
}

async function insertKindRows(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  drafts: readonly TriggerDraft[],
): Promise<void> {
  const rows = { insertSimpleTriggers: [], insertCronTriggers: [], insertSimpropTriggers: [] } as {
    readonly [Statement in ReturnType<typeof kindRowOf>['statement']]: RowOfSet[];
  };
  for (const { now } of drafts) {
    if (now === null || now.trigger === null) continue;
    const { statement, row } = kindRowOf(now.trigger);
    rows[statement].push(row);
  }
  await writeEveryRow(tx, 'insertSimpleTriggers', { schedName }, rows.insertSimpleTriggers);
  await writeEveryRow(tx, 'insertCronTriggers', { schedName }, rows.insertCronTriggers);
  await writeEveryRow(tx, 'insertSimpropTriggers', { schedName }, rows.insertSimpropTriggers);
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
  await blockTriggersOf(
    tx,
    node,
    changed.filter(isSerial).map(({ key }) => key),
  );
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
