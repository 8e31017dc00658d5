import type { ListedPause } from '../api/reading';
import { type RunList, type RunListOptions, runCursorText, toRun } from '../api/runs';
import type { EpochMs } from '../base/clock';
import { inSlices, mapping } from '../base/steps';
import { TimeSlice } from '../base/yield-to-event-loop';
import type { JobDetail } from '../domain/job-detail';
import { type JobKey, keyText, type TriggerKey } from '../domain/keys';
import type { RunPage, RunQuery } from '../domain/run';
import { isPaused, WAITING_STATES } from '../domain/trigger-state';
import type { DataOwner } from '../store/cluster-store';
import type { DatabaseReport, NodeClock } from '../store/database-examiner';
import {
  ALL_GROUPS_PAUSED,
  type JobPageQuery,
  type JobStore,
  type KeyPage,
  type ScheduleReader,
  type StoredTrigger,
  type TriggerPageQuery,
  type TriggerPlace,
} from '../store/job-store';
import type { StoreActivity } from '../store/store-activity';
import { type FoundGroup, readGroups } from './read-groups';
import { pausesOf } from './read-methods';
import { firstTriggers } from './read-pages';
import { toRunQuery } from './run-query';
import type { SchedulerParts } from './scheduler-parts';
import { followRun, type RunNews } from './tail-run';

export interface FoundTrigger extends StoredTrigger {
  /** Pause with its explanation, or null if the trigger is not paused or the pause has no explanation. */
  readonly pause: ListedPause | null;
  /** True if the trigger's group, or every group, is paused. Always false unless some trigger of the page is paused without an explanation. */
  readonly isGroupPaused: boolean;
}

/** Reads for the console and the command line. All reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface ControlReads {
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>>;
  /** Pages through triggers by key or by next fire time. A page may be short even if more triggers follow. */
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<FoundTrigger, TriggerPlace>>;
  /** Pages through triggers as `pageTriggers` does, but fills each page up to its limit unless the list has ended. */
  firstTriggers(query: TriggerPageQuery): Promise<KeyPage<FoundTrigger, TriggerPlace>>;
  findTrigger(key: TriggerKey): Promise<FoundTrigger | null>;
  /** Returns the triggers among the given keys that are stored. */
  findTriggers(keys: readonly TriggerKey[]): Promise<readonly FoundTrigger[]>;
  findMissingJobs(keys: readonly JobKey[]): Promise<readonly JobKey[]>;
  /** Lists runs as `scheduler.listRuns` does, with long fields truncated. Default limit: 100. */
  listRuns(options: RunListOptions & { readonly deadLetters?: boolean }): Promise<RunList>;
  /** Pages through pauses that have an explanation, sorted by their targets. */
  pagePauses: ScheduleReader['pagePauses'];
  /** Reads trigger groups and then job groups, each sorted by name, with the explanations of their pauses. */
  readGroups(): Promise<readonly FoundGroup[]>;
  pageCalendars: ScheduleReader['pageCalendars'];
  /** Reads the newest recorded runs that ended between `since` and `until`, without their logs and errors. */
  recentRuns(query: Pick<RunQuery, 'since' | 'until' | 'search' | 'take'>): Promise<RunList>;
  /** Returns at most `maxCount` waiting triggers that were due before a time, earliest fire time first. */
  readBacklog(before: EpochMs, maxCount: number): Promise<readonly WaitingTrigger[]>;
  /** Polls a run once a second until it ends or `signal` aborts. Calls `onNews` after every poll. Resolves with false if the run is not executing. */
  followRun(runId: string, onNews: (news: RunNews) => void, signal: AbortSignal): Promise<boolean>;
  /** Returns the current activity of this node, without querying the store. */
  readRuntime(): RuntimeFigures;
  /** Returns the activity of this node's connections, without querying the database. Null if the store has no database. */
  readStoreActivity(): Promise<StoreActivity | null>;
}

/** Diagnoses and repairs of the store. All methods reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface ControlExamination {
  /** Examines the database; null if the store has no database. `isSqlShown` adds the statements to the report. */
  examineDatabase(isSqlShown?: boolean): Promise<DatabaseReport | null>;
  /** Returns each node's clock offset at its last check-in; an empty array if no other node shares the store. */
  readNodeClocks(): Promise<readonly NodeClock[]>;
  createMissingIndexes(): Promise<number>;
  /** Copies the write-ahead log of an embedded database into its file and empties it. Returns 1, or 0 if a reader prevents it or there is no log. */
  truncateLog(): Promise<number>;
  /** Returns instance ids of stored firings for which no node is stored; an empty array without a cluster. */
  findOrphans(): Promise<readonly string[]>;
  /** Returns jobs and triggers whose data Java nodes cannot read, at most `limit`; an empty array without a cluster. */
  findJsonData(limit: number): Promise<readonly DataOwner[]>;
  /** Repairs triggers that are reserved or blocked although no node executes them, at most 200 of each kind. Returns their number. */
  repairStates(): Promise<number>;
}

interface WaitingTrigger {
  readonly key: TriggerKey;
  readonly nextFireTime: EpochMs;
}

interface RuntimeFigures {
  /** True for a scheduler that only inspects a store and joins no cluster, as in commands. */
  readonly isObserver: boolean;
  readonly workers: number;
  readonly busyWorkers: number;
  /** Number of trigger acquisitions since the scheduler was created. */
  readonly acquisitions: number;
  readonly emptyAcquisitions: number;
}

export function controlReads(parts: SchedulerParts): ControlReads {
  return { ...triggerReads(parts), ...pageReads(parts), ...liveReads(parts) };
}

function triggerReads({ usableStore, node }: SchedulerParts) {
  const withPauses = async (store: JobStore, items: readonly StoredTrigger[]): Promise<readonly FoundTrigger[]> => {
    const pauses = await pausesOf(store, items);
    const isUnexplained = items.some(({ state }, index) => isPaused(state) && pauses[index] === null);
    const paused = new Set(isUnexplained ? await store.getPausedTriggerGroups() : []);
    return items.map((item, index) => ({
      ...item,
      pause: pauses[index] ?? null,
      isGroupPaused: paused.has(item.trigger.key.group) || paused.has(ALL_GROUPS_PAUSED),
    }));
  };
  const findTriggers = async (keys: readonly TriggerKey[]) => {
    const store = usableStore();
    return keys.length === 0 ? [] : withPauses(store, await store.getTriggers(keys));
  };
  return {
    async pageTriggers(query) {
      const store = usableStore();
      const page = await store.pageTriggers(query);
      return { ...page, items: await withPauses(store, page.items) };
    },
    async firstTriggers(query) {
      const store = usableStore();
      const page = await firstTriggers(store, query);
      return { ...page, items: await withPauses(store, page.items) };
    },
    findTrigger: async (key) => (await findTriggers([key]))[0] ?? null,
    findTriggers,
    async readBacklog(before, maxCount) {
      const store = usableStore();
      if (node.cluster !== null) {
        const backlog = await node.cluster.store.readBacklog(before, maxCount);
        return backlog.map(({ triggerKey, nextFireTime }) => ({ key: triggerKey, nextFireTime }));
      }
      const waiting = { states: WAITING_STATES, sort: 'nextFireTime', omitTotal: true } as const;
      const { items } = await store.pageTriggers({ ...waiting, take: maxCount });
      return items.flatMap(({ trigger: { key, nextFireTime } }) =>
        nextFireTime !== null && nextFireTime < before ? [{ key, nextFireTime }] : [],
      );
    },
  } satisfies Partial<ControlReads>;
}

type PageReads = Omit<ControlReads, keyof ReturnType<typeof triggerReads> | keyof ReturnType<typeof liveReads>>;

function pageReads({ usableStore, clock }: SchedulerParts): PageReads {
  const runListOf = async ({ items, next }: RunPage): Promise<RunList> => ({
    items: await inSlices(mapping(items, toRun), new TimeSlice(clock)),
    next: next && runCursorText(next),
  });
  return {
    pageJobs: async (query) => usableStore().pageJobs(query),
    async findMissingJobs(keys) {
      const store = usableStore();
      const found = keys.length === 0 ? [] : await store.getJobs(keys);
      const stored = new Set(found.map(({ key }) => keyText(key)));
      return keys.filter((key) => !stored.has(keyText(key)));
    },
    pagePauses: async (query) => usableStore().pagePauses(query),
    readGroups: async () => readGroups(usableStore()),
    pageCalendars: async (query) => usableStore().pageCalendars(query),
    async listRuns({ deadLetters, limit = 100, ...options }) {
      const store = usableStore();
      const query = {
        ...toRunQuery(options),
        ...(deadLetters && { deadLetters }),
        take: limit,
        detail: 'brief',
      } as const;
      return runListOf(await store.listRuns(query));
    },
    recentRuns: async (query) => runListOf(await usableStore().listRuns({ ...query, detail: 'none' })),
  };
}

function liveReads(parts: SchedulerParts): Pick<ControlReads, 'readStoreActivity' | 'followRun' | 'readRuntime'> {
  const { lifecycle, node, workers, engine, isObserver } = parts;
  return {
    readRuntime() {
      const { requested, empty } = engine.acquisitions;
      const { size, running } = workers;
      return { isObserver, workers: size, busyWorkers: running, acquisitions: requested, emptyAcquisitions: empty };
    },
    async readStoreActivity() {
      if (node.cluster === null) return null;
      const { connections, ...activity } = await node.cluster.store.readActivity();
      const jobs = node.transactions?.readActivity() ?? null;
      return { connections: jobs === null ? connections : [...connections, jobs], ...activity };
    },
    async followRun(runId, onNews, signal) {
      lifecycle.assertUsable();
      return followRun(parts, runId, onNews, signal);
    },
  };
}
