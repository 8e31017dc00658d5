import { z } from 'zod';
import {
  type JobData,
  type JobExecutionContext,
  JobExecutionException,
  type JobObject,
  newJob,
  newTrigger,
  simpleSchedule,
} from '../../../src';
import { DATA_VERSION_KEY } from '../../../src/domain/data-version';
import { codeOf, START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

/** Job data: version 3 contains a list of addresses, version 2 one address, version 1 a name. */
function reportOf(version: number | undefined, changes: Partial<JobObject> = {}) {
  const found: unknown[] = [];
  const upgrades: unknown[] = [];
  const job: JobObject = {
    ...(version === undefined ? {} : { version }),
    upgrade(data, fromVersion) {
      upgrades.push([data, fromVersion]);
      const address = fromVersion === 1 ? `${data.name}@example.org` : data.address;
      return { to: [address as string] };
    },
    execute: ({ data }: JobExecutionContext) => void found.push(data),
    ...changes,
  };
  return { job, found, upgrades };
}

const THIRD = z.strictObject({ to: z.array(z.string()) });

describe('the version of job data', () => {
  it('is stored under the data key QRTZ_X_DATA_VERSION', () => {
    expect(DATA_VERSION_KEY).toBe('QRTZ_X_DATA_VERSION');
  });

  it('is stored with new data unless it is 1', async () => {
    const second = reportOf(2);
    const { scheduler } = await testScheduler({ jobs: { second: second.job, first: reportOf(undefined).job } });
    for (const type of ['first', 'second']) {
      await scheduler.scheduleJob(
        newJob(type).withIdentity(type).usingJobData({ address: 'ada' }).storeDurably().build(),
        newTrigger()
          .withIdentity(type)
          .usingJobData({ name: 'ada' })
          .startAt(new Date(START.getTime() + 1))
          .build(),
      );
      await scheduler.scheduleJob(newTrigger().withIdentity(`${type} 2`).forJob(type).startAt(START).build());
    }
    const dataOf = async (name: string) => [
      (await scheduler.getJobDetail(name))?.data,
      (await scheduler.getTrigger(name))?.data,
      (await scheduler.getTrigger(`${name} 2`))?.data,
    ];
    expect(await dataOf('first')).toEqual([{ address: 'ada' }, { name: 'ada' }, {}]);
    const version = { [DATA_VERSION_KEY]: '2' };
    expect(await dataOf('second')).toEqual([{ address: 'ada', ...version }, { name: 'ada', ...version }, {}]);
    const next = newTrigger()
      .withIdentity('second')
      .forJob('second')
      .usingJobData('name', 'bob')
      .startAt(START)
      .build();
    await scheduler.rescheduleJob('second', next);
    expect((await dataOf('second'))[1]).toEqual({ name: 'bob', ...version });
  });

  it('is not visible to the job', async () => {
    const { job, found, upgrades } = reportOf(2);
    const { scheduler, runDue } = await testScheduler({ jobs: { report: job } });
    await scheduler.schedule('report', { at: START, data: { address: 'ada' } });
    await runDue();
    expect([found, upgrades]).toEqual([[{ address: 'ada' }], []]);
  });
});

const FIRST = { [DATA_VERSION_KEY]: '1' };
const FAR = new Date(Date.UTC(2030, 0, 1));

describe('data of an older version', () => {
  it('is upgraded before each run, and stays unchanged in the store', async () => {
    const old = reportOf(undefined);
    const { job, found, upgrades } = reportOf(3, { schema: THIRD });
    const { scheduler, advanceBy } = await testScheduler({ jobs: { report: old.job } });
    const trigger = newTrigger().withIdentity('a').usingJobData({ name: 'ada' }).startAt(START);
    await scheduler.scheduleJob(
      newJob('report').withIdentity('a').usingJobData({ unused: 1 }).build(),
      trigger.withSchedule(simpleSchedule().withIntervalInSeconds(60).repeatForever()).build(),
    );
    await advanceBy(0);
    expect(old.found).toEqual([{ unused: 1, name: 'ada' }]);
    // A new deployment registers version 3 of the job type.
    await scheduler.schedule('report', { at: FAR, data: { to: [] } }, job);
    await advanceBy(120_000);
    expect(upgrades).toEqual(Array(2).fill([{ unused: 1, name: 'ada' }, 1]));
    expect(found).toEqual(Array(2).fill({ to: ['ada@example.org'] }));
    expect((await scheduler.getTrigger('a'))?.data).toEqual({ name: 'ada' });
  });

  it('is upgraded from the stored version, or from the older version of job and trigger', async () => {
    const { job, found, upgrades } = reportOf(3, { schema: THIRD });
    const { scheduler, runDue } = await testScheduler({ jobs: { report: job } });
    const play = async (ofJob: JobData, ofTrigger: JobData) => {
      const trigger = newTrigger().usingJobData(ofTrigger).startAt(START).build();
      await scheduler.scheduleJob(newJob('report').usingJobData(ofJob).build(), trigger);
      await runDue();
      return upgrades.splice(0);
    };
    const second = { [DATA_VERSION_KEY]: '2' };
    expect(await play({ address: 'ada', ...second }, {})).toEqual(Array(2).fill([{ address: 'ada' }, 2]));
    expect(await play({ name: 'ada', ...FIRST }, { address: 'bob', ...second })).toEqual(
      Array(2).fill([{ name: 'ada', address: 'bob' }, 1]),
    );
    expect(await play({ ...FIRST }, { address: 'bob', ...second })).toEqual(Array(2).fill([{ address: 'bob' }, 2]));
    expect(await play({ to: ['eve'] }, {})).toEqual([]);
    expect(found).toHaveLength(4);
  });

  it('is stored with the new version after a run of a job that persists its data', async () => {
    const old = reportOf(undefined);
    const returning = { execute: ({ data }: JobExecutionContext) => ({ to: [...(data.to as string[]), 'eve'] }) };
    const { job, upgrades } = reportOf(3, { schema: THIRD, ...returning });
    const { scheduler, advanceBy } = await testScheduler();
    const when = { every: 60_000, persistJobDataAfterExecution: true } as const;
    await scheduler.schedule('report', { ...when, data: { name: 'ada' } }, old.job);
    await scheduler.schedule('report', { ...when, data: { to: ['nobody'] }, description: 'now the third' }, job);
    expect((await scheduler.getJobDetail('report'))?.data).toEqual({ name: 'ada', ...FIRST });
    upgrades.length = 0;
    await advanceBy(60_000);
    expect(upgrades).toEqual([[{ name: 'ada' }, 1]]);
    expect((await scheduler.getJobDetail('report'))?.data).toEqual({
      to: ['ada@example.org', 'eve', 'eve'],
      [DATA_VERSION_KEY]: '3',
    });
  });

  it('is upgraded once for a run that is refired immediately', async () => {
    let runs = 0;
    const execute = () => {
      if (++runs < 3) throw new JobExecutionException('at once', { refireImmediately: true });
    };
    const { job, upgrades } = reportOf(2, { execute });
    const { scheduler, advanceBy } = await testScheduler({ jobs: { report: job } });
    await scheduler.schedule('report', { at: START, data: { name: 'ada', ...FIRST } });
    upgrades.length = 0;
    await advanceBy(60_000);
    expect([runs, upgrades.length]).toEqual([3, 1]);
  });

  it('can be upgraded asynchronously by a class, and keeps the retry attempt', async () => {
    const found: unknown[] = [];
    class Report {
      static readonly version = 2;
      static readonly upgrade = async (data: JobData) => ({ ...data, upgraded: true });
      execute({ data, attempt }: JobExecutionContext): void {
        found.push([data, attempt]);
        if (attempt === 1) throw new Error('again');
      }
    }
    const { scheduler, advanceBy } = await testScheduler({ jobs: { report: Report } });
    await scheduler.schedule('report', { at: START, data: { name: 'ada', ...FIRST }, retry: 'R1/PT1M' });
    await advanceBy(60_000);
    expect(found).toEqual([
      [{ name: 'ada', upgraded: true }, 1],
      [{ name: 'ada', upgraded: true }, 2],
    ]);
  });
});

describe('data that a node cannot upgrade', () => {
  /** The error of the only run. */
  async function errorOf(job: JobObject, data: JobData) {
    const version = DATA_VERSION_KEY in data ? Number(data[DATA_VERSION_KEY]) : undefined;
    const { scheduler, runDue } = await testScheduler({ jobs: { report: reportOf(version).job } });
    await scheduler.scheduleJob(
      newJob('report').withIdentity('a').usingJobData(data).withRetry(3).build(),
      newTrigger().startAt(START).build(),
    );
    await scheduler.schedule(
      'report',
      { at: FAR, data: { to: [], [DATA_VERSION_KEY]: String(job.version ?? 1) } },
      job,
    );
    await runDue();
    const [run] = (await scheduler.listDeadLetters()).items;
    return run?.error;
  }

  it('fails the run as a dead letter if its version is later than that of the job type', async () => {
    const later = { to: [], [DATA_VERSION_KEY]: '4' };
    const { job, found } = reportOf(3);
    expect(await errorOf(job, later)).toBe(
      "The data of job 'DEFAULT/a' has version 4 of its job type, but this node has version 3. " +
        'Deploy the later version to this node.',
    );
    expect(found).toEqual([]);
    const { scheduler } = await testScheduler({ jobs: { report: job } });
    expect(await codeOf(() => scheduler.schedule('report', { at: START, data: later }))).toBe('INVALID_JOB_DATA');
  });

  it('fails the run if its version is later and the job type has no version', async () => {
    const without: JobObject = { execute: jest.fn() };
    expect(await errorOf(without, { [DATA_VERSION_KEY]: '2' })).toMatch(/has version 2 .* this node has version 1\./);
    expect(without.execute).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<JobObject>, RegExp]>([
    [
      'the job type has no upgrade function',
      { upgrade: undefined as never },
      /cannot be upgraded from version 1 to 3: its job type has no/,
    ],
    [
      'the upgrade function rejects',
      { upgrade: () => Promise.reject(new Error('no name')) },
      /from version 1 to 3: no name$/,
    ],
    ['the upgrade function returns a number', { upgrade: () => 7 as never }, /from version 1 to 3: /],
    ['the upgraded data does not fit the schema', { upgrade: () => ({ to: 'ada' }), schema: THIRD }, /fit the schema/],
  ])('fails the run if %s', async (_, changes, message) => {
    const { job, found } = reportOf(3, changes);
    expect(await errorOf(job, { name: 'ada' })).toMatch(message);
    expect(found).toEqual([]);
  });

  it('does not arise from an invalid version or upgrade function, which registerJob refuses', async () => {
    const { scheduler } = await testScheduler();
    for (const wrong of [
      { version: 0 },
      { version: 1.5 },
      { version: '2' },
      { version: 1_000_001 },
      { upgrade: 'x' },
    ]) {
      const job = { execute() {}, ...wrong } as never;
      expect(await codeOf(() => scheduler.registerJob('wrong', job))).toBe('INVALID_ARGUMENT');
    }
  });
});
