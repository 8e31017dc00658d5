import { type JobExecutionContext, type JobObject, newJob, newTrigger } from '../../../src';
import { START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

/*
 * The compiler checks this file (`npm run types`): a line marked @ts-expect-error that compiles is an error.
 */

type Report = { readonly to: string; readonly pages: number };

class SendReport implements JobObject<Report> {
  static readonly sent: string[] = [];

  execute({ data }: JobExecutionContext<Report>): void {
    SendReport.sent.push(`${data.pages.toFixed(0)} pages to ${data.to.toUpperCase()}`);
  }
}

it('the compiler checks the type of job data from the builder to the job', async () => {
  const { scheduler, runDue } = await testScheduler();
  scheduler.registerJob<Report>('send-report', SendReport);
  scheduler.registerJob('send-report', SendReport);
  // @ts-expect-error a job for other data
  const register = () => scheduler.registerJob<{ readonly from: string }>('other', SendReport);
  expect(register).not.toThrow();

  const builder = newJob<Report>('send-report').usingJobData('to', 'ops').usingJobData('pages', 3);
  // @ts-expect-error a number, not a string
  builder.usingJobData('pages', '3').usingJobData('pages', 3);
  // @ts-expect-error no such field
  expect(() => builder.usingJobData('pagse', 3)).not.toThrow();
  // @ts-expect-error a field is missing
  newJob<Report>('send-report').usingJobData({ to: 'ops' });

  await scheduler.scheduleJob(builder.build(), newTrigger().build());
  await runDue();
  expect(SendReport.sent).toEqual(['3 pages to OPS']);
});

it('the compiler checks the type of job data of the method schedule', async () => {
  const { scheduler, runDue } = await testScheduler();
  const kept: number[] = [];
  await scheduler.schedule('a', { at: START, data: { keep: 3 } }, ({ data }) => void kept.push(data.keep));
  await scheduler.schedule<{ keep: number }>('b', { at: START, data: { keep: 4 } }, ({ data }) => {
    kept.push(data.keep);
    // @ts-expect-error a number has no length
    return data.keep.length;
  });
  // @ts-expect-error text where a number is declared
  await scheduler.schedule<{ keep: number }>('c', { at: START, data: { keep: '5' } }, () => {});
  await runDue();
  expect(kept).toEqual([3, 4]);
});

it('the compiler checks the options of schedule and the results of scheduleJob', async () => {
  const { scheduler } = await testScheduler();
  const first: Date = await scheduler.scheduleJob(newJob('noop').build(), newTrigger().build());
  expect(first).toEqual(START);
  expect(
    await scheduler.scheduleJob(newJob('noop').build(), [newTrigger().build()], { replace: false }),
  ).toBeUndefined();
  // @ts-expect-error an option that does not exist
  await expect(scheduler.schedule('noop', { evry: 5 })).rejects.toThrow(/Did you mean 'every'/);
});
