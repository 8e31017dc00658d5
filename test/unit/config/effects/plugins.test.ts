import { renameSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { type Configuration, newJob, newTrigger, simpleSchedule } from '../../../../src';
import { proves } from '../../../support/proves';
import { once } from '../../../support/world/once';
import { closeAll, codeOf, deleteFolders, newFile, newFolder, open, type World } from '../../../support/world/world';

const plugin = (keys: object): Configuration => ({ plugin: { p: keys } }) as Configuration;

const ONE_JOB = (name: string) => `jobs: [{ name: ${name}, type: noop, durable: true }]\n`;

function scheduleFile(text: string): string {
  const file = newFile('schedule.yaml');
  writeFileSync(file, text);
  return file;
}

const jobsOf = async ({ scheduler }: World) => (await scheduler.listJobs()).items.map(({ key }) => key.name);

/** Sends SIGTERM while a job runs. Returns whether the scheduler shut down, and whether the job ended by itself. */
async function abortedBySignal(
  cleanShutdown: boolean,
): Promise<{ readonly isShutdown: boolean; readonly hasEnded: boolean }> {
  const world = await open(plugin({ class: 'shutdownHook', cleanShutdown }));
  let hasEnded = false;
  await world.scheduler.schedule('long', { at: new Date(world.clock.now()) }, async () => {
    await world.clock.sleepUntil(world.clock.now() + 10_000, new AbortController().signal);
    hasEnded = true;
  });
  await world.scheduler.start();
  await world.until(() => world.heard('jobStarted').length > 0);
  const stay = () => {}; // keeps the signal from ending the process
  process.on('SIGTERM', stay);
  process.emit('SIGTERM', 'SIGTERM');
  await world.until(() => world.heard('schedulerShutdown').length > 0);
  process.off('SIGTERM', stay);
  return { isShutdown: world.scheduler.isShutdown(), hasEnded };
}

/** Milliseconds after which a job is interrupted; null if it is not. */
async function interruptedAfter(config: Configuration, data: object): Promise<number | null> {
  let after: number | null = null;
  const world = await open(config, {
    jobs: {
      watched: async ({ signal }) => {
        const begun = world.clock.now();
        signal.addEventListener('abort', () => {
          after = world.clock.now() - begun;
        });
        await world.clock.sleepUntil(begun + 10_000, signal);
      },
    },
  });
  const now = newTrigger().startAt(new Date(world.clock.now())).build();
  await world.scheduler.scheduleJob(
    newJob('watched')
      .usingJobData(data as never)
      .build(),
    now,
  );
  await world.scheduler.start();
  await world.until(() => world.heard('triggerCompleted').length > 0);
  return after;
}

const JOB_MESSAGES = ['jobToBeFiredMessage', 'jobSuccessMessage', 'jobFailedMessage', 'jobWasVetoedMessage'] as const;
const TRIGGER_MESSAGES = ['triggerFiredMessage', 'triggerMisfiredMessage', 'triggerCompleteMessage'] as const;

/** Lines of both histories for one successful, one failed, one vetoed and one misfired job. */
async function historyWith(messages: boolean): Promise<readonly string[]> {
  const texts = (keys: readonly string[], name: string) =>
    messages ? Object.fromEntries(keys.map((key) => [key, `${key} of {${name}}`])) : {};
  const config = {
    plugin: {
      jobs: { class: 'loggingJobHistory', ...texts(JOB_MESSAGES, 'jobName') },
      triggers: { class: 'loggingTriggerHistory', ...texts(TRIGGER_MESSAGES, 'triggerName') },
    },
  } as Configuration;
  const world = await open(config, { jobs: { broken: () => Promise.reject(new Error('no paper')) } });
  const { scheduler, clock } = world;
  const veto = {
    name: 'veto',
    vetoJobExecution: (trigger: { readonly key: { readonly name: string } }) => trigger.key.name === 'vetoed',
  };
  scheduler.getListenerManager().addTriggerListener(veto);
  const hourly = simpleSchedule().withIntervalInHours(1).repeatForever();
  const late = newTrigger()
    .withIdentity('late')
    .startAt(new Date(clock.now() + 1))
    .withSchedule(hourly);
  await scheduler.scheduleJob(newJob('noop').withIdentity('late').build(), late.build());
  clock.advanceBy(10 * 60_000);
  for (const [name, job] of [
    ['good', 'noop'],
    ['bad', 'broken'],
    ['vetoed', 'noop'],
  ] as const) {
    const now = newTrigger().withIdentity(name).startAt(new Date(clock.now())).build();
    await scheduler.scheduleJob(newJob(job).withIdentity(name).build(), now);
  }
  await scheduler.start();
  await world.until(() => world.heard('triggerCompleted').length + world.heard('jobVetoed').length >= 4);
  return world.lines.filter((line) => 'history' in line).map(({ msg }) => String(msg));
}

const defaultHistory = once(() => historyWith(false));
const ownHistory = once(() => historyWith(true));

afterEach(closeAll);
afterAll(deleteFolders);

describe('the plugin setting', () => {
  it('plugin.<name>.class: scheduleFile declares the jobs of a file', async () => {
    proves('configuration', 'plugin.<name>.class: scheduleFile');
    const fileNames = scheduleFile(ONE_JOB('report'));
    expect(await jobsOf(await started(plugin({ class: 'scheduleFile', fileNames })))).toEqual(['report']);
    expect(await jobsOf(await started({}))).toEqual([]);
  });

  it('plugin.<name>.fileNames lists files, relative to the configuration file', async () => {
    proves('configuration', 'plugin.<name>.fileNames');
    proves('schedule-file', 'plugin fileNames');
    const [one, two] = [scheduleFile(ONE_JOB('one')), scheduleFile(ONE_JOB('two'))];
    const fromFiles = async (fileNames: unknown) => jobsOf(await started(plugin({ class: 'scheduleFile', fileNames })));
    expect(await fromFiles([one])).toEqual(['one']);
    expect(await fromFiles([one, two])).toEqual(['one', 'two']);
    expect(await fromFiles(`${one}, ${two}`)).toEqual(['one', 'two']);
    const config = join(dirname(one), 'quartz.yaml');
    writeFileSync(config, 'plugin: { p: { class: scheduleFile, fileNames: schedule.yaml } }');
    const relative = await open(config as never);
    await relative.soon(relative.scheduler.start());
    expect(await jobsOf(relative)).toEqual(['one']);
  });

  it('plugin.<name>.scanInterval rereads changed files at this interval', async () => {
    proves('configuration', 'plugin.<name>.scanInterval');
    proves('schedule-file', 'plugin scanInterval');
    // In seconds. The clock stands still while the scheduler starts, because slow file reads would count for the interval.
    for (const [scanInterval, found] of [
      [0, ['old']],
      [60, ['new', 'old']],
      [86_400, ['old']],
    ] as const) {
      const file = scheduleFile(ONE_JOB('old'));
      const world = await open(plugin({ class: 'scheduleFile', fileNames: file, scanInterval }));
      await world.scheduler.start();
      writeFileSync(`${file}.new`, ONE_JOB('new'));
      renameSync(`${file}.new`, file);
      if (scanInterval > 0) expect(world.clock.wakeTimes).toContain(world.clock.now() + scanInterval * 1_000);
      await world.pass(61_000);
      if (found.length > 1) await world.until(() => world.heard('scheduleFileApplied').length > 1);
      expect(await jobsOf(world)).toEqual(found);
    }
  });

  it('plugin.<name>.failOnFileNotFound decides whether a missing file stops the start', async () => {
    proves('configuration', 'plugin.<name>.failOnFileNotFound');
    proves('schedule-file', 'plugin failOnFileNotFound');
    const fileNames = join(newFolder(), 'missing.yaml');
    const startedWith = (failOnFileNotFound: boolean) =>
      codeOf(() => started(plugin({ class: 'scheduleFile', fileNames, failOnFileNotFound })));
    expect([await startedWith(true), await startedWith(false)]).toEqual(['CONFIGURATION', 'no error']);
  });

  it('plugin.<name>.class: shutdownHook shuts the scheduler down on SIGTERM', async () => {
    proves('configuration', 'plugin.<name>.class: shutdownHook');
    expect((await abortedBySignal(true)).isShutdown).toBe(true);
    const without = await open({});
    process.emit('SIGTERM', 'SIGTERM');
    await without.pass(1_000);
    expect(without.scheduler.isShutdown()).toBe(false);
  });

  it('plugin.<name>.cleanShutdown waits for running jobs', async () => {
    proves('configuration', 'plugin.<name>.cleanShutdown');
    expect((await abortedBySignal(true)).hasEnded).toBe(true);
    expect((await abortedBySignal(false)).hasEnded).toBe(false);
  });

  it('plugin.<name>.class: jobInterruptMonitor interrupts jobs that opt in', async () => {
    proves('configuration', 'plugin.<name>.class: jobInterruptMonitor');
    const data = { AutoInterruptable: true, MaxRunTime: 200 };
    expect(await interruptedAfter(plugin({ class: 'jobInterruptMonitor' }), data)).toBe(200);
    expect(await interruptedAfter(plugin({ class: 'jobInterruptMonitor' }), { MaxRunTime: 200 })).toBeNull();
    expect(await interruptedAfter({}, data)).toBeNull();
  });

  it('plugin.<name>.defaultMaxRunTime is the time limit of jobs without their own', async () => {
    proves('configuration', 'plugin.<name>.defaultMaxRunTime');
    const outcomeOf = (defaultMaxRunTime: number) =>
      interruptedAfter(plugin({ class: 'jobInterruptMonitor', defaultMaxRunTime }), { AutoInterruptable: true });
    expect([await outcomeOf(500), await outcomeOf(3_000), await outcomeOf(30_000)]).toEqual([500, 3_000, null]);
  });

  it('plugin.<name>.class: loggingJobHistory logs the start and end of jobs', async () => {
    proves('configuration', 'plugin.<name>.class: loggingJobHistory');
    const history = await defaultHistory();
    expect(history).toContain('Job DEFAULT/good was fired by trigger DEFAULT/good');
    expect(history).toContain('Job DEFAULT/good ended');
  });

  it('plugin.<name>.class: loggingTriggerHistory logs the firings of triggers', async () => {
    proves('configuration', 'plugin.<name>.class: loggingTriggerHistory');
    expect(await defaultHistory()).toContain('Trigger DEFAULT/good fired job DEFAULT/good');
  });

  it.each([
    ['jobToBeFiredMessage', 'good'],
    ['jobSuccessMessage', 'good'],
    ['jobFailedMessage', 'bad'],
    ['jobWasVetoedMessage', 'vetoed'],
    ['triggerFiredMessage', 'good'],
    ['triggerMisfiredMessage', 'late'],
    ['triggerCompleteMessage', 'good'],
  ])('plugin.<name>.%s replaces the default message', async (key, name) => {
    proves('configuration', 'plugin.<name>.jobToBeFiredMessage');
    proves('configuration', 'plugin.<name>.jobSuccessMessage');
    proves('configuration', 'plugin.<name>.jobFailedMessage');
    proves('configuration', 'plugin.<name>.jobWasVetoedMessage');
    proves('configuration', 'plugin.<name>.triggerFiredMessage');
    proves('configuration', 'plugin.<name>.triggerMisfiredMessage');
    proves('configuration', 'plugin.<name>.triggerCompleteMessage');
    expect(await ownHistory()).toContain(`${key} of ${name}`);
    expect((await defaultHistory()).filter((line) => line.startsWith(key))).toEqual([]);
  });

  it('plugin.<name>.class: webhookAlerts sends alerts for failed jobs', async () => {
    proves('configuration', 'plugin.<name>.class: webhookAlerts');
    const [alert] = await alertsOf({});
    expect(alert).toMatchObject({ type: 'jobFailed', data: { job: 'DEFAULT/bad', error: 'no paper' } });
  });

  it('plugin.<name>.url sets the target of alerts', async () => {
    proves('configuration', 'plugin.<name>.url');
    expect((await alertsOf({}))[0]?.path).toBe('/alerts');
    expect(await codeOf(() => open(plugin({ class: 'webhookAlerts', url: 'nowhere' })))).toBe('INVALID_ARGUMENT');
  });

  it('plugin.<name>.secret signs alerts', async () => {
    proves('configuration', 'plugin.<name>.secret');
    const signatures = async (settings: object) => (await alertsOf(settings)).map(({ signature }) => signature);
    expect(await signatures({ secret: 'whsec_c2VjcmV0' })).toEqual(Array(2).fill(expect.stringMatching(/^v1,/)));
    expect(await signatures({})).toEqual([undefined, undefined]);
  });

  it('plugin.<name>.events selects the events that are sent', async () => {
    proves('configuration', 'plugin.<name>.events');
    const types = async (settings: object) => (await alertsOf(settings)).map(({ type }) => type);
    expect(await types({ events: 'jobStarted, jobFailed' })).toEqual(['jobStarted', 'jobFailed']);
    expect(await types({})).toEqual(['jobFailed', 'retriesExhausted']);
  });

  it('plugin.<name>.allowHosts limits the hosts of alerts', async () => {
    proves('configuration', 'plugin.<name>.allowHosts');
    expect(await codeOf(() => alertsOf({ allowHosts: ['example.com'] }))).toBe('INVALID_ARGUMENT');
    expect(await alertsOf({ allowHosts: '127.0.0.1, example.com' })).toHaveLength(2);
  });

  it('plugin.<name>.allowPrivateAddresses allows alerts to private addresses', async () => {
    proves('configuration', 'plugin.<name>.allowPrivateAddresses');
    expect(await codeOf(() => alertsOf({ allowPrivateAddresses: false }))).toBe('INVALID_ARGUMENT');
    expect(await alertsOf({ allowPrivateAddresses: 'true' })).toHaveLength(2);
  });

  it('plugin.<name>.maxPerMinute suppresses further alerts', async () => {
    proves('configuration', 'plugin.<name>.maxPerMinute');
    const events = ['jobStarted', 'jobFailed'];
    expect(await alertsOf({ events, maxPerMinute: 1 })).toMatchObject([{ type: 'jobStarted', suppressed: 1 }]);
    expect(await alertsOf({ events, maxPerMinute: 2 })).toHaveLength(2);
  });

  it('plugin.<name>.timeout ends requests that are not answered', async () => {
    proves('configuration', 'plugin.<name>.timeout');
    for (const timeout of [200, 3_000]) {
      let isClosed = false;
      await receiving(
        (_, response) => {
          response.once('close', () => {
            isClosed = true;
          });
        },
        async (url, received) => {
          const world = await failing({ url, timeout });
          await really(() => received.length > 0);
          world.clock.advanceBy(timeout - 1);
          await really(() => true);
          expect(isClosed).toBe(false);
          world.clock.advanceBy(1);
          await really(() => isClosed);
        },
      );
    }
  });
});

interface ReceivedAlert {
  readonly path: string | undefined;
  readonly signature: unknown;
  readonly type: string;
}

/** Waits in real time for a condition, without advancing the clock of the scheduler. */
async function really(isSo: () => unknown): Promise<void> {
  for (const end = performance.now() + 5_000; performance.now() < end; ) {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (isSo()) return;
  }
  throw new Error('It did not happen within 5 s.');
}

/** Runs `work` with a server that receives alerts. */
async function receiving(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  work: (url: string, received: readonly ReceivedAlert[]) => Promise<void>,
): Promise<void> {
  const received: ReceivedAlert[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request));
    received.push({ path: request.url, signature: request.headers['webhook-signature'], ...body });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`, received);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A scheduler that sends alerts and whose job has failed. */
async function failing(settings: object): Promise<World> {
  const alerts = { class: 'webhookAlerts', allowHosts: '127.0.0.1', allowPrivateAddresses: true, ...settings };
  const world = await open(plugin(alerts), { jobs: { broken: () => Promise.reject(new Error('no paper')) } });
  const now = newTrigger().startAt(new Date(world.clock.now())).build();
  await world.scheduler.scheduleJob(newJob('broken').withIdentity('bad').build(), now);
  await world.scheduler.start();
  await world.until(() => world.heard('jobFailed').length > 0);
  return world;
}

/** Alerts that are sent for a failed job. */
async function alertsOf(settings: object): Promise<readonly ReceivedAlert[]> {
  let alerts: readonly ReceivedAlert[] = [];
  await receiving(
    (_, response) => response.end(),
    async (url, received) => {
      await failing({ url, ...settings });
      await really(() => received.length > 0);
      for (let count = 0; count < received.length; ) {
        count = received.length;
        await really(() => true); // the next alert is sent after the answer to the previous one
      }
      alerts = [...received];
    },
  );
  return alerts;
}

async function started(config: Configuration): Promise<World> {
  const world = await open(config);
  await world.soon(world.scheduler.start());
  return world;
}
