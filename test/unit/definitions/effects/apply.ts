import { writeFileSync } from 'node:fs';
import { type Jobs, type Plugin, type Scheduler, scheduleFilePlugin } from '../../../../src';
import { createTestScheduler, type TestScheduler } from '../../../../src/testing';
import { keep, newFile, noop } from '../../../support/world/world';

type Before = (scheduler: Scheduler) => Promise<unknown>;

/** A plugin that calls `before` before the schedule file is read. */
function first(before: Before): Plugin {
  let scheduler: Scheduler;
  return {
    name: 'before',
    install(host) {
      scheduler = host.scheduler;
    },
    async start() {
      await before(scheduler);
    },
  };
}

/** A scheduler in the year 2026, in UTC, that has applied a schedule file. Its job types are `job` and `other`. */
export async function applied(
  text: string,
  before: Before = async () => {},
  jobs: Jobs = {},
  startTime = Date.UTC(2026, 0, 1),
): Promise<TestScheduler> {
  const fileNames = newFile('schedule.yaml');
  writeFileSync(fileNames, text);
  const test = await createTestScheduler({
    startTime,
    config: { scheduler: { timeZone: 'UTC' } },
    jobs: { job: noop, other: noop, ...jobs },
    plugins: [first(before), scheduleFilePlugin({ fileNames })],
  });
  keep(test.scheduler);
  return test;
}

/** A scheduler that applied the file two hours before 2026, and fired nothing until then. */
export async function missing(text: string): Promise<TestScheduler> {
  const test = await applied(text, undefined, undefined, Date.UTC(2025, 11, 31, 22));
  test.clock.advanceBy(7_200_000);
  return test;
}

/** A file with one trigger of the job `job`. */
export const withTrigger = (trigger: string, job = '', rest = '') =>
  `jobs: [{ name: job, ${job === '' ? '' : `${job}, `}triggers: [{ ${trigger} }] }]\n${rest}`;

/** Fire times of a file up to `until` in UTC, such as `01-31 06:00:00`; with the year unless it is 2026. */
export async function fireTimes(text: string, until: string): Promise<readonly string[]> {
  const firings = await (await applied(text)).advanceTo(new Date(until));
  return firings.map(({ scheduledFireTime }) => shortTime(scheduledFireTime));
}

export const shortTime = (time: Date): string =>
  time
    .toISOString()
    .replace(/^2026-/, '')
    .replace('T', ' ')
    .slice(0, -5);

/** Fire times of a file with one trigger. */
export const timesOf = (trigger: string, until: string, rest = ''): Promise<readonly string[]> =>
  fireTimes(withTrigger(trigger, '', rest), until);

/** Number of runs of a failing job within ten minutes, and number of recorded runs. `job`, `trigger`: fields of the file. */
export async function failuresOf({
  job = '',
  trigger = '',
  simple = '{ repeatCount: 0 }',
}): Promise<readonly [runs: number, recorded: number]> {
  let runs = 0;
  const broken = () => {
    runs += 1;
    throw new Error('broken');
  };
  const file = withTrigger(`simple: ${simple}${trigger}`, `type: broken${job}`);
  const test = await applied(file, undefined, { broken });
  await test.advanceBy(600_000);
  return [runs, (await test.scheduler.listRuns()).items.length];
}

/** Number of concurrent runs after five seconds of a job that fires every second and takes ten. `job`, `trigger`: fields of the file. */
export async function runsAtOnce({ job = '', trigger = '' }): Promise<number> {
  const slow = () => test.clock.sleepUntil(test.clock.now() + 10_500, new AbortController().signal);
  const file = withTrigger(`simple: { interval: 1s }${trigger}`, `type: slow${job}`);
  const test = await applied(file, undefined, { slow });
  await test.advanceBy(5_000);
  return test.scheduler.getCurrentlyExecutingJobs().filter(({ isAbandoned }) => !isAbandoned).length;
}
