import type { ExecutingJob, NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { VERSION } from '../base/version';
import { checkText } from '../domain/check-text';
import type { NodeJobTypes } from '../domain/job-types';
import { LIMITS } from '../domain/limits';
import { isOverdue, leaseTerm } from '../domain/liveness';
import type { NodeRecord } from '../store/cluster-store';
import { checkEventTypes, checkFunction, toJobKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type ExecutionMethods = Pick<
  Scheduler,
  | 'registerJob'
  | 'setJobFactory'
  | 'getListenerManager'
  | 'subscribe'
  | 'use'
  | 'getCurrentlyExecutingJobs'
  | 'listExecutingJobs'
  | 'interrupt'
  | 'interruptFireInstance'
  | 'listNodes'
>;

/** Job types, executions and listeners: what runs here and on other nodes. */
export function executionMethods(parts: SchedulerParts): ExecutionMethods {
  const { registry, engine, lifecycle, listeners, bus, requests, node } = parts;

  return {
    registerJob: (jobType, job) => registry.register(checkText(jobType, 'a job type', LIMITS.jobType), job),
    setJobFactory: (factory) => registry.setFactory(factory),
    getListenerManager: () => listeners,
    use: (middleware) => engine.use(checkFunction(middleware, 'middleware')),
    subscribe: (subscriber, types) => bus.subscribe(checkFunction(subscriber, 'subscriber'), checkEventTypes(types)),

    getCurrentlyExecutingJobs: () => engine.getCurrentlyExecutingJobs(),
    async listExecutingJobs() {
      lifecycle.assertUsable();
      if (requests === null) return executingHere(parts);
      const firings = (await requests.getFirings()).map(({ recovering, fireTime, scheduledFireTime, ...firing }) => ({
        ...firing,
        fireTime: new Date(fireTime),
        scheduledFireTime: new Date(scheduledFireTime),
        isRecovering: recovering,
        isAbandoned: false,
      }));
      // No row tells of them.
      return [...firings, ...executingHere(parts).filter(({ isAbandoned }) => isAbandoned)];
    },
    async interrupt(key) {
      lifecycle.assertUsable();
      const jobKey = toJobKey(key);
      const isHere = engine.interruptJob(jobKey);
      const isElsewhere = (await requests?.interruptJob(jobKey)) ?? false;
      if (isHere || isElsewhere || typeof key !== 'string') return isHere || isElsewhere;
      return interruptFireInstance(parts, key);
    },
    interruptFireInstance: (fireInstanceId) => interruptFireInstance(parts, fireInstanceId),

    async listNodes() {
      lifecycle.assertUsable();
      if (node.cluster === null) return lifecycle.state === 'started' ? [thisProcess(parts)] : [];
      const { now, nodes } = await node.cluster.store.readNodes();
      const types = new Map((await node.cluster.store.readJobTypes()).map((each) => [each.instanceId, each]));
      return nodes.map((record) => ({
        ...toNodeInfo(record, now, types.get(record.instanceId)),
        isThisNode: record.instanceId === parts.config.instanceId,
      }));
    },
  };
}

async function interruptFireInstance(parts: SchedulerParts, fireInstanceId: string): Promise<boolean> {
  const { engine, lifecycle, requests } = parts;
  lifecycle.assertUsable();
  const isHere = engine.interruptFireInstance(fireInstanceId);
  return isHere || ((await requests?.interruptFireInstance(fireInstanceId)) ?? false);
}

function executingHere({ engine, config }: SchedulerParts): readonly ExecutingJob[] {
  return engine.getCurrentlyExecutingJobs().map((context) => ({
    fireInstanceId: context.fireInstanceId,
    instanceId: config.instanceId,
    jobKey: context.jobDetail.key,
    triggerKey: context.trigger.key,
    fireTime: context.fireTime,
    scheduledFireTime: context.scheduledFireTime,
    isRecovering: context.isRecovering,
    isAbandoned: context.isAbandoned,
  }));
}

function toNodeInfo(record: NodeRecord, now: EpochMs, types: NodeJobTypes | undefined): Omit<NodeInfo, 'isThisNode'> {
  const { instanceId, lastCheckInTime, version, host, processId, startedAt } = record;
  const isJava = record.epoch === null;
  return {
    instanceId,
    isJava,
    // By the store's clock alone, which all nodes share.
    state: isOverdue(record, { now, ownLastCheckInTime: now }) ? 'overdue' : 'alive',
    lastCheckInTime: new Date(lastCheckInTime),
    leaseUntil: isJava ? null : new Date(leaseTerm(lastCheckInTime, record).heldUntil),
    startedAt: toDate(startedAt),
    version,
    host,
    processId,
    jobTypes: types?.jobTypes ?? null,
  };
}

/** The only node where no other one shares the store. */
function thisProcess({ config, registry, lifecycle }: SchedulerParts): NodeInfo {
  return {
    instanceId: config.instanceId,
    isThisNode: true,
    isJava: false,
    state: 'alive',
    lastCheckInTime: null,
    leaseUntil: null,
    startedAt: toDate(lifecycle.runningSince),
    version: VERSION,
    host: null,
    processId: process.pid,
    jobTypes: registry.types(),
  };
}
