import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobExecutionContext, Scheduler } from '../../../src/api/scheduler';
import { systemRandom } from '../../../src/base/ids';
import type { Configuration } from '../../../src/config/configuration';
import { createScheduler } from '../../../src/scheduler/create-scheduler';
import { until } from '../../support/until';

/*
 * Types from the registry to `context.data`. Lines that the compiler must refuse are marked, and unnecessary marks are errors. The same is
 * refused at run time, for programs without types.
 */

class SendReport {
  readonly #sent: string[];
  constructor(sent: string[]) {
    this.#sent = sent;
  }
  async execute({ data }: JobExecutionContext<{ readonly pages: number }>) {
    this.#sent.push(`${data.pages} pages`);
  }
}

const mail = async ({ data }: JobExecutionContext<{ to: string; subject?: string }>) => data.to.toUpperCase();
const JOBS = { mail, report: SendReport, cleanup: async () => 3 };
const open: Scheduler[] = [];

async function typed(settings: Configuration['scheduler'] = {}) {
  const scheduler = await createScheduler({ scheduler: { logLevel: 'silent', ...settings } }, { jobs: JOBS });
  open.push(scheduler as Scheduler);
  return scheduler;
}

afterEach(async () => {
  for (const scheduler of open.splice(0)) await scheduler.shutdown();
});

const at = new Date('2999-01-01T00:00:00Z');

it('valid names, data and cron literals compile', async () => {
  const scheduler = await typed();
  await scheduler.schedule('mail', { every: '5m', data: { to: 'ops' } });
  await scheduler.schedule('cleanup', { cron: '0 0/15 * ? * MON-FRI' });
  await scheduler.schedule('mail-42', { job: 'mail', at, data: { to: 'ops', subject: 'hello' } });
  await scheduler.schedule('by-function', { at, data: { to: 'ops' } }, mail);
  await scheduler.sync({
    mail: { cron: '0 0 6 * * ?', data: { to: 'ops' } },
    monthly: { job: 'report', cron: '0 0 6 1 * ?', data: { pages: 3 } },
    inline: { job: mail, at, data: { to: 'ops' } },
    cleanup: { every: '1h' },
  });
  expect(await scheduler.getJobDetail('mail-42')).toMatchObject({
    jobType: 'mail',
    data: { to: 'ops', subject: 'hello' },
  });
  expect(await scheduler.getJobDetail('monthly')).toMatchObject({ jobType: 'report' });
});

describe('the compiler', () => {
  it('refuses a call without the data that a job given as a function needs', async () => {
    const scheduler = await typed();
    // @ts-expect-error mail needs `to`
    await scheduler.schedule('a', { every: '5m' }, mail);
  });

  it('refuses data of the wrong type for a job given as a function', async () => {
    const scheduler = await typed();
    // @ts-expect-error `to` is a text
    await scheduler.schedule('a', { every: '5m', data: { to: 5 } }, mail);
  });

  it('refuses the name of an unregistered job type', async () => {
    const scheduler = await typed();
    // @ts-expect-error misspelt
    await expect(scheduler.schedule('mial', { every: '5m', data: { to: 'ops' } })).rejects.toMatchObject({
      code: 'UNKNOWN_JOB_TYPE',
    });
  });

  it('refuses a call without the data that a job given by name needs', async () => {
    const scheduler = await typed();
    // @ts-expect-error mail needs `to`
    await scheduler.schedule('mail', { every: '5m' });
  });

  it('refuses data of the wrong type for a job given by name', async () => {
    const scheduler = await typed();
    // @ts-expect-error `pages` is a number
    await scheduler.schedule('a', { job: 'report', every: '5m', data: { pages: 'three' } });
  });

  it('refuses an entry of a set whose data does not fit its job', async () => {
    const scheduler = await typed();
    // @ts-expect-error `to` is missing
    await scheduler.sync({ mail: { every: '5m' } });
    // @ts-expect-error `pages` is a number
    await scheduler.declare({ weekly: { job: 'report', every: '5m', data: { pages: '3' } } });
  });

  it('refuses a cron literal with five fields or a value out of range', async () => {
    const scheduler = await typed();
    const refused = { code: 'CRON_SYNTAX' };
    // @ts-expect-error five fields
    await expect(scheduler.schedule('cleanup', { cron: '0 6 * * *' })).rejects.toMatchObject(refused);
    // @ts-expect-error there is no hour 25
    await expect(scheduler.schedule('cleanup', { cron: '0 0 25 * * ?' })).rejects.toMatchObject(refused);
  });

  it('refuses access to a field that the job data does not have', async () => {
    const scheduler = await typed();
    // @ts-expect-error there is no `too`
    await scheduler.schedule('b', { every: '5m', data: { to: 'ops' } }, async ({ data }) => data.too);
  });
});

it('enqueue runs a registered job once and then deletes its job and trigger', async () => {
  const ran: unknown[] = [];
  const jobs = { mail: async ({ data }: JobExecutionContext<{ to: string }>) => void ran.push(data.to) };
  const scheduler = await createScheduler({ scheduler: { logLevel: 'silent' } }, { jobs });
  open.push(scheduler as Scheduler);
  const done = new Promise<void>((resolve) => {
    scheduler.getListenerManager().addJobListener({ name: 'test', jobWasExecuted: () => resolve() });
  });
  // @ts-expect-error mail needs `to`
  await expect(scheduler.enqueue('mial')).rejects.toMatchObject({ code: 'UNKNOWN_JOB_TYPE' });
  const key = await scheduler.enqueue('mail', { to: 'ops' });
  const later = await scheduler.enqueue('mail', { to: 'dev' }, { at, name: 'later', group: 'letters', priority: 7 });
  expect(later).toEqual({ name: 'later', group: 'letters' });
  await expect(scheduler.enqueue('mail', { to: 'dev' }, { at, name: 'later', group: 'letters' })).rejects.toMatchObject(
    {
      code: 'OBJECT_ALREADY_EXISTS',
    },
  );
  await scheduler.start();
  await done;
  expect(ran).toEqual(['ops']);
  // The listeners are called before the completion is stored.
  await until(
    () => scheduler.getTrigger(key),
    (trigger) => trigger === null,
  );
  expect(await scheduler.getJobDetail(key)).toBeNull();
  expect((await scheduler.getTrigger(later))?.priority).toBe(7);
});

it('a later process runs many one-shot triggers of one registered job type', async () => {
  const path = join(tmpdir(), `quartz-typed-${systemRandom.token(12)}.db`);
  const config = {
    scheduler: { logLevel: 'silent' },
    jobStore: { class: 'sqlite', path, storeThread: false },
  } as const;
  const ran: string[] = [];
  try {
    const before = await createScheduler(config, { jobs: JOBS });
    const names = Array.from({ length: 120 }, (_, index) => `mail-${index}`);
    for (const to of names) await before.schedule(to, { job: 'mail', at: new Date(), data: { to } });
    await before.shutdown();
    const after = await createScheduler(config);
    open.push(after);
    const all = new Promise<void>((resolve) => {
      after.registerJob<{ to: string }>('mail', async ({ data }) => {
        if (ran.push(data.to) === names.length) resolve();
      });
    });
    const { items, total } = await after.listJobs({ limit: 200, total: true });
    expect([total, new Set(items.map(({ jobType }) => jobType))]).toEqual([
      { count: 120, isExact: true },
      new Set(['mail']),
    ]);
    await after.start();
    await all;
    expect(ran.sort()).toEqual(names.sort());
  } finally {
    for (const scheduler of open.splice(0)) await scheduler.shutdown();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
  }
});

it('a job class with constructor arguments is created by the job factory, and is refused without one', async () => {
  const scheduler = await typed({ maxFactoryRefusals: 1 });
  const errors: string[] = [];
  scheduler.subscribe((event) => {
    if (event.type === 'schedulerError') errors.push(event.error.message);
  });
  await scheduler.start();
  const ended = () =>
    new Promise<void>((resolve) => {
      scheduler.getListenerManager().addTriggerListener({ name: 'test', triggerComplete: () => resolve() });
    });
  await scheduler.enqueue('report', { pages: 3 });
  await until(
    () => errors,
    ({ length }) => length > 0,
  );
  expect(errors[0]).toMatch(/Expected a job factory for 'report', whose class takes 1 argument/);
  const sent: string[] = [];
  scheduler.registerJob('by-hand', SendReport);
  scheduler.setJobFactory((job) => new (job as typeof SendReport)(sent));
  const done = ended();
  await scheduler.enqueue('report', { pages: 4 });
  await done;
  expect(sent).toContain('4 pages');
  const doneByHand = ended();
  await scheduler.schedule('by-hand', { job: 'by-hand' as 'report', at: new Date(), data: { pages: 5 } });
  await doneByHand;
  expect(sent).toContain('5 pages');
});
