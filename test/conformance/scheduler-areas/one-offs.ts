import type { Scheduler } from '../../../src';
import { until } from '../../support/until';
import { completed, type SchedulerStage } from './stage';

/** One-offs of a registered job type, such as a reminder for each order. */
export function describeOneOffs(stage: () => SchedulerStage): void {
  describe('a one-off that has ended', () => {
    /** Start time in each test, recent enough not to misfire. */
    let at: Date;
    beforeEach(() => {
      at = new Date();
    });

    /** Schedules a one-off, waits for its end, and schedules it again. Returns the next fire time. */
    const twice = async (schedule: (scheduler: Scheduler) => Promise<Date | null>) => {
      const scheduler = await stage().create({ mail: () => undefined });
      await scheduler.start();
      const ended = completed(scheduler, 1);
      await schedule(scheduler);
      await ended;
      await until(
        () => scheduler.getJobDetail('reminder'),
        (job) => job === null,
      );
      return schedule(scheduler);
    };

    it('leaves nothing if its job type is registered, so that its name can be scheduled again', async () => {
      const next = await twice((scheduler) => scheduler.schedule('reminder', { job: 'mail', at, data: { order: 42 } }));
      expect(next).toEqual(at);
    });

    it('is remembered if its job is a function, so that a restart does not run it again', async () => {
      const next = await twice((scheduler) => scheduler.schedule('reminder', { at }, () => undefined));
      expect(next).toBeNull();
    });
  });
}
