import type { JobExecutionContext } from '../../../src/api/scheduler';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { triggerKey } from '../../../src/domain/keys';
import { anEngine, type HarnessOptions } from './harness';

const every = (repeatInterval: number) => ({ repeatInterval, repeatCount: -1 });

/** A started engine whose job runs until the test ends it, and notes whether it was aborted. */
async function busy(options: HarnessOptions = {}) {
  const ends: (() => void)[] = [];
  const contexts: JobExecutionContext[] = [];
  const job = (context: JobExecutionContext) => {
    contexts.push(context);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const stopping = ({ signal }: JobExecutionContext) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const harness = await anEngine({ jobs: { job, stopping }, ...options });
  await harness.schedule({}, every(60_000), { key: triggerKey('later'), startTime: 20_000 });
  await harness.engine.start();
  await harness.settle();
  const isAborted = () => contexts.map(({ signal }) => signal.aborted);
  return { ...harness, ends, isAborted };
}

describe('shutdown', () => {
  it('with waitForJobs waits for running jobs and stores their completions', async () => {
    const { engine, ends, stateOf, eventsOf, clock } = await busy();
    const done = engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    await yieldToEventLoop();
    ends[0]!();
    expect(await done).toEqual({ abandoned: 0, undone: [] });
    expect(eventsOf('triggerCompleted')).toHaveLength(1);
    expect([await stateOf('trigger'), await stateOf('later')]).toEqual(['WAITING', 'WAITING']);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('releases acquired triggers', async () => {
    const { engine, stateOf, settle } = await busy();
    await settle();
    expect(await stateOf('later')).toBe('ACQUIRED');
    await engine.shutdown({ waitForJobs: false, deadline: 0 });
    expect(await stateOf('later')).toBe('WAITING');
  });

  it('aborts and counts the jobs that still run at the deadline', async () => {
    const { engine, advanceTo, isAborted, clock } = await busy();
    const done = engine.shutdown({ waitForJobs: true, deadline: 10_000 });
    await advanceTo(9_999);
    expect(isAborted()).toEqual([false]);
    await advanceTo(11_000);
    expect(await done).toEqual({ abandoned: 1, undone: [] });
    expect(isAborted()).toEqual([true]);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('does not abandon a job that obeys its signal at the deadline', async () => {
    const harness = await busy();
    harness.ends[0]!();
    await harness.schedule(
      { jobType: 'stopping', key: { group: 'DEFAULT', name: 'obeys' } },
      { key: triggerKey('obeys') },
    );
    await harness.settle();
    const done = harness.engine.shutdown({ waitForJobs: true, deadline: 10_000 });
    await harness.advanceTo(10_000);
    expect(await done).toEqual({ abandoned: 0, undone: [] });
    expect(harness.eventsOf('triggerCompleted')).toHaveLength(2);
  });

  it('without waitForJobs neither aborts running jobs nor waits, and counts them as abandoned', async () => {
    const { engine, isAborted } = await busy();
    expect(await engine.shutdown({ waitForJobs: false, deadline: 30_000 })).toEqual({ abandoned: 1, undone: [] });
    expect(isAborted()).toEqual([false]);
  });

  it('without waitForJobs aborts running jobs if interruptJobsOnShutdown is set', async () => {
    const { engine, isAborted } = await busy({ interruptJobsOnShutdown: true });
    expect(await engine.shutdown({ waitForJobs: false, deadline: 30_000 })).toEqual({ abandoned: 1, undone: [] });
    expect(isAborted()).toEqual([true]);
  });

  it('with waitForJobs aborts running jobs first if interruptJobsOnShutdownWithWait is set', async () => {
    const { engine, ends, isAborted } = await busy({ interruptJobsOnShutdownWithWait: true });
    const done = engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    await yieldToEventLoop();
    expect(isAborted()).toEqual([true]);
    ends[0]!();
    expect(await done).toEqual({ abandoned: 0, undone: [] });
  });

  it('without waitForJobs stores the completion of a job that ends when interrupted', async () => {
    const harness = await anEngine({
      jobs: { job: ({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())) },
      interruptJobsOnShutdown: true,
    });
    await harness.schedule({}, every(60_000));
    await harness.engine.start();
    await harness.settle();
    expect(await harness.engine.shutdown({ waitForJobs: false, deadline: 1_000 })).toEqual({
      abandoned: 0,
      undone: [],
    });
    expect(harness.eventsOf('triggerCompleted')).toHaveLength(1);
  });

  it('runs once, even if called several times', async () => {
    const { engine, ends } = await busy();
    const first = engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    expect(engine.shutdown({ waitForJobs: false, deadline: 0 })).toBe(first);
    ends[0]!();
    await first;
    expect(await engine.shutdown({ waitForJobs: false, deadline: 0 })).toEqual({ abandoned: 0, undone: [] });
  });

  it.each([true, false])('keeps its deadline when the store does not answer (waitForJobs: %s)', async (waitForJobs) => {
    const { engine, ends, store, advanceTo } = await busy();
    store.hold('acquireTriggers');
    ends[0]!();
    await advanceTo(40_000); // by now the trigger loop has polled again
    const done = engine.shutdown({ waitForJobs, deadline: 3_000 });
    await advanceTo(43_300);
    expect(await done).toMatchObject({ undone: ['releasing acquired triggers'] });
  });

  it('stores the completions of aborted jobs even if a busy database answers only after the deadline', async () => {
    const harness = await busy();
    harness.ends[0]!();
    const key = { group: 'DEFAULT', name: 'obeys' };
    await harness.schedule({ jobType: 'stopping', key }, { key: triggerKey('obeys') });
    await harness.settle();
    const answer = harness.store.hold('completeTriggers');
    const done = harness.engine.shutdown({ waitForJobs: true, deadline: 10_000 });
    await harness.advanceTo(11_900);
    answer();
    expect(await done).toEqual({ abandoned: 0, undone: [] });
  });

  it('ends at its deadline although the store rejects the completions', async () => {
    const { engine, ends, store, advanceTo } = await busy();
    store.fail('completeTriggers', Number.POSITIVE_INFINITY);
    const done = engine.shutdown({ waitForJobs: true, deadline: 10_000 });
    await yieldToEventLoop();
    ends[0]!();
    await advanceTo(10_300);
    expect(await done).toEqual({ abandoned: 0, undone: ['storing the last completions (1)'] });
  });

  it('waits for running listeners until its deadline at most', async () => {
    const harness = await busy();
    harness.listeners.addJobListener({ name: 'slow', jobWasExecuted: () => new Promise(() => {}) });
    harness.ends[0]!();
    await harness.settle();
    const done = harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
    await harness.advanceTo(1_000);
    expect(await done).toEqual({ abandoned: 0, undone: [] });
  });

  it('ends after the listeners of the last job have returned', async () => {
    const harness = await busy();
    let hasHeard = false;
    const jobWasExecuted = async () => {
      for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
      hasHeard = true;
    };
    harness.listeners.addJobListener({ name: 'slow', jobWasExecuted });
    harness.ends[0]!();
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
    expect(hasHeard).toBe(true);
  });

  it('also interrupts a job that was fired before the shutdown and starts during it', async () => {
    const harness = await anEngine({
      jobs: { job: ({ signal }) => void seen.push(signal.aborted) },
      interruptJobsOnShutdownWithWait: true,
    });
    const seen: boolean[] = [];
    let answer = () => {};
    harness.listeners.addJobListener({
      name: 'slow',
      jobToBeExecuted: () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    });
    await harness.schedule({}, {});
    await harness.engine.start();
    await harness.settle();
    const done = harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
    await harness.settle();
    answer();
    await done;
    expect(seen).toEqual([true]);
  });

  it('does nothing before start, and makes a later start fail', async () => {
    const { engine, clock } = await anEngine();
    expect(await engine.shutdown({ waitForJobs: true, deadline: 1_000 })).toEqual({ abandoned: 0, undone: [] });
    await expect(engine.start()).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
    expect(clock.nextWakeTime).toBeNull();
  });
});

describe('runOnce', () => {
  it('fires all due triggers without start, including triggers that become due while it runs', async () => {
    const ran: string[] = [];
    const harness = await anEngine({ jobs: { job: ({ trigger }) => void ran.push(trigger.key.name) }, threadCount: 1 });
    await harness.schedule(
      { disallowConcurrentExecution: true },
      ...['a', 'b', 'c'].map((name) => ({ key: triggerKey(name) })),
    );
    await harness.schedule({}, { key: triggerKey('later'), startTime: 1 });
    expect(await harness.engine.runOnce()).toBe(3);
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(await harness.engine.runOnce()).toBe(0);
    expect(harness.engine.numberOfJobsExecuted).toBe(3);
  });

  it('rejects with the error of the store', async () => {
    const harness = await anEngine();
    harness.store.fail('acquireTriggers');
    await expect(harness.engine.runOnce()).rejects.toThrow('acquireTriggers failed');
    harness.store.fail('recoverMisfires');
    await expect(harness.engine.runOnce()).rejects.toThrow('recoverMisfires failed');
  });
});
