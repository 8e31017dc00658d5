import { pino } from 'pino';
import { JobExecutionException, loggingJobHistoryPlugin, loggingTriggerHistoryPlugin, type Plugin } from '../../../src';
import { ManualClock } from '../../../src/base/manual-clock';
import { loadConfig } from '../../../src/config/load-config';
import { formatMessage } from '../../../src/plugins/logging-history';
import { assemble } from '../../../src/scheduler/assemble';

const START = Date.UTC(2026, 0, 1);

interface Line {
  readonly level: number;
  readonly history?: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A started scheduler with a manual clock, and the lines that its plugin logs. */
async function logged(plugin: Plugin, level = 'info') {
  const lines: Line[] = [];
  const logger = pino({ level, base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = new ManualClock(START);
  const options = { clock, logger, plugins: [plugin], isDriven: true };
  const { scheduler, engine } = await assemble(await loadConfig(), options);
  return {
    scheduler,
    clock,
    /** Runs all due jobs and returns the new lines of the history. */
    async run(): Promise<readonly Line[]> {
      await engine.runOnce();
      return lines.splice(0).filter(({ history }) => history !== undefined);
    },
  };
}

const once = { at: new Date(START) };
const brief = (lines: readonly Line[]) => lines.map(({ history, msg }) => `${history}: ${msg}`);

describe('the job history plugin', () => {
  it('logs each job before and after it runs, with its fields', async () => {
    const { scheduler, run } = await logged(loggingJobHistoryPlugin());
    await scheduler.schedule('report', once, () => {});
    const lines = await run();
    expect(brief(lines)).toEqual([
      'jobToBeFired: Job DEFAULT/report was fired by trigger DEFAULT/report',
      'jobSuccess: Job DEFAULT/report ended',
    ]);
    expect(lines[0]).toMatchObject({
      level: 30,
      jobName: 'report',
      jobGroup: 'DEFAULT',
      triggerName: 'report',
      scheduledFireTime: '2026-01-01T00:00:00.000Z',
      nextFireTime: null,
      refireCount: 0,
    });
  });

  it('logs a failed job as a warning, with its error', async () => {
    const { scheduler, run } = await logged(loggingJobHistoryPlugin());
    await scheduler.schedule('report', once, () => {
      throw new JobExecutionException('no paper');
    });
    const [, failed] = await run();
    expect(failed).toMatchObject({ level: 40, history: 'jobFailed', err: { code: 'JOB_EXECUTION' } });
    expect(failed?.msg).toMatch(/^Job DEFAULT\/report failed: .*no paper/);
  });

  it('logs a veto', async () => {
    const { scheduler, run } = await logged(loggingJobHistoryPlugin());
    scheduler.getListenerManager().addTriggerListener({ name: 'no', vetoJobExecution: () => true });
    await scheduler.schedule('report', once, () => {});
    expect(brief(await run())).toEqual(['jobWasVetoed: Job DEFAULT/report was vetoed']);
  });

  it('uses the messages of a Quartz configuration', async () => {
    const plugin = loggingJobHistoryPlugin({
      name: 'history',
      jobToBeFiredMessage: 'Job {1}.{0} fired (by trigger {4}.{3}) at: {2, date, HH:mm:ss MM/dd/yyyy}',
      jobSuccessMessage: '{0} reports: {8}',
    });
    const { scheduler, run } = await logged(plugin);
    await scheduler.schedule('report', once, (context) => {
      context.result = { pages: 3 };
    });
    expect((await run()).map(({ msg }) => msg)).toEqual([
      'Job DEFAULT.report fired (by trigger DEFAULT.report) at: 00:00:00 01/01/2026',
      'report reports: { pages: 3 }',
    ]);
    expect(scheduler.getListenerManager().getJobListener('history')).not.toBeNull();
  });

  it('logs nothing below the log level', async () => {
    const { scheduler, run } = await logged(loggingJobHistoryPlugin(), 'warn');
    await scheduler.schedule('report', once, () => {});
    expect(await run()).toEqual([]);
  });
});

describe('the trigger history plugin', () => {
  it('logs each firing and its completion', async () => {
    const { scheduler, run } = await logged(loggingTriggerHistoryPlugin());
    await scheduler.schedule('report', once, () => {});
    const lines = await run();
    expect(brief(lines)).toEqual([
      'triggerFired: Trigger DEFAULT/report fired job DEFAULT/report',
      'triggerComplete: Trigger DEFAULT/report completed job DEFAULT/report: DELETE_TRIGGER',
    ]);
    expect(lines[1]).toMatchObject({ jobName: 'report', previousFireTime: '2026-01-01T00:00:00.000Z' });
  });

  it('logs a misfire', async () => {
    const { scheduler, clock, run } = await logged(loggingTriggerHistoryPlugin());
    await scheduler.schedule('report', once, () => {});
    clock.advanceBy(120_000);
    expect((await run()).map(({ msg }) => msg)[0]).toBe(
      'Trigger DEFAULT/report misfired; it was due at 2026-01-01T00:00:00.000Z',
    );
  });

  it('uses the messages of a Quartz configuration', async () => {
    const plugin = loggingTriggerHistoryPlugin({
      triggerFiredMessage: 'Trigger {1}.{0} fired job {6}.{5} at {4}',
      triggerCompleteMessage: '{0} ended with {9} at {4}',
    });
    const { scheduler, run } = await logged(plugin);
    await scheduler.schedule('report', once, () => {});
    expect((await run()).map(({ msg }) => msg)).toEqual([
      'Trigger DEFAULT.report fired job DEFAULT.report at 2026-01-01T00:00:00.000Z',
      'report ended with DELETE_TRIGGER at 2026-01-01T00:00:00.000Z',
    ]);
  });
});

describe('messages of the history plugins', () => {
  it('fill in placeholders by name and by position, and keep unknown ones', () => {
    const fields = { name: 'x', at: new Date(0), none: null, list: [1, { a: 1 }] };
    expect(formatMessage('{name} {0} {at} {1,date} {none} {list} {7} {toString} {}', fields, 'UTC')).toBe(
      'x x 1970-01-01T00:00:00.000Z Jan 1, 1970 none [ 1, { a: 1 } ] {7} {toString} {}',
    );
  });

  it.each([
    ['{0, date, HH:mm:ss MM/dd/yyyy}', '14:05:09 07/04/2026'],
    ['{0,time,HH:mm}', '14:05'],
    ["{0, date, yyyy-MM-dd'T'HH:mm:ss.SSSZ}", '2026-07-04T14:05:09.123+0200'],
    ['{0, date, EEE d MMM yy h:mm a z}', 'Sat 4 Jul 26 2:05 PM GMT+2'],
    ['{0, time}', '2:05:09 PM'],
  ])('support the Java date format %s', (message, text) => {
    const at = new Date('2026-07-04T12:05:09.123Z');
    expect(formatMessage(message, { at }, 'Europe/Berlin')).toBe(text);
  });

  it('can contain values that JSON cannot represent', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(formatMessage('{cycle} {big}', { cycle, big: 1n }, 'UTC')).toBe('<ref *1> { self: [Circular *1] } 1');
  });
});
