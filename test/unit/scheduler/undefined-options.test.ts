import { createConsole } from '../../../src/console';
import { CronExpression, createScheduler } from '../../../src/index';
import { shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const { NAME_THAT_IS_NOT_SET } = process.env;
const never = NAME_THAT_IS_NOT_SET as never;

async function errorOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  throw new Error('Expected an error, found none.');
}

describe('an option that is present with the value undefined', () => {
  it.each([
    [{ database: never }, 'database is undefined; leave it out for memory'],
    [{ jobStore: never }, 'jobStore is undefined; leave it out for memory'],
    [{ dataSource: never }, 'dataSource is undefined; leave it out for memory'],
    [{ 'org.quartz.dataSource.main.URL': never }, 'dataSource.main.URL is undefined'],
    [{ dataSource: { main: { password: never } } }, 'dataSource.main.password is undefined'],
    [{ scheduler: { instanceName: never } }, 'scheduler.instanceName is undefined; leave it out for its default'],
    [{ 'scheduler.timeZone': never }, 'scheduler.timeZone is undefined; leave it out for its default'],
    [{ jobStore: { path: never } }, 'jobStore.path is undefined; leave it out for its default'],
    [{ console: { users: { ann: never } } }, 'console.users.ann is undefined'],
  ])('is refused in the configuration %p', async (config, message) => {
    expect(await errorOf(() => createScheduler(config as never))).toContain(`CONFIGURATION: configuration`);
    expect(await errorOf(() => createScheduler(config as never))).toContain(message);
  });

  it('is refused as the configuration, with and without options', async () => {
    expect(await errorOf(() => createScheduler(never))).toContain('CONFIGURATION: The configuration is undefined.');
    expect(await errorOf(() => createScheduler(never, { jobs: {} }))).toContain('The configuration is undefined.');
  });

  it.each(['pool', 'password'])('is refused as %s of createScheduler', async (option) => {
    expect(await errorOf(() => createScheduler({}, { [option]: never }))).toContain(`${option} is undefined`);
  });

  it.each(['timeZone', 'startAt', 'endAt', 'calendar'])('is refused as %s of a schedule', async (option) => {
    const { scheduler } = await testScheduler({ jobs: { report: async () => {} } });
    const when = { cron: '0 0 6 * * ?', [option]: never } as const;
    expect(await errorOf(() => scheduler.schedule('report', when))).toContain(`${option} is undefined`);
    expect(await errorOf(() => scheduler.declare({ report: when }))).toContain(`${option} is undefined`);
    expect(await scheduler.listJobs()).toMatchObject({ items: [] });
  });

  it('is refused as the key of a limit, because the limit would then apply to each job separately', async () => {
    const { scheduler } = await testScheduler({ jobs: { report: async () => {} } });
    const limits = [{ concurrency: { key: never, limit: 1 } }, { rate: { key: never, limit: 1, per: '1m' } }];
    for (const limit of limits) {
      const error = await errorOf(() => scheduler.schedule('report', { every: '1h', ...limit } as never));
      expect(error).toContain('key is undefined');
    }
  });

  it.each([
    'at',
    'name',
  ])('is refused as %s of enqueue, because the job would then run immediately or twice', async (option) => {
    const { scheduler } = await testScheduler({ jobs: { report: async () => {} } });
    expect(await errorOf(() => scheduler.enqueue('report', {}, { [option]: never }))).toContain(
      `${option} is undefined`,
    );
    expect(await scheduler.listJobs()).toMatchObject({ items: [] });
  });

  it.each([
    'job',
    'jobGroup',
    'trigger',
    'occurrence',
    'outcome',
    'node',
    'since',
    'until',
    'search',
    'limit',
  ])('is refused as the filter %s of a change, because all runs would then be changed', async (filter) => {
    const { scheduler } = await testScheduler();
    for (const change of [
      () => scheduler.rerun({ [filter]: never }),
      () => scheduler.discard({ [filter]: never }),
      () => scheduler.setRetries({ [filter]: never }, 1),
    ])
      expect(await errorOf(change)).toContain(`${filter} is undefined`);
  });

  it.each(['auth', 'tokens', 'users', 'readOnly'])('is refused as %s of a console', async (option) => {
    const { scheduler } = await testScheduler();
    expect(await errorOf(() => createConsole(scheduler, { [option]: never }))).toContain(`${option} is undefined`);
  });

  it('is refused as the time zone of a cron expression', async () => {
    const create = () => new CronExpression('0 0 6 * * ?', { timeZone: never });
    expect(await errorOf(create)).toContain('timeZone is undefined');
  });
});

it('undefined filters are accepted by methods that only read', async () => {
  const { scheduler } = await testScheduler();
  expect(await scheduler.listRuns({ job: never })).toMatchObject({ items: [] });
  expect(await scheduler.listTriggers({ group: never })).toMatchObject({ items: [] });
});
