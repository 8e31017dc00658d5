import { type EpochMs, earliestOf } from '../../../base/clock';
import { addAll } from '../../../base/lists';
import { formatKey } from '../../../domain/keys';
import { hasListOfSpecialDays } from '../../../java/encode-calendar';
import { encodeCalendar } from '../rows/calendar';
import type { NodeTransaction } from '../rows/node-transaction';
import { fromTime, jobColumns, jobKeyColumns, keyList, toHex, triggerColumns } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { type KindRow, kindRowOf, parentRowsOf } from '../rows/trigger-kinds';
import { type ColumnsInsert, insertRows, type ListedValue, writeEveryRow, writeRows } from '../runtime/row-batches';
import { refuseBesideJava } from './beside-java';
import { EXTENSIONS } from './extensions';
import { type FiredRows, writeFired } from './firings';
import type { JobDraft, ScheduleDraft, TriggerBefore, TriggerDraft } from './schedule-draft';
import { blockTriggersOf, deleteKindRows, endReservations } from './write-triggers';

const JOBS: ColumnsInsert = {
  statement: 'insertJobs',
  commonStatement: 'insertAlikeJobs',
  oneStatement: 'insertJob',
  own: 2,
  common: ['jobType', 'isDurable', 'isNonconcurrent', 'isUpdateData', 'requestsRecovery', 'description', 'jobData'],
};

const TRIGGERS: ColumnsInsert = {
  statement: 'insertTriggers',
  commonStatement: 'insertAlikeTriggers',
  oneStatement: 'insertTrigger',
  own: 6,
  common: [
    'previousFireTime',
    'priority',
    'triggerState',
    'triggerType',
    'endTime',
    'misfireInstruction',
    'description',
    'calendarName',
    'jobData',
  ],
};

const SIMPLE_TRIGGERS: ColumnsInsert = {
  statement: 'insertSimpleTriggers',
  commonStatement: 'insertAlikeSimpleTriggers',
  oneStatement: 'insertSimpleTrigger',
  own: 2,
  common: ['repeatCount', 'repeatInterval', 'timesTriggered'],
};

/**
 * Writes the result of a change set in the order that foreign keys require. `fired`: rows of the new triggers that the change set fires. Returns
 * the earliest fire time of the triggers that became eligible to fire. Null if unknown, undefined if there are none.
 */
export async function saveDraft(
  tx: NodeTransaction,
  draft: ScheduleDraft,
  fired: FiredRows,
): Promise<EpochMs | null | undefined> {
  const jobs = [...draft.jobs.values()];
  const triggers = [...draft.triggers.values()];
  await refuseBesideJava(tx, unreadableTriggers(triggers));
  if (draft.isPlainAddition) {
    await writeDefinitions(tx, { jobs, added: triggers, changed: [] }, fired);
    return earliestWritten(triggers);
  }
  await clearAway(tx, triggers);
  const added = triggers.filter(({ before, now }) => before === null && now !== null);
  await writeDefinitions(tx, { jobs, added, changed: triggers.filter(isChanged) }, fired);
  const gone = jobs.filter(({ before, facts }) => before !== null && facts === null).map(({ key }) => key);
  await writeEveryRow(tx, 'deleteJobs', gone.map(jobKeyColumns));
  await writeCalendars(tx, draft);
  for (const { stored } of EXTENSIONS) await stored?.(tx, draft, fired.now);
  await blockAndUnblock(tx, jobs);
  const isRequeued = jobs.some(isQueuedAnew) || EXTENSIONS.some((each) => each.isRequeued?.(draft));
  return isRequeued ? null : earliestWritten(triggers);
}

/** Returns the written triggers that Quartz 2.3.2 cannot read: a Java node would fail at each acquisition. */
function unreadableTriggers(triggers: readonly TriggerDraft[]): readonly string[] {
  return triggers.flatMap(({ now, before, isWritten }) => {
    const trigger = before === null || isWritten ? (now?.trigger ?? null) : null;
    if (trigger?.kind !== 'CRON' || !hasListOfSpecialDays(trigger.cronExpression)) return [];
    return [
      `trigger '${formatKey(trigger.key)}' (its cron expression '${trigger.cronExpression}' has L or W in a list)`,
    ];
  });
}

/** Deletes removed triggers. Also deletes the reservations and type rows of changed triggers. */
async function clearAway(tx: NodeTransaction, drafts: readonly TriggerDraft[]): Promise<void> {
  const gone = drafts.filter((each) => each.before !== null && each.now === null);
  const touched = [...gone, ...drafts.filter(isChanged)];
  const reserved = touched.map(({ key, before }) => ({ key, state: before?.state ?? '' }));
  await endReservations(tx, reserved);
  const types = new Set(touched.map(({ before }) => before?.type ?? null));
  const keysOf = (triggers: readonly TriggerDraft[]) => triggers.map(({ key }) => keyList(key));
  await deleteKindRows(tx, types, keysOf(touched));
  await writeEveryRow(tx, 'deleteTriggers', keysOf(gone));
}

interface Definitions {
  readonly jobs: readonly JobDraft[];
  readonly added: readonly TriggerDraft[];
  readonly changed: readonly ChangedTrigger[];
}

/** Writes jobs before the triggers that refer to them, and triggers before the rows in the tables of their types and before their firings. */
async function writeDefinitions(
  tx: NodeTransaction,
  { jobs, added, changed }: Definitions,
  fired: FiredRows,
): Promise<void> {
  const newJobs: (readonly ListedValue[])[] = [];
  const oldJobs: (readonly ListedValue[])[] = [];
  for (const { before, written, storedData } of jobs)
    if (written !== null) (before === null ? newJobs : oldJobs).push(jobColumns(written, storedData, tx.node));
  const changedRows = changed.flatMap((each) =>
    definitionRow(each, tx.node).map((row) => [...row, each.before.state, fromTime(each.before.nextFireTime)]),
  );
  await Promise.all([
    insertRows(tx, JOBS, newJobs),
    writeEveryRow(tx, 'updateJobs', oldJobs),
    writeEveryRow(tx, 'updateTriggers', changedRows),
    insertRows(
      tx,
      TRIGGERS,
      added.flatMap((each) => definitionRow(each, tx.node)),
    ),
    writeKinds(tx, [...changed, ...added]),
    // `writeFired` checks that this node may fire, which matters only if something fires.
    fired.rows.length > 0 && writeFired(tx, fired, () => []),
  ]);
}

type ChangedTrigger = TriggerDraft & { readonly before: TriggerBefore };

function isChanged(draft: TriggerDraft): draft is ChangedTrigger {
  return draft.before !== null && draft.now !== null && draft.isWritten;
}

function definitionRow({ now, before }: TriggerDraft, node: SqlNode) {
  if (now === null || now.trigger === null) return [];
  return [triggerColumns(now.trigger, now.state, before?.storedData ?? null, node)];
}

async function writeKinds(tx: NodeTransaction, drafts: readonly TriggerDraft[]): Promise<void> {
  const rows: Readonly<Record<KindRow['statement'], KindRow['row'][]>> = {
    insertSimpleTriggers: [],
    insertCronTriggers: [],
    insertSimpropTriggers: [],
  };
  const parents: (readonly ListedValue[])[] = [];
  for (const { now } of drafts) {
    if (now === null || now.trigger === null) continue;
    addAll(parents, parentRowsOf(now.trigger));
    const { statement, row } = kindRowOf(now.trigger);
    rows[statement].push(row);
  }
  await Promise.all([
    insertRows(tx, SIMPLE_TRIGGERS, rows.insertSimpleTriggers),
    writeEveryRow(tx, 'insertCronTriggers', rows.insertCronTriggers),
    writeEveryRow(tx, 'insertSimpropTriggers', rows.insertSimpropTriggers),
    insertParents(tx, parents),
  ]);
}

/** Stores the jobs that triggers wait for. First deletes the rows that a Java node left behind when it deleted a trigger with the same key. */
async function insertParents(tx: NodeTransaction, rows: readonly (readonly ListedValue[])[]) {
  await writeRows(tx, 'deleteParents', rows);
  await writeEveryRow(tx, 'insertParents', rows);
}

async function writeCalendars(tx: NodeTransaction, draft: ScheduleDraft): Promise<void> {
  const changed = [...draft.calendars].filter(
    ([, { before, now, isStored, isPresent }]) => now !== before || isStored !== isPresent,
  );
  const gone = changed.filter(([, { isStored }]) => isStored).map(([calendarName]) => ({ calendarName }));
  await writeEveryRow(tx, 'deleteCalendars', gone);
  const present = changed.flatMap(([calendarName, { now, storedBytes }]) =>
    now === null ? [] : [{ calendarName, ...encodeCalendar(now, storedBytes, tx.node.timeZone) }],
  );
  await refuseBesideJava(
    tx,
    present.flatMap(({ calendarName, notForJava }) =>
      notForJava === null ? [] : [`calendar '${calendarName}' (${notForJava})`],
    ),
  );
  const rows = present.map(({ calendarName, bytes }) => ({ calendarName, calendar: toHex(bytes) }));
  await writeEveryRow(tx, 'insertCalendars', rows);
}

/** Blocks the triggers of executing jobs that become non-concurrent, and unblocks those of executing jobs that become concurrent. */
async function blockAndUnblock(tx: NodeTransaction, jobs: readonly JobDraft[]): Promise<void> {
  const executing = jobs.filter(({ before, facts, isExecuting }) => before !== null && facts !== null && isExecuting);
  const changed = executing.filter(
    ({ before, facts }) => before?.disallowConcurrentExecution !== facts?.disallowConcurrentExecution,
  );
  const isNonConcurrent = ({ facts }: JobDraft) => facts?.disallowConcurrentExecution === true;
  const nonConcurrent = changed.filter(isNonConcurrent).map(({ key }) => key);
  await writeRows(tx, 'markFiringsNonConcurrent', nonConcurrent.map(jobKeyColumns));
  await blockTriggersOf(tx, nonConcurrent);
  const concurrent = changed.filter((job) => !isNonConcurrent(job)).map(({ key }) => jobKeyColumns(key));
  await writeRows(tx, 'unblockTriggers', concurrent);
}

function earliestWritten(triggers: readonly TriggerDraft[]): EpochMs | undefined {
  return earliestOf(
    triggers.map(({ now, isWritten }) =>
      isWritten && now?.state === 'WAITING' ? (now.trigger?.nextFireTime ?? null) : null,
    ),
  );
}

function isQueuedAnew({ before, facts }: JobDraft): boolean {
  if (before === null || facts === null) return false;
  return before.jobType !== facts.jobType || before.disallowConcurrentExecution !== facts.disallowConcurrentExecution;
}
