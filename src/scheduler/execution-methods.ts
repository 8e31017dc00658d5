import type { ExecutingJob, NodeInfo } from '../api/reading';
import { type JobProgress, toInterruption } from '../api/runs';
import type { Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { NEVER } from '../base/sleep';
import { VERSION } from '../base/version';
import { checkOptional } from '../domain/check-options';
import { checkText, invalidArgument } from '../domain/check-text';
import type { NodeJobTypes } from '../domain/job-types';
import { LIMITS } from '../domain/limits';
import { checksIn, leaseTerm } from '../domain/liveness';
import { figuresOf, type NodeLoad } from '../domain/node-load';
import { scopeOfNode } from '../domain/placement';
import type { RunProgress } from '../domain/progress';
import type { NodeRecord } from '../store/cluster-store';
import { checkEventTypes, checkFunction, toJobKey } from './checked-input';
import { interruptEverywhere } from './interrupts';
import type { ClusterReader } from './node/store-node';
import { checkRunId } from './run-query';
import type { SchedulerParts } from './scheduler-parts';
import { tailRun } from './tail-run';

export function executionMethods(parts: SchedulerParts) {
  const { registry, engine, lifecycle, listeners, bus, node } = parts;

  return {
    registerJob: (jobType, job) => registry.register(checkText(jobType, 'a job type', LIMITS.jobType), job),
    setJobFactory: (factory) => registry.setFactory(factory),
    getListenerManager: () => listeners,
    use: (middleware) => engine.use(checkFunction(middleware, 'middleware')),
    subscribe: (subscriber, types) => bus.subscribe(checkFunction(subscriber, 'subscriber'), checkEventTypes(types)),

    getCurrentlyExecutingJobs: () => engine.getCurrentlyExecutingJobs(),
    listExecutingJobs: () => listExecutingJobs(parts),
    tailRun: async (runId, onLine, options) => {
      lifecycle.assertUsable();
      const { signal = NEVER } = checkOptional(options, { signal: true });
      if (!(signal instanceof AbortSignal)) throw invalidArgument('an AbortSignal as the signal of tailRun', signal);
      return tailRun(parts, checkRunId(runId), checkFunction(onLine, 'onLine'), signal);
    },
    async interrupt(key, options) {
      lifecycle.assertUsable();
      const by = readBy(options);
      const jobKey = toJobKey(key);
      if (await interruptEverywhere(parts, { type: 'interruptJob', jobKey, by })) return true;
      return typeof key === 'string' && interruptEverywhere(parts, { type: 'interruptRun', runId: key, by });
    },
    async interruptRun(runId, options) {
      lifecycle.assertUsable();
      return interruptEverywhere(parts, { type: 'interruptRun', runId, by: readBy(options) });
    },

    async listNodes() {
      lifecycle.assertUsable();
      if (node.cluster === null) return lifecycle.state === 'started' ? [thisProcess(parts)] : [];
      const { store } = node.cluster;
      const { now, nodes } = await store.readNodes();
      const types = new Map((await store.readJobTypes()).map((each) => [each.instanceId, each]));
      const loads = await readLoadInfos(store, now);
      return nodes.map((record) => ({
        ...toNodeInfo(record, now, types.get(record.instanceId)),
        ...(loads.get(record.instanceId) ?? { load: null, holdsBack: null, refusedJobTypes: [] }),
        isThisNode: record.instanceId === parts.config.instanceId,
      }));
    },
  } satisfies Partial<Scheduler>;
}

function readBy(options?: { readonly by?: string }): string | null {
  const { by } = checkOptional(options, { by: true });
  return by === undefined ? null : checkText(by, 'the author of an interrupt (by)', LIMITS.pausedBy);
}

async function listExecutingJobs(parts: SchedulerParts): Promise<readonly ExecutingJob[]> {
  const { engine, lifecycle, requests } = parts;
  lifecycle.assertUsable();
  if (requests === null) return executingHere(parts);
  const here = new Map(engine.getCurrentlyExecutingJobs().map((context) => [context.runId, context]));
  const firings = (await requests.getFirings()).map(
    ({ recovering, fireTime, scheduledFireTime, progress, interruption, ...firing }) => ({
      ...firing,
      fireTime: new Date(fireTime),
      scheduledFireTime: new Date(scheduledFireTime),
      isRecovering: recovering,
      isAbandoned: false,
      progress: here.get(firing.runId)?.currentProgress ?? toProgress(progress),
      interruption: here.get(firing.runId)?.interruption ?? toInterruption(interruption),
    }),
  );
  // Abandoned runs no longer have a row in the store.
  return [...firings, ...executingHere(parts).filter(({ isAbandoned }) => isAbandoned)];
}

function executingHere({ engine, config }: SchedulerParts): readonly ExecutingJob[] {
  return engine.getCurrentlyExecutingJobs().map((context) => ({
    runId: context.runId,
    instanceId: config.instanceId,
    jobKey: context.jobDetail.key,
    triggerKey: context.trigger.key,
    fireTime: context.fireTime,
    scheduledFireTime: context.scheduledFireTime,
    isRecovering: context.isRecovering,
    isAbandoned: context.isAbandoned,
    progress: context.currentProgress,
    interruption: context.interruption,
  }));
}

function toProgress(progress: RunProgress | null): JobProgress | null {
  return progress === null ? null : { ...progress, at: new Date(progress.at) };
}

type OfLoad = Pick<NodeInfo, 'load' | 'holdsBack' | 'refusedJobTypes'>;

/** Reads each node's load by instance id. If a node leaves triggers to others after a stall, the load contains the start and end of that period. */
async function readLoadInfos(store: ClusterReader, now: EpochMs): Promise<ReadonlyMap<string, OfLoad>> {
  const records = await store.readLoads();
  return new Map(
    records.flatMap(({ instanceId, at, load }) => (load === null ? [] : [[instanceId, ofLoad(load, at, now)]])),
  );
}

function ofLoad(load: NodeLoad, at: EpochMs, now: EpochMs): OfLoad {
  return { load: figuresOf(load, at), holdsBack: holdsBackAt(load, now), refusedJobTypes: refusedAt(load, now) };
}

/** Time after the end of a pause for which its job type is still reported as refused: until then, a firing has probably tried it. */
const REFUSED_FOR_MS = 60_000;

function refusedAt({ refusedTypes }: NodeLoad, now: EpochMs): OfLoad['refusedJobTypes'] {
  const present = refusedTypes.filter(({ until }) => until + REFUSED_FOR_MS > now);
  return present.map(({ jobType, since, until }) => ({ jobType, since: new Date(since), until: new Date(until) }));
}

function holdsBackAt({ holdBack }: NodeLoad, now: EpochMs): OfLoad['holdsBack'] {
  if (holdBack === null || holdBack.until <= now) return null;
  return { since: new Date(holdBack.since), until: new Date(holdBack.until) };
}

type WithoutLoad = Omit<NodeInfo, 'isThisNode' | keyof OfLoad>;

function toNodeInfo(record: NodeRecord, now: EpochMs, types: NodeJobTypes | undefined): WithoutLoad {
  const { instanceId, lastCheckInTime, version, timeZoneData, host, processId, startedAt } = record;
  const isJava = record.epoch === null;
  return {
    instanceId,
    isJava,
    // Only times of the store's clock are compared, because all nodes share that clock.
    state: checksIn(record, now) ? 'alive' : 'silent',
    lastCheckInTime: new Date(lastCheckInTime),
    leaseUntil: isJava ? null : new Date(leaseTerm(lastCheckInTime, record).heldUntil),
    startedAt: toDate(startedAt),
    version,
    timeZoneData,
    host,
    processId,
    jobTypes: types?.jobTypes ?? null,
    labels: record.labels,
    isDraining: record.draining,
  };
}

function thisProcess({ config, registry, lifecycle, draining, load, clock, timeZoneData }: SchedulerParts): NodeInfo {
  return {
    instanceId: config.instanceId,
    isThisNode: true,
    isJava: false,
    state: 'alive',
    lastCheckInTime: null,
    leaseUntil: null,
    startedAt: toDate(lifecycle.runningSince),
    version: VERSION,
    timeZoneData,
    host: null,
    processId: process.pid,
    jobTypes: registry.types(),
    labels: scopeOfNode(config.instanceId, config).labels,
    isDraining: draining.isDraining,
    ...ofLoad(load.read(), clock.now(), clock.now()),
  };
}
