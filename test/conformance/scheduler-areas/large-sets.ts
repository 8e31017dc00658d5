import { type JobDetail, newJob, newTrigger, type Trigger } from '../../../src';
import { IS_LONG } from '../../support/long-forms';
import type { SchedulerStage } from './stage';

/** `[job, triggers]` pairs, each job with one trigger that fires in an hour. */
function pairs(count: number): [JobDetail, Trigger[]][] {
  const startTime = new Date(Date.now() + 3_600_000);
  return Array.from({ length: count }, (_, index) => [
    newJob('work').withIdentity(`job-${index}`, 'many').build(),
    [newTrigger().withIdentity(`job-${index}`, 'many').startAt(startTime).build()],
  ]);
}

/** Change sets that are larger than the arguments of a call can be, or than a transaction should be. */
export function describeLargeSets(stage: () => SchedulerStage): void {
  describe('large change sets', () => {
    it('are stored by one call, however large they are', async () => {
      const scheduler = await stage().create({ work: () => {} });
      // Three portions; the long form has more than a call takes as arguments (`architecture/rules/spreads.ts` finds such calls).
      const count = IS_LONG && stage().store !== 'mysql' ? 60_000 : 3_000;
      await expect(scheduler.scheduleJobs(new Map(pairs(count)))).resolves.toBeUndefined();
      expect(await scheduler.checkExists({ trigger: { group: 'many', name: `job-${count - 1}` } })).toBe(true);
    }, 180_000);

    it('are applied in portions, and an error reports how many changes were applied before', async () => {
      const scheduler = await stage().create({ work: () => {} });
      const many = pairs(1_200);
      await scheduler.scheduleJob(...(pairs(1_100)[1_099] as [JobDetail, Trigger[]]), {});
      const error = await scheduler.scheduleJobs(new Map(many)).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
      const [, count] = /applied (\d+) of 2400 changes/.exec(error.message) ?? [];
      const applied = Number(count) / 2; // a job and its trigger stay together
      expect(applied).toBeGreaterThan(0);
      expect(await scheduler.checkExists({ trigger: { group: 'many', name: `job-${applied - 1}` } })).toBe(true);
      expect(await scheduler.checkExists({ trigger: { group: 'many', name: `job-${applied}` } })).toBe(false);
    }, 60_000);

    it('are applied all or nothing with atomic, with a warning', async () => {
      const scheduler = await stage().create({ work: () => {} });
      const warnings: string[] = [];
      scheduler.subscribe((event) => event.type === 'configurationWarning' && warnings.push(event.message));
      await scheduler.scheduleJob(...(pairs(1_100)[1_099] as [JobDetail, Trigger[]]), {});
      await expect(scheduler.scheduleJobs(new Map(pairs(1_200)), { atomic: true })).rejects.toMatchObject({
        code: 'OBJECT_ALREADY_EXISTS',
      });
      expect(await scheduler.checkExists({ trigger: { group: 'many', name: 'job-0' } })).toBe(false);
      expect(warnings).toEqual([expect.stringContaining('2400 changes')]);
    }, 60_000);

    it('that are declared are also applied in portions, unless atomic', async () => {
      const scheduler = await stage().create({ work: () => {} });
      const warnings: string[] = [];
      scheduler.subscribe((event) => event.type === 'configurationWarning' && warnings.push(event.message));
      const reports: unknown[] = [];
      scheduler.subscribe((event) => event.type === 'scheduleChanged' && reports.push([event.set, event.created]));
      const names = Array.from({ length: 1_100 }, (_, index) => `job-${index}`);
      const schedules = Object.fromEntries(names.map((name) => [name, { every: '1h', job: 'work' }]));
      const { nextFireTimes } = await scheduler.declare(schedules, { set: 'many' });
      expect(Object.values(nextFireTimes).filter((time) => time !== null)).toHaveLength(1_100);
      expect([warnings, reports]).toEqual([[], [['many', 2_200]]]);
      await scheduler.declare(schedules, { set: 'many', atomic: true });
      expect(warnings).toEqual([expect.stringContaining('2200 changes')]);
      await expect(scheduler.sync(schedules, { atomic: 1 as never })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    }, 60_000);

    it('release the lock between two portions, so that other changes do not wait for the end', async () => {
      const scheduler = await stage().create({ work: () => {} });
      const order: string[] = [];
      const large = scheduler.scheduleJobs(new Map(pairs(4_000))).then(() => order.push('large'));
      while (!(await scheduler.checkExists({ job: { group: 'many', name: 'job-0' } }))); // the first portion is stored
      await scheduler.schedule('work', { every: '1h' });
      order.push('small');
      await large;
      expect(order).toEqual(['small', 'large']);
    }, 60_000);

    it('release the lock while a job with many triggers is deleted, and report each trigger once', async () => {
      const scheduler = await stage().create({ work: () => {} });
      const [[job]] = pairs(1) as [[JobDetail, Trigger[]]];
      const triggers = Array.from({ length: 4_000 }, (_, index) =>
        newTrigger().withIdentity(`trigger-${index}`, 'many').startAt(new Date('2099-01-01T00:00Z')).build(),
      );
      await scheduler.scheduleJobs(new Map([[job, triggers]]));
      const order: string[] = [];
      scheduler.subscribe((event) => {
        if (event.type === 'jobUnscheduled' || event.type === 'jobDeleted') order.push(event.type);
      });
      const deleted = scheduler.deleteJob(job.key);
      while (await scheduler.checkExists({ trigger: { group: 'many', name: 'trigger-0' } })); // the first portion is deleted
      await scheduler.schedule('work', { every: '1h' });
      order.push('scheduled');
      await expect(deleted).resolves.toBe(true);
      expect(order.filter((each) => each === 'jobUnscheduled')).toHaveLength(4_000);
      expect(order.filter((each) => each === 'jobDeleted')).toHaveLength(1);
      expect(order.indexOf('scheduled')).toBeLessThan(order.indexOf('jobDeleted'));
      expect(await scheduler.checkExists({ job: job.key })).toBe(false);
    }, 60_000);
  });
}
