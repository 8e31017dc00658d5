import type { Job, Scheduler } from '../../api/scheduler';
import { type Clock, type EpochMs, SystemClock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';

/** A job of the demo: so many triggers, each firing every `interval`, for a run of `duration`. Milliseconds. */
interface DemoJob {
  readonly triggers: number;
  readonly interval: number;
  readonly duration: number;
  /** Run again when its node dies. */
  readonly requestsRecovery: boolean;
  readonly disallowConcurrentExecution: boolean;
}

/** By job type. Together about 17 firings a second, and at most times an `import` on every node. */
export const DEMO_JOBS: Readonly<Record<string, DemoJob>> = {
  tick: {
    triggers: 16,
    interval: 1_000,
    duration: 30,
    requestsRecovery: false,
    disallowConcurrentExecution: false,
  },
  report: {
    triggers: 2,
    interval: 2_000,
    duration: 300,
    requestsRecovery: false,
    disallowConcurrentExecution: true,
  },
  import: {
    triggers: 4,
    interval: 6_000,
    duration: 4_000,
    requestsRecovery: true,
    disallowConcurrentExecution: false,
  },
};

/** The job whose node is killed, because it asks to be run again. */
export const RECOVERABLE_JOB = 'import';

/** When every trigger of the demo fires: the name of the trigger and the time, for each firing. */
export interface DemoPlan {
  readonly firstFireTime: EpochMs;
  readonly lastFireTime: EpochMs;
  readonly fireTimes: ReadonlyMap<string, readonly EpochMs[]>;
}

/** The schedule from `firstFireTime` on, worked out by hand rather than by the scheduler it is compared with. */
export function planDemo(firstFireTime: EpochMs, duration: number): DemoPlan {
  const fireTimes = new Map<string, readonly EpochMs[]>();
  for (const { name, offset, interval } of demoTriggers()) {
    const count = Math.max(1, Math.floor((duration - offset) / interval));
    fireTimes.set(
      name,
      Array.from({ length: count }, (_, index) => firstFireTime + offset + index * interval),
    );
  }
  return { firstFireTime, lastFireTime: firstFireTime + duration, fireTimes };
}

/** Stores the jobs and triggers of the plan. Whatever is missed fires late: nothing of the plan may be skipped. */
export async function scheduleDemo(scheduler: Scheduler, plan: DemoPlan): Promise<void> {
  const { newJob } = await import('../../api/builders/job-builder');
  const { newTrigger } = await import('../../api/builders/trigger-builder');
  const { simpleSchedule } = await import('../../api/builders/simple-schedule-builder');
  for (const [type, { requestsRecovery, disallowConcurrentExecution }] of Object.entries(DEMO_JOBS)) {
    const job = newJob(type)
      .withIdentity(type, 'demo')
      .requestRecovery(requestsRecovery)
      .disallowConcurrentExecution(disallowConcurrentExecution)
      .build();
    const triggers = demoTriggers()
      .filter((trigger) => trigger.type === type)
      .map(({ name, interval }) => {
        const [first = plan.firstFireTime, ...others] = plan.fireTimes.get(name) ?? [];
        const schedule = simpleSchedule()
          .withIntervalInMilliseconds(interval)
          .withRepeatCount(others.length)
          .withMisfireHandlingInstructionIgnoreMisfires();
        return newTrigger().withIdentity(name, 'demo').startAt(new Date(first)).withSchedule(schedule).build();
      });
    await scheduler.scheduleJob(job, triggers, { replace: true, registeredLater: true }); // by the nodes that run it
  }
}

/** The jobs as code: each takes its time. */
export function demoJobs(clock: Clock = new SystemClock()): Readonly<Record<string, Job>> {
  return Object.fromEntries(
    Object.entries(DEMO_JOBS).map(([type, { duration }]) => [
      type,
      async ({ signal }: { readonly signal: AbortSignal }) => sleepFor(clock, duration, signal),
    ]),
  );
}

function demoTriggers() {
  return Object.entries(DEMO_JOBS).flatMap(([type, { triggers, interval }]) =>
    Array.from({ length: triggers }, (_, index) => ({
      type,
      name: `${type}-${index + 1}`,
      interval,
      // Spread over the interval, so that something happens at any time.
      offset: Math.floor((index * interval) / triggers),
    })),
  );
}
