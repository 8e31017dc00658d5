import { setTimeout as sleep } from 'node:timers/promises';
import { createScheduler } from 'quartz-ts';
import { demoJobs, type Started } from './jobs';
import type { DemoSettings } from './run-demo';
import { type DemoPlan, MISSING_AFTER_MS, REFRESH_INTERVAL_MS, scheduleDemo } from './schedule';
import { type DemoSummary, hasSucceeded, summarize } from './summary';

/** Runs the plan on one scheduler in this process, without a database. No other node could recover its runs, so it is not killed. */
export async function runInMemory({ serve, output, signal }: DemoSettings, plan: DemoPlan): Promise<DemoSummary> {
  const starts: Started[] = [];
  const jobs = demoJobs((message) => {
    if (message.type === 'started') starts.push(message);
  });
  const scheduler = await createScheduler(
    { scheduler: { instanceName: 'Demo', logLevel: 'silent' }, threadPool: { threadCount: 18 } },
    { jobs },
  );
  try {
    await scheduleDemo(scheduler, plan);
    const shown = await serve(scheduler);
    try {
      output.line(`Console: ${shown.pageUrl}`);
      await scheduler.start();
      const summary = () => summarize(plan, { nodes: 1, starts, kill: null, lost: [] });
      const isOver = () => Date.now() >= plan.lastFireTime + (hasSucceeded(summary()) ? 0 : MISSING_AFTER_MS);
      while (!isOver()) await sleep(REFRESH_INTERVAL_MS, undefined, { signal });
      return summary();
    } finally {
      await shown.close();
    }
  } finally {
    await scheduler.shutdown();
  }
}
