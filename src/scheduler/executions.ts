import type { ExecutingJob } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { checkText } from '../domain/check-text';
import { LIMITS } from '../domain/limits';
import type { FiringRecord } from '../store/cluster-store';
import { checkFunction, toJobKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Executions = Pick<
  Scheduler,
  | 'registerJob'
  | 'setJobFactory'
  | 'getCurrentlyExecutingJobs'
  | 'listExecutingJobs'
  | 'interrupt'
  | 'interruptFireInstance'
  | 'getListenerManager'
  | 'subscribe'
>;

/** The part of the scheduler that knows what runs here and elsewhere: job types, executions, and who hears of them. */
export function executions(parts: SchedulerParts): Executions {
  const { registry, engine, lifecycle, listeners, bus, requests } = parts;

  async function interruptFireInstance(fireInstanceId: string): Promise<boolean> {
    lifecycle.assertUsable();
    const isHere = engine.interruptFireInstance(fireInstanceId);
    return isHere || ((await requests?.interruptFireInstance(fireInstanceId)) ?? false);
  }

  return {
    registerJob: (jobType, job) => registry.register(checkText(jobType, 'a job type', LIMITS.jobType), job),
    setJobFactory: (factory) => registry.setFactory(factory),
    getCurrentlyExecutingJobs: () => engine.getCurrentlyExecutingJobs(),
    async listExecutingJobs() {
      lifecycle.assertUsable();
      return requests === null ? executingHere(parts) : (await requests.getFirings()).map(toExecutingJob);
    },
    async interrupt(key) {
      lifecycle.assertUsable();
      const jobKey = toJobKey(key);
      const isHere = engine.interruptJob(jobKey);
      const isElsewhere = (await requests?.interruptJob(jobKey)) ?? false;
      if (isHere || isElsewhere || typeof key !== 'string') return isHere || isElsewhere;
      return interruptFireInstance(key);
    },
    interruptFireInstance,
    getListenerManager: () => listeners,
    subscribe: (subscriber) => bus.subscribe(checkFunction(subscriber, 'subscriber')),
  };
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
  }));
}

function toExecutingJob({ recovering, fireTime, scheduledFireTime, ...firing }: FiringRecord): ExecutingJob {
  const times = { fireTime: new Date(fireTime), scheduledFireTime: new Date(scheduledFireTime) };
  return { ...firing, ...times, isRecovering: recovering };
}
