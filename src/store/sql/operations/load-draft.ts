import type { EpochMs } from '../../../base/clock';
import { catchUpGroup } from '../../../domain/catch-up';
import { runsAgain } from '../../../domain/deleted-runs';
import { distinctKeys, type GroupMatcher, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import { keepsSchedule } from '../../../domain/registration';
import type { NodeTransaction } from '../rows/node-transaction';
import { readPlainCalendar, readPlainJob, readPlainTrigger } from '../rows/read-rows';
import {
  type JobRow,
  jobKeyColumns,
  jobKeyOf,
  keyList,
  type TriggerRow,
  toJobFlags,
  toState,
  toTime,
  triggerKeyOf,
} from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { partsOf, type RowOfSet, selectByRows } from '../runtime/row-batches';
import type { StatementName } from '../runtime/statement-names';
import { loadDeclarations } from './declarations';
import { selectExecutingJobs } from './fired-triggers';
import type { JobMemory } from './job-memory';
import type { NamesInChanges, ReplacedTrigger } from './names-in-changes';
import { selectLinks } from './occurrence-ends';
import { EVERY_GROUP, selectJobGroups, selectTriggerGroups } from './paused-groups';
import { countTriggersOf, getCalendarNames } from './read-schedule';
import { jobsOfAll, selectRunsOf, selectRunsOfAny } from './runs-of-triggers';
import { type JobDraft, ScheduleDraft, type TriggerBefore, type TriggerDraft } from './schedule-draft';
import {
  type JobName,
  selectCalendars,
  selectEachJob,
  selectJobKeys,
  selectTriggerRows,
  type TriggerName,
} from './select-definitions';

type TriggerSummary = TriggerName & JobName & Pick<TriggerRow, 'CALENDAR_NAME' | 'TRIGGER_STATE'>;

interface DraftReading {
  /** Paused groups among the groups that the change set names. Set if the draft is loaded without TRIGGER_ACCESS. */
  readonly paused?: ReadonlySet<string>;
  /** True for a plan, which is discarded. Loading then acquires no locks, and does not read which jobs are executing. */
  readonly isPlan?: boolean;
  /**
   * False for additions in a transaction of the caller, which may stay open: reading which jobs are executing locks their firings and completions. Their
   * triggers are stored as WAITING; acquisition checks whether the job executes. Default: true.
   */
  readonly readsExecuting?: boolean;
  /** Time of the changes. Absent: they only add. */
  readonly now?: EpochMs;
  /** Remembers the jobs that are read. */
  readonly memory?: JobMemory | undefined;
}

/** Loads everything that a change set affects. Must run under TRIGGER_ACCESS, unless `paused` or `isPlan` is set. */
export async function loadDraft(
  tx: NodeTransaction,
  names: NamesInChanges,
  { paused, isPlan = false, readsExecuting = !isPlan, memory, now }: DraftReading = {},
): Promise<ScheduleDraft> {
  const stored = await selectStored(tx, names);
  const draft = new ScheduleDraft(paused ?? stored.pausedGroups);
  draft.followed = stored.followed;
  if (names.links) draft.storedLinks = await selectLinks(tx);
  const reader = new DraftReader(tx, { draft, readsExecuting, memory });
  const every = names.everything ? [EVERY_GROUP] : null;
  await reader.calendars(names.everything ? [...names.calendars, ...(await getCalendarNames(tx))] : names.calendars);
  const users = await reader.summaries('selectTriggersOfCalendars', names.updatedCalendars);
  await reader.triggers([...names.triggers, ...stored.triggers, ...users.map(triggerKeyOf)]);
  await reader.calendars(draft.calendarsOfTriggers());
  await reader.runsOf(names);
  if (now !== undefined) await reader.catchUpsOf(names, now);
  addSummaries(draft, await reader.summaries('selectTriggersOfCalendars', names.deletedCalendars));
  const groupsOf = async (select: typeof selectJobGroups, matchers: readonly GroupMatcher[]) => {
    const groups = await Promise.all((every ?? matchers).map((matcher) => select(tx, matcher)));
    return [...new Set(groups.flat())];
  };
  const triggerGroups = await groupsOf(selectTriggerGroups, names.triggerGroups);
  await reader.deleted('selectTriggersOfGroups', triggerGroups);
  const jobGroups = await groupsOf(selectJobGroups, names.jobGroups);
  const jobsOfGroups = await selectJobKeys(tx, 'selectJobsOfGroups', jobGroups);
  await reader.jobs([...names.jobs, ...stored.jobs], jobsOfGroups, names.nonConcurrentJobs);
  const deletedJobs = distinctKeys([...names.deletedJobs, ...jobsOfGroups]);
  await reader.deleted('selectTriggersOfJobs', deletedJobs.map(jobKeyColumns), { asWholes: names.isEdit });
  if (names.mayLeaveOrphans) await reader.countTriggers();
  await loadDeclarations(tx, draft.declared, { ...names, jobs: jobsOfDeleted(draft, names) });
  return draft;
}

export async function readTriggersInto(
  tx: NodeTransaction,
  draft: ScheduleDraft,
  keys: readonly TriggerKey[],
): Promise<readonly TriggerDraft[]> {
  await new DraftReader(tx, { draft }).triggers(keys);
  return keys.flatMap((key) => draft.triggers.get(keyText(key)) ?? []);
}

/** Returns the jobs of triggers that are deleted by key. Such a job may be deleted with its last trigger. */
function jobsOfDeleted(draft: ScheduleDraft, { declared, mayLeaveOrphans }: NamesInChanges): readonly JobKey[] {
  if (!mayLeaveOrphans) return [];
  return declared.flatMap(({ what, group, name }) =>
    what === 'trigger' ? (draft.trigger({ group, name })?.jobKey ?? []) : [],
  );
}

class DraftReader {
  readonly #tx: NodeTransaction;
  readonly #draft: ScheduleDraft;
  readonly #readsExecuting: boolean;
  readonly #memory: JobMemory | undefined;

  constructor(
    tx: NodeTransaction,
    {
      draft,
      readsExecuting = true,
      memory,
    }: Omit<DraftReading, 'paused' | 'isPlan'> & { readonly draft: ScheduleDraft },
  ) {
    this.#tx = tx;
    this.#draft = draft;
    this.#readsExecuting = readsExecuting;
    this.#memory = memory;
  }

  /** Reads the calendars that were not read yet. */
  async calendars(named: readonly string[]): Promise<void> {
    const names = [...new Set(named)].filter((name) => !this.#draft.calendars.has(name));
    if (names.length === 0) return;
    const stored = await selectCalendars(this.#tx, names);
    for (const name of names) {
      const bytes = stored.get(name);
      const isStored = bytes !== undefined;
      const before = isStored ? (readPlainCalendar(name, bytes, this.#tx.node)?.data ?? null) : null;
      this.#draft.calendars.set(name, {
        isStored,
        before,
        storedBytes: bytes ?? null,
        now: before,
        isPresent: isStored,
      });
    }
  }

  async triggers(keys: readonly TriggerKey[]): Promise<void> {
    const rows = await selectTriggerRows(this.#tx, distinctKeys(keys));
    for (const row of rows) this.#draft.addTrigger(triggerKeyOf(row), toBefore(row, this.#tx.node));
  }

  /** Reads the waiting runs of the triggers to delete or rename. These runs are deleted or renamed with their triggers. */
  async runsOf({ unscheduled, triggerGroups }: NamesInChanges): Promise<void> {
    const jobs = unscheduled.flatMap((key) => this.#draft.trigger(key)?.jobKey ?? []);
    const runs = [
      ...(unscheduled.length === 0 ? [] : await selectRunsOf(this.#tx, unscheduled, jobsOfAll(unscheduled, jobs))),
      ...(triggerGroups.length === 0 ? [] : await selectRunsOfAny(this.#tx, triggerGroups)),
    ];
    await this.triggers(runs.map(triggerKeyOf));
  }

  /** Reads which catch-up runs exist of triggers that are due and get another schedule: the change may need to store others. */
  async catchUpsOf({ replaced }: NamesInChanges, now: EpochMs): Promise<void> {
    const mayStore = ({ key, requested }: ReplacedTrigger) => {
      const stored = this.#draft.trigger(key)?.trigger ?? null;
      const isDue = stored !== null && stored.nextFireTime !== null && stored.nextFireTime <= now;
      return isDue && !keepsSchedule(requested, stored);
    };
    const groups = replaced.filter(mayStore).map(({ requested }) => catchUpGroup(requested.trigger.key));
    addSummaries(this.#draft, await this.summaries('selectTriggersOfGroups', [...new Set(groups)]));
  }

  /** Reads triggers deleted with their group or job: in full with `asWholes` or if they are waiting runs, whose ends are recorded; else summaries. */
  async deleted(statement: StatementName, rows: readonly RowOfSet[], { asWholes = false } = {}): Promise<void> {
    const found = await this.summaries(statement, rows);
    const recorded = found.filter((row) => runsAgain(triggerKeyOf(row)) && toState(row) !== 'COMPLETE');
    await this.triggers((asWholes ? found : recorded).map(triggerKeyOf));
    addSummaries(this.#draft, found);
  }

  summaries(statement: StatementName, rows: readonly RowOfSet[]): Promise<readonly TriggerSummary[]> {
    return selectByRows<TriggerSummary>(this.#tx, statement, rows);
  }

  /**
   * Reads the jobs in `named` and `others`, and the jobs of the triggers that were read. Also reads which non-concurrent jobs are executing,
   * even if they are no longer stored. A job deleted while it executes blocks a new job with the same key.
   */
  async jobs(named: readonly JobKey[], others: readonly JobKey[], nonConcurrent: readonly JobKey[]): Promise<void> {
    const ofTriggers = [...this.#draft.triggers.values()].flatMap(({ before }) => before?.jobKey ?? []);
    const keys = distinctKeys([...named, ...ofTriggers, ...others]);
    const rows = await selectEachJob(this.#tx, keys);
    const mayBlock = distinctKeys([...keys.filter((_, index) => isNonConcurrent(rows[index])), ...nonConcurrent]);
    const executing = await selectExecutingJobs(this.#tx, this.#readsExecuting ? mayBlock : []);
    for (const [index, key] of keys.entries()) this.#addJob(key, rows[index] ?? null, executing);
    const missing = nonConcurrent.filter((key) => executing.has(keyText(key)) && !this.#draft.jobs.has(keyText(key)));
    for (const key of missing) this.#addJob(key, null, executing);
  }

  #addJob(key: JobKey, row: JobRow | null, executing: ReadonlySet<string>): void {
    const text = keyText(key);
    const draft = jobDraftOf(key, row, this.#tx.node, executing.has(text));
    this.#draft.jobs.set(text, draft);
    if (row !== null && draft.stored !== null) this.#memory?.remember(text, draft, row, this.#draft.followed.has(text));
  }

  /** Counts the triggers of each non-durable job, which is deleted with its last trigger. */
  async countTriggers(): Promise<void> {
    const jobs = [...this.#draft.jobs.values()].filter(({ before }) => before !== null && !before.durable);
    const keys = jobs.map(({ key }) => key);
    const counts = await countTriggersOf(this.#tx, keys);
    for (const job of jobs) job.triggerCount = counts.get(keyText(job.key)) ?? 0;
  }
}

function jobDraftOf(key: JobKey, row: JobRow | null, node: SqlNode, isExecuting: boolean): JobDraft {
  const before = row === null ? null : { jobType: row.JOB_CLASS_NAME, ...toJobFlags(row) };
  const stored = row === null ? null : readPlainJob(row, node);
  const storedData = row === null || stored === null ? null : row.DETAIL_DATA;
  return { key, before, stored, storedData, isExecuting, facts: before, written: null, triggerCount: 0 };
}

function toBefore(row: TriggerRow, node: SqlNode): TriggerBefore {
  const trigger = readPlainTrigger(row, node);
  return {
    jobKey: jobKeyOf(row),
    calendarName: row.CALENDAR_NAME,
    state: toState(row),
    // The type of an unreadable row may be wrong.
    type: trigger === null ? null : row.TRIGGER_TYPE,
    nextFireTime: toTime(row.NEXT_FIRE_TIME),
    previousFireTime: toTime(row.PREV_FIRE_TIME),
    firstDueTime: row.FIRST_DUE_TIME,
    trigger,
    storedData: trigger === null ? null : row.JOB_DATA,
  };
}

/** Adds triggers that need not be read in full. */
function addSummaries(draft: ScheduleDraft, summaries: readonly TriggerSummary[]): void {
  for (const row of summaries) {
    draft.addTrigger(triggerKeyOf(row), {
      jobKey: jobKeyOf(row),
      calendarName: row.CALENDAR_NAME,
      state: toState(row),
      type: null,
      nextFireTime: null,
      previousFireTime: null,
      firstDueTime: undefined,
      trigger: null,
      storedData: null,
    });
  }
}

function isNonConcurrent(row: JobRow | null | undefined): boolean {
  return row != null && toJobFlags(row).disallowConcurrentExecution;
}

/** Existing keys that the change set expects to be new, the followed jobs, and the paused groups. */
interface StoredNames {
  readonly triggers: readonly TriggerKey[];
  readonly jobs: readonly JobKey[];
  /** May contain `ALL_GROUPS_PAUSED`. */
  readonly pausedGroups: ReadonlySet<string>;
  /** Jobs in `followable` that triggers wait for, in the form of `keyText`. */
  readonly followed: ReadonlySet<string>;
}

type Row =
  | { readonly KIND: 'trigger' | 'job' | 'followed'; readonly POSITION: number }
  | { readonly KIND: 'pausedGroup'; readonly TRIGGER_GROUP: string };

const NO_ROWS = { json: '[]', first: 0 };

/** Looks up the keys that a change set expects to be new, before any full row is read. Usually none exists, and no full row is needed. */
export async function selectStored(
  tx: NodeTransaction,
  { newTriggers, newJobs, followable }: Pick<NamesInChanges, 'newTriggers' | 'newJobs' | 'followable'>,
): Promise<StoredNames> {
  const stored = {
    triggers: [] as TriggerKey[],
    jobs: [] as JobKey[],
    pausedGroups: new Set<string>(),
    followed: new Set<string>(),
  };
  const maxBytes = tx.maxSetBytes / 3; // one statement contains all three sets
  const triggerParts = partsOf(newTriggers.map(keyList), maxBytes);
  const jobParts = partsOf(newJobs.map(keyList), maxBytes);
  const followableParts = partsOf(followable.map(keyList), maxBytes);
  const count = Math.max(1, triggerParts.length, jobParts.length, followableParts.length);
  for (let part = 0; part < count; part++) {
    const [triggers, jobs] = [triggerParts[part] ?? NO_ROWS, jobParts[part] ?? NO_ROWS];
    const followed = followableParts[part] ?? NO_ROWS;
    const params = { triggers: triggers.json, jobs: jobs.json, followable: followed.json };
    for (const row of await tx.all<Row>('selectStored', params)) {
      if (row.KIND === 'pausedGroup') stored.pausedGroups.add(row.TRIGGER_GROUP);
      else if (row.KIND === 'job') stored.jobs.push(newJobs[jobs.first + row.POSITION] as JobKey);
      else if (row.KIND === 'followed')
        stored.followed.add(keyText(followable[followed.first + row.POSITION] as JobKey));
      else stored.triggers.push(newTriggers[triggers.first + row.POSITION] as TriggerKey);
    }
  }
  return stored;
}
