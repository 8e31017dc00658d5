import { type GroupMatcher, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import { readPlainCalendar, readPlainJob, readPlainTrigger } from '../rows/read-rows';
import {
  type JobRow,
  jobKeyColumns,
  jobKeyOf,
  type TriggerRow,
  toJobFlags,
  toState,
  toTime,
  triggerKeyOf,
} from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { partsOf, selectByRows, selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { loadDeclared } from './declared-triggers';
import { selectExecutingJobs } from './fired-triggers';
import { distinctKeys, type NamesInChanges } from './names-in-changes';
import { EVERY_GROUP, selectJobGroups, selectTriggerGroups } from './paused-groups';
import { type JobFacts, ScheduleDraft, type TriggerBefore } from './schedule-draft';
import { selectTriggers } from './select-triggers';

interface TriggerSummary {
  readonly TRIGGER_NAME: string;
  readonly TRIGGER_GROUP: string;
  readonly JOB_NAME: string;
  readonly JOB_GROUP: string;
  readonly CALENDAR_NAME: string | null;
  readonly TRIGGER_STATE: string;
}

/** Names of which nothing is expected that are stored all the same, and what is paused. */
export interface StoredNames {
  readonly triggers: readonly TriggerKey[];
  readonly jobs: readonly JobKey[];
  /** May hold `ALL_GROUPS_PAUSED`. */
  readonly pausedGroups: ReadonlySet<string>;
}

type Row =
  | { readonly KIND: 'trigger' | 'job'; readonly POSITION: number }
  | { readonly KIND: 'pausedGroup'; readonly TRIGGER_GROUP: string };

const NO_ROWS = { json: '[]', first: 0 };

/**
 * Asks for the names of what should be new, before anything is read as a whole. As a rule none is stored, and this is all
 * that has to be read.
 */
export async function selectStored(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  { newTriggers, newJobs }: Pick<NamesInChanges, 'newTriggers' | 'newJobs'>,
): Promise<StoredNames> {
  const stored = { triggers: [] as TriggerKey[], jobs: [] as JobKey[], pausedGroups: new Set<string>() };
  const longest = tx.longestSet / 2; // one statement takes both
  const triggerParts = [...partsOf(newTriggers.map(listed), longest)];
  const jobParts = [...partsOf(newJobs.map(listed), longest)];
  for (let part = 0; part === 0 || part < Math.max(triggerParts.length, jobParts.length); part++) {
    const [triggers, jobs] = [triggerParts[part] ?? NO_ROWS, jobParts[part] ?? NO_ROWS];
    const params = { schedName, triggers: triggers.json, jobs: jobs.json };
    for (const row of await tx.all<Row>('selectStored', params)) {
      if (row.KIND === 'pausedGroup') stored.pausedGroups.add(row.TRIGGER_GROUP);
      else if (row.KIND === 'job') stored.jobs.push(newJobs[jobs.first + row.POSITION] as JobKey);
      else stored.triggers.push(newTriggers[triggers.first + row.POSITION] as TriggerKey);
    }
  }
  return stored;
}

const listed = ({ group, name }: JobKey | TriggerKey) => [name, group];

/** Reads what a change set touches. To be run under TRIGGER_ACCESS. */
export async function loadDraft(tx: SqlTransaction, node: SqlNode, names: NamesInChanges): Promise<ScheduleDraft> {
  const stored = await selectStored(tx, node, names);
  const draft = new ScheduleDraft(stored.pausedGroups);
  const calendars = names.everything ? await allCalendars(tx, node, names.calendars) : names.calendars;
  await loadCalendars(tx, node, draft, calendars);
  const users = await usersOf(tx, node, names.updatedCalendars);
  await loadTriggers(tx, node, draft, [...names.triggers, ...stored.triggers, ...users]);
  await loadUsers(tx, node, draft, names.deletedCalendars);
  await loadGroups(tx, node, draft, names.everything ? [EVERY_GROUP] : names.triggerGroups);
  const jobsOfGroups = await jobsIn(tx, node, names.everything ? [EVERY_GROUP] : names.jobGroups);
  await loadJobs(tx, node, draft, {
    named: [...names.jobs, ...stored.jobs],
    others: jobsOfGroups,
    serial: names.serialJobs,
  });
  await loadTriggersOfJobs(tx, node, draft, [...names.deletedJobs, ...jobsOfGroups]);
  if (names.mayLeaveOrphans) await countTriggers(tx, node, draft);
  await loadDeclared(tx, node, draft.declared, names);
  return draft;
}

async function loadCalendars(
  tx: SqlTransaction,
  node: SqlNode,
  draft: ScheduleDraft,
  names: readonly string[],
): Promise<void> {
  const { schedName } = node;
  const rows = await selectByRows<{ CALENDAR_NAME: string; CALENDAR: Uint8Array }>(
    tx,
    'selectCalendars',
    { schedName },
    names,
  );
  const stored = new Map(rows.map(({ CALENDAR_NAME, CALENDAR }) => [CALENDAR_NAME, CALENDAR]));
  for (const name of names) {
    const bytes = stored.get(name);
    const before = bytes === undefined ? null : (readPlainCalendar(name, bytes, node)?.data ?? null);
    draft.calendars.set(name, { isStored: bytes !== undefined, before, now: before, isPresent: bytes !== undefined });
  }
}

async function allCalendars(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  named: readonly string[],
): Promise<readonly string[]> {
  const rows = await tx.all<{ CALENDAR_NAME: string }>('selectCalendarNames', { schedName });
  return [...new Set([...named, ...rows.map(({ CALENDAR_NAME }) => CALENDAR_NAME)])];
}

/** Whole triggers. */
async function loadTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  draft: ScheduleDraft,
  keys: readonly TriggerKey[],
): Promise<void> {
  const sought = distinctKeys(keys).map((key) => ({ key, entryId: null }));
  const found = await selectTriggers(tx, node, sought);
  for (const { row } of found) if (row !== null) draft.addTrigger(triggerKeyOf(row), toBefore(row, node));
}

function toBefore(row: TriggerRow, node: SqlNode): TriggerBefore {
  const trigger = readPlainTrigger(row, node);
  return {
    jobKey: jobKeyOf(row),
    calendarName: row.CALENDAR_NAME,
    state: toState(row),
    // Of a row that cannot be read, its type may be what is wrong.
    type: trigger === null ? null : row.TRIGGER_TYPE,
    nextFireTime: toTime(row.NEXT_FIRE_TIME),
    previousFireTime: toTime(row.PREV_FIRE_TIME),
    trigger,
    storedData: trigger === null ? null : row.JOB_DATA,
  };
}

/** Triggers that are deleted with their group or job, or that keep a calendar from being deleted: no more than their keys matters. */
function addSummaries(draft: ScheduleDraft, summaries: readonly TriggerSummary[]): void {
  for (const row of summaries) {
    draft.addTrigger(triggerKeyOf(row), {
      jobKey: jobKeyOf(row),
      calendarName: row.CALENDAR_NAME,
      state: toState(row),
      type: null,
      nextFireTime: null,
      previousFireTime: null,
      trigger: null,
      storedData: null,
    });
  }
}

async function usersOf(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  calendars: readonly string[],
): Promise<readonly TriggerKey[]> {
  const rows = await selectByRows<TriggerSummary>(tx, 'selectTriggersOfCalendars', { schedName }, calendars);
  return rows.map(triggerKeyOf);
}

async function loadUsers(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  draft: ScheduleDraft,
  calendars: readonly string[],
) {
  addSummaries(draft, await selectByRows<TriggerSummary>(tx, 'selectTriggersOfCalendars', { schedName }, calendars));
}

async function loadGroups(tx: SqlTransaction, node: SqlNode, draft: ScheduleDraft, matchers: readonly GroupMatcher[]) {
  const groups = new Set<string>();
  for (const matcher of matchers) for (const group of await selectTriggerGroups(tx, node, matcher)) groups.add(group);
  const { schedName } = node;
  addSummaries(draft, await selectByRows<TriggerSummary>(tx, 'selectTriggersOfGroups', { schedName }, [...groups]));
}

async function jobsIn(
  tx: SqlTransaction,
  node: SqlNode,
  matchers: readonly GroupMatcher[],
): Promise<readonly JobKey[]> {
  const groups = new Set<string>();
  for (const matcher of matchers) for (const group of await selectJobGroups(tx, node, matcher)) groups.add(group);
  const { schedName } = node;
  const rows = await selectByRows<Pick<JobRow, 'JOB_NAME' | 'JOB_GROUP'>>(tx, 'selectJobsOfGroups', { schedName }, [
    ...groups,
  ]);
  return rows.map(jobKeyOf);
}

async function loadTriggersOfJobs(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  draft: ScheduleDraft,
  jobs: readonly JobKey[],
) {
  const rows = distinctKeys(jobs).map(jobKeyColumns);
  addSummaries(draft, await selectByRows<TriggerSummary>(tx, 'selectTriggersOfJobs', { schedName }, rows));
}

type SelectedJob = JobRow & { readonly POSITION: number };

/**
 * The jobs that are named, those of the triggers that were read, and those of groups; and whether those that must not
 * execute twice do, stored or not.
 */
async function loadJobs(
  tx: SqlTransaction,
  node: SqlNode,
  draft: ScheduleDraft,
  jobs: { readonly named: readonly JobKey[]; readonly others: readonly JobKey[]; readonly serial: readonly JobKey[] },
): Promise<void> {
  const ofTriggers = [...draft.triggers.values()].flatMap(({ before }) => (before === null ? [] : [before.jobKey]));
  const keys = distinctKeys([...jobs.named, ...ofTriggers, ...jobs.others]);
  const { schedName } = node;
  const rows = await selectOrdered<SelectedJob>(tx, 'selectJobs', { schedName }, keys.map(jobKeyColumns));
  const serial = keys.filter((_, index) => isSerial(rows[index] as SelectedJob));
  const executing = await selectExecutingJobs(tx, node, distinctKeys([...serial, ...jobs.serial]));
  for (const [index, key] of keys.entries()) {
    const row = rows[index] as SelectedJob;
    addJob(node, draft, row.JOB_NAME === null ? null : row, { key, isExecuting: executing.has(keyText(key)) });
  }
  const missing = jobs.serial.filter((key) => executing.has(keyText(key)) && !draft.jobs.has(keyText(key)));
  for (const key of missing) addJob(node, draft, null, { key, isExecuting: true });
}

function addJob(
  node: SqlNode,
  draft: ScheduleDraft,
  row: JobRow | null,
  { key, isExecuting }: { readonly key: JobKey; readonly isExecuting: boolean },
): void {
  const stored = row === null ? null : readPlainJob(row, node);
  const before = row === null ? null : factsOf(row);
  const storedData = stored === null || row === null ? null : row.DETAIL_DATA;
  draft.jobs.set(keyText(key), {
    key,
    before,
    stored,
    storedData,
    isExecuting,
    facts: before,
    written: null,
    triggerCount: 0,
  });
}

function factsOf(row: JobRow): JobFacts {
  const { durable, disallowConcurrentExecution } = toJobFlags(row);
  return { jobType: row.JOB_CLASS_NAME, durable, disallowConcurrentExecution };
}

/** False where no job is stored. */
function isSerial(row: SelectedJob): boolean {
  return row.JOB_NAME !== null && toJobFlags(row).disallowConcurrentExecution;
}

async function countTriggers(tx: SqlTransaction, { schedName }: SqlNode, draft: ScheduleDraft): Promise<void> {
  const asked = [...draft.jobs.values()].filter(({ before }) => before !== null && !before.durable);
  const rows = await selectByRows<{ JOB_NAME: string; JOB_GROUP: string; TRIGGERS: number }>(
    tx,
    'countTriggersOfJobs',
    { schedName },
    asked.map(({ key }) => jobKeyColumns(key)),
  );
  for (const row of rows) draft.jobDraft(jobKeyOf(row)).triggerCount = row.TRIGGERS;
}
