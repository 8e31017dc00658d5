import type { Jobs, Scheduler } from '../api/scheduler';
import type { Clock } from '../base/clock';
import type { Gate } from '../base/gate';
import type { RandomSource } from '../base/ids';
import { ClusterRequests } from '../cluster/cluster-requests';
import { JobTypeWatch } from '../cluster/job-type-watch';
import type { SchedulerConfig } from '../config/scheduler-config';
import { checkText } from '../domain/check-text';
import { LIMITS } from '../domain/limits';
import type { SchedulerEvent } from '../domain/scheduler-event';
import { Engine } from '../engine/engine';
import { JobRegistry } from '../engine/job-registry';
import type { EventBus } from '../events/event-bus';
import { createListenerRegistry } from '../events/listener-registry';
import type { WorkerPool } from '../workers/worker-pool';
import { checkObject } from './checked-input';
import { KnownJobTypes } from './known-job-types';
import { Lifecycle, type LifecycleSteps } from './lifecycle';
import { closeStore, notDone } from './node/close-store';
import type { StoreNode } from './node/store-node';
import { NodeStatus } from './node-status';
import type { Plugins } from './plugin-host';
import { quartzScheduler } from './quartz-scheduler';
import type { EventInput } from './schedule-events';
import { ScheduleWriter } from './schedule-writer';
import type { SchedulerParts } from './scheduler-parts';

/** What a scheduler is made of that does not depend on anything else. */
export interface Dependencies {
  readonly config: SchedulerConfig;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly node: StoreNode;
  /** Closed while this node may not fire; without a cluster it is not asked. */
  readonly gate: Gate;
  readonly workers: WorkerPool;
  readonly bus: EventBus;
  readonly jobs: Jobs;
  readonly plugins: Plugins;
  /** Nothing runs by itself; somebody else tells the engine when to fire. */
  readonly isDriven: boolean;
}

/**
 * Milliseconds between two writes of completions to a database: long enough for many to share one, too short to be noticed.
 * Firing 25 at a time, that makes a fifth more a second; on three nodes, of which each writes its own, more than that.
 */
const COMPLETION_FLUSH_INTERVAL = 100;

/** A scheduler with what is behind it. */
export interface SchedulerRuntime extends SchedulerParts {
  readonly scheduler: Scheduler;
}

/** Builds what depends on the dependencies and connects all parts. Opens and starts nothing. */
export function wireScheduler(dependencies: Dependencies): SchedulerRuntime {
  const { config, clock, random, node, workers, bus, jobs } = dependencies;
  const { store, cluster } = node;
  for (const type of Object.keys(checkObject(jobs, 'jobs by their type')))
    checkText(type, 'a job type', LIMITS.jobType);
  const announce = (event: EventInput) => bus.publish({ at: clock.now(), ...event } as SchedulerEvent);
  const registry = new JobRegistry(jobs);
  const listeners = createListenerRegistry(bus);
  const ofCluster = cluster === null ? {} : { gate: dependencies.gate, lookAtLease: () => cluster.lookAtLease() };
  const engine = new Engine(
    { store, clock, workers, registry, bus, listeners, random, scheduler: () => scheduler, ...ofCluster },
    { ...config, completionFlushInterval: store.description.persistent ? COMPLETION_FLUSH_INTERVAL : 0 },
  );
  const jobTypes = jobTypeWatchOf(dependencies, registry);
  const lifecycle = new Lifecycle({ clock, announce, steps: stepsOf(dependencies, { engine, jobTypes, announce }) });
  const writer = new ScheduleWriter({
    store,
    promptFiring: store.description.persistent ? engine : null,
    clock,
    announce,
    misfireThreshold: config.jobStore.misfireThreshold,
    jobTypes: new KnownJobTypes({
      own: () => registry.types(),
      readNodes: cluster === null ? null : () => cluster.store.readJobTypes(),
      clock,
    }),
    assertUsable: () => lifecycle.assertUsable(),
  });
  const parts = {
    config,
    clock,
    random,
    store,
    cluster: cluster?.store ?? null,
    requests:
      cluster === null ? null : new ClusterRequests({ store: cluster.store, clock, instanceId: config.instanceId }),
    workers,
    bus,
    listeners,
    registry,
    engine,
    lifecycle,
    writer,
    status: new NodeStatus(bus, cluster === null ? null : dependencies.gate),
    announce,
  };
  const scheduler = quartzScheduler(parts);
  return { ...parts, scheduler };
}

const NONE: readonly string[] = [];

/** Tells the other nodes what runs here; null: there are none. */
function jobTypeWatchOf({ clock, node, bus, workers }: Dependencies, registry: JobRegistry): JobTypeWatch | null {
  if (node.cluster === null) return null;
  const watch = new JobTypeWatch({
    store: node.cluster.store,
    clock,
    publish: (event) => bus.publish(event),
    // Where there are no workers, nothing runs.
    jobTypes: () => (workers.size === 0 ? NONE : registry.types()),
  });
  registry.onRegistered(() => watch.service.runNow());
  return watch;
}

interface SteppedParts {
  readonly engine: Engine;
  readonly jobTypes: JobTypeWatch | null;
  readonly announce: (event: EventInput) => void;
}

function stepsOf(
  { clock, node, plugins, isDriven }: Dependencies,
  { engine, jobTypes, announce }: SteppedParts,
): LifecycleSteps {
  let leftUndone: readonly string[] = [];
  return {
    prepare: () => plugins.start(),
    async start() {
      await jobTypes?.prepare();
      await node.cluster?.start();
      await jobTypes?.service.start();
      if (!isDriven) await engine.start();
    },
    standby: () => engine.standby(),
    async drain(plan) {
      const { abandoned, undone } = await engine.shutdown(plan);
      leftUndone = undone;
      return abandoned;
    },
    async close({ deadline }) {
      const onError = (error: Error) => announce({ type: 'schedulerError', during: 'stopping plugins', error });
      await plugins.stop({ clock, patience: deadline, onError });
      const leave = async () => {
        await jobTypes?.service.stop();
        await node.cluster?.stop();
      };
      const undone = await closeStore({ store: node.store, leave }, clock, deadline);
      const all = [...leftUndone, ...undone];
      if (all.length > 0) announce({ type: 'schedulerError', during: 'shutting down', error: notDone(all) });
    },
  };
}
