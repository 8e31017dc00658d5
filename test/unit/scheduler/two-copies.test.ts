import * as A from '../../../src';
import { createConsole } from '../../../src/console';
import { createTestScheduler, type TestScheduler } from '../../../src/testing';

/** A second copy of the package, as after `jest.resetModules()`, in a bundle, or with another version. */
function loadAgain<T>(load: () => T): T {
  let loaded: T | undefined;
  jest.isolateModules(() => {
    loaded = load();
  });
  return loaded as T;
}

const B = loadAgain(() => require('../../../src') as typeof A);
const consoleOfB = loadAgain(() => require('../../../src/console') as typeof import('../../../src/console'));

const CLASSES = [
  ['SchedulerError', () => new B.SchedulerError('INVALID_ARGUMENT', 'x')],
  ['ObjectAlreadyExistsError', () => new B.ObjectAlreadyExistsError('job', 'x')],
  ['SchedulerStateError', () => new B.SchedulerStateError('x')],
  ['JobExecutionException', () => new B.JobExecutionException('x')],
  ['RetryLater', () => new B.RetryLater(50)],
  ['DoNotRetry', () => new B.DoNotRetry('x')],
  ['ConfigurationError', () => new B.ConfigurationError([])],
  ['CronSyntaxError', () => thrownBy(() => new B.CronExpression('?'))],
  ['CronExpression', () => new B.CronExpression('0 0 6 * * ?')],
] as const;

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('two copies of the package in one process', () => {
  let test: TestScheduler | null = null;
  afterEach(() => test?.scheduler.shutdown());

  const start = async (jobs: A.Jobs = {}) => {
    test = await createTestScheduler({ jobs });
    return test;
  };

  it('are distinct modules', () => {
    expect(B.DoNotRetry).not.toBe(A.DoNotRetry);
  });

  it.each(CLASSES)('recognize the %s of each other, in both directions', (name, create) => {
    const made = create();
    const [own, other] = [
      new Map(Object.entries(A)).get(name),
      new Map(Object.entries(B)).get(name),
    ] as unknown as (new () => object)[];
    expect([made instanceof (own as new () => object), made instanceof (other as new () => object)]).toEqual([
      true,
      true,
    ]);
  });

  it('share every exported error class', () => {
    const isErrorClass = (value: unknown): value is new () => Error =>
      typeof value === 'function' && value.prototype instanceof Error;
    const unshared = Object.entries(A).filter(
      ([, value]) => isErrorClass(value) && !Object.hasOwn(value, Symbol.hasInstance),
    );
    expect(unshared).toEqual([]);
  });

  it('distinguish subclasses, other errors and hostile objects', () => {
    class Permanent extends A.DoNotRetry {}
    expect(new B.DoNotRetry() instanceof Permanent).toBe(false);
    expect(new Permanent() instanceof B.DoNotRetry).toBe(true);
    expect(new B.RetryLater(1) instanceof A.DoNotRetry).toBe(false);
    expect(new Error('x') instanceof A.SchedulerError).toBe(false);
    const hostile = new Proxy({}, { get: () => true, has: () => true });
    expect([hostile, null, 'x', Object.create(hostile)].map((each) => each instanceof A.DoNotRetry)).toEqual(
      Array(4).fill(false),
    );
  });

  it('handle job errors that the other copy created', async () => {
    class Permanent extends B.DoNotRetry {}
    const runs = { permanent: 0, later: 0, refire: 0, unschedule: 0 };
    const { scheduler, advanceBy } = await start({
      permanent: async () => {
        runs.permanent++;
        throw new Permanent();
      },
      later: async ({ attempt }) => {
        runs.later++;
        if (attempt === 1) throw new B.RetryLater('1s');
      },
      refire: async ({ refireCount }) => {
        runs.refire++;
        if (refireCount === 0) throw new B.JobExecutionException('again', { refireImmediately: true });
      },
      unschedule: async () => {
        runs.unschedule++;
        throw new B.JobExecutionException('stop', { unscheduleFiringTrigger: true });
      },
    });
    const now = test?.clock.now() ?? 0;
    await scheduler.schedule('permanent', { at: new Date(now), retry: { max: 3, delay: 30 } });
    await scheduler.schedule('later', { at: new Date(now), retry: { max: 3, delay: '1h' } });
    await scheduler.schedule('refire', { at: new Date(now) });
    await scheduler.schedule('unschedule', { every: '10s' });
    await advanceBy(60_000);
    expect(runs).toEqual({ permanent: 1, later: 2, refire: 2, unschedule: 1 });
  });

  it('accept builders, keys, calendars, expressions and matchers of each other', async () => {
    const { scheduler } = await start({ report: async () => {} });
    const weekends = new B.WeeklyCalendar();
    const holidays = new A.HolidayCalendar({ base: new B.WeeklyCalendar({ base: new A.WeeklyCalendar() }) });
    await scheduler.addCalendar('weekends', weekends);
    await scheduler.addCalendar('holidays', holidays);
    const job = B.newJob('report').withIdentity('daily', 'reports').build();
    const expression = new B.CronExpression('0 0 6 * * ?', { timeZone: 'Europe/Berlin' });
    const trigger = B.newTrigger().withIdentity('six', 'reports').modifiedByCalendar('holidays');
    await scheduler.scheduleJob(job, trigger.withSchedule(A.cronSchedule(expression)).build());
    const other = A.newTrigger().withIdentity('hourly', 'reports').forJob(job.key);
    await scheduler.scheduleJob(other.withSchedule(B.simpleSchedule().withIntervalInHours(1).repeatForever()).build());
    expect(await scheduler.getTrigger(B.triggerKey('six', 'reports'))).toMatchObject({ timeZone: 'Europe/Berlin' });
    expect((await scheduler.getCalendar('holidays'))?.toJSON()).toEqual(holidays.toJSON());
    expect(weekends.isIncluded(Date.UTC(2026, 0, 3, 12))).toBe(false); // Saturday
    expect(holidays.isIncluded(Date.UTC(2026, 0, 3, 12))).toBe(false);
  });

  it('return the same current job context', async () => {
    const contexts: unknown[] = [];
    const { scheduler, runDue } = await start({ report: async () => void contexts.push(B.currentJobContext()?.runId) });
    scheduler.use((_, next) => next());
    await scheduler.enqueue('report');
    await runDue();
    expect(contexts).toEqual([expect.any(String)]);
  });

  it('accept the scheduler of one copy in the console of the other', async () => {
    const { scheduler } = await start();
    for (const create of [createConsole, consoleOfB.createConsole]) {
      expect(() => create(scheduler, { auth: 'none' } as never)).not.toThrow(/createScheduler/);
    }
  });
});
