import {
  AnnualCalendar,
  BaseCalendar,
  type Configuration,
  CronExpression,
  calendarFrom,
  cronSchedule,
  newJob,
  newTrigger,
  SchedulerError,
} from '../../../../src';
import { jobVersion } from '../../../../src/domain/definition-version';
import type { JobDetail } from '../../../../src/domain/job-detail';
import { controlOf } from '../../../../src/scheduler/control';
import type { Proofs } from '../support/proof';
import { pageOf, subjectsOf, tablesOf } from '../support/read-reference';
import { changeIn } from '../support/sqlite-file';
import { settled } from '../support/time';
import { inFile, newFile, noop, open, type World } from '../support/world';

/** Every code that docs/reference/errors.md names. */
export const errorEntries = (): readonly string[] => tablesOf(pageOf('errors')).flatMap(subjectsOf);

/** What a call throws or rejects with, which must be one of our errors. */
async function errorOf(call: () => unknown): Promise<SchedulerError> {
  const thrown = await Promise.resolve()
    .then(call)
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(SchedulerError);
  return thrown as SchedulerError;
}

/** Shows that each of the calls fails with the code. */
async function expectCode(code: string, ...calls: readonly (() => unknown)[]): Promise<void> {
  for (const call of calls) expect((await errorOf(call)).code).toBe(code);
}

/** The error of the first such event when a job fires. */
async function toldError(
  type: 'jobFailed' | 'schedulerError',
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

const durable = (name: string) => newJob('noop').withIdentity(name).storeDurably().build();
const later = (name: string, job: string) =>
  newTrigger().withIdentity(name).forJob(job).startAt(new Date('2099-01-01'));
const dailyAt = (expression: string) => newTrigger().withSchedule(cronSchedule(expression)).build();

const listener = (jobToBeExecuted: () => Promise<void>) => (world: World) =>
  world.scheduler.getListenerManager().addJobListener({ name: 'listener', jobToBeExecuted });

/** Each code of docs/reference/errors.md, provoked through what users hold. */
export const errorProofs: Proofs = {
  async INVALID_ARGUMENT() {
    const { scheduler } = await open();
    const numbers = 5 as never;
    await expectCode(
      'INVALID_ARGUMENT',
      () => scheduler.schedule('', { every: 1_000 }),
      () => scheduler.schedule('noop', { every: 0 }),
      () => scheduler.getTrigger(numbers),
      () => scheduler.listJobs({ limit: 1_001 }),
    );
  },

  async INVALID_TRIGGER() {
    const { scheduler } = await open();
    const ended = { startAt: new Date('2030-01-02'), endAt: new Date('2030-01-01') };
    await expectCode(
      'INVALID_TRIGGER',
      () => scheduler.schedule('noop', { cron: '0 0 6 * * ?', ...ended }),
      () => scheduler.scheduleJob(newJob('noop').build(), dailyAt('0 0 6 1 1 ? 2001')),
    );
  },

  async INVALID_JOB_DATA() {
    const { scheduler } = await open();
    await expectCode(
      'INVALID_JOB_DATA',
      () => scheduler.schedule('noop', { every: 1_000, data: { at: new Date() } as never }),
      () => scheduler.schedule('noop', { every: 1_000, data: { text: 'x'.repeat(61 * 1_024) } }),
    );
    const path = newFile();
    const stored = await open(inFile({ path }));
    await stored.soon(stored.scheduler.addJob(durable('report')));
    await changeIn(path, "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = X'ACED0005FF'"); // as Java would write it, and broken
    await expectCode('INVALID_JOB_DATA', () => stored.soon(stored.scheduler.triggerJob('report')));
  },

  async CRON_SYNTAX() {
    const { scheduler } = await open();
    await expectCode(
      'CRON_SYNTAX',
      () => scheduler.schedule('noop', { cron: '0 0 25 * * ?' as string }), // the compiler refuses the literal
      () => scheduler.schedule('noop', { cron: '0 6 * * 8-9', dialect: 'unix' }),
      () => new CronExpression('every day'),
    );
  },

  async UNKNOWN_TIME_ZONE() {
    const { scheduler } = await open();
    const at = (timeZone: string) => () => scheduler.schedule('noop', { cron: '0 0 6 * * ?', timeZone });
    await expectCode('UNKNOWN_TIME_ZONE', at('Mars/Base'), at('GMT+99:00'));
    await at('GMT+08:00')();
  },

  async INVALID_CALENDAR() {
    const { scheduler } = await open();
    await expectCode(
      'INVALID_CALENDAR',
      () => calendarFrom({ type: 'lunar' } as never),
      () => new AnnualCalendar({ excludedDays: ['13-01'] }),
      () => scheduler.addCalendar('moon', {} as never),
    );
  },

  async OBJECT_ALREADY_EXISTS() {
    const { scheduler } = await open();
    const storeAll = [
      () => scheduler.addJob(durable('j')),
      () => scheduler.scheduleJob(later('t', 'j').build()),
      () => scheduler.addCalendar('c', new BaseCalendar()),
    ];
    for (const store of storeAll) await store();
    await expectCode('OBJECT_ALREADY_EXISTS', ...storeAll);
    await scheduler.addJob(durable('j'), { replace: true });
  },

  async JOB_NOT_FOUND() {
    const { scheduler } = await open();
    await expectCode(
      'JOB_NOT_FOUND',
      () => scheduler.triggerJob('nobody'),
      () => scheduler.pauseJob('nobody'),
      () => scheduler.scheduleJob(later('t', 'nobody').build()),
    );
  },

  async TRIGGER_NOT_FOUND() {
    const { scheduler } = await open();
    await expectCode(
      'TRIGGER_NOT_FOUND',
      () => scheduler.pauseTrigger('nobody'),
      () => scheduler.resetTriggerFromErrorState('nobody'),
    );
  },

  async CALENDAR_NOT_FOUND() {
    const { scheduler } = await open();
    await expectCode('CALENDAR_NOT_FOUND', () => scheduler.schedule('noop', { every: 1_000, calendar: 'nobody' }));
  },

  async CALENDAR_IN_USE() {
    const { scheduler } = await open();
    await scheduler.addCalendar('c', new BaseCalendar());
    await scheduler.schedule('noop', { every: 1_000, calendar: 'c' });
    await expectCode('CALENDAR_IN_USE', () => scheduler.deleteCalendar('c'));
    await scheduler.deleteJob('noop');
    expect(await scheduler.deleteCalendar('c')).toBe(true);
  },

  async CHANGED_MEANWHILE() {
    const { scheduler } = await open();
    await scheduler.addJob(durable('j'));
    const key = { name: 'j', group: 'DEFAULT' };
    const control = controlOf(scheduler);
    const versionKey = (await control?.versionKey()) as string;
    const version = jobVersion((await scheduler.getJobDetail(key)) as JobDetail, versionKey);
    const expecting = () =>
      control?.apply([
        { type: 'expect', what: 'job', key, version, versionKey },
        { type: 'deleteJob', key },
      ]);
    await scheduler.addJob(newJob('noop').withIdentity('j').storeDurably().requestRecovery().build(), {
      replace: true,
    });
    await expectCode('CHANGED_MEANWHILE', expecting);
    await scheduler.addJob(durable('j'), { replace: true });
    await expecting();
    expect(await scheduler.getJobDetail(key)).toBeNull();
  },

  async DECLARED_ELSEWHERE() {
    const { scheduler } = await open();
    await scheduler.sync({ noop: { every: '1h' } }, { onDeclaredEdit: 'refuse' });
    const key = { name: 'noop', group: 'DEFAULT' };
    const author = { by: 'ann', via: 'console' } as const;
    await expectCode('DECLARED_ELSEWHERE', () => controlOf(scheduler)?.apply([{ type: 'deleteJob', key }], author));
    await scheduler.sync({ noop: { every: '1h' } }, { onDeclaredEdit: 'override' });
    await controlOf(scheduler)?.apply([{ type: 'deleteJob', key }], author);
    expect(await scheduler.getJobDetail(key)).toBeNull();
  },

  async UNKNOWN_JOB_TYPE() {
    const { scheduler } = await open();
    await expectCode('UNKNOWN_JOB_TYPE', () => scheduler.schedule('nobody-registered-this', { every: 1_000 }));
    // What another node has is known.
    const [here, there] = [await open(inFile()), await open(inFile(), { jobs: { theirs: noop } })];
    await expectCode('UNKNOWN_JOB_TYPE', () => here.soon(here.scheduler.schedule('theirs', { every: 1_000 })));
    await there.soon(there.scheduler.schedule('theirs', { every: 1_000 }));
  },

  async SCHEDULER_STATE() {
    const { scheduler } = await open();
    await scheduler.shutdown();
    await expectCode(
      'SCHEDULER_STATE',
      () => scheduler.start(),
      () => scheduler.schedule('noop', { every: 1_000 }),
    );
  },

  async CONFIGURATION() {
    const wrong = { threadPool: { threadCount: 0, class: 'fibres' }, unheardOf: 1 } as unknown as Configuration;
    const error = await errorOf(() => open(wrong));
    expect(error.code).toBe('CONFIGURATION');
    expect((error as unknown as { readonly problems: readonly unknown[] }).problems).toHaveLength(3);
    const schedule = { plugin: { p: { class: 'scheduleFile', fileNames: '/nowhere/schedule.yaml' } } } as Configuration;
    await expectCode('CONFIGURATION', async () => (await open(schedule)).scheduler.start());
  },

  async JOB_EXECUTION() {
    const error = await toldError('jobFailed', 'broken');
    expect([error.code, error.cause]).toEqual(['JOB_EXECUTION', new RangeError('no paper')]);
  },

  async JOB_FACTORY() {
    const error = await toldError('schedulerError', 'Broken');
    expect([error.code, error.cause]).toEqual(['JOB_FACTORY', new RangeError('no constructor')]);
  },

  async LISTENER_TIMEOUT() {
    const error = await toldError(
      'schedulerError',
      'noop',
      listener(() => new Promise(() => {})),
    );
    expect(error.code).toBe('LISTENER_TIMEOUT');
  },

  async LISTENER_FAILED() {
    const error = await toldError(
      'schedulerError',
      'noop',
      listener(() => Promise.reject(new RangeError('deaf'))),
    );
    expect([error.code, error.cause]).toEqual(['LISTENER_FAILED', new RangeError('deaf')]);
  },

  async INSTANCE_ID_TAKEN() {
    const config = inFile({}, { scheduler: { instanceId: 'same' } });
    const [first, second] = [await open(config), await open(config)];
    await first.soon(first.scheduler.start());
    const clocks = [first.clock, second.clock];
    await expectCode('INSTANCE_ID_TAKEN', () => settled(clocks, second.scheduler.start()));
  },

  async STORE_FAILURE() {
    const path = newFile();
    const world = await open(inFile({ path }));
    await changeIn(path, 'DROP TABLE QRTZ_CALENDARS');
    const error = await errorOf(() => world.soon(world.scheduler.getCalendarNames()));
    expect(error.code).toBe('STORE_FAILURE');
    expect(error.cause).toMatchObject({ message: expect.stringContaining('QRTZ_CALENDARS') });
  },

  async SCHEMA_MISMATCH() {
    const path = newFile();
    const opened = () => open(inFile({ path, schema: 'validate' }));
    await expectCode('SCHEMA_MISMATCH', opened); // missing
    await open(inFile({ path, schema: 'create' }));
    await changeIn(path, 'ALTER TABLE QRTZ_X_NODES DROP COLUMN PROCESS_SCOPE');
    await expectCode('SCHEMA_MISMATCH', opened); // older
  },
};
