import { type JobDetail, newJob, newTrigger, type Trigger } from '../../../src';
import type { SchedulerStage } from './stage';

/** `[job, triggers]` pairs, each job with one trigger that fires in an hour. */
function pairs(count: number): [JobDetail, Trigger[]][] {
  const startTime = new Date(Date.now() + 3_600_000);
  return Array.from({ length: count }, (_, index) => [
    newJob('work').withIdentity(`job-${index}`, 'many').build(),
    [newTrigger().withIdentity(`job-${index}`, 'many').startAt(startTime).build()],
  ]);
}

/** Change sets that are larger than what a call takes as arguments, or than a transaction should be. */
export function describeLargeSets(stage: () => SchedulerStage): void {
  describe('large change sets', () => {
    it('are stored by one call, however many they are: 60,000 jobs in one scheduleJobs', async () => {
      const scheduler = await stage().create({ work: () => {} });
      await expect(scheduler.scheduleJobs(new Map(pairs(60_000)))).resolves.toBeUndefined();
      expect(await scheduler.checkExists({ trigger: { group: 'many', name: 'job-59999' } })).toBe(true);
    }, 180_000);
  });
}
