import type { JobExecutionContext } from '../../../src/api/scheduler';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { triggerKey } from '../../../src/domain/keys';
import { anEngine, type HarnessOptions } from './harness';

const every = (repeatInterval: number) => ({ repeatInterval, repeatCount: -1 });

/** A started engine whose job runs until it is let go, and notes whether it was aborted. */
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
  it('waits for running jobs when asked to, and stores what they completed', async () => {
    const { engine, ends, stateOf, eventsOf, clock } = await busy();
    const done = engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    await yieldToEventLoop();
    ends[0]!();
    expect(await done).toEqual({ abandoned: 0, undone: [] });
    expect(eventsOf('triggerCompleted')).toHaveLength(1);
    expect([await stateOf('trigger'), await stateOf('later')]).toEqual(['WAITING', 'WAITING']);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('releases what was acquired', async () => {
    const { engine, stateOf, settle } = await busy();
    await settle();
    expect(await stateOf('later')).toBe('ACQUIRED');
    await engine.shutdown({ waitForJobs: false, deadline: 0 });
    expect(await stateOf('later')).toBe('WAITING');
  });

  it('aborts and counts what still runs at the deadline', async () => {
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

  it('without waiting leaves jobs alone, and counts them', async () => {
    const { engine, isAborted } = await busy();
    expect(await engine.shutdown({ waitForJobs: false, deadline: 30_000 })).toEqual({ abandoned: 1, undone: [] });
    expect(isAborted()).toEqual([false]);
  });

  it('without waiting interrupts jobs if so configured', async () => {
    const { engine, isAborted } = await busy({ interruptJobsOnShutdown: true });
    expect(await engine.shutdown({ waitForJobs: false, deadline: 30_000 })).toEqual({ abandoned: 1, undone: [] });
    expect(isAborted()).toEqual([true]);
  });

  it('with waiting interrupts jobs first if so configured', async () => {
    const { engine, ends, isAborted } = await busy({ interruptJobsOnShutdownWithWait: true });
    const done = engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    await yieldToEventLoop();
    expect(isAborted()).toEqual([true]);
    ends[0]!();
    expect(await done).toEqual({ abandoned: 0, undone: [] });
  });

  it('stores the completion of a job that ends when interrupted without waiting', async () => {
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

  it('is done once, however often it is asked for', async () => {
    const { engine, ends } = await busy();
    const first = engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    expect(engine.shutdown({ waitForJobs: false, deadline: 0 })).toBe(first);
    ends[0]!();
    await first;
    expect(await engine.shutdown({ waitForJobs: false, deadline: 0 })).toEqual({ abandoned: 0, undone: [] });
  });

  it.each([
    true,
    false,
  ])('keeps its deadline although the store does not answer (waiting for jobs: %s)', async (waitForJobs) => {
    const { engine, ends, store, advanceTo } = await busy();
    store.hold('acquireTriggers');
    ends[0]!();
    await advanceTo(40_000); // by now the trigger loop has looked again
    const done = engine.shutdown({ waitForJobs, deadline: 3_000 });
    await advanceTo(43_300);
    expect(await done).toMatchObject({ undone: ['releasing acquired triggers'] });
  });

  it('stores the ends of aborted jobs, although a busy database answers only after the deadline', async () => {
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

  it('ends in time although the store takes no completion', async () => {
    const { engine, ends, store, advanceTo } = await busy();
    store.fail('completeTriggers', Number.POSITIVE_INFINITY);
    const done = engine.shutdown({ waitForJobs: true, deadline: 10_000 });
    await yieldToEventLoop();
    ends[0]!();
    await advanceTo(10_300);
    expect(await done).toEqual({ abandoned: 0, undone: ['storing the last completions (1)'] });
  });

  it('waits for listeners that are being told, but not beyond its time', async () => {
    const harness = await busy();
    harness.listeners.addJobListener({ name: 'slow', jobWasExecuted: () => new Promise(() => {}) });
    harness.ends[0]!();
    await harness.settle();
    const done = harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
    await harness.advanceTo(1_000);
    expect(await done).toEqual({ abandoned: 0, undone: [] });
  });

  it('is over only when listeners have heard of the end', async () => {
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

  it('interrupts also a job that was fired before and begins only now', async () => {
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

  it('before start has nothing to do, and start after it is refused', async () => {
    const { engine, clock } = await anEngine();
    expect(await engine.shutdown({ waitForJobs: true, deadline: 1_000 })).toEqual({ abandoned: 0, undone: [] });
    await expect(engine.start()).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
    expect(clock.nextWakeTime).toBeNull();
  });
});

describe('runOnce', () => {
  it('fires what is due and what becomes due by that, without start', async () => {
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

  it('rejects with what the store failed with', async () => {
    const harness = await anEngine();
    harness.store.fail('acquireTriggers');
    await expect(harness.engine.runOnce()).rejects.toThrow('acquireTriggers failed');
    harness.store.fail('recoverMisfires');
    await expect(harness.engine.runOnce()).rejects.toThrow('recoverMisfires failed');
  });
});
