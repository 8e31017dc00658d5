import type { SchedulerMetaData } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import { toError } from '../base/errors';
import { VERSION } from '../base/version';
import { checkOptional } from '../domain/check-options';
import { checkText, invalidArgument } from '../domain/check-text';
import { LIMITS } from '../domain/limits';
import { Health } from './health';
import type { SchedulerParts } from './scheduler-parts';

const SHUTDOWN_OPTIONS = { waitForJobs: true, deadline: true } as const;

export function lifecycleMethods(parts: SchedulerParts) {
  const { config, lifecycle, engine, announce, bus } = parts;
  const context = new Map<string, unknown>(Object.entries(config.context));
  const health = new Health(parts);
  let isStoreAvailable = true;
  const onStoreEvent = ({ type }: { readonly type: string }) => {
    isStoreAvailable = type === 'storeAvailable';
  };
  bus.subscribe(onStoreEvent, ['storeUnavailable', 'storeAvailable']);
  return {
    getSchedulerName: () => config.instanceName,
    getSchedulerInstanceId: () => config.instanceId,
    getContext: () => context,
    getMetaData: () => metaDataOf(parts, isStoreAvailable),
    health: () => health.read(),
    isStarted: () => lifecycle.runningSince !== null,
    isInStandbyMode: () => lifecycle.isInStandbyMode,
    isShutdown: () => lifecycle.state === 'shutdown',
    start: () => lifecycle.start(),
    startDelayed(delay) {
      checkDuration(delay, 'delay');
      // The caller does not await this start, so a failure is only published as an event.
      lifecycle
        .startDelayed(delay)
        .catch((error) =>
          announce({ type: 'schedulerError', during: 'starting after a delay', error: toError(error) }),
        );
    },
    standby: () => lifecycle.standby(),
    async shutdown(options) {
      const { waitForJobs = false, deadline = config.shutdownDeadline } = checkOptional(options, SHUTDOWN_OPTIONS);
      checkDuration(deadline, 'deadline');
      const isCalledByRun = engine.isCalledByRun();
      const ending = lifecycle.shutdown({ waitForJobs, deadline });
      if (!isCalledByRun) {
        await ending;
        return;
      }
      // The shutdown waits for the run that calls it, so that its end is stored. The run cannot wait for the shutdown.
      const report = (error: unknown) =>
        announce({ type: 'schedulerError', during: 'shutting down', error: toError(error) });
      await Promise.race([ending.catch(report), engine.whenOthersHaveEnded()]);
    },
  } satisfies Partial<Scheduler>;
}

export function drainMethods({ config, lifecycle, draining, requests }: SchedulerParts) {
  const setDraining = async (isDraining: boolean, instanceId: string | undefined): Promise<boolean> => {
    lifecycle.assertUsable();
    const which =
      instanceId === undefined ? config.instanceId : checkText(instanceId, 'an instance id', LIMITS.instanceId);
    if (which !== config.instanceId) return (await requests?.setDraining(which, isDraining)) ?? false;
    if (isDraining) return draining.begin();
    await draining.end();
    return true;
  };
  return {
    drain: (instanceId) => setDraining(true, instanceId),
    undrain: (instanceId) => setDraining(false, instanceId),
  } satisfies Partial<Scheduler>;
}

function checkDuration(duration: unknown, what: string): void {
  if (typeof duration === 'number' && duration >= 0) return;
  throw invalidArgument(`a number of milliseconds, 0 or more, as ${what}`, duration);
}

function metaDataOf(parts: SchedulerParts, isStoreAvailable: boolean): SchedulerMetaData {
  const { config, node, gate, store, workers, engine, lifecycle } = parts;
  const mayFire = node.cluster === null || gate.isOpen;
  const facts = {
    schedulerName: config.instanceName,
    schedulerInstanceId: config.instanceId,
    version: VERSION,
    runningSince: toDate(lifecycle.runningSince),
    numberOfJobsExecuted: engine.numberOfJobsExecuted,
    numberOfAbandonedJobs: engine.numberOfAbandonedJobs,
    isStarted: lifecycle.runningSince !== null,
    isInStandbyMode: lifecycle.isInStandbyMode,
    isShutdown: lifecycle.state === 'shutdown',
    isFenced: lifecycle.state === 'started' && !mayFire,
    isStoreAvailable,
    jobStore: store.description,
    threadPool: { name: workers.name, size: workers.size },
  };
  return { ...facts, summary: summaryOf(facts) };
}

type Facts = Omit<SchedulerMetaData, 'summary'>;

function summaryOf(facts: Facts): string {
  const { jobStore, threadPool } = facts;
  return [
    `quartz-ts ${facts.version}, scheduler '${facts.schedulerName}', instance '${facts.schedulerInstanceId}'`,
    `  state: ${stateOf(facts)}`,
    `  jobs executed: ${facts.numberOfJobsExecuted}`,
    ...(facts.numberOfAbandonedJobs === 0 ? [] : [`  abandoned jobs still running: ${facts.numberOfAbandonedJobs}`]),
    `  job store: ${jobStore.name}, ${jobStore.persistent ? 'persistent' : 'not persistent'}, ${jobStore.clustered ? 'clustered' : 'not clustered'}`,
    `  thread pool: ${threadPool.name}, ${threadPool.size} job${threadPool.size === 1 ? '' : 's'} at once`,
  ].join('\n');
}

function stateOf({ isShutdown, isInStandbyMode, runningSince, isFenced, isStoreAvailable }: Facts): string {
  if (isShutdown) return 'shut down';
  if (runningSince === null) return 'standby, never started';
  const doing = isInStandbyMode ? 'standby' : 'started';
  const hindrances = [
    ...(isFenced ? ['fenced: does not fire'] : []),
    ...(isStoreAvailable ? [] : ['the job store does not answer']),
  ];
  return [`${doing}, running since ${runningSince.toISOString()}`, ...hindrances].join('; ');
}
