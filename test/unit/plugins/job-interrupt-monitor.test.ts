import { pino } from 'pino';
import {
  createScheduler,
  type JobData,
  type JobExecutionContext,
  JobExecutionException,
  jobInterruptMonitorPlugin,
  newJob,
  newTrigger,
  type Scheduler,
} from '../../../src';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';

let scheduler: Scheduler;
afterEach(() => scheduler.shutdown());

/** A started scheduler with the plugin, whose only job runs until it is interrupted or `end` is called. */
async function running(data: JobData, job?: (context: JobExecutionContext) => Promise<void>) {
  const clock = new ManualClock();
  const contexts: JobExecutionContext[] = [];
  let end = () => {};
  const errors: string[] = [];
  const untilInterrupted = ({ signal }: JobExecutionContext) =>
    new Promise<void>((resolve) => {
      end = resolve;
      signal.addEventListener('abort', () => resolve());
    });
  scheduler = await createScheduler(
    {},
    {
      clock,
      logger: pino({ level: 'silent' }),
      plugins: [jobInterruptMonitorPlugin({ defaultMaxRunTime: 2_000 })],
      jobs: {
        job(context: JobExecutionContext) {
          contexts.push(context);
          return (job ?? untilInterrupted)(context);
        },
      },
    },
  );
  scheduler.subscribe((event) => event.type === 'schedulerError' && errors.push(event.error.message));
  await scheduler.start();
  await scheduler.scheduleJob(newJob('job').usingJobData(data).build(), newTrigger().build());
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
  };
  const abortedAfter = async (milliseconds: number) => {
    clock.advanceBy(milliseconds);
    await settle();
    return contexts.map(({ signal }) => signal.aborted);
  };
  await settle();
  return { clock, abortedAfter, errors, end: () => end() };
}

describe('the job interrupt monitor', () => {
  it.each([
    [{ AutoInterruptable: true, MaxRunTime: 500 }, 500],
    [{ AutoInterruptable: 'true', MaxRunTime: '500' }, 500],
    [{ AutoInterruptable: true }, 2_000],
  ])('interrupts a job with the data %j after %i ms', async (data, maxRunTime) => {
    const { abortedAfter } = await running(data);
    expect(await abortedAfter(maxRunTime - 1)).toEqual([false]);
    expect(await abortedAfter(1)).toEqual([true]);
  });

  it.each([
    {},
    { AutoInterruptable: false, MaxRunTime: 1 },
    { MaxRunTime: 1 },
  ])('does not interrupt a job with the data %j', async (data: JobData) => {
    const { abortedAfter, end } = await running(data);
    expect(await abortedAfter(100_000)).toEqual([false]);
    end();
  });

  it('does not interrupt a job that has ended in time', async () => {
    const { abortedAfter, end, clock } = await running({ AutoInterruptable: true, MaxRunTime: 5_001 });
    const asleep = clock.wakeTimes.length;
    end();
    expect(await abortedAfter(0)).toEqual([false]);
    expect(clock.wakeTimes).toHaveLength(asleep - 1);
    expect(clock.wakeTimes).not.toContain(5_001);
  });

  it('gives an immediate refire its own time limit', async () => {
    let ends: () => void = () => {};
    const { abortedAfter } = await running(
      { AutoInterruptable: true, MaxRunTime: 500 },
      async ({ refireCount, signal }) => {
        await new Promise<void>((resolve) => {
          ends = resolve;
          signal.addEventListener('abort', () => resolve());
        });
        if (refireCount === 0) throw new JobExecutionException('again', { refireImmediately: true });
      },
    );
    await abortedAfter(400);
    ends();
    await abortedAfter(0);
    expect(await abortedAfter(499)).toEqual([false, false]);
    expect(await abortedAfter(1)).toEqual([true, true]);
  });

  it.each([0, -5, 1.5, 'soon'])('reports a MaxRunTime of %p, and runs the job without a limit', async (MaxRunTime) => {
    const { abortedAfter, errors, end } = await running({ AutoInterruptable: true, MaxRunTime });
    expect(await abortedAfter(10_000)).toEqual([false]);
    expect(errors).toEqual([expect.stringContaining('MaxRunTime')]);
    end();
  });

  it('leaves no timer after the scheduler has shut down', async () => {
    const { clock } = await running({ AutoInterruptable: true, MaxRunTime: 500 });
    await scheduler.shutdown();
    expect(clock.nextWakeTime).toBeNull();
  });

  it('refuses a defaultMaxRunTime that is not a positive duration', () => {
    expect(() => jobInterruptMonitorPlugin({ defaultMaxRunTime: 0 })).toThrow(/1 or more/);
  });
});
