import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import {
  type Configuration,
  type CreateSchedulerOptions,
  createScheduler,
  newJob,
  newTrigger,
  type Plugin,
  type PluginHost,
  type Scheduler,
} from '../../../src';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { proves } from '../../support/proves';
import { DatabaseSync } from '../../support/sqlite';
import { codeOf, noop } from './support';

const silent = pino({ level: 'silent' });
const open: Scheduler[] = [];
const create = async (config: string | Configuration = {}, options: CreateSchedulerOptions = {}) => {
  const scheduler = await createScheduler(config, { logger: silent, ...options });
  open.push(scheduler);
  return scheduler;
};

afterEach(() => Promise.all(open.splice(0).map((scheduler) => scheduler.shutdown())));

/** A plugin that records the calls of its methods. */
function recording(name: string, steps: string[], failing?: 'install' | 'start' | 'stop'): Plugin {
  const step = (verb: 'install' | 'start' | 'stop') => () => {
    steps.push(`${verb} ${name}`);
    if (verb === failing) throw new Error('out of luck');
  };
  return { name, install: step('install'), start: step('start'), stop: step('stop') };
}

describe('a new scheduler', () => {
  it('needs no configuration and is in standby until it is started', async () => {
    const scheduler = await create();
    expect(scheduler.getMetaData()).toMatchObject({
      schedulerName: 'QuartzScheduler',
      isStarted: false,
      isInStandbyMode: true,
      isShutdown: false,
      runningSince: null,
      jobStore: { name: 'memory' },
      threadPool: { name: 'async', size: 25 },
    });
    expect(scheduler.getMetaData().summary).toContain('standby, never started');
  });

  it('runs jobs once it is started', async () => {
    const scheduler = await create();
    const ran = new Promise<string>((resolve) => {
      scheduler.registerJob<{ to: string }>('greet', ({ data }) => resolve(data.to));
    });
    await scheduler.start();
    await scheduler.scheduleJob(newJob('greet').usingJobData({ to: 'you' }).build(), newTrigger().build());
    expect(await ran).toBe('you');
  });

  it('runs a due job immediately when its job type is registered', async () => {
    const scheduler = await create();
    await scheduler.start();
    const ran = new Promise<void>((resolve) => {
      void scheduler.schedule('now', { at: new Date() }, () => resolve());
    });
    await ran;
    expect(scheduler.getMetaData().numberOfJobsExecuted).toBe(1);
  });

  it('runs a job immediately if its time has already passed when it is scheduled', async () => {
    const scheduler = await create();
    await scheduler.start();
    const ran = new Promise<Date>((resolve) => {
      void scheduler.schedule('late', { at: new Date('2020-01-01T00:00:00Z') }, ({ fireTime }) => resolve(fireTime));
    });
    expect((await ran).getFullYear()).toBeGreaterThan(2020);
  });

  it.each([true, false])('keeps the process alive unless unref is set (unref: %s)', async (unref) => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const scheduler = await create({}, { unref });
    await scheduler.start();
    await new Promise((resolve) => setImmediate(resolve));
    const holding = timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef());
    timers.mockRestore();
    expect(holding.length).toBeGreaterThan(0);
    expect(holding).toEqual(holding.map(() => !unref));
  });

  it('can be configured with an object', async () => {
    const scheduler = await create({
      scheduler: { instanceName: 'Reports', instanceId: 'one' },
      threadPool: { threadCount: 3 },
    });
    expect(scheduler.getMetaData()).toMatchObject({
      schedulerName: 'Reports',
      schedulerInstanceId: 'one',
      threadPool: { size: 3 },
    });
  });

  it('schedules without running jobs if its pool has size 0', async () => {
    const scheduler = await create({ threadPool: { class: 'zeroSize' } });
    await scheduler.start();
    expect(scheduler.getMetaData().threadPool).toEqual({ name: 'zeroSize', size: 0 });
  });

  it('reports all configuration errors together', async () => {
    proves('errors', 'CONFIGURATION');
    const wrong = { scheduler: { instanceNam: 'x' }, threadPool: { threadCount: 'many' } } as object as Parameters<
      typeof createScheduler
    >[0];
    expect(await codeOf(() => create(wrong))).toBe('CONFIGURATION');
    await expect(create(wrong)).rejects.toThrow(/instanceName/);
    await expect(create(wrong)).rejects.toThrow(/threadCount/);
  });

  it('names the setting to change if a bundled application lacks the file of the store thread', async () => {
    const config = { jobStore: { class: 'sqlite', path: '/nowhere/quartz.db' } } as const;
    expect(await codeOf(() => create(config))).toBe('CONFIGURATION');
    await expect(create(config)).rejects.toThrow(/set jobStore\.storeThread to false/);
  });

  it('refuses an invalid job or job type name', async () => {
    expect(await codeOf(() => create({}, { jobs: { broken: 5 as never } }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => create({}, { jobs: { ['x'.repeat(251)]: noop } }))).toBe('INVALID_ARGUMENT');
  });

  it('logs to the given logger', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const scheduler = await create({}, { logger: pino(stream) });
    await scheduler.start();
    await scheduler.shutdown();
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'Scheduler started',
      'Scheduler shutting down',
      'Scheduler shut down',
    ]);
  });
});

describe('plugins', () => {
  it('are installed and started in order, and stopped in reverse order', async () => {
    const steps: string[] = [];
    const scheduler = await create({}, { plugins: [recording('a', steps), recording('b', steps)] });
    await scheduler.start();
    await scheduler.standby();
    await scheduler.start();
    await scheduler.shutdown();
    expect(steps).toEqual(['install a', 'install b', 'start a', 'start b', 'stop b', 'stop a']);
  });

  it('prevent the creation of the scheduler if one cannot be installed, and the installed ones are stopped', async () => {
    const steps: string[] = [];
    const plugins = [recording('a', steps), recording('b', steps, 'install'), recording('c', steps)];
    await expect(create({}, { plugins })).rejects.toThrow("Plugin 'b' could not be installed: out of luck");
    expect(steps).toEqual(['install a', 'install b', 'stop a']);
  });

  it('keep the scheduler in standby if one cannot be started, and are retried at the next start', async () => {
    const steps: string[] = [];
    const plugins = [recording('a', steps), recording('b', steps, 'start')];
    const scheduler = await create({}, { plugins });
    await expect(scheduler.start()).rejects.toThrow("Plugin 'b' could not be started");
    await expect(scheduler.start()).rejects.toThrow("Plugin 'b' could not be started");
    expect(scheduler.isInStandbyMode()).toBe(true);
    expect(steps.filter((step) => step === 'start a')).toHaveLength(1);
  });

  it('are all stopped even if one fails to stop, which is reported', async () => {
    const steps: string[] = [];
    const scheduler = await create({}, { plugins: [recording('a', steps), recording('b', steps, 'stop')] });
    const errors: string[] = [];
    scheduler.subscribe((event) => event.type === 'schedulerError' && errors.push(event.error.message));
    await scheduler.shutdown();
    expect(steps.slice(-2)).toEqual(['stop b', 'stop a']);
    expect(errors).toEqual(["Plugin 'b' could not be stopped: out of luck"]);
  });

  it('do not delay the shutdown beyond its deadline if one hangs', async () => {
    const never = () => new Promise<void>(() => {});
    const clock = new ManualClock();
    const steps: string[] = [];
    const plugins = [recording('a', steps), { name: 'b', install: () => {}, start: never, stop: never }];
    const scheduler = await create({}, { clock, plugins });
    const errors: string[] = [];
    scheduler.subscribe((event) => event.type === 'schedulerError' && errors.push(event.error.message));
    void scheduler.start();
    await yieldToEventLoop();
    void scheduler.shutdown({ deadline: 1_000 });
    while (clock.now() < 10_000) {
      await yieldToEventLoop();
      clock.advanceBy(100);
    }
    expect(steps).toEqual(['install a', 'start a', 'stop a']);
    expect(errors).toEqual(["Plugin 'b' did not stop within 250 ms. Shutdown continues without it."]);
    expect([scheduler.isShutdown(), clock.nextWakeTime]).toEqual([true, null]);
  });

  it('receive the scheduler, clock, time zone, logger and a method to change the schedule', async () => {
    let host: PluginHost | undefined;
    const clock = new ManualClock(5);
    const plugin: Plugin = {
      name: 'p',
      install: (given) => {
        host = given;
      },
    };
    const config = { scheduler: { timeZone: 'Asia/Tokyo' } };
    const scheduler = await create(config, { clock, plugins: [plugin], jobs: { noop } });
    expect(host).toMatchObject({ clock, timeZone: 'Asia/Tokyo', logger: silent });
    expect(host?.scheduler).toBe(scheduler);
    const job = newJob('noop').withIdentity('j').storeDurably().build();
    expect(
      await host?.applySchedule([{ type: 'storeJob', job, ifExists: 'fail', requireTrigger: false }]),
    ).toMatchObject([{ status: 'created' }]);
    expect(
      await codeOf(() =>
        host?.applySchedule([
          { type: 'deleteJob', key: job.key },
          { type: 'storeJob', job: { ...job, jobType: 'nope' }, ifExists: 'fail', requireTrigger: false },
        ]),
      ),
    ).toBe('UNKNOWN_JOB_TYPE');
    expect(await scheduler.checkExists({ job: 'j' })).toBe(true);
  });
});

it('createScheduler refuses options in the configuration with the place where they belong', async () => {
  const config = { jobs: { noop } } as never;
  await expect(createScheduler(config)).rejects.toMatchObject({
    code: 'CONFIGURATION',
    message: expect.stringMatching(/^jobs belongs in the second argument: createScheduler\(config, \{ jobs \}\)/),
  });
});

describe('plugins of the configuration', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-create-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are created from their settings: histories, an interrupt monitor and a shutdown hook', async () => {
    const listeners = process.listenerCount('SIGTERM');
    const scheduler = await create({
      plugin: {
        jobs: { class: 'org.quartz.plugins.history.LoggingJobHistoryPlugin' },
        triggers: { class: 'loggingTriggerHistory' },
        monitor: { class: 'org.quartz.plugins.interrupt.JobInterruptMonitorPlugin', defaultMaxRunTime: '5000' },
        hook: { class: 'shutdownHook', cleanShutdown: true },
      },
    });
    expect(scheduler.getListenerManager().getJobListener('jobs')).not.toBeNull();
    expect(scheduler.getListenerManager().getTriggerListener('triggers')).not.toBeNull();
    expect(scheduler.getListenerManager().getJobListener('monitor')).not.toBeNull();
    expect(process.listenerCount('SIGTERM')).toBe(listeners + 1);
    await scheduler.shutdown();
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
  });

  it('apply a schedule file before any trigger fires', async () => {
    const file = join(folder, 'quartz.yaml');
    writeFileSync(file, 'plugin:\n  schedule:\n    class: scheduleFile\n    fileNames: schedule.yaml\n');
    writeFileSync(
      join(folder, 'schedule.yaml'),
      'jobs:\n  - name: nightly\n    type: noop\n    triggers:\n      - name: at-two\n        cron: 0 0 2 * * ?\n',
    );
    const scheduler = await create(file, { jobs: { noop } });
    await scheduler.start();
    expect(await scheduler.checkExists({ job: 'nightly' })).toBe(true);
    expect(await scheduler.getTrigger('at-two')).toMatchObject({ cronExpression: '0 0 2 * * ?' });
  });

  it('keep a trigger in ERROR when a node starts with an unchanged schedule file and program', async () => {
    const file = join(folder, 'quartz.yaml');
    const database = join(folder, 'quartz.db');
    writeFileSync(
      file,
      `jobStore: { class: sqlite, path: '${database}', storeThread: false }
plugin: { schedule: { class: scheduleFile, fileNames: schedule.yaml } }
`,
    );
    writeFileSync(
      join(folder, 'schedule.yaml'),
      'jobs: [{ name: filed, type: mail, triggers: [{ name: filed, every: 1h }] }]',
    );
    const startedNode = async () => {
      const scheduler = await create(file, { jobs: { mail: noop } });
      await scheduler.schedule('coded', { job: 'mail', every: '1h' });
      await scheduler.start();
      return scheduler;
    };
    const states = (scheduler: Scheduler) =>
      Promise.all(['filed', 'coded'].map((name) => scheduler.getTriggerState(name)));
    await (await startedNode()).shutdown();
    const rows = new DatabaseSync(database);
    rows.exec("UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = 'ERROR'");
    rows.close();
    const next = await startedNode();
    expect(await states(next)).toEqual(['ERROR', 'ERROR']);
  });
});
