import { CronExpression, cronSchedule, newJob, newTrigger, SchedulerError } from '../../../src';
import { proves } from '../../support/proves';
import { changeIn } from '../../support/world/sqlite-file';
import { closeAll, deleteFolders, inFile, newFile, open, type World } from '../../support/world/world';

/** Returns the SchedulerError that the call throws or rejects with. */
async function errorOf(call: () => unknown): Promise<SchedulerError> {
  const thrown = await Promise.resolve()
    .then(call)
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(SchedulerError);
  return thrown as SchedulerError;
}

/** Asserts that each call fails with the code. */
async function expectCode(code: string, ...calls: readonly (() => unknown)[]): Promise<void> {
  for (const call of calls) expect((await errorOf(call)).code).toBe(code);
}

/** Runs a job and returns the error of the first event of the type. */
async function toldError(
  type: 'jobFailed' | 'runRefused' | 'schedulerError',
  job: string,
  prepare: (world: World) => void = () => {},
): Promise<SchedulerError> {
  class Broken {
    constructor() {
      throw new RangeError('no constructor');
    }
    execute() {}
  }
  const broken = () => Promise.reject(new RangeError('no paper'));
  const world = await open({}, { jobs: { broken, Broken: Broken as never } });
  prepare(world);
  await world.scheduler.start();
  await world.scheduler.scheduleJob(newJob(job).build(), newTrigger().startAt(new Date(world.clock.now())).build());
  await world.until(() => world.heard(type).length > 0);
  return world.heard(type)[0]?.error as SchedulerError;
}

const dailyAt = (expression: string) => newTrigger().withSchedule(cronSchedule(expression)).build();

const listener = (jobToBeExecuted: () => Promise<void>) => (world: World) =>
  world.scheduler.getListenerManager().addJobListener({ name: 'listener', jobToBeExecuted });

afterEach(closeAll);
afterAll(deleteFolders);

describe('the code of an error', () => {
  it('is INVALID_TRIGGER for a trigger that never fires or ends before it starts', async () => {
    proves('errors', 'INVALID_TRIGGER');
    const { scheduler } = await open();
    const ended = { startAt: new Date('2030-01-02'), endAt: new Date('2030-01-01') };
    await expectCode(
      'INVALID_TRIGGER',
      () => scheduler.schedule('noop', { cron: '0 0 6 * * ?', ...ended }),
      () => scheduler.scheduleJob(newJob('noop').build(), dailyAt('0 0 6 1 1 ? 2001')),
    );
  });

  it('is CRON_SYNTAX for an invalid cron expression', async () => {
    proves('errors', 'CRON_SYNTAX');
    const { scheduler } = await open();
    await expectCode(
      'CRON_SYNTAX',
      () => scheduler.schedule('noop', { cron: '0 0 25 * * ?' as string }), // the compiler refuses the literals
      () => scheduler.schedule('noop', { cron: '0 6 * * 8-9' as string, dialect: 'unix' }),
      () => new CronExpression('every day'),
    );
  });

  it('is UNKNOWN_TIME_ZONE for an unknown time zone or offset', async () => {
    proves('errors', 'UNKNOWN_TIME_ZONE');
    const { scheduler } = await open();
    const at = (timeZone: string) => () => scheduler.schedule('noop', { cron: '0 0 6 * * ?', timeZone });
    await expectCode('UNKNOWN_TIME_ZONE', at('Mars/Base'), at('GMT+99:00'));
    await at('GMT+08:00')();
  });

  it('is TRIGGER_NOT_FOUND when pausing or resetting an unknown trigger', async () => {
    proves('errors', 'TRIGGER_NOT_FOUND');
    const { scheduler } = await open();
    await expectCode(
      'TRIGGER_NOT_FOUND',
      () => scheduler.pauseTrigger('nobody'),
      () => scheduler.resetTriggerFromErrorState('nobody'),
    );
  });

  it('is SCHEDULER_STATE for methods called after shutdown', async () => {
    proves('errors', 'SCHEDULER_STATE');
    const { scheduler } = await open();
    await scheduler.shutdown();
    await expectCode(
      'SCHEDULER_STATE',
      () => scheduler.start(),
      () => scheduler.schedule('noop', { every: 1_000 }),
    );
  });

  it('is JOB_EXECUTION when a job throws, with the thrown error as the cause', async () => {
    proves('errors', 'JOB_EXECUTION');
    const error = await toldError('jobFailed', 'broken');
    expect([error.code, error.cause]).toEqual(['JOB_EXECUTION', new RangeError('no paper')]);
  });

  it('is JOB_FACTORY when the constructor of a job throws', async () => {
    proves('errors', 'JOB_FACTORY');
    const error = await toldError('runRefused', 'Broken');
    expect([error.code, error.cause]).toEqual(['JOB_FACTORY', new RangeError('no constructor')]);
  });

  it('is LISTENER_TIMEOUT when a listener never returns', async () => {
    proves('errors', 'LISTENER_TIMEOUT');
    const error = await toldError(
      'schedulerError',
      'noop',
      listener(() => new Promise(() => {})),
    );
    expect(error.code).toBe('LISTENER_TIMEOUT');
  });

  it('is LISTENER_FAILED when a listener rejects', async () => {
    proves('errors', 'LISTENER_FAILED');
    const error = await toldError(
      'schedulerError',
      'noop',
      listener(() => Promise.reject(new RangeError('deaf'))),
    );
    expect([error.code, error.cause]).toEqual(['LISTENER_FAILED', new RangeError('deaf')]);
  });

  it('is STORE_FAILURE when a table of the store is missing', async () => {
    proves('errors', 'STORE_FAILURE');
    const path = newFile();
    const world = await open(inFile({ path }));
    await changeIn(path, 'DROP TABLE QRTZ_CALENDARS');
    const error = await errorOf(() => world.soon(world.scheduler.getCalendarNames()));
    expect(error.code).toBe('STORE_FAILURE');
    expect(error.cause).toMatchObject({ message: expect.stringContaining('QRTZ_CALENDARS') });
  });
});
