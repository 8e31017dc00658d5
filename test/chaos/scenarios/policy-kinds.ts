import type { JobBuilder } from '../../../src/api/builders/job-builder';
import type { TriggerBuilder } from '../../../src/api/builders/trigger-builder';
import type { JobData } from '../../../src/domain/job-data';
import type { JudgedKind } from '../checker/policy-facts';

/*
 * Kinds of jobs with policies. Their number is limited by the load that one machine can bear.
 */

/** Nodes by the names of their members. */
export const PLACES = {
  n1: { labels: ['red'] },
  n2: { labels: ['red', 'blue'] },
  n3: { labels: ['blue'], priorities: { min: 6 } },
} as const;

export const GROUP = 'reports';
export const GROUP_LIMITS = { inCluster: 3, onNode: 2 } as const;

export interface PolicyKind extends JudgedKind {
  /** Job type of policy-jobs.cjs; default: `plain`. */
  readonly type?: string;
  /** Milliseconds; default: a second. */
  readonly interval?: number;
  readonly data?: JobData;
  readonly group?: string;
  readonly job?: (builder: JobBuilder) => unknown;
  readonly trigger?: (builder: TriggerBuilder) => unknown;
  readonly catchesUp?: boolean;
}

const ONCE = { before: null, last: ['succeeded'] } as const;
const AT_SECOND = { before: 'failed', last: ['succeeded'] } as const;
const TIMED_OUT = { before: 'timedOut', last: ['succeeded'] } as const;
const RETRY_DELAY = 200;
const retry = { max: 8, delay: RETRY_DELAY };

const PLACED: readonly PolicyKind[] = [
  {
    name: 'red',
    jobs: 2,
    ends: AT_SECOND,
    runsOn: ['red'],
    retryDelay: RETRY_DELAY,
    data: { failing: 1, duration: 100 },
    job: (builder) => builder.withPlacement({ runsOn: 'red' }).withRetry(retry),
  },
  {
    name: 'both',
    jobs: 2,
    ends: ONCE,
    runsOn: ['red', 'blue'],
    data: { duration: 200 },
    trigger: (builder) => builder.withPlacement({ runsOn: ['red', 'blue'] }),
  },
  {
    name: 'urgent',
    jobs: 2,
    ends: AT_SECOND,
    runsOn: ['blue'],
    priority: 8,
    retryDelay: RETRY_DELAY,
    data: { failing: 1, duration: 100 },
    job: (builder) => builder.withPlacement({ runsOn: 'blue' }).withRetry(retry),
    trigger: (builder) => builder.withPriority(8),
  },
  {
    name: 'prefers',
    jobs: 2,
    ends: ONCE,
    prefers: { label: 'blue', fallbackAfter: 700 },
    job: (builder) => builder.withPlacement({ prefers: { labels: 'blue', fallbackAfter: 700 } }),
  },
];

const TIMED: readonly PolicyKind[] = [
  {
    name: 'obeys',
    jobs: 2,
    ends: TIMED_OUT,
    retryDelay: RETRY_DELAY,
    type: 'obeys',
    job: (builder) => builder.withTimeout({ after: 200, grace: 10_000 }).withRetry(retry),
  },
  {
    name: 'ignores',
    jobs: 1,
    ends: TIMED_OUT,
    retryDelay: RETRY_DELAY,
    type: 'ignores',
    job: (builder) => builder.withTimeout({ after: 200, grace: 100 }).withRetry(retry),
  },
  {
    name: 'endless',
    jobs: 1,
    ends: TIMED_OUT,
    interval: 4_000,
    type: 'endless',
    job: (builder) => builder.withTimeout({ after: 1_000, grace: 100 }).withRetry(retry),
  },
  {
    name: 'late',
    jobs: 2,
    ends: { before: null, last: ['succeeded', 'skipped'] },
    startWithin: 1_500,
    job: (builder) => builder.withStartWithin(1_500),
  },
  {
    name: 'jittered',
    jobs: 2,
    ends: ONCE,
    trigger: (builder) => builder.withJitter(600),
  },
  { name: 'caught', jobs: 2, ends: ONCE, catchesUp: true },
];

const LIMITED: readonly PolicyKind[] = [
  {
    name: 'rated',
    jobs: 3,
    ends: ONCE,
    rate: { limit: 5, per: 1_000 },
    job: (builder) => builder.withRate({ key: 'api', limit: 5, per: 1_000, burst: 2 }),
  },
  {
    name: 'grouped',
    jobs: 4,
    ends: ONCE,
    limit: GROUP_LIMITS.inCluster,
    limitOnNode: GROUP_LIMITS.onNode,
    group: GROUP,
    data: { duration: 300 },
  },
  ...(['skip', 'queueOne', 'cancelRunning', { queueAll: 20 }] as const).map(
    (rule): PolicyKind => ({
      name: typeof rule === 'string' ? rule : 'queueAll',
      jobs: 1,
      ends: { before: null, last: ['succeeded', 'skipped', 'interrupted'] },
      isAlone: true,
      data: { duration: typeof rule === 'string' ? 1_300 : 700 },
      job: (builder) => builder.withOverlap(rule),
    }),
  ),
];

const OF_DATA: readonly PolicyKind[] = [
  {
    name: 'tooNew',
    jobs: 1,
    ends: { before: null, last: ['failed'] },
    found: ['no node knows it'],
    type: 'upgraded',
    data: { to: 'ada', QRTZ_X_DATA_VERSION: '3' },
    job: (builder) => builder.withRetry(retry),
  },
  { name: 'upgraded', jobs: 2, ends: ONCE, found: ['ada', 1], type: 'upgraded', data: { to: 'ada' } },
  {
    name: 'counted',
    jobs: 2,
    ends: ONCE,
    isAlone: true,
    counts: true,
    type: 'counted',
    data: { count: 0 },
    job: (builder) => builder.persistJobDataAfterExecution().disallowConcurrentExecution().storeDurably(),
  },
];

/** No run succeeds, so the job is overdue 2 s after its first fire time. */
const EXPECTED: PolicyKind = {
  name: 'silent',
  jobs: 2,
  ends: { before: null, last: ['failed'] },
  overdueAfter: 2_000,
  data: { failing: 9 },
  job: (builder) => builder.withMustSucceedWithin(2_000).storeDurably(),
};

export const KINDS: readonly PolicyKind[] = [...PLACED, ...TIMED, ...LIMITED, ...OF_DATA, EXPECTED];
