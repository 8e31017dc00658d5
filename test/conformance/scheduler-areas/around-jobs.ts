import { type JobExecutionContext, type JobObject, newJob, newTrigger } from '../../../src';
import { completed, recorded, type SchedulerStage } from './stage';

const VERSION = 'QRTZ_X_DATA_VERSION';

/** Middleware, and upgrades of data from older versions. */
export function describeAroundJobs(stage: () => SchedulerStage): void {
  describe('hooks around jobs:', () => {
    it('middleware wraps each attempt, and its failure fails the job', async () => {
      const seen: string[] = [];
      const scheduler = await stage().create({
        work: ({ attempt }: JobExecutionContext) => void seen.push(`job ${attempt}`),
      });
      scheduler.use(async ({ attempt }, next) => {
        seen.push(`before ${attempt}`);
        await next();
        if (attempt === 1) throw new Error('checked and found wanting');
        seen.push(`after ${attempt}`);
      });
      const both = completed(scheduler, 2);
      await scheduler.schedule('work', { at: new Date(), history: 'all', retry: ['1ms'] });
      await scheduler.start();
      await both;
      expect(seen).toEqual(['before 1', 'job 1', 'before 2', 'job 2', 'after 2']);
      expect(
        (await recorded(scheduler, 'work')).map(({ attempt, outcome, error }) => [attempt, outcome, error]),
      ).toEqual([
        [1, 'failed', 'checked and found wanting'],
        [2, 'succeeded', null],
      ]);
    });

    it('middleware that does not call next skips the run', async () => {
      const work = jest.fn();
      const scheduler = await stage().create({ work });
      scheduler.use(async () => undefined);
      const once = completed(scheduler, 1);
      await scheduler.schedule('work', { at: new Date(), history: 'all' });
      await scheduler.start();
      await once;
      expect(work).not.toHaveBeenCalled();
      expect(await recorded(scheduler, 'work')).toMatchObject([{ outcome: 'skipped' }]);
    });

    it('a return value is stored with the run as JSON, or else the reason for its omission', async () => {
      const scheduler = await stage().create({
        returns: () => ({ rows: 3, at: new Date(5), text: "it's \\ 報告 🌍" }),
        exceeds: () => 'x'.repeat(20_000),
      });
      const both = completed(scheduler, 2);
      for (const job of ['returns', 'exceeds']) await scheduler.schedule(job, { at: new Date(), history: 'all' });
      await scheduler.start();
      await both;
      const returned = { rows: 3, at: '1970-01-01T00:00:00.005Z', text: "it's \\ 報告 🌍" };
      expect(await recorded(scheduler, 'returns')).toMatchObject([{ result: returned, resultOmitted: null }]);
      expect(await recorded(scheduler, 'exceeds')).toMatchObject([
        { outcome: 'succeeded', result: null, resultOmitted: expect.stringContaining('at most 16384') },
      ]);
    });

    it('data of an older version is upgraded before the run, and stored by a job that persists its data', async () => {
      const found: unknown[] = [];
      const counts: JobObject = {
        version: 2,
        upgrade: (data, from) => ({ counts: [Number(data.count), from] }),
        execute: ({ data }: JobExecutionContext) => {
          found.push(data);
          return data;
        },
      };
      const scheduler = await stage().create({ counts });
      const job = newJob('counts')
        .withIdentity('counts')
        .usingJobData({ count: 3, [VERSION]: '1' });
      const trigger = newTrigger().withIdentity('once').startNow().build();
      const once = completed(scheduler, 1);
      await scheduler.scheduleJob(job.persistJobDataAfterExecution().storeDurably().build(), trigger);
      await scheduler.start();
      await once;
      expect(found).toEqual([{ counts: [3, 1] }]);
      expect((await scheduler.getJobDetail('counts'))?.data).toEqual({ counts: [3, 1], [VERSION]: '2' });
    });

    it('data of a later version is refused when it is scheduled, and becomes a dead letter when it fires', async () => {
      const execute = jest.fn();
      const scheduler = await stage().create({});
      const job = newJob('work')
        .withIdentity('work')
        .usingJobData({ [VERSION]: '3' })
        .withRetry(['1ms']);
      await scheduler.scheduleJob(job.build(), newTrigger().withIdentity('once').startNow().build(), {
        registeredLater: true, // a node that does not know the type uses the version of the caller
      });
      scheduler.registerJob('work', { version: 2, execute });
      await expect(
        scheduler.schedule('again', { at: new Date(), data: { [VERSION]: '3' } }, { version: 2, execute }),
      ).rejects.toMatchObject({ code: 'INVALID_JOB_DATA' });
      const once = completed(scheduler, 1);
      await scheduler.start();
      await once;
      expect(execute).not.toHaveBeenCalled();
      const error = expect.stringMatching(/has version 3 of its job type, but this node has version 2/);
      expect((await scheduler.listDeadLetters()).items).toMatchObject([{ attempt: 1, error }]);
    });
  });
}
