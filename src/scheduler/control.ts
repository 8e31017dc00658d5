import type { Scheduler } from '../api/scheduler';
import { toError } from '../base/errors';
import { sharedValue } from '../base/shared-class';
import { VERSION } from '../base/version';
import { TimeSlice } from '../base/yield-to-event-loop';
import type { ConsoleConfig, ZoneConfig } from '../config/scheduler-config';
import type { DeclaredSet } from '../domain/declaration';
import type { TriggerKey } from '../domain/keys';
import type { NodeLoad } from '../domain/node-load';
import type { Author } from '../domain/override';
import { rulesIn, type SchedulerRules } from '../domain/rules';
import type { ChangeSet, Outcomes, ScheduleChange } from '../domain/schedule-change';
import type { RulesStore } from '../store/job-store';
import { type ActionLog, actionLog } from './action-log';
import { type ConsoleSessions, consoleSessions } from './console-sessions';
import { type ControlExamination, type ControlReads, controlReads } from './control-reads';
import { applyDeclared, type DeclaredPlan, planDeclared } from './declared-set';
import type { readScheduleFile } from './node/schedule-file-reader';
import { type Ownership, ownership } from './override-methods';
import { type PausesMany, pausesMany } from './pause-methods';
import type { SchedulerParts } from './scheduler-parts';
import type { Tracing } from './tracing';

/** Scheduler functions for the console and the command line that the public API does not offer. */
export interface SchedulerControl
  extends ZoneConfig,
    ControlReads,
    ControlExamination,
    PausesMany,
    ActionLog,
    ConsoleSessions,
    Ownership,
    SchedulerRules,
    Pick<RulesStore, 'readRules' | 'setRules'> {
  /**
   * Reads each node's load of the last 15 minutes. Omits nodes that have not published their load. Without a cluster, returns the load of this node,
   * and only once it has started. Rejects with SCHEDULER_STATE or STORE_FAILURE.
   */
  readLoads(): Promise<readonly NodeLoad[]>;
  /** Applies changes as the public methods of the scheduler do: all or none, except that a large set of changes is applied in portions. */
  apply(changes: ChangeSet, author?: Author): Promise<Outcomes>;
  /** Applies a declared set, as loading a schedule file does. Applies a large set in portions unless it is `atomic`. */
  applyDeclared(
    changes: ChangeSet,
    declared: DeclaredSet,
    author?: Author,
  ): Promise<{ readonly outcomes: Outcomes; readonly undeclared: readonly TriggerKey[] }>;
  /** Parses a schedule file without blocking the event loop. Rejects with CONFIGURATION if the file is invalid. */
  readonly readScheduleFile: typeof readScheduleFile;
  /** Computes what `applyDeclared` would change now, without writing. Rejects with the same errors as `applyDeclared`. */
  planDeclared(
    changes: ChangeSet,
    declared: DeclaredSet,
    conceal?: (change: ScheduleChange) => ScheduleChange,
  ): Promise<DeclaredPlan>;
  trace(tracing: Tracing): void;
  /** Reads the key used for definition versions and for digests of secret values. Rejects with STORE_FAILURE. */
  versionKey(): Promise<string>;
  /** Returns the current time in epoch milliseconds. */
  now(): number;
  /** Creates a time slice, with which long work in this process yields to the event loop at intervals. */
  timeSlice(): TimeSlice;
  readonly console: ConsoleConfig;
  /** Publishes `loginFailed` for a rejected login to the console. */
  announceFailedLogin(login: { readonly name: string | null; readonly from: string | null }): void;
  /** Publishes an error that no caller receives, as `schedulerError`. */
  report(during: string, error: unknown): void;
  /**
   * Returns a string that changes when another node changes which triggers fire next, which jobs execute, or the newest recorded run. Each call costs
   * three cheap reads. Null if no other node shares the store. Rejects with STORE_FAILURE, or with SCHEDULER_STATE if the scheduler has shut down.
   */
  readonly readChangeMark: (() => Promise<string>) | null;
}

/** Shared by the copies of this version in the process, so that the console of one copy can serve the scheduler of another. */
const CONTROLS = sharedValue(`controls@${VERSION}`, () => new WeakMap<Scheduler, SchedulerControl>());

export function offerControl(scheduler: Scheduler, control: SchedulerControl): void {
  CONTROLS.set(scheduler, control);
}

/** Returns the control of a scheduler that `createScheduler` created; null for anything else. */
export function controlOf(scheduler: Scheduler): SchedulerControl | null {
  return CONTROLS.get(scheduler) ?? null;
}

export function controlFor(parts: SchedulerParts): SchedulerControl {
  const { node, lifecycle, load, writer, config, clock, announce, tracing, usableStore } = parts;
  return {
    ...controlReads(parts),
    async readLoads() {
      lifecycle.assertUsable();
      if (node.cluster === null) return lifecycle.state === 'started' ? [load.read()] : [];
      return (await node.cluster.store.readLoads()).flatMap((each) => each.load ?? []);
    },
    ...controlExamination(parts),
    ...actionLog(parts),
    ...consoleSessions(parts),
    ...pausesMany(parts),
    ...ownership(parts),
    ...rulesIn(config.policy),
    readRules: async () => usableStore().readRules(),
    setRules: async (rules) => usableStore().setRules(rules),
    apply: (changes, author) => writer.apply(changes, { author }),
    applyDeclared: (changes, declared, author) =>
      applyDeclared(parts, changes, declared, author === undefined ? {} : { author }),
    planDeclared: (...given) => planDeclared(parts, ...given),
    // Imported on demand, because the parser and its schema are a large part of the package.
    readScheduleFile: async (...given) => (await import('./node/schedule-file-reader')).readScheduleFile(...given),
    trace(followed) {
      tracing.current = followed;
    },
    versionKey: keyReader(parts),
    now: () => clock.now(),
    timeSlice: () => new TimeSlice(clock),
    timeZone: config.timeZone,
    console: config.console,
    timeZoneDefaulted: config.timeZoneDefaulted,
    announceFailedLogin: (login) => announce({ type: 'loginFailed', ...login }),
    report: (during, error) => announce({ type: 'schedulerError', during, error: toError(error) }),
    readChangeMark: changeMarkReader(parts),
  };
}

/** Returns a function that reads the key on its first call and then caches it, because the key never changes. */
function keyReader({ store }: SchedulerParts): () => Promise<string> {
  let key: string | null = null;
  return async () => {
    key ??= await store.readVersionKey();
    return key;
  };
}

/** Maximum number of repairs of each kind per call. Further calls repair the rest. */
const MAX_REPAIRS = 200;

function controlExamination({
  node: { cluster },
  lifecycle,
  engine,
  announce,
}: Pick<SchedulerParts, 'node' | 'lifecycle' | 'engine' | 'announce'>): ControlExamination {
  const usableCluster = () => {
    lifecycle.assertUsable();
    return cluster;
  };
  const readNodes = async () => (cluster === null ? [] : (await cluster.store.readNodes()).nodes);
  return {
    async examineDatabase(isSqlShown = false) {
      const examiner = usableCluster()?.examiner ?? null;
      if (examiner === null) return null;
      // The nodes cannot be read while their tables are missing.
      const nodes = await readNodes().catch(() => []);
      return examiner.examine(Math.max(1, nodes.length), isSqlShown);
    },
    async readNodeClocks() {
      lifecycle.assertUsable();
      return (await readNodes()).flatMap(({ instanceId, clockOffset }) =>
        clockOffset === null ? [] : [{ instanceId, offset: clockOffset }],
      );
    },
    createMissingIndexes: async () => (await usableCluster()?.examiner.createMissingIndexes())?.length ?? 0,
    truncateLog: async () => ((await usableCluster()?.examiner.truncateLog()) === true ? 1 : 0),
    findJsonData: async (limit) => usableCluster()?.store.findJsonData(limit) ?? [],
    findOrphans: async () => usableCluster()?.store.findOrphans() ?? [],
    async repairStates() {
      const repairs = await usableCluster()?.store.sweep(MAX_REPAIRS);
      if (repairs === undefined) return 0;
      const count = repairs.released + repairs.unblocked;
      if (count > 0) {
        announce({ type: 'statesRepaired', ...repairs, failed: [] });
        engine.scheduleChanged(null);
      }
      return count;
    },
  };
}

/** Maximum lateness of triggers that affect the change mark, in milliseconds. A trigger that stays due longer looks the same at every read. */
const LOOK_BACK_MS = 2_000;

function changeMarkReader({
  node,
  config,
  lifecycle,
}: Pick<SchedulerParts, 'node' | 'config' | 'lifecycle'>): (() => Promise<string>) | null {
  const { cluster } = node;
  if (cluster === null) return null;
  const { instanceId } = config;
  return async () => {
    lifecycle.assertUsable();
    // An empty epoch makes the store skip its search for signals.
    const request = { instanceId, epoch: '', lookBack: LOOK_BACK_MS, isCounted: false };
    const { fingerprint } = await cluster.store.watchChanges(request);
    const firings = await cluster.store.getFirings();
    const newest = await cluster.store.newestRun();
    return JSON.stringify([fingerprint, firings.map((each) => each.runId).sort(), newest]);
  };
}
