import { newJob, newTrigger, type Scheduler, simpleSchedule } from 'quartz-ts';

/** Job whose node is killed, because it requests recovery. */
export const RECOVERABLE_JOB = 'import';

/** Delay after which a due firing counts as missing. A busy machine may fire it later than usual. */
export const MISSING_AFTER_MS = 20_000;

/** Interval in which the demo checks its firings, and redraws its table. */
export const REFRESH_INTERVAL_MS = 100;

/** Jobs: number of triggers, interval of each, and duration of a run. Nearly always, an `import` runs on every node. */
export const DEMO_JOBS = [
  { type: 'tick', count: 16, intervalMs: 1_000, durationMs: 30 },
  { type: 'report', count: 2, intervalMs: 2_000, durationMs: 300 },
  { type: RECOVERABLE_JOB, count: 4, intervalMs: 6_000, durationMs: 4_000 },
];

export type DemoPlan = ReturnType<typeof planDemo>;

/**
 * Calculates the schedule from `firstFireTime` on, independently of the scheduler with which it is compared. Fire times are epoch
 * milliseconds.
 */
export function planDemo(firstFireTime: number, durationMs: number) {
  const triggers = DEMO_JOBS.flatMap(({ type, count, intervalMs }) =>
    Array.from({ length: count }, (_, index) => {
      const offsetMs = Math.floor((index * intervalMs) / count); // spread over the interval
      const length = Math.max(1, Math.floor((durationMs - offsetMs) / intervalMs));
      const fireTimes = Array.from({ length }, (__, nth) => firstFireTime + offsetMs + nth * intervalMs);
      return { name: `${type}-${index + 1}`, type, intervalMs, fireTimes };
    }),
  );
  return { firstFireTime, lastFireTime: firstFireTime + durationMs, triggers };
}

/** Stores the jobs and triggers of the plan. Missed fire times fire late, because none of the plan may be skipped. */
export async function scheduleDemo(scheduler: Scheduler, plan: DemoPlan): Promise<void> {
  for (const { type } of DEMO_JOBS) {
    const isRecoverable = type === RECOVERABLE_JOB;
    const job = newJob(type).withIdentity(type, 'demo').requestRecovery(isRecoverable).withHistory(true).build();
    const triggers = plan.triggers
      .filter((trigger) => trigger.type === type)
      .map(({ name, intervalMs, fireTimes: [first = plan.firstFireTime, ...others] }) => {
        const schedule = simpleSchedule()
          .withIntervalInMilliseconds(intervalMs)
          .withRepeatCount(others.length)
          .withMisfireHandlingInstructionIgnoreMisfires();
        return newTrigger().withIdentity(name, 'demo').startAt(new Date(first)).withSchedule(schedule).build();
      });
    await scheduler.scheduleJob(job, triggers, { replace: true, registeredLater: true }); // by the nodes that run it
  }
}
