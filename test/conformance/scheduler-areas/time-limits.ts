import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobExecutionContext } from '../../../src';
import { quartz } from '../../cluster/support/quartz';
import { completed, recorded, type SchedulerStage } from './stage';

/** How long a run may take, for jobs that obey their signal and for those whose thread must be stopped. */
export function describeTimeLimits(stage: () => SchedulerStage): void {
  describe('time limits', () => {
    it('a run that obeys its signal has timed out, and is tried again', async () => {
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

    it('a thread that never ends is stopped, and the trigger goes on', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-endless-'));
      const file = join(folder, 'endless.mjs');
      writeFileSync(file, 'export default ({ attempt }) => { while (attempt === 1); return { summary: "at last" }; };');
      const scheduler = await stage().create({ endless: quartz().workerJob(pathToFileURL(file)) });
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
