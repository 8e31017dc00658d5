import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobExecutionContext } from '../../../src';
import { bundledQuartz } from '../../cluster/support/quartz';
import { completed, recorded, type SchedulerStage } from './stage';

/** Time limits of runs, for jobs that obey their signal and for threads that must be stopped. */
export function describeTimeLimits(stage: () => SchedulerStage): void {
  describe('time limits', () => {
    it('a run that obeys its signal is recorded as timedOut, and is retried', async () => {
      const work = ({ attempt, signal }: JobExecutionContext) =>
        attempt > 1
          ? undefined
          : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      const scheduler = await stage().create({ work });
      const both = completed(scheduler, 2);
      await scheduler.schedule('work', { at: new Date(), timeout: '50ms', retry: ['1ms'], history: 'all' });
      await scheduler.start();
      await both;
      const runs = await recorded(scheduler, 'work');
      expect(runs.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
        [1, 'timedOut'],
        [2, 'succeeded'],
      ]);
    });

    it('a run that is skipped after its deadline is recorded as timedOut, and starts followers of a failure', async () => {
      let ran = 0;
      let begin: (outcome: string | undefined) => void = () => {};
      const begun = new Promise<string | undefined>((resolve) => {
        begin = resolve;
      });
      const scheduler = await stage().create({
        late: async () => void ran++,
        alarm: async ({ origin }: JobExecutionContext) => begin(origin?.outcome),
      });
      await scheduler.schedule('alarm', { after: 'late', on: 'failure' });
      // Not late enough to misfire, because its deadline would then count from its firing.
      const at = new Date(Date.now() - 1_000);
      await scheduler.schedule('late', { at, timeout: { deadline: '500ms' }, history: 'all' });
      await scheduler.start();
      expect(await begun).toBe('timedOut');
      expect(ran).toBe(0);
      expect(await recorded(scheduler, 'late')).toMatchObject([
        { outcome: 'timedOut', error: expect.stringMatching(/^Skipped: .* after its deadline\.$/) },
      ]);
    });

    it('a thread that never ends is stopped, and its run is retried', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-endless-'));
      const file = join(folder, 'endless.mjs');
      writeFileSync(file, 'export default ({ attempt }) => { while (attempt === 1); return { summary: "at last" }; };');
      const scheduler = await stage().create({ endless: bundledQuartz().workerJob(pathToFileURL(file)) });
      const both = completed(scheduler, 2);
      const timeout = { after: '200ms', grace: '50ms' } as const;
      await scheduler.schedule('endless', { at: new Date(), timeout, retry: ['1ms'], history: 'all' });
      await scheduler.start();
      await both;
      rmSync(folder, { recursive: true });
      const runs = await recorded(scheduler, 'endless');
      expect(runs[0]).toMatchObject({
        attempt: 1,
        outcome: 'timedOut',
        error: expect.stringMatching(/thread was stopped/),
      });
      expect(runs[1]?.attempt).toBe(2);
    });
  });
}
