import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginHost } from '../../../src/api/plugin';
import { ManualClock } from '../../../src/base/manual-clock';
import { ConfigurationError } from '../../../src/config/problem';
import { triggerKey } from '../../../src/domain/keys';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { scheduleFilePlugin } from '../../../src/plugins/schedule-file-plugin';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { allJobs, allTriggers } from '../../support/all-stored';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const MINUTE = 60_000;

const hourly = `
jobs:
  - name: report
    triggers: [{ calendarInterval: { interval: 1, unit: HOUR } }]
`;
const withSecondJob = `${hourly}
  - name: cleanup
    triggers: [{ cron: '0 0 3 ? * *' }]
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schedule-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A plugin host with a memory store and a manual clock. */
function newHost() {
  const clock = new ManualClock(NOW);
  let fireInstances = 0;
  const store = new MemoryJobStore(() => String(++fireInstances));
  const events: SchedulerEvent[] = [];
  let failure: Error | null = null;
  const host = {
    clock,
    timeZone: 'UTC',
    async applySchedule(changes) {
      if (failure !== null) throw failure;
      return (await store.applySchedule(changes, { now: clock.now(), misfireThreshold: MINUTE })).outcomes;
    },
    publish: (event) => void events.push(event),
  } as Partial<PluginHost> as PluginHost;

  /** Waits until a scan has ended and the scanner sleeps. */
  const untilAsleep = async () => {
    while (clock.nextWakeTime === null) await new Promise(setImmediate);
  };
  return {
    host,
    clock,
    store,
    events,
    failWith: (error: Error | null) => {
      failure = error;
    },
    untilAsleep,
    nextScan: async () => {
      clock.advanceBy(MINUTE);
      await new Promise(setImmediate);
      await untilAsleep();
    },
    triggerNames: async () => (await allTriggers(store)).items.map(({ trigger }) => trigger.key.name),
    nextFireTime: async (name: string) => (await store.getTriggers([triggerKey(name)]))[0]?.trigger.nextFireTime,
  };
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function failureOf(action: unknown): Promise<ConfigurationError> {
  const outcome = await Promise.resolve(action).catch((error: unknown) => error);
  if (outcome instanceof ConfigurationError) return outcome;
  throw new Error(`expected a ConfigurationError, found ${String(outcome)}`);
}

const errorsOf = (events: readonly SchedulerEvent[]) =>
  events.flatMap((event) => (event.type === 'schedulerError' ? [event.error.message] : []));
const appliedOf = (events: readonly SchedulerEvent[]) => events.filter(({ type }) => type === 'scheduleFileApplied');

describe('the schedule file plugin on start', () => {
  it('applies each file as one unit and reports the result', async () => {
    const { host, events, triggerNames } = newHost();
    const files = [write('a.yaml', hourly), write('b.json', '{"calendars":{"none":{"type":"base"}}}')];
    const plugin = scheduleFilePlugin({ fileNames: files });
    await plugin.install(host);
    await plugin.start?.();
    await plugin.stop?.();
    expect(await triggerNames()).toEqual(['report']);
    expect(events).toEqual([
      { type: 'scheduleFileApplied', at: NOW, file: files[0], created: 2, replaced: 0, unchanged: 0, deleted: 0 },
      { type: 'scheduleFileApplied', at: NOW, file: files[1], created: 1, replaced: 0, unchanged: 0, deleted: 0 },
    ]);
  });

  it('rejects with the problems of all files and applies none of them', async () => {
    const { host, events, triggerNames } = newHost();
    const files = [write('good.yaml', hourly), write('bad.yaml', 'jobs: [{}]'), write('worse.yaml', 'jobs: {}')];
    const plugin = scheduleFilePlugin({ fileNames: files });
    await plugin.install(host);
    const { problems } = await failureOf(plugin.start?.());
    const places = problems.map(({ file, line, path }) => [file, line, path]);
    expect(places).toHaveLength(2);
    expect(places).toEqual(
      expect.arrayContaining([
        [files[1], 1, 'jobs[0].name'],
        [files[2], 1, 'jobs'],
      ]),
    );
    expect([await triggerNames(), events]).toEqual([[], []]);
  });

  it('rejects if a file is missing, unless failOnFileNotFound is false', async () => {
    const { host, events } = newHost();
    const fileNames = [join(folder, 'none.yaml')];
    const strict = scheduleFilePlugin({ fileNames });
    await strict.install(host);
    await expect(strict.start?.()).rejects.toThrow(/none\.yaml: expected a file, found none/);
    const easy = scheduleFilePlugin({ fileNames, failOnFileNotFound: false });
    await easy.install(host);
    await easy.start?.();
    await easy.stop?.();
    expect(events).toEqual([]);
  });

  it('changes nothing if the store refuses one of the changes', async () => {
    const { host, store, triggerNames } = newHost();
    const file = write('a.yaml', `directives: { overwriteExistingData: false }\n${withSecondJob}`);
    await store.applySchedule(
      [
        {
          type: 'storeCalendar',
          name: 'x',
          calendar: { type: 'base', timeZone: 'UTC', description: null, base: null },
          ifExists: 'fail',
          updateTriggers: false,
        },
      ],
      { now: NOW, misfireThreshold: MINUTE },
    );
    const plugin = scheduleFilePlugin({ fileNames: file });
    await plugin.install(host);
    await plugin.start?.();
    const clashing = scheduleFilePlugin({
      fileNames: write(
        'b.yaml',
        `directives: { overwriteExistingData: false }\ncalendars: { y: { type: base }, x: { type: base } }`,
      ),
    });
    await clashing.install(host);
    await expect(clashing.start?.()).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    expect(await store.getCalendarNames()).toEqual(['x']);
    expect(await triggerNames()).toEqual(['cleanup', 'report']);
  });

  it.each([
    [
      "jobs: [{name: a, triggers: [{cron: '0 0 6 * * ? 2020'}]}]",
      'INVALID_TRIGGER',
      /:1:29 jobs\[0\]\.triggers\[0\]: Expected the trigger/,
    ],
    [
      "triggers: [{name: t, job: a, cron: '0 0 6 * * ?'}]",
      'JOB_NOT_FOUND',
      /:1:12 triggers\[0\]: Expected the job 'DEFAULT\/a'/,
    ],
    [
      "jobs: [{name: a, triggers: [{cron: '0 0 6 * * ?', calendar: no}]}]",
      'CALENDAR_NOT_FOUND',
      /:1:29 jobs\[0\]\.triggers\[0\]: Expected the calendar 'no'/,
    ],
    [
      'directives: {overwriteExistingData: false}\njobs:\n  - {name: report, durable: true}',
      'OBJECT_ALREADY_EXISTS',
      /:3:5 jobs\[0\]: The job 'DEFAULT\/report' already exists/,
    ],
    [
      'directives: {overwriteExistingData: false}\ncalendars: {nights: {type: base}}',
      'OBJECT_ALREADY_EXISTS',
      /schedule\.yaml: The calendar 'nights' already exists/,
    ],
  ])('reports the position in the file if the store refuses %j', async (text, code, message) => {
    const { host } = newHost();
    const first = scheduleFilePlugin({
      fileNames: write('first.yaml', `${hourly}\ncalendars: {nights: {type: base}}`),
    });
    await first.install(host);
    await first.start?.();
    const file = write('schedule.yaml', text);
    const plugin = scheduleFilePlugin({ fileNames: file });
    await plugin.install(host);
    const refusal = expect.objectContaining({ code, message: expect.stringMatching(message) });
    await expect(plugin.start?.()).rejects.toEqual(refusal);
    await expect(plugin.start?.()).rejects.toThrow(file);
  });

  it('runs the commands of the file before it stores anything, and counts their deletions', async () => {
    const { host, events, store } = newHost();
    const first = scheduleFilePlugin({ fileNames: write('a.yaml', withSecondJob) });
    await first.install(host);
    await first.start?.();
    const second = scheduleFilePlugin({
      fileNames: write('b.yaml', `commands: { deleteJobsInGroup: ['*'] }\n${hourly}`),
    });
    await second.install(host);
    await second.start?.();
    expect(events.at(-1)).toMatchObject({ created: 2, deleted: 4 });
    expect((await allJobs(store)).total).toBe(1);
  });

  it.each([
    [{ fileNames: [] }],
    [{ fileNames: '' }],
    [{ fileNames: 7 }],
    [{ fileNames: 'a', scanInterval: -1 }],
    [{ fileNames: 'a', scanInterval: 0.5 }],
    [{ fileNames: 'a', scanInterval: Number.POSITIVE_INFINITY }],
    [{ fileNames: 'a', failOnFileNotFound: 'yes' }],
  ])('refuses the settings %p', (settings) => {
    expect(() => scheduleFilePlugin(settings as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('refuses to start before it is installed', async () => {
    await expect(scheduleFilePlugin({ fileNames: 'a' }).start?.()).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
  });
});

describe('the schedule file plugin while it runs', () => {
  async function started(text: string) {
    const parts = newHost();
    const file = write('schedule.yaml', text);
    const plugin = scheduleFilePlugin({ fileNames: file, scanInterval: 60 });
    await plugin.install(parts.host);
    await plugin.start?.();
    await parts.untilAsleep();
    return Object.assign(parts, { file, plugin });
  }

  it('applies a changed file, and unchanged triggers keep their next fire times', async () => {
    const { file, plugin, nextScan, triggerNames, nextFireTime, events } = await started(hourly);
    const before = await nextFireTime('report');
    writeFileSync(file, withSecondJob);
    await nextScan();
    await plugin.stop?.();
    expect(await triggerNames()).toEqual(['cleanup', 'report']);
    expect(await nextFireTime('report')).toBe(before);
    expect(events.at(-1)).toMatchObject({ created: 2, unchanged: 2, replaced: 0, deleted: 0 });
  });

  it('does nothing if only a comment has changed', async () => {
    const { file, plugin, nextScan, events } = await started(hourly);
    writeFileSync(file, `# a remark\n${hourly}`);
    await nextScan();
    await nextScan();
    await plugin.stop?.();
    expect(events).toHaveLength(1);
  });

  it('keeps the old schedule while the file is invalid, and reports this once', async () => {
    const { file, plugin, nextScan, triggerNames, events } = await started(hourly);
    writeFileSync(file, `${withSecondJob}\n  - nam: oops`);
    await nextScan();
    await nextScan();
    expect(errorsOf(events)).toEqual([expect.stringMatching(/2 problems:\n.*schedule\.yaml:\d+:5 jobs\[2\]\.name/)]);
    expect(await triggerNames()).toEqual(['report']);
    writeFileSync(file, withSecondJob);
    await nextScan();
    await plugin.stop?.();
    expect(await triggerNames()).toEqual(['cleanup', 'report']);
    expect([errorsOf(events).length, appliedOf(events).length]).toEqual([1, 2]);
  });

  it('reports a missing file, and keeps its schedule', async () => {
    const { file, plugin, nextScan, triggerNames, events } = await started(hourly);
    rmSync(file);
    await nextScan();
    await plugin.stop?.();
    expect(errorsOf(events)).toEqual([expect.stringContaining('expected a file, found none')]);
    expect(await triggerNames()).toEqual(['report']);
  });

  it('retries after the store has failed', async () => {
    const { file, plugin, nextScan, failWith, triggerNames, events } = await started(hourly);
    writeFileSync(file, withSecondJob);
    failWith(new Error('store is away'));
    await nextScan();
    expect(errorsOf(events)).toEqual(['store is away']);
    failWith(null);
    await nextScan();
    await plugin.stop?.();
    expect(await triggerNames()).toEqual(['cleanup', 'report']);
  });

  it('leaves no timer after it was stopped', async () => {
    const { clock, plugin } = await started(hourly);
    await plugin.stop?.();
    await plugin.stop?.();
    expect(clock.nextWakeTime).toBeNull();
  });
});
