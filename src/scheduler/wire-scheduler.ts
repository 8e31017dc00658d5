import { checkObject } from '../api/builders/check-arguments';
import type { Scheduler } from '../api/scheduler';
import type { Clock, EpochMs } from '../base/clock';
import type { Service } from '../base/service';
import { ClusterRequests } from '../cluster/signals';
import { checkText } from '../domain/check-text';
import { LIMITS } from '../domain/limits';
import { scopeOfNode } from '../domain/placement';
import { rulesIn } from '../domain/rules';
import type { SchedulerEvent } from '../domain/scheduler-event';
import { Engine } from '../engine/engine';
import { JobRegistry } from '../engine/job-registry';
import { createListenerRegistry } from '../events/listener-registry';
import { backfillMethods } from './backfill-methods';
import { CalendarFollowers } from './calendar-followers';
import { whenDeletedHaveStarted } from './change-and-confirm';
import { controlFor, offerControl } from './control';
import { declareMethods } from './declare-methods';
import { Draining } from './draining';
import { executionMethods } from './execution-methods';
import { refusingExtraArguments } from './extra-arguments';
import { JobTypeWatch, KnownJobTypes } from './job-types';
import { LargeJobs } from './large-jobs';
import { Lifecycle, type LifecycleSteps } from './lifecycle';
import { drainMethods, lifecycleMethods } from './lifecycle-methods';
import { type ClusterReader, closeStore, notDone } from './node/store-node';
import { withWritesOutsideTransactions } from './node/writes-outside-transactions';
import { OccurrenceWatch, type OccurrenceWatchParts } from './occurrence-watch';
import { olderDataCheck } from './older-time-zone-data';
import { overdueWatch } from './overdue-watch';
import { pauseEndWatch } from './pause-ends';
import { pauseMethods } from './pause-methods';
import { ProgressWatch } from './progress-watch';
import { readMethods } from './read-methods';
import { runMethods } from './run-methods';
import { RunRetentionWatch } from './run-retention';
import { NameInMemory } from './same-name-watch';
import type { EventInput } from './schedule-events';
import { calendarMethods, deleteMethods, jobMethods, scheduleMethods, transactionMethods } from './schedule-methods';
import { ScheduleWriter } from './schedule-writer';
import type { Dependencies, SchedulerParts } from './scheduler-parts';
import { TimeZoneDataWatch } from './time-zone-data-watch';
import type { TracingPlace } from './tracing';
import { WorkerWatch } from './worker-watch';

/** Interval between two writes of completions to a database, in milliseconds. Not noticeable, and raises throughput by 20 % for batches of 25. */
const COMPLETION_FLUSH_INTERVAL_MS = 100;

export interface SchedulerRuntime extends SchedulerParts {
  readonly scheduler: Scheduler;
}

/** Builds the other components of a scheduler and connects them. Opens and starts nothing. */
export function wireScheduler(dependencies: Dependencies): SchedulerRuntime {
  const { config, clock, random, node, gate, workers, load, bus, jobs } = dependencies;
  const { store, cluster } = node;
  const ofCallers = storesOfCallers(dependencies);
  load.workers = workers.size;
  for (const type of Object.keys(checkObject(jobs, 'jobs by their type')))
    checkText(type, 'a job type', LIMITS.jobType);
  const announce = (event: EventInput) => bus.publish({ at: clock.now(), ...event } as SchedulerEvent);
  const registry = new JobRegistry(jobs);
  const listeners = createListenerRegistry(bus);
  const progress = progressWatchOf(dependencies, () => engine);
  const readNodes = cluster === null ? null : () => cluster.store.readJobTypes();
  const checkLease = async () => cluster?.checkLease();
  const ofCluster =
    progress === null || readNodes === null ? {} : { checkLease, onOutput: progress.onOutput, readNodes };
  const watches = watchesOf(dependencies, announce, readNodes);
  const onExpected = (time: EpochMs) => watches.overdue.expect(time);
  const ofScheduler = { scheduler: () => scheduler, onExpected };
  const engine: Engine = new Engine(
    { ...node, clock, workers, load, registry, bus, listeners, random, gate, ...ofScheduler, ...ofCluster },
    engineOptions(dependencies),
  );
  const { misfireThreshold } = config.jobStore;
  const watch = jobTypeWatchOf(dependencies, registry);
  const steps = lifecycleSteps({ ...dependencies, engine, announce, ...watches }, { watch, progress });
  const lifecycle = new Lifecycle({ clock, announce, steps });
  const usableStore = () => whileUsable(lifecycle, ofCallers.store);
  const tracing: TracingPlace = { current: null };
  const requests = ofCallers.cluster && new ClusterRequests(ofCallers.cluster, clock, config.instanceId);
  const writer = new ScheduleWriter({
    store: ofCallers.store,
    promptFiring: store.description.persistent ? engine : null,
    ...{ clock, misfireThreshold, registry, tracing, announce, onExpected, lifecycle },
    whenDeletedHaveStarted: (changes, outcomes) =>
      whenDeletedHaveStarted({ config, engine, requests, announce }, changes, outcomes),
    firesSoon: cluster === null ? null : firesSoon(cluster.store, clock),
    followers: new CalendarFollowers({ store: ofCallers.store, clock, misfireThreshold, rules: config.policy.rules }),
    largeJobs: new LargeJobs(ofCallers.store),
    hasOlderData: olderDataCheckOf(dependencies),
    declaring: config,
    jobTypes: new KnownJobTypes({ own: () => registry.types(), readNodes, clock, isObserver: dependencies.isObserver }),
  });
  const draining = new Draining({ ...config, engine, gate, store: ofCallers.cluster, announce });
  const built = { usableStore, registry, engine, lifecycle, writer, tracing, announce, ...watches, draining };
  const parts = { ...dependencies, store: ofCallers.store, requests, listeners, ...built };
  const scheduler = quartzScheduler(parts);
  offerControl(scheduler, controlFor(parts));
  return { ...parts, scheduler };
}

/** Stores for calls of the program, which a job may make inside of its transaction. The engine's own writes wait for the transaction. */
function storesOfCallers({ config, node: { store, cluster } }: Dependencies) {
  const url = config.jobStore.sql?.dataSource.url;
  return {
    store: withWritesOutsideTransactions(store, url),
    cluster: cluster && withWritesOutsideTransactions(cluster.store, url),
  };
}

function whileUsable<Store>(lifecycle: Lifecycle, store: Store): Store {
  lifecycle.assertUsable();
  return store;
}

function engineOptions({ config, node, tracksCurrentJob }: Dependencies) {
  const completionFlushInterval = node.store.description.persistent ? COMPLETION_FLUSH_INTERVAL_MS : 0;
  return { ...config, tracksCurrentJob, completionFlushInterval };
}

/** Creates the service that stores the progress of this node's runs for the other nodes. Null without a cluster. */
function progressWatchOf({ clock, node, bus }: Dependencies, engine: () => Engine): ProgressWatch | null {
  if (node.cluster === null) return null;
  const executing = () =>
    engine()
      .listRuns()
      .filter(({ isAbandoned }) => !isAbandoned);
  return new ProgressWatch({ store: node.cluster.store, clock, bus, executing });
}

function watchesOf(
  { config, clock, node, bus }: Dependencies,
  announce: SchedulerParts['announce'],
  readNodes: OccurrenceWatchParts['readNodes'],
) {
  const { store, cluster } = node;
  const { misfireThreshold } = config.jobStore;
  const readClock = cluster === null ? null : async () => Math.floor(await cluster.store.readClock());
  return {
    pauseEnds: pauseEndWatch({ store, clock, bus, announce, misfireThreshold }),
    occurrenceWatch: new OccurrenceWatch({
      store,
      clock,
      publish: (event) => bus.publish(event),
      readNodes,
      misfireThreshold,
    }),
    overdue: overdueWatch({ store, clock, readClock, bus, announce }),
  };
}

const NO_JOB_TYPES: readonly string[] = [];

/** Creates the service that publishes this node's job types to the other nodes. Null without a cluster. */
function jobTypeWatchOf(
  { config, clock, node, bus, workers }: Dependencies,
  registry: JobRegistry,
): JobTypeWatch | null {
  if (node.cluster === null) return null;
  const watch = new JobTypeWatch({
    store: node.cluster.store,
    clock,
    publish: (event) => bus.publish(event),
    labels: scopeOfNode(config.instanceId, config).labels,
    // A node without workers runs no job of any type.
    jobTypes: () => (workers.size === 0 ? NO_JOB_TYPES : registry.types()),
  });
  registry.onChanged(() => watch.service.runNow());
  return watch;
}

type LifecycleParts = Dependencies &
  Pick<SchedulerParts, 'engine' | 'announce' | 'pauseEnds' | 'occurrenceWatch' | 'overdue'>;

/** Creates the services beside the engine, which run only while the scheduler is started. */
function servicesOf(parts: LifecycleParts): readonly Service[] {
  const { config, clock, node, bus } = parts;
  const { store } = node;
  const publish = (event: SchedulerEvent) => bus.publish(event);
  const ofRuns = { store, clock, random: parts.random, publish, history: config.jobStore.history };
  const retention = new RunRetentionWatch(ofRuns).service;
  const workers = new WorkerWatch({ ...parts, store, instanceId: config.instanceId }).service;
  const zoneData = zoneDataWatchOf(parts)?.service ?? [];
  const { pauseEnds, occurrenceWatch, overdue } = parts;
  return [retention, workers, pauseEnds.service, occurrenceWatch.service, overdue.service].concat(zoneData);
}

function lifecycleSteps(
  parts: LifecycleParts,
  { watch, progress }: { readonly watch: JobTypeWatch | null; readonly progress: ProgressWatch | null },
): LifecycleSteps {
  const { clock, node, plugins, isDriven, engine, announce } = parts;
  const others = servicesOf(parts);
  const stopOthers = () => Promise.all(others.map((service) => service.stop()));
  let undoneJobs: readonly string[] = [];
  const memoryName = nameInMemory(parts);
  const leave = async () => {
    await stopOthers();
    await watch?.service.stop();
    await progress?.end();
    await node.cluster?.stop();
  };
  return {
    prepare: () => plugins.start(),
    async start() {
      await watch?.prepare();
      await node.cluster?.start();
      await watch?.service.start();
      await progress?.service.start();
      if (isDriven) return;
      memoryName?.start();
      await engine.start();
      for (const service of others) await service.start();
    },
    standby: async () => void (await Promise.all([engine.standby(), stopOthers()])),
    async drain(plan) {
      void stopOthers(); // `close` waits until these services have stopped
      const { abandoned, undone } = await engine.shutdown(plan);
      undoneJobs = undone;
      return abandoned;
    },
    async close({ deadline }) {
      memoryName?.end();
      await plugins.stop(clock, deadline, (error) =>
        announce({ type: 'schedulerError', during: 'stopping plugins', error }),
      );
      const undone = [...undoneJobs, ...(await closeStore({ ...node, leave }, clock, deadline))];
      if (undone.length > 0) announce({ type: 'schedulerError', during: 'shutting down', error: notDone(undone) });
    },
  };
}

/** Creates the service that recomputes fire times by newer time zone data. Null without a cluster, or if this process does not know its version. */
function zoneDataWatchOf({
  config,
  clock,
  node,
  bus,
  announce,
  timeZoneData: version,
}: Dependencies & Pick<SchedulerParts, 'announce'>): TimeZoneDataWatch | null {
  if (node.cluster === null || version === null) return null;
  return new TimeZoneDataWatch({
    ...{ store: node.store, cluster: node.cluster.store, clock, version, announce },
    ...{ instanceId: config.instanceId, misfireThreshold: config.jobStore.misfireThreshold },
    rules: rulesIn(config.policy).rules,
    publish: (event) => bus.publish(event),
  });
}

function olderDataCheckOf({ node, clock, timeZoneData: version }: Dependencies): (() => Promise<boolean>) | null {
  return node.cluster === null || version === null
    ? null
    : olderDataCheck({ cluster: node.cluster.store, clock, version });
}

function nameInMemory({
  config,
  node,
  announce,
}: Dependencies & Pick<SchedulerParts, 'announce'>): NameInMemory | null {
  if (node.store.description.persistent) return null;
  return new NameInMemory(config.instanceName, (message) => announce({ type: 'configurationWarning', message }));
}

/** Builds the public scheduler. Its methods can be called without `this`. */
function quartzScheduler(parts: SchedulerParts): Scheduler {
  return refusingExtraArguments({
    ...lifecycleMethods(parts),
    ...scheduleMethods(parts),
    ...jobMethods(parts),
    ...deleteMethods(parts),
    ...declareMethods(parts),
    ...pauseMethods(parts),
    ...readMethods(parts),
    ...calendarMethods(parts),
    ...executionMethods(parts),
    ...drainMethods(parts),
    ...runMethods(parts),
    ...transactionMethods(parts),
    ...backfillMethods(parts),
  });
}

/** Estimated maximum time to store a large portion of changes, in milliseconds. */
const SOON_MS = 1_000;

function firesSoon(store: Pick<ClusterReader, 'readFirstToFire'>, clock: Clock): () => Promise<boolean> {
  return async () => {
    const time = await store.readFirstToFire();
    return time !== null && time < clock.now() + SOON_MS;
  };
}
