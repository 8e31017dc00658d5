import { DEFAULT_POLICY } from '../domain/execution-policy';
import type { SchedulerConfig } from './scheduler-config';

/** Configuration of a scheduler without settings. The schema derives its defaults from it. */
export const DEFAULT_CONFIG: Omit<SchedulerConfig, 'timeZone' | 'timeZoneDefaulted'> = {
  instanceName: 'QuartzScheduler',
  instanceId: 'NON_CLUSTERED',
  idleWaitTime: 30_000,
  batchTriggerAcquisitionMaxCount: 100,
  batchTriggerAcquisitionFireAheadTimeWindow: 0,
  dbFailureRetryInterval: 15_000,
  interruptJobsOnShutdown: false,
  interruptJobsOnShutdownWithWait: false,
  listenerTimeout: 5_000,
  shutdownDeadline: 30_000,
  maxRefireCount: 100,
  policy: DEFAULT_POLICY,
  onDeclaredEdit: 'override',
  context: {},
  threadPool: { kind: 'async', threadCount: 25, workerThreads: 25 },
  jobStore: {
    kind: 'memory',
    misfireThreshold: 60_000,
    maxMisfiresToHandleAtATime: 100,
    priorityAgeing: null,
    history: {
      retentionMs: 30 * 86_400_000,
      maxCount: 1_000_000,
      deadLetterRetentionMs: 365 * 86_400_000,
      actionRetentionMs: 90 * 86_400_000,
    },
  },
  alerts: { lateAfterMs: null, stuckAfterMs: null },
  console: {
    port: null,
    host: '127.0.0.1',
    basePath: '',
    readOnly: false,
    tokens: {},
    users: {},
    allowedHosts: [],
    sessionLifetimeMs: 12 * 3_600_000,
    tls: null,
  },
  plugins: [],
  logLevel: 'warn',
};

export const DEFAULT_SQL = {
  batchTriggerAcquisitionFireAheadTimeWindow: 50,
  tablePrefix: 'QRTZ_',
  useProperties: false,
  clusterCheckinInterval: 7_500,
  clusterCheckinGrace: 7_500,
  dbRetryInterval: 15_000,
  startTimeout: 0,
  storeThread: true,
  maxMainStall: 30_000,
  handOverAfterStall: 5_000,
  writers: 'one',
  maxRecoveryAttempts: 3,
  path: './quartz.db',
  maxConnections: 10,
} as const;
