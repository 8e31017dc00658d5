import type { ListedPause } from '../api/reading';
import { type RunList, type RunListOptions, runCursorText, toRun } from '../api/runs';
import type { EpochMs } from '../base/clock';
import { inSlices, mapping } from '../base/steps';
import { TimeSlice } from '../base/yield-to-event-loop';
import type { JobDetail } from '../domain/job-detail';
import { type JobKey, keyText, type TriggerKey } from '../domain/keys';
import type { RunPage, RunQuery } from '../domain/run';
import type { DatabaseReport, NodeClock } from '../store/database-examiner';
import {
  ALL_GROUPS_PAUSED,
  type JobPageQuery,
  type KeyPage,
  type ScheduleReader,
  type StoredTrigger,
  type TriggerPageQuery,
  type TriggerPlace,
} from '../store/job-store';
import type { StoreActivity } from '../store/store-activity';
import { firstTriggers } from './first-triggers';
import { type FoundGroup, readGroups } from './read-groups';
import { pausesOf } from './read-methods';
import { toRunQuery } from './run-query';
import type { SchedulerParts } from './scheduler-parts';
import { followRun, type RunNews } from './tail-run';

/** A stored trigger with the explanation of its pause. */
export interface FoundTrigger extends StoredTrigger {
  /** Pause with its explanation, or null if the trigger is not paused or the pause has no explanation. */
  readonly pause: ListedPause | null;
  /**
   * True if the trigger's group is paused as a group. Only read if the trigger is paused and its own pause has no
   * explanation.
   */
  readonly isGroupPaused: boolean;
}

/** Reads for the console and the command line. All reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface ControlReads {
  /** Pages through jobs by key. */
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>>;
  /** Pages through triggers by key or by time. A page may be short although more triggers follow. */
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<FoundTrigger, TriggerPlace>>;
  /** Same as `pageTriggers`, but continues until the page is full or the list has ended. */
  firstTriggers(query: TriggerPageQuery): Promise<KeyPage<FoundTrigger, TriggerPlace>>;
  /** Returns the trigger with that key; null if it is not stored. */
  findTrigger(key: TriggerKey): Promise<FoundTrigger | null>;
  /** Returns the stored triggers among the keys. */
  findTriggers(keys: readonly TriggerKey[]): Promise<readonly FoundTrigger[]>;
  /** Returns the keys of jobs that are not stored. */
  findMissingJobs(keys: readonly JobKey[]): Promise<readonly JobKey[]>;
  /** Lists runs as `scheduler.listRuns` does. Long fields are truncated, so runs also have `summary` and `shard`. */
  listRuns(options: RunListOptions & { readonly deadLetters?: boolean }): Promise<RunList>;
  /** Pages through the explanations of pauses, sorted by their targets. */
  pagePauses: ScheduleReader['pagePauses'];
  /** Reads the groups of triggers, then the groups of jobs, sorted by name, with the explanations of their pauses. */
  readGroups(): Promise<readonly FoundGroup[]>;
  /** Pages through calendars by name. */
  pageCalendars: ScheduleReader['pageCalendars'];
  /** Reads the newest recorded runs that ended between two times, without their logs and errors. */
  recentRuns(query: Pick<RunQuery, 'since' | 'until' | 'search' | 'take'>): Promise<RunList>;
  /** Returns waiting triggers that were due before that time, longest waiting first. */
  readBacklog(before: EpochMs, maxCount: number): Promise<readonly WaitingTrigger[]>;
  /**
   * Polls a run once a second until it has ended or `signal` aborts. Calls `onLook` after each poll with the new lines
   * and progress, even if there are none. Resolves with false if the run is not executing.
   */
  followRun(runId: string, onLook: (news: RunNews) => void, signal: AbortSignal): Promise<boolean>;
  /** Reads what this node is doing now, without querying the store. */
  readRuntime(): RuntimeFigures;
  /** Reads the activity of this node's store without querying the database; null if the store has no database. */
  readStoreActivity(): Promise<StoreActivity | null>;
}

/** Reads for diagnosing faults. All reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface ControlExamination {
  /** Checks the database itself; null if the store has no database. */
  examineDatabase(isSqlShown?: boolean): Promise<DatabaseReport | null>;
  /** Reads the clocks of the nodes at their last check-ins; empty if the store is not shared. */
  readNodeClocks(): Promise<readonly NodeClock[]>;
  /** Creates missing indexes. Returns how many. */
  createMissingIndexes(): Promise<number>;
  /** Writes the log of an embedded database into its file and empties it. Returns 1, or 0 if a reader blocks it or there is no log. */
  truncateLog(): Promise<number>;
  /** Returns instance ids that hold firings although no such node exists. */
  findOrphans(): Promise<readonly string[]>;
  /**
   * Repairs triggers that are reserved or blocked although no node holds them, at most 200 of each kind. Returns how
   * many.
   */
  repairStates(): Promise<number>;
}

export interface WaitingTrigger {
  readonly key: TriggerKey;
  readonly nextFireTime: EpochMs;
}

export interface RuntimeFigures {
  /** True for a scheduler that is no node and only inspects a store, as commands do. */
  readonly isObserver: boolean;
  /** Maximum number of jobs that run at the same time. */
  readonly workers: number;
  readonly busyWorkers: number;
  /** Number of trigger acquisitions since the scheduler was created. */
  readonly acquisitions: number;
  /** Number of acquisitions that returned no trigger. */
  readonly emptyAcquisitions: number;
}

export function controlReads(parts: SchedulerParts): ControlReads {
  return { ...triggerReads(parts), ...pageReads(parts), ...liveReads(parts) };
}

type TriggerReads = Pick<
  ControlReads,
  'pageTriggers' | 'firstTriggers' | 'findTrigger' | 'findTriggers' | 'readBacklog'
>;

/** Reads of triggers with the explanations of their pauses. */
function triggerReads({ store, lifecycle, node }: SchedulerParts): TriggerReads {
  const withPauses = async (items: readonly StoredTrigger[]): Promise<readonly FoundTrigger[]> => {
    const pauses = await pausesOf(store, items);
    const isUnexplained = items.some(({ state }, index) => state.startsWith('PAUSED') && pauses[index] === null);
    const paused = new Set(isUnexplained ? await store.getPausedTriggerGroups() : []);
    const isGroupPaused = (group: string) => paused.has(group) || paused.has(ALL_GROUPS_PAUSED);
    return items.map((item, index) => ({
      ...item,
      pause: pauses[index] ?? null,
      isGroupPaused: isGroupPaused(item.trigger.key.group),
    }));
  };
  return {
    async pageTriggers(query) {
      lifecycle.assertUsable();
      const page = await store.pageTriggers(query);
      return { ...page, items: await withPauses(page.items) };
    },
    async firstTriggers(query) {
      lifecycle.assertUsable();
      const page = await firstTriggers(store, query);
      return { ...page, items: await withPauses(page.items) };
    },
    async findTrigger(key) {
      lifecycle.assertUsable();
      const [found = null] = await withPauses(await store.getTriggers([key]));
      return found;
    },
    async findTriggers(keys) {
      lifecycle.assertUsable();
      return keys.length === 0 ? [] : withPauses(await store.getTriggers(keys));
    },
    async readBacklog(before, maxCount) {
      lifecycle.assertUsable();
      if (node.cluster !== null) {
        const backlog = await node.cluster.store.readBacklog(before, maxCount);
        return backlog.map(({ triggerKey, nextFireTime }) => ({ key: triggerKey, nextFireTime }));
      }
      const waiting = { states: ['WAITING'], sort: 'nextFireTime', omitTotal: true } as const;
      const { items } = await store.pageTriggers({ ...waiting, take: maxCount });
      return items.flatMap(({ trigger: { key, nextFireTime } }) =>
        nextFireTime !== null && nextFireTime < before ? [{ key, nextFireTime }] : [],
      );
    },
  };
}

type PageReads = Pick<
  ControlReads,
  'pageJobs' | 'findMissingJobs' | 'pagePauses' | 'readGroups' | 'pageCalendars' | 'listRuns' | 'recentRuns'
>;

/** Reads of the other lists, page by page. */
function pageReads({ store, lifecycle, clock }: SchedulerParts): PageReads {
  const runListOf = async ({ items, next }: RunPage): Promise<RunList> => ({
    items: await inSlices(mapping(items, toRun), new TimeSlice(clock)),
    next: next && runCursorText(next),
  });
  return {
    async pageJobs(query) {
      lifecycle.assertUsable();
      return store.pageJobs(query);
    },
    async findMissingJobs(keys) {
      lifecycle.assertUsable();
      const found = keys.length === 0 ? [] : await store.getJobs(keys);
      const stored = new Set(found.map(({ key }) => keyText(key)));
      return keys.filter((key) => !stored.has(keyText(key)));
    },
    async pagePauses(query) {
      lifecycle.assertUsable();
      return store.pagePauses(query);
    },
    async readGroups() {
      lifecycle.assertUsable();
      return readGroups(store);
    },
    async pageCalendars(query) {
      lifecycle.assertUsable();
      return store.pageCalendars(query);
    },
    async listRuns({ deadLetters, limit = 100, ...options }) {
      lifecycle.assertUsable();
      const query = {
        ...toRunQuery(options),
        ...(deadLetters && { deadLetters }),
        take: limit,
        detail: 'brief',
      } as const;
      return runListOf(await store.listRuns(query));
    },
    async recentRuns(query) {
      lifecycle.assertUsable();
      return runListOf(await store.listRuns({ ...query, detail: 'none' }));
    },
  };
}

/** Reads of the current activity. */
function liveReads(parts: SchedulerParts): Pick<ControlReads, 'readStoreActivity' | 'followRun' | 'readRuntime'> {
  const { lifecycle, node, workers, engine, isObserver } = parts;
  return {
    async readStoreActivity() {
      if (node.cluster === null) return null;
      const { connections, lockWaits } = await node.cluster.store.readActivity();
      const jobs = node.transactions?.readActivity() ?? null;
      return { connections: jobs === null ? connections : [...connections, jobs], lockWaits };
    },
    async followRun(runId, onLook, signal) {
      lifecycle.assertUsable();
      return followRun(parts, runId, onLook, signal);
    },
    readRuntime() {
      const { asked, empty } = engine.acquisitions;
      const { size, running } = workers;
      return { isObserver, workers: size, busyWorkers: running, acquisitions: asked, emptyAcquisitions: empty };
    },
  };
}
