import type { SchedulerMetaData } from '../api/reading';
import { toDate } from '../api/trigger';
import { VERSION } from '../base/version';
import type { SchedulerParts } from './scheduler-parts';

/** What the scheduler is and how it is doing, for programs and, as `summary`, for people. */
export function metaDataOf({ config, store, workers, engine, lifecycle, status }: SchedulerParts): SchedulerMetaData {
  const facts = {
    schedulerName: config.instanceName,
    schedulerInstanceId: config.instanceId,
    version: VERSION,
    runningSince: toDate(lifecycle.runningSince),
    numberOfJobsExecuted: engine.numberOfJobsExecuted,
    isStarted: lifecycle.runningSince !== null,
    isInStandbyMode: lifecycle.isInStandbyMode,
    isShutdown: lifecycle.state === 'shutdown',
    isFenced: lifecycle.state === 'started' && !status.mayFire,
    isStoreAvailable: status.isStoreAvailable,
    jobStore: store.description,
    threadPool: { name: workers.name, size: workers.size },
  };
  return { ...facts, summary: summaryOf(facts) };
}

function summaryOf(facts: Omit<SchedulerMetaData, 'summary'>): string {
  const { jobStore, threadPool } = facts;
  return [
    `quartz-ts ${facts.version}, scheduler '${facts.schedulerName}', instance '${facts.schedulerInstanceId}'`,
    `  state: ${stateOf(facts)}`,
    `  jobs executed: ${facts.numberOfJobsExecuted}`,
    `  job store: ${jobStore.name}, ${jobStore.persistent ? 'persistent' : 'not persistent'}, ${jobStore.clustered ? 'clustered' : 'not clustered'}`,
    `  thread pool: ${threadPool.name}, ${threadPool.size} jobs at once`,
  ].join('\n');
}

function stateOf({
  isShutdown,
  isInStandbyMode,
  runningSince,
  isFenced,
  isStoreAvailable,
}: Omit<SchedulerMetaData, 'summary'>): string {
  if (isShutdown) return 'shut down';
  if (runningSince === null) return 'standby, never started';
  const doing = isInStandbyMode ? 'standby' : 'started';
  const hindrances = [
    ...(isFenced ? ['fenced: may not fire now'] : []),
    ...(isStoreAvailable ? [] : ['the job store does not answer']),
  ];
  return [`${doing}, running since ${runningSince.toISOString()}`, ...hindrances].join('; ');
}
