import {
  type JobExecutionContext,
  newJob,
  newTrigger,
  type SchedulerEvent,
  toJobBuilder,
  toTriggerBuilder,
} from '../../../src';
import type { OverlapRule } from '../../../src/domain/overlap';
import { codeOf, noop, START, shutdownAll, testScheduler } from '../scheduler/support';

afterEach(shutdownAll);

const MINUTE = 60_000;

/** A job that fires every minute and runs for two and a half minutes, with its events and runs. */
async function longJob(overlap: OverlapRule, startWithin?: string) {
  const test = await testScheduler();
  const contexts: JobExecutionContext[] = [];
  const told: string[] = [];
  test.scheduler.subscribe((event: SchedulerEvent) => {
    if (event.type === 'firingSkipped') told.push(`skipped: ${event.reason}, ${event.lateBy}`);
    if (event.type === 'firingDeferred') told.push(`deferred: ${event.reason}, ${event.until}`);
  });
  const long = async (context: JobExecutionContext) => {
    contexts.push(context);
    await test.clock.sleepUntil(test.clock.now() + 2.5 * MINUTE, context.signal);
    context.signal.throwIfAborted();
  };
  const each = { every: '1m', startAt: START, overlap, history: 'all', ...(startWithin && { startWithin }) } as const;
  await test.scheduler.schedule('long', each, long);
  const minutes = (date: Date) => (date.getTime() - START.getTime()) / MINUTE;
  const runs = () => contexts.map(({ scheduledFireTime, fireTime }) => [minutes(scheduledFireTime), minutes(fireTime)]);
  const outcomes = async () => (await test.scheduler.listRuns()).items.map(({ outcome }) => outcome).reverse();
  return { ...test, contexts, told, runs, outcomes };
}

describe('a firing that overlaps an earlier run of its job', () => {
  it('is skipped, reported and recorded if the rule is skip', async () => {
    const { advanceBy, told, runs, scheduler } = await longJob('skip');
    await advanceBy(3 * MINUTE);
    expect(told).toEqual(['skipped: overlap, 0', 'skipped: overlap, 0']);
    expect(runs()).toEqual([
      [0, 0],
      [3, 3],
    ]);
    const { items } = await scheduler.listRuns({ outcome: 'skipped' });
    expect(items.map(({ error }) => error)).toEqual(
      Array(2).fill('Skipped: an earlier run of its job was still executing.'),
    );
  });

  it('starts after that run has ended, as its own occurrence, if the rule is queueAll', async () => {
    const { advanceBy, told, contexts, runs, scheduler } = await longJob({ queueAll: 1 });
    await advanceBy(5 * MINUTE);
    expect(told).toEqual([
      'deferred: overlap, null',
      'skipped: overlap, 0',
      'deferred: overlap, null',
      'skipped: overlap, 0',
      'deferred: overlap, null',
    ]);
    expect(runs()).toEqual([
      [0, 0],
      [1, 2.5],
      [3, 5],
    ]);
    expect(contexts.map(({ attempt, data }) => [attempt, data])).toEqual(Array(3).fill([1, {}]));
    const { items } = await scheduler.listRuns({ outcome: 'succeeded' });
    expect(items.map(({ triggerKey }) => triggerKey.name)).toEqual(['long', 'long']);
  });

  it('interrupts that run and starts after it if the rule is cancelRunning', async () => {
    const { advanceBy, told, runs, outcomes } = await longJob('cancelRunning');
    await advanceBy(MINUTE);
    expect(told).toEqual(['deferred: overlap, null']);
    expect(runs()).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(await outcomes()).toEqual(['interrupted']);
  });

  it('is skipped when it has waited longer than startWithin', async () => {
    const { advanceBy, told, outcomes } = await longJob('queueOne', '1m');
    await advanceBy(2.5 * MINUTE);
    expect(told).toEqual(['deferred: overlap, null', 'skipped: overlap, 0', 'skipped: late, 90000']);
    expect(await outcomes()).toEqual(['skipped', 'succeeded', 'skipped']);
  });

  it('has an overlap rule that builders keep and validate', async () => {
    for (const overlap of ['allow', 'skip', 'queueOne', 'cancelRunning', { queueAll: 7 }] as const) {
      const job = newJob('noop').withOverlap(overlap).build();
      expect(job.policy).toEqual({ overlap });
      expect(toJobBuilder(job).build().policy).toEqual({ overlap });
      expect(toJobBuilder(job).withOverlap(null).build().policy).toBeUndefined();
      const trigger = newTrigger().forJob('a').withOverlap(overlap).build();
      expect(toTriggerBuilder(trigger).build().policy).toEqual({ overlap });
    }
    for (const wrong of ['queueAll', '', 1, true, {}, { queueAll: 0 }, { queueAll: 1_001 }, { queueAll: 1, also: 2 }]) {
      expect(await codeOf(() => newJob('noop').withOverlap(wrong as never))).toBe('INVALID_ARGUMENT');
    }
    const { scheduler } = await testScheduler();
    const wrong = { at: START, overlap: 'never' as never };
    expect(await codeOf(() => scheduler.schedule('a', wrong, noop))).toBe('INVALID_ARGUMENT');
  });
});
