import { Gate } from '../../../src/base/gate';
import { triggerKey } from '../../../src/domain/keys';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { anEngine, type Harness } from './harness';

let gate: Gate;
let harness: Harness;
let fired: number[];

beforeEach(async () => {
  gate = new Gate();
  fired = [];
  harness = await anEngine({ gate, jobs: { job: () => void fired.push(harness.clock.now()) } });
  await harness.engine.start();
});

afterEach(async () => {
  await harness.engine.shutdown({ waitForJobs: false, deadline: 0 });
});

describe('an engine behind a gate', () => {
  it('acquires nothing while the gate is closed, and fires due triggers when it opens', async () => {
    await harness.schedule({}, { startTime: 1_000 });
    await harness.advanceTo(5_000);
    expect(fired).toEqual([]);
    await expect(harness.stateOf()).resolves.toBe('WAITING');
    gate.open();
    await harness.settle();
    expect(fired).toEqual([5_000]);
  });

  it('releases an acquired trigger if the gate has closed before its fire time', async () => {
    gate.open();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.settle();
    await expect(harness.stateOf()).resolves.toBe('ACQUIRED');
    gate.close();
    await harness.advanceTo(10_000);
    expect(fired).toEqual([]);
    await expect(harness.stateOf()).resolves.toBe('WAITING');
    gate.open();
    await harness.settle();
    expect(fired).toEqual([10_000]);
  });

  it('releases triggers it was about to fire if the gate closes while it enforces a group limit', async () => {
    await harness.engine.shutdown({ waitForJobs: false, deadline: 0 });
    const { acquireTriggers } = MemoryJobStore.prototype;
    const careless = jest.spyOn(MemoryJobStore.prototype, 'acquireTriggers');
    careless.mockImplementation(function (this: MemoryJobStore, { groupCapacity: _, ...request }) {
      return acquireTriggers.call(this, { ...request, timeWindow: 1_000 });
    });
    const threadPool = { workerThreads: 1, groupLimits: { DEFAULT: 1 } };
    harness = await anEngine({ gate, threadPool, jobs: { job: () => void fired.push(harness.clock.now()) } });
    gate.open();
    await harness.engine.start();
    await harness.schedule({}, ...['a', 'b'].map((name) => ({ key: triggerKey(name), startTime: 5_000 })));
    await harness.settle();
    careless.mockRestore();
    const release = harness.store.hold('releaseTriggers');
    await harness.advanceTo(5_000);
    expect(harness.store.calls.at(-1)).toBe('releaseTriggers');
    gate.close();
    release();
    await harness.settle();
    expect(fired).toEqual([]);
    expect(await Promise.all(['a', 'b'].map(harness.stateOf))).toEqual(['WAITING', 'WAITING']);
  });

  it('can be stopped while it waits for the gate', async () => {
    await harness.engine.standby();
    gate.open();
    await harness.schedule({}, { startTime: 0 });
    await harness.settle();
    expect(fired).toEqual([]);
  });
});

describe('a barred gate', () => {
  /** Bars the gate as a drain does, and fails if a job starts after `whenStarted`. */
  const drained = async () => {
    gate.bar();
    harness.engine.scheduleChanged(null);
    const begun = harness.engine.whenStarted(5_000);
    await harness.settle();
    return begun;
  };

  it('keeps new jobs from starting even if the loop was waiting for a worker', async () => {
    gate.open();
    const ends: (() => void)[] = [];
    harness.registry.register('waits', () => new Promise<void>((resolve) => ends.push(resolve)));
    const times = Array.from({ length: 6 }, (_, n) => ({ key: { group: 'DEFAULT', name: `t${n}` } }));
    await harness.schedule({ jobType: 'waits' }, ...times);
    await harness.settle();
    expect(ends).toHaveLength(5); // as many as there are workers
    expect(await drained()).toBe(true);
    ends.shift()?.();
    await harness.settle();
    expect(ends).toHaveLength(4);
    for (const end of ends) end();
    await harness.settle();
    gate.unbar();
    await harness.settle();
    expect(ends).toHaveLength(5); // the trigger that had waited
    ends.at(-1)?.();
  });

  it('keeps new jobs from starting even if the store was reading a checkpoint', async () => {
    gate.open();
    harness.registry.register('fails', ({ trigger }) => {
      if (trigger.key.group === 'DEFAULT') throw new Error('the first time');
      fired.push(harness.clock.now());
    });
    await harness.schedule({ jobType: 'fails', policy: { retry: parseRetryPolicy('R3/PT1S', 'test') } }, {});
    await harness.settle();
    const open = harness.store.hold('readCheckpoint');
    await harness.advanceTo(2_000);
    expect(harness.store.calls).toContain('readCheckpoint');
    let isDrained = false;
    const draining = drained().then(() => {
      isDrained = true;
    });
    await harness.settle();
    expect([isDrained, fired]).toEqual([false, []]);
    open();
    await draining;
    expect(fired).toHaveLength(1);
  });
});

describe('abortJobs', () => {
  it('aborts running jobs, but no jobs that start later', async () => {
    gate.open();
    const aborted: boolean[] = [];
    harness.registry.register('waits', ({ signal }) => {
      aborted.push(signal.aborted);
      return new Promise<void>((resolve) => {
        if (aborted.length > 1) return resolve();
        signal.addEventListener('abort', () => resolve());
      });
    });
    await harness.schedule({ jobType: 'waits' }, { startTime: 0, repeatCount: 1, repeatInterval: 1_000 });
    await harness.settle();
    harness.engine.abortJobs();
    await harness.advanceTo(1_000);
    expect(aborted).toEqual([false, false]);
    expect(harness.eventsOf('triggerCompleted')).toHaveLength(2);
  });
});
