import { ManualClock } from '../../../src/base/manual-clock';
import { triggerKey } from '../../../src/domain/keys';
import { ZeroSizeWorkerPool } from '../../../src/workers/worker-pool';
import { anEngine, type Harness, IDLE, THRESHOLD } from './harness';

/** A started engine whose job notes each trigger and time. */
async function started(options: Parameters<typeof anEngine>[0] = {}): Promise<Harness & { readonly ran: string[] }> {
  const ran: string[] = [];
  const harness: Harness = await anEngine({
    jobs: { job: ({ trigger }) => void ran.push(`${trigger.key.name} at ${harness.clock.now()}`) },
    ...options,
  });
  await harness.engine.start();
  await harness.settle();
  return { ...harness, ran };
}

const every = (repeatInterval: number) => ({ repeatInterval, repeatCount: -1 });
const stop = ({ engine }: Harness) => engine.shutdown({ waitForJobs: false, deadline: 0 });

describe('trigger loop', () => {
  it('fires a trigger exactly at its fire time', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.advanceTo(9_999);
    expect(harness.ran).toEqual([]);
    expect(await harness.stateOf()).toBe('ACQUIRED');
    await harness.advanceTo(20_000);
    expect(harness.ran).toEqual(['trigger at 10000']);
    await stop(harness);
  });

  it('fires a trigger that prefers another node when fallbackAfter ends, before its next idle poll', async () => {
    const harness = await started();
    const policy = { prefers: { labels: ['elsewhere'], fallbackAfter: 5_000 } };
    await harness.schedule({}, { startTime: 0, policy });
    await harness.advanceTo(4_999);
    expect(harness.ran).toEqual([]);
    await harness.advanceTo(6_000);
    expect(harness.ran).toHaveLength(1);
    await stop(harness);
  });

  it('fires a due trigger in the transaction that acquires it', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 0 });
    await harness.settle();
    expect(harness.ran).toEqual(['trigger at 0']);
    expect(harness.store.calls).not.toContain('fireTriggers');
    await stop(harness);
  });

  it('fires a repeating trigger at each of its fire times', async () => {
    const harness = await started();
    await harness.schedule({}, every(7_000));
    await harness.advanceTo(21_000);
    expect(harness.ran).toEqual([0, 7_000, 14_000, 21_000].map((time) => `trigger at ${time}`));
    await stop(harness);
  });

  it('fires a trigger that is due far beyond the idle wait and the longest timer', async () => {
    const harness = await started({ idleWaitTime: 2 ** 40, misfireInterval: 2 ** 40 });
    await harness.schedule({}, { startTime: 2 ** 33 });
    await harness.advanceTo(2 ** 33);
    expect(harness.ran).toEqual([`trigger at ${2 ** 33}`]);
    await stop(harness);
  });

  it('releases its acquired trigger when an earlier one is scheduled', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.advanceTo(1_000);
    await harness.schedule({}, { key: triggerKey('early'), startTime: 5_000 });
    await harness.settle();
    expect([await harness.stateOf('trigger'), await harness.stateOf('early')]).toEqual(['WAITING', 'ACQUIRED']);
    await harness.advanceTo(10_000);
    expect(harness.ran).toEqual(['early at 5000', 'trigger at 10000']);
    await stop(harness);
  });

  it('keeps its acquired trigger when one for a later or the same time is scheduled', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.advanceTo(1_000);
    await harness.schedule({}, { key: triggerKey('late'), startTime: 10_000 });
    await harness.advanceTo(9_999);
    expect(harness.store.calls).not.toContain('releaseTriggers');
    await harness.advanceTo(10_000);
    expect(harness.ran).toEqual(['trigger at 10000', 'late at 10000']);
    await stop(harness);
  });

  it('keeps its acquired trigger shortly before its fire time, even if an earlier one is scheduled', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.advanceTo(9_994);
    await harness.schedule({}, { key: triggerKey('early'), startTime: 9_997 });
    await harness.advanceTo(10_000);
    expect(harness.store.calls).not.toContain('releaseTriggers');
    expect(harness.ran).toEqual(['trigger at 10000', 'early at 10000']);
    await stop(harness);
  });

  it('wakes from its idle wait when a trigger is scheduled', async () => {
    const harness = await started();
    await harness.advanceTo(5_000);
    await harness.schedule({}, { startTime: 5_500 });
    await harness.advanceTo(5_500);
    expect(harness.ran).toEqual(['trigger at 5500']);
    await stop(harness);
  });

  it('does not miss a trigger that is scheduled during a store request', async () => {
    const harness = await started();
    const open = harness.store.hold('acquireTriggers');
    harness.engine.scheduleChanged(null);
    await harness.settle();
    await harness.schedule({}, { startTime: 1_000 });
    open();
    await harness.advanceTo(1_000);
    expect(harness.ran).toEqual(['trigger at 1000']);
    await stop(harness);
  });

  it('polls the store once per idle wait', async () => {
    const harness = await started();
    const asked = () => harness.store.calls.filter((call) => call === 'acquireTriggers').length;
    expect(asked()).toBe(1);
    await harness.advanceTo(IDLE * 10);
    expect(asked()).toBe(11);
    await stop(harness);
  });

  it('acquires at most as many triggers as there are free workers', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const job = async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    };
    const harness = await started({ threadCount: 2, jobs: { job } });
    await harness.schedule({}, ...[1, 2, 3, 4, 5].map((n) => ({ key: triggerKey(`t${n}`) })));
    await harness.settle();
    const states = async () => Promise.all([1, 2, 3, 4, 5].map((n) => harness.stateOf(`t${n}`)));
    expect((await states()).filter((state) => state === 'WAITING')).toHaveLength(3);
    while (ends.length > 0) {
      ends.shift()!();
      await harness.settle();
    }
    expect(most).toBe(2);
    expect(await states()).toEqual([null, null, null, null, null]);
    await stop(harness);
  });

  it('leaves triggers of an unknown job type WAITING until the type is registered', async () => {
    const harness = await started();
    await harness.schedule({ jobType: 'later' }, {});
    await harness.advanceTo(1_000);
    expect(await harness.stateOf()).toBe('WAITING');
    let runs = 0;
    harness.registry.register('later', () => void runs++);
    await harness.settle();
    expect(runs).toBe(1);
    await stop(harness);
  });

  it('acquires nothing on a node that has no workers', async () => {
    const harness = await started({ workers: new ZeroSizeWorkerPool() });
    await harness.schedule({}, {});
    await harness.advanceTo(1_000);
    expect(harness.store.calls).not.toContain('acquireTriggers');
    expect(await stop(harness)).toEqual({ abandoned: 0, undone: [] });
    expect(await harness.stateOf()).toBe('WAITING');
  });

  it('reports why an acquired trigger did not fire', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.advanceTo(1_000);
    await harness.store.target.pauseTriggers([triggerKey('trigger')]);
    await harness.advanceTo(10_000);
    expect(harness.ran).toEqual([]);
    expect(harness.eventsOf('triggerNotFired')).toEqual([expect.objectContaining({ reason: 'paused' })]);
    await stop(harness);
  });

  it('publishes events for acquired and fired triggers', async () => {
    const harness = await started();
    await harness.schedule({}, {});
    await harness.settle();
    const types = harness.events.map(({ type }) => type);
    expect(types).toEqual(['triggersAcquired', 'triggerFired', 'jobStarted', 'triggerCompleted', 'triggerFinalized']);
    await stop(harness);
  });

  describe('when the store fails', () => {
    it('reports an outage once, retries with growing pauses, and continues', async () => {
      const harness = await started();
      harness.store.fail('acquireTriggers', 4);
      await harness.schedule({}, { startTime: 0 });
      await harness.settle();
      expect(harness.eventsOf('schedulerError')).toHaveLength(1);
      await harness.advanceTo(50 + 100 + 200);
      expect(harness.ran).toEqual([]);
      await harness.advanceTo(50 + 100 + 200 + 400);
      expect(harness.ran).toEqual(['trigger at 750']);
      expect(harness.eventsOf('schedulerError')).toHaveLength(1);
      harness.store.fail('acquireTriggers');
      harness.engine.scheduleChanged(null);
      await harness.settle();
      expect(harness.eventsOf('schedulerError')).toHaveLength(2);
      await stop(harness);
    });

    it('releases triggers that it could not fire, and fires them later', async () => {
      const harness = await started();
      await harness.schedule({}, { startTime: 10_000 });
      await harness.settle();
      harness.store.fail('fireTriggers');
      await harness.advanceTo(10_000);
      expect(await harness.stateOf()).toBe('WAITING');
      await harness.advanceTo(11_000);
      expect(harness.ran).toEqual(['trigger at 10050']);
      await stop(harness);
    });

    it('fires after a short pause once it has released its triggers, however often that failed', async () => {
      const harness = await started();
      await harness.schedule({}, { startTime: 10_000 });
      await harness.settle();
      harness.store.fail('fireTriggers');
      harness.store.fail('releaseTriggers', 4);
      await harness.advanceTo(10_000 + 50 + 100 + 200 + 400);
      expect(await harness.stateOf()).toBe('WAITING');
      await harness.advanceTo(12_000);
      expect(harness.ran).toEqual(['trigger at 10800']);
      await stop(harness);
    });

    it('retries until it has released its acquired triggers', async () => {
      const harness = await started();
      await harness.schedule({}, { startTime: 10_000 });
      await harness.settle();
      harness.store.fail('releaseTriggers', 3);
      await harness.schedule({}, { key: triggerKey('early'), startTime: 5_000 });
      await harness.advanceTo(10_000);
      expect(harness.ran).toEqual(['early at 5000', 'trigger at 10000']);
      await stop(harness);
    });

    it('stops after a few failed attempts to release its triggers', async () => {
      const harness = await started();
      await harness.schedule({}, { startTime: 10_000 });
      await harness.settle();
      harness.store.fail('releaseTriggers', Number.POSITIVE_INFINITY);
      await harness.engine.standby();
      expect(harness.store.calls.filter((call) => call === 'releaseTriggers')).toHaveLength(3);
      expect(harness.eventsOf('schedulerError')).toHaveLength(1);
      await stop(harness);
    });
  });

  describe('when the wall clock is stepped', () => {
    const START = 100 * 3_600_000;
    const atStart = () => started({ clock: new ManualClock(START) });

    it('back, fires no trigger twice and releases a trigger that is now hours away', async () => {
      const harness = await atStart();
      await harness.schedule({}, every(10_000));
      await harness.advanceTo(START + 5_000);
      harness.clock.stepTo(START - 3_600_000);
      await harness.settle();
      expect(await harness.stateOf()).toBe('WAITING');
      expect(harness.eventsOf('clockStepped')).toEqual([expect.objectContaining({ stepMs: -3_605_000 })]);
      await harness.advanceTo(START + 10_000);
      expect(harness.ran).toEqual([`trigger at ${START}`, `trigger at ${START + 10_000}`]);
      await stop(harness);
    });

    it('back, still fires triggers scheduled for the new time', async () => {
      const harness = await atStart();
      harness.clock.stepTo(START - 3_600_000);
      await harness.schedule({}, { startTime: START - 3_600_000 + 1_000 });
      await harness.advanceTo(START - 3_600_000 + 1_000);
      expect(harness.ran).toHaveLength(1);
      await stop(harness);
    });

    it('forward, fires newly due triggers at once, and only once', async () => {
      const harness = await atStart();
      await harness.schedule({}, { startTime: START + 20_000 });
      await harness.settle();
      harness.clock.stepTo(START + 25_000);
      await harness.settle();
      expect(harness.ran).toEqual([`trigger at ${START + 25_000}`]);
      expect(harness.eventsOf('clockStepped')).toEqual([expect.objectContaining({ stepMs: 25_000 })]);
      await stop(harness);
    });

    it('forward past the misfire threshold, checks for misfires at once', async () => {
      const harness = await atStart();
      await harness.schedule({}, { ...every(3_600_000), startTime: START + IDLE * 2 });
      await harness.settle();
      harness.clock.stepTo(START + IDLE * 2 + THRESHOLD + 1);
      await harness.settle();
      expect(harness.eventsOf('triggerMisfired')).toHaveLength(1);
      await stop(harness);
    });

    it('by 400 ms, reports no step', async () => {
      const harness = await atStart();
      harness.clock.stepTo(START + 400);
      await harness.settle();
      expect(harness.eventsOf('clockStepped')).toEqual([]);
      await stop(harness);
    });
  });

  it('checks for misfires at once if all workers were busy for longer than the misfire threshold', async () => {
    let end = () => {};
    const job = () =>
      new Promise<void>((resolve) => {
        end = resolve;
      });
    const harness = await started({ threadCount: 1, jobs: { job }, misfireInterval: 2 ** 40 });
    await harness.schedule({}, { key: triggerKey('long') });
    await harness.schedule({}, { ...every(3_600_000), startTime: 1_000 });
    await harness.advanceTo(THRESHOLD + 2_000);
    end();
    await harness.settle();
    expect(harness.eventsOf('triggerMisfired')).toHaveLength(1);
    end();
    await stop(harness);
  });

  it('checks for misfires at once if the host was suspended for longer than the misfire threshold', async () => {
    const harness = await started({ misfireInterval: 2 ** 40 });
    await harness.schedule({}, { ...every(3_600_000), startTime: IDLE + 1 });
    await harness.settle();
    harness.clock.advanceTo(IDLE + THRESHOLD + 2);
    await harness.settle();
    expect(harness.eventsOf('triggerMisfired')).toHaveLength(1);
    await stop(harness);
  });

  it('makes no store request in standby while every worker is busy', async () => {
    const ends: (() => void)[] = [];
    const harness = await started({
      threadCount: 1,
      jobs: { job: () => new Promise<void>((resolve) => ends.push(resolve)) },
    });
    await harness.schedule({}, every(1_000));
    await harness.settle();
    const { length } = harness.store.calls;
    await harness.engine.standby();
    expect(harness.store.calls).toHaveLength(length);
    ends[0]!();
    await stop(harness);
  });

  it('yields to the event loop while it fires many due triggers', async () => {
    /** Advances with every reading, as a real clock does. */
    class TickingClock extends ManualClock {
      #ticks = 0;
      override monotonic(): number {
        this.#ticks += 0.1;
        return super.monotonic() + this.#ticks;
      }
    }
    const harness = await anEngine({ clock: new TickingClock(), jobs: { job: () => {} } });
    await harness.schedule({}, ...Array.from({ length: 1_000 }, (_, n) => ({ key: triggerKey(`t${n}`) })));
    let turnsOfHost = 0;
    const host = () => {
      turnsOfHost++;
      if (harness.engine.numberOfJobsExecuted < 1_000) setImmediate(host);
    };
    host();
    await harness.engine.start();
    await harness.engine.whenQuiet();
    expect(harness.engine.numberOfJobsExecuted).toBe(1_000);
    expect(turnsOfHost).toBeGreaterThan(10);
    await stop(harness);
  });

  it('acquires no more triggers while too many completions wait for the store', async () => {
    const harness = await started({ threadCount: 50, batchTriggerAcquisitionMaxCount: 1 });
    harness.store.fail('completeTriggers', Number.POSITIVE_INFINITY);
    await harness.schedule({}, ...Array.from({ length: 3_000 }, (_, n) => ({ key: triggerKey(`t${n}`) })));
    await harness.advanceTo(100);
    const { length } = harness.ran;
    expect(length).toBeGreaterThan(1_900);
    expect(length).toBeLessThanOrEqual(2_000 + 2 * 50);
    harness.store.fail('completeTriggers', 0);
    await harness.advanceTo(THRESHOLD);
    expect(harness.ran).toHaveLength(3_000);
    await stop(harness);
  });

  it('waits for more free workers before its next request if requests are slow and the last batch was full', async () => {
    const ends: (() => void)[] = [];
    const jobs = { job: () => new Promise<void>((resolve) => ends.push(resolve)) };
    const harness = await started({ jobs, threadCount: 3 });
    const open = harness.store.hold('acquireTriggers');
    await harness.schedule({}, ...Array.from({ length: 9 }, (_, n) => ({ key: triggerKey(`t${n}`) })));
    await harness.settle();
    await harness.advanceTo(1_000);
    open();
    await harness.settle();
    expect(ends).toHaveLength(3); // the request took one second
    const asked = () => harness.store.calls.filter((call) => call === 'acquireTriggers').length;
    const before = asked();
    ends[0]?.();
    await harness.settle();
    expect(asked()).toBe(before);
    ends[1]?.();
    await harness.advanceTo(1_100);
    expect([asked(), ends.length]).toEqual([before + 1, 5]);
    for (const end of ends) end();
    await stop(harness);
  });

  it('requests more triggers at once if requests are fast', async () => {
    const ends: (() => void)[] = [];
    const jobs = { job: () => new Promise<void>((resolve) => ends.push(resolve)) };
    const harness = await started({ jobs, threadCount: 3 });
    await harness.schedule({}, ...Array.from({ length: 9 }, (_, n) => ({ key: triggerKey(`t${n}`) })));
    await harness.settle();
    ends[0]?.();
    await harness.settle();
    expect(ends).toHaveLength(4);
    for (const end of ends) end();
    await stop(harness);
  });

  it('releases acquired triggers in standby, and acquires them again after start', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 10_000 });
    await harness.settle();
    expect(await harness.stateOf()).toBe('ACQUIRED');
    await harness.engine.standby();
    await harness.engine.standby();
    expect(await harness.stateOf()).toBe('WAITING');
    await harness.advanceTo(11_000);
    expect(harness.ran).toEqual([]);
    await harness.engine.start();
    await harness.settle();
    expect(harness.ran).toEqual(['trigger at 11000']);
    await stop(harness);
  });

  it('runs triggers that the store fired before standby, and releases those only acquired', async () => {
    const harness = await started();
    for (const startTime of [0, 5_000]) {
      const open = harness.store.hold('acquireTriggers');
      await harness.schedule({}, { key: triggerKey(`t${startTime}`), startTime });
      await harness.settle();
      const stopped = harness.engine.standby();
      open();
      await stopped;
      await harness.settle();
      await harness.engine.start();
      await harness.settle();
      await harness.engine.standby();
    }
    expect(harness.ran).toEqual(['t0 at 0']);
    expect(await harness.stateOf('t5000')).toBe('WAITING');
    await stop(harness);
  });
});
