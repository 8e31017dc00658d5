import { z } from 'zod';
import { type Job, type JobExecutionContext, type JobSchema, newJob, newTrigger, type Scheduler } from '../../../src';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { at, codeOf, noop, START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const report = z.object({ to: z.string(), pages: z.array(z.object({ size: z.number() })).optional() });

/** A job with a schema, and the data of its runs. */
function reporting(schema: JobSchema = report) {
  const ran: unknown[] = [];
  const job = { schema, execute: ({ data }: JobExecutionContext) => void ran.push(data) };
  return { job: job as Job, ran };
}

/** An asynchronous schema that no library provides. */
const later: JobSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) =>
      'to' in (value as object) ? {} : { issues: [{ message: 'no address', path: [{ key: 'to' }] }] },
  },
};

async function messageOf(call: () => Promise<unknown>): Promise<string> {
  const error = await call().then(
    () => null,
    (thrown: unknown) => thrown as { readonly code: string; readonly message: string },
  );
  return error === null ? 'no error' : `${error.code}: ${error.message}`;
}

function failures(scheduler: Scheduler): string[] {
  const heard: string[] = [];
  scheduler.subscribe((event: SchedulerEvent) => event.type === 'jobFailed' && heard.push(event.error.message));
  return heard;
}

describe('job data that does not fit the schema of the job type', () => {
  const wrong = { pages: [{ size: 1 }, { size: 'A4' }] };

  it('is refused with the path of each problem, and nothing is stored or registered', async () => {
    const { scheduler } = await testScheduler();
    const { job } = reporting();
    const message = await messageOf(() => scheduler.schedule('report', { at: START, data: wrong }, job));
    expect(message).toMatch(/^INVALID_JOB_DATA: The data of job 'DEFAULT\/report' with trigger 'DEFAULT\/report'/);
    expect(message).toMatch(/: data\.to: .+; data\.pages\[1\]\.size: .+\.$/);
    expect(await codeOf(() => scheduler.declare({ report: { at: START, data: wrong, job } }))).toBe('INVALID_JOB_DATA');
    expect(await scheduler.checkExists({ job: 'report' })).toBe(false);
    expect(await codeOf(() => scheduler.schedule('report', { at: START }))).toBe('UNKNOWN_JOB_TYPE');
  });

  it('is refused if the schema belongs to a job class', async () => {
    class Reporter {
      static readonly schema = report;
      execute(): void {}
    }
    const { scheduler } = await testScheduler({ jobs: { report: Reporter } });
    expect(await codeOf(() => scheduler.schedule('report', { at: START, data: wrong }))).toBe('INVALID_JOB_DATA');
    expect(await codeOf(() => scheduler.schedule('report', { at: START, data: { to: 'ops' } }))).toBe('no error');
  });

  it('is detected in the merged data of job and trigger', async () => {
    const { job, ran } = reporting();
    const { scheduler, runDue } = await testScheduler({ jobs: { report: job } });
    const open = newJob('report')
      .withIdentity('open')
      .storeDurably()
      .usingJobData({ pages: [{ size: 1 }] });
    await scheduler.addJob(open.build()); // its triggers may add the missing data
    const trigger = newTrigger().forJob('open');
    expect(await codeOf(() => scheduler.scheduleJob(trigger.build()))).toBe('INVALID_JOB_DATA');
    expect(await codeOf(() => scheduler.triggerJob('open'))).toBe('INVALID_JOB_DATA');
    expect(await codeOf(() => scheduler.triggerJob('open', { to: 'ops', pages: 1 }))).toBe('INVALID_JOB_DATA');
    await scheduler.triggerJob('open', { to: 'ops' });
    await runDue();
    expect(ran).toEqual([{ to: 'ops', pages: [{ size: 1 }] }]);
  });

  it('is accepted for job types without a schema and for types of other nodes', async () => {
    const { scheduler } = await testScheduler({ jobs: { report: reporting().job } });
    expect(await codeOf(() => scheduler.schedule('noop', { at: START, data: wrong }))).toBe('no error');
    const elsewhere = { at: START, data: wrong, registeredLater: true };
    expect(await codeOf(() => scheduler.schedule('elsewhere', elsewhere))).toBe('no error');
  });

  it('fails each run once without retries if it was stored earlier, and the trigger continues', async () => {
    const { job, ran } = reporting();
    const { scheduler, advanceTo } = await testScheduler();
    const heard = failures(scheduler);
    await scheduler.schedule('report', { every: 3_600_000, data: wrong, retry: 'R5/PT1M', registeredLater: true });
    scheduler.registerJob('report', job);
    await advanceTo(at('00:30:00'));
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(/The data of job 'DEFAULT\/report' does not fit the schema.*data\.to/);
    await advanceTo(at('01:30:00'));
    expect(heard).toHaveLength(2);
    expect(ran).toEqual([]);
    expect(await scheduler.getTriggerState('report')).toBe('WAITING');
    await scheduler.schedule('report', { every: 3_600_000, data: { to: 'ops' } });
    await advanceTo(at('02:30:00'));
    expect(ran).toEqual([{ to: 'ops' }]);
  });
});

describe('the schema of a job', () => {
  it('can be asynchronous', async () => {
    const { job, ran } = reporting(later);
    const { scheduler, runDue } = await testScheduler({ jobs: { report: job } });
    const message = await messageOf(() => scheduler.schedule('report', { at: START }));
    expect(message).toMatch(/^INVALID_JOB_DATA: .*: data\.to: no address\.$/);
    await scheduler.schedule('report', { at: START, data: { to: 'ops' } });
    await runDue();
    expect(ran).toEqual([{ to: 'ops' }]);
  });

  it('checks the data without changing it', async () => {
    const schema = z.object({ to: z.string().transform((text) => text.length), copies: z.number().default(1) });
    const { job, ran } = reporting(schema as JobSchema);
    const { scheduler, runDue } = await testScheduler();
    await scheduler.schedule('report', { at: START, data: { to: 'ops', more: true } }, job);
    await runDue();
    expect(ran).toEqual([{ to: 'ops', more: true }]);
  });

  it('does not see the entries that a retry adds to the data', async () => {
    const seen: number[] = [];
    const job = {
      schema: z.strictObject({ to: z.string() }),
      execute: ({ attempt }: JobExecutionContext<{ to: string }>) => {
        seen.push(attempt);
        throw new Error('again');
      },
    };
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.schedule('report', { at: START, data: { to: 'ops' }, retry: 'R2/PT1M' }, job);
    await advanceTo(at('01:00:00'));
    expect(seen).toEqual([1, 2, 3]);
  });

  it.each([
    ['throws', () => Promise.resolve().then.call(null as never, noop)],
    ['rejects', () => Promise.reject(new Error('no answer'))],
  ])('refuses all data if it %s', async (_, validate) => {
    const schema = { '~standard': { version: 1, vendor: 'test', validate } } as JobSchema;
    const { scheduler } = await testScheduler({ jobs: { report: reporting(schema).job } });
    const message = await messageOf(() => scheduler.schedule('report', { at: START }));
    expect(message).toMatch(/^INVALID_JOB_DATA: Expected the schema to validate the data of job 'DEFAULT\/report'/);
  });

  it.each([
    ['public'],
    [null],
    [{}],
    [{ '~standard': {} }],
    [() => true],
  ])('is refused if it is invalid: %p', async (schema) => {
    const { scheduler } = await testScheduler();
    const job = { schema, execute: noop } as unknown as Job;
    expect(() => scheduler.registerJob('report', job)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(await codeOf(() => scheduler.schedule('report', { at: START }, job))).toBe('INVALID_ARGUMENT');
  });

  it('shortens long messages and long lists of problems', async () => {
    const issues = Array.from({ length: 30 }, (_, index) => ({ message: `bad\n${'x'.repeat(5_000)}`, path: [index] }));
    const schema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } } as JobSchema;
    const { scheduler } = await testScheduler({ jobs: { report: reporting(schema).job } });
    const message = await messageOf(() => scheduler.schedule('report', { at: START }));
    expect(message).toContain('data[0]: bad x');
    expect(message).toMatch(/; and 20 more\.$/);
    expect(message.length).toBeLessThan(3_000);
  });

  it('determines the type of the data unless the job itself does (checked by the compiler)', async () => {
    const { scheduler, runDue } = await testScheduler();
    const seen: string[] = [];
    const schema = z.object({ to: z.string() });
    const job = { schema, execute: ({ data }: JobExecutionContext<{ to: string }>) => void seen.push(data.to) };
    scheduler.registerJob('report', job);
    // @ts-expect-error the schema is of other data than the job
    scheduler.registerJob<{ to: number }>('other', { schema, execute: noop });
    await scheduler.schedule('report', { at: START, data: { to: 'ops' } }, job);
    const other = { at: START, data: { to: 5 } };
    // @ts-expect-error a number, not a text
    expect(await codeOf(() => scheduler.schedule('report', other, job))).toBe('INVALID_JOB_DATA');
    await scheduler.schedule(
      'inferred',
      { at: START, data: { to: 'dev' } },
      { schema, execute: ({ data }) => void seen.push(data.to.trim()) },
    );
    await runDue();
    expect(seen.toSorted()).toEqual(['dev', 'ops']);
  });
});
