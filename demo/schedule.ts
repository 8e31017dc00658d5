import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, newJob, newTrigger, type Scheduler, simpleSchedule } from 'quartz-ts';

/** A job of the demo: `triggers` triggers, each firing every `intervalMs`, for a run of `durationMs`. */
interface DemoJob {
  readonly triggers: number;
  readonly intervalMs: number;
  readonly durationMs: number;
  readonly requestsRecovery: boolean;
  readonly disallowConcurrentExecution: boolean;
  /** Number of attempts of each occurrence that fail, and of the retries. */
  readonly failures?: number;
}

/** Jobs by type. Together they fire about 18 times a second, and nearly always keep an `import` running on every node. */
const DEMO_JOBS: Readonly<Record<string, DemoJob>> = {
  tick: {
    triggers: 16,
    intervalMs: 1_000,
    durationMs: 30,
    requestsRecovery: false,
    disallowConcurrentExecution: false,
  },
  report: {
    triggers: 2,
    intervalMs: 2_000,
    durationMs: 300,
    requestsRecovery: false,
    disallowConcurrentExecution: true,
  },
  import: {
    triggers: 4,
    intervalMs: 6_000,
    durationMs: 4_000,
    requestsRecovery: true,
    disallowConcurrentExecution: false,
  },
  upload: {
    triggers: 1,
    intervalMs: 3_000,
    durationMs: 20,
    requestsRecovery: false,
    disallowConcurrentExecution: false,
    failures: 2,
  },
};

/** The job that fails before it succeeds. */
export const RETRIED_JOB = 'upload';

const RETRY_PAUSE_MS = 300;

/** Job whose node is killed, because it requests recovery. */
export const RECOVERABLE_JOB = 'import';

/** Fire times of every trigger of the demo, by trigger name. Epoch milliseconds. */
export interface DemoPlan {
  readonly firstFireTime: number;
  readonly lastFireTime: number;
  readonly fireTimes: ReadonlyMap<string, readonly number[]>;
}

/** Calculates the schedule from `firstFireTime` on, independently of the scheduler with which it is compared. */
export function planDemo(firstFireTime: number, durationMs: number): DemoPlan {
  const fireTimes = new Map<string, readonly number[]>();
  for (const { name, offsetMs, intervalMs } of demoTriggers()) {
    const count = Math.max(1, Math.floor((durationMs - offsetMs) / intervalMs));
    const timeOf = (_: unknown, index: number) => firstFireTime + offsetMs + index * intervalMs;
    fireTimes.set(name, Array.from({ length: count }, timeOf));
  }
  return { firstFireTime, lastFireTime: firstFireTime + durationMs, fireTimes };
}

/** Stores the jobs and triggers of the plan. Missed fire times fire late, because none of the plan may be skipped. */
export async function scheduleDemo(scheduler: Scheduler, plan: DemoPlan): Promise<void> {
  for (const [type, { requestsRecovery, disallowConcurrentExecution, failures = 0 }] of Object.entries(DEMO_JOBS)) {
    const job = newJob(type)
      .withIdentity(type, 'demo')
      .requestRecovery(requestsRecovery)
      .disallowConcurrentExecution(disallowConcurrentExecution)
      .withRetry(failures === 0 ? false : { max: failures, delay: RETRY_PAUSE_MS })
      .withHistory(true)
      .build();
    const triggers = demoTriggers()
      .filter((trigger) => trigger.type === type)
      .map(({ name, intervalMs }) => {
        const [first = plan.firstFireTime, ...others] = plan.fireTimes.get(name) ?? [];
        const schedule = simpleSchedule()
          .withIntervalInMilliseconds(intervalMs)
          .withRepeatCount(others.length)
          .withMisfireHandlingInstructionIgnoreMisfires();
        return newTrigger().withIdentity(name, 'demo').startAt(new Date(first)).withSchedule(schedule).build();
      });
    await scheduler.scheduleJob(job, triggers, { replace: true, registeredLater: true }); // by the nodes that run it
  }
}

/** Implementations of the jobs. Each only waits, and one fails before it succeeds. */
export function demoJobs(): Readonly<Record<string, Job>> {
  const takeTime =
    ({ durationMs, failures = 0 }: DemoJob): Job =>
    async ({ attempt, signal }) => {
      await sleep(durationMs, undefined, { signal }).catch(() => {}); // ends early if interrupted
      if (attempt <= failures) throw new Error(`no answer to attempt ${attempt}`);
    };
  return Object.fromEntries(Object.entries(DEMO_JOBS).map(([type, job]) => [type, takeTime(job)]));
}

function demoTriggers() {
  return Object.entries(DEMO_JOBS).flatMap(([type, { triggers, intervalMs }]) =>
    Array.from({ length: triggers }, (_, index) => ({
      type,
      name: `${type}-${index + 1}`,
      intervalMs,
      offsetMs: Math.floor((index * intervalMs) / triggers), // spread over the interval
    })),
  );
}
