import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { FiringDispatch } from '../../../src/engine/firing-dispatch';
import { SharedSlots } from '../../../src/engine/shared-slots';
import { EventBus } from '../../../src/events/event-bus';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { AsyncWorkerPool } from '../../../src/workers/worker-pool';
import { anEngine } from './harness';
import { aFiring } from './samples';

function setUp() {
  const clock = new ManualClock();
  const running = new Map<string, () => void>();
  const log: string[] = [];
  const slots = new SharedSlots({
    clock,
    defer: (firing, { runId }) => log.push(`${firing.runId} deferred behind ${runId}`),
  });
  const ends: Promise<void>[] = [];
  const batch = slots.ofBatch({
    submit: (work, firing) => ends.push(work(firing)),
    run: ({ runId }) => {
      log.push(`${runId} begins`);
      return new Promise((resolve) => running.set(runId, resolve));
    },
    enter: () => () => {},
  });
  /** Starts firings in a slot. Resolves when the workers that they occupy are free. */
  const begin = (slot: number, ...ids: readonly string[]) => {
    for (const runId of ids) batch.add(slot, aFiring({ runId }));
    return Promise.all(ends);
  };
  const workers = () => ends.length;
  const end = async (runId: string) => {
    running.get(runId)?.();
    await yieldToEventLoop();
  };
  const pass = async (duration: number) => {
    clock.advanceBy(duration);
    await yieldToEventLoop();
  };
  return { clock, slots, log, batch, begin, end, pass, workers };
}

describe('firings that share a slot', () => {
  it('run one after another, in parallel with other slots', async () => {
    const { begin, end, log, slots } = setUp();
    const all = Promise.all([begin(0, 'a1', 'a2', 'a3'), begin(1, 'b1', 'b2')]);
    expect(log).toEqual(['a1 begins', 'b1 begins']);
    await end('a1');
    await end('a2');
    await end('b1');
    expect(log.slice(2)).toEqual(['a2 begins', 'a3 begins', 'b2 begins']);
    expect(slots.isIdle).toBe(false);
    await end('a3');
    await end('b2');
    await all;
    expect(slots.isIdle).toBe(true);
  });

  it('are deferred together if they still wait after 50 ms', async () => {
    const { begin, end, log, pass, slots } = setUp();
    const all = begin(0, 'a1', 'a2', 'a3', 'a4');
    await end('a1');
    await pass(49);
    expect(log).toEqual(['a1 begins', 'a2 begins']);
    await pass(1);
    expect(log.slice(2)).toEqual(['a3 deferred behind a2', 'a4 deferred behind a2']);
    await slots.whenNoneWaits();
    await end('a2');
    await all;
    expect([log, slots.isIdle]).toEqual([log.slice(0, 4), true]);
  });

  it('leave no timer after all have run', async () => {
    const { begin, clock, end } = setUp();
    const all = begin(0, 'a1', 'a2');
    expect(clock.nextWakeTime).toBe(50);
    await end('a1');
    await end('a2');
    await all;
    expect(clock.nextWakeTime).toBeNull();
  });

  it('are deferred on request, while running ones continue', async () => {
    const { begin, end, log, slots } = setUp();
    const all = Promise.all([begin(0, 'a1', 'a2'), begin(1, 'b1')]);
    let isWaiting = true;
    const none = slots.whenNoneWaits()?.then(() => {
      isWaiting = false;
    });
    await yieldToEventLoop();
    expect(isWaiting).toBe(true);
    slots.deferWaiting();
    await none;
    expect(log).toEqual(['a1 begins', 'b1 begins', 'a2 deferred behind a1']);
    await end('a1');
    await end('b1');
    await all;
  });

  it('continue after a failed run', async () => {
    const slots = new SharedSlots({ clock: new ManualClock(), defer: () => {} });
    const ran: string[] = [];
    const left: string[] = [];
    const ends: Promise<void>[] = [];
    const batch = slots.ofBatch({
      submit: (work, firing) => ends.push(work(firing)),
      run: async ({ runId }) => {
        ran.push(runId);
        if (runId === 'a') throw new Error('failed');
      },
      enter:
        ({ runId }) =>
        () =>
          left.push(runId),
    });
    for (const runId of ['a', 'b']) batch.add(0, aFiring({ runId }));
    const [worker] = await Promise.allSettled(ends);
    expect([worker?.status, ran, left, slots.isIdle]).toEqual(['rejected', ['a', 'b'], ['a', 'b'], true]);
  });

  it('occupy a single worker', async () => {
    const { begin, end, workers } = setUp();
    const all = begin(0, 'a1', 'a2', 'a3');
    expect(workers()).toBe(1);
    for (const runId of ['a1', 'a2', 'a3']) await end(runId);
    await all;
  });

  it('resolve whenNoneWaits once the last of them has started', async () => {
    const { begin, end, slots } = setUp();
    expect(slots.whenNoneWaits()).toBeUndefined();
    const all = begin(0, 'a1', 'a2');
    let isIdle = false;
    void slots.whenNoneWaits()?.then(() => {
      isIdle = true;
    });
    await Promise.resolve();
    expect(isIdle).toBe(false);
    await end('a1');
    expect(isIdle).toBe(true);
    await end('a2');
    await all;
  });
});

function aDispatch() {
  const clock = new ManualClock();
  const log: string[] = [];
  const running = new Map<string, () => void>();
  const workers = new AsyncWorkerPool({ clock, size: 9, onError: (error) => log.push(String(error)) });
  const dispatch = new FiringDispatch({
    ...{ clock, workers, bus: new EventBus() },
    execute: ({ runId }) => new Promise((resolve) => running.set(runId, resolve)),
    defer: ({ runId }) => log.push(`${runId} deferred`),
  });
  const fire = (...firings: readonly Parameters<typeof aFiring>[0][]) =>
    dispatch.dispatch(
      firings.map((fields) => ({ status: 'fired', firing: aFiring({ fireTime: clock.now(), ...fields }) })),
    );
  const begun = () => [...running.keys()];
  const end = async (runId: string, duration = 0) => {
    clock.advanceBy(duration);
    running.get(runId)?.();
    await yieldToEventLoop();
  };
  return { dispatch, workers, log, fire, begun, end };
}

describe('the dispatch of firings that share a slot', () => {
  it('uses one worker per slot and batch, and runs the firings of a slot in turn', async () => {
    const { begun, end, fire, workers } = aDispatch();
    fire({ runId: 'a1', slot: 0 }, { runId: 'plain' }, { runId: 'a2', slot: 0 });
    fire({ runId: 'b1', slot: 0 });
    await yieldToEventLoop();
    expect([begun(), workers.running]).toEqual([['plain', 'a1', 'b1'], 3]);
    await end('a1');
    expect([begun().at(-1), workers.running]).toEqual(['a2', 3]);
  });

  it('measures runs, and lets job types with short runs share slots', async () => {
    const { dispatch, end, fire } = aDispatch();
    const runAll = async (count: number, fields: object) => {
      for (let run = 0; run < count; run++) {
        fire({ runId: 'r', ...fields });
        await yieldToEventLoop();
        await end('r', 1);
      }
    };
    expect(dispatch.runsPerSlot).toEqual({});
    await runAll(99, {});
    expect(Object.values(dispatch.runsPerSlot)).toEqual([10]);
    fire({ runId: 'slow', slot: 0 });
    await yieldToEventLoop();
    await end('slow', 1_000);
    expect(dispatch.runsPerSlot).toEqual({});
  });

  it('defers waiting firings when the node may have been declared dead, and drops none', async () => {
    const { begun, dispatch, end, fire, log } = aDispatch();
    fire({ runId: 'a1', slot: 0 }, { runId: 'a2', slot: 0 });
    await yieldToEventLoop();
    let haveStarted = false;
    const started = dispatch.whenHeldHaveStarted().then(() => {
      haveStarted = true;
    });
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
    expect(haveStarted).toBe(false);
    expect(dispatch.dropHeld()).toEqual([]);
    await started;
    await end('a1');
    expect([begun(), log]).toEqual([['a1'], ['a2 deferred']]);
  });
});

describe('the trigger loop', () => {
  it('requests shared slots for a job type once its limited runs were short', async () => {
    const acquire = jest.spyOn(MemoryJobStore.prototype, 'acquireTriggers');
    const harness = await anEngine({ jobs: { job: async () => {} } });
    await harness.engine.start();
    const lastRequest = () => acquire.mock.lastCall?.[0];
    const policy = { concurrency: { key: 'mail', limit: 5 } };
    const triggers = Array.from({ length: 60 }, (_, at) => ({ key: triggerKey(`t${at}`), startTime: 0 }));
    await harness.schedule({}, { key: triggerKey('plain'), startTime: 0 });
    await harness.settle();
    expect(lastRequest()).not.toHaveProperty('runsPerSlot');
    await harness.schedule({ key: jobKey('limited'), policy }, ...triggers);
    for (let turn = 0; turn < 20; turn++) await harness.settle();
    expect(lastRequest()?.runsPerSlot).toEqual({ job: 100 });
    await harness.engine.shutdown({ waitForJobs: false, deadline: 0 });
    acquire.mockRestore();
  });
});
