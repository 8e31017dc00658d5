import { Gate } from '../../../src/base/gate';
import { triggerKey } from '../../../src/domain/keys';
import type { FireNow } from '../../../src/store/job-store';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { anEngine, type Harness, IDLE } from './harness';
import { aFiring, aTrigger } from './samples';

const stop = ({ engine }: Harness) => engine.shutdown({ waitForJobs: false, deadline: 0 });

const firedOf = (name: string) => ({
  status: 'fired' as const,
  firing: aFiring({ runId: name, trigger: aTrigger({ key: triggerKey(name), nextFireTime: null }) }),
});

/** Records how many triggers the loop requests each time. */
function watchRequests(): { readonly asked: () => readonly number[]; readonly restore: () => void } {
  const spy = jest.spyOn(MemoryJobStore.prototype, 'acquireTriggers');
  return { asked: () => spy.mock.calls.map(([{ maxCount }]) => maxCount), restore: () => spy.mockRestore() };
}

/** A started engine whose jobs note their trigger and run until the test ends them. */
async function busy(options: Parameters<typeof anEngine>[0] = {}) {
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  const job = ({ trigger }: { trigger: { key: { name: string } } }) => {
    ran.push(trigger.key.name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const harness: Harness = await anEngine({ jobs: { job }, ...options });
  await harness.engine.start();
  await harness.settle();
  const wake = async () => {
    harness.engine.scheduleChanged(null);
    await harness.settle();
  };
  const endAll = async () => {
    while (ends.length > 0) {
      ends.shift()?.();
      await harness.settle();
    }
  };
  const scheduled = async (...names: readonly string[]) => {
    await harness.schedule({}, ...names.map((name) => ({ key: triggerKey(name) })));
    await harness.settle();
  };
  return { ...harness, ran, ends, wake, endAll, scheduled };
}

/** Requests an offer, and fails if it is refused. */
function offered({ engine }: Harness, count = 1): FireNow {
  const offer = engine.offer(count);
  expect(offer).toEqual({ maxCount: count, jobTypes: ['job'] });
  return offer as FireNow;
}

async function dispatchReserved(harness: Harness, offer: FireNow, ...names: readonly string[]): Promise<void> {
  harness.engine.dispatchReserved(offer, names.map(firedOf));
  await harness.settle();
}

describe('worker offers to schedule changes', () => {
  it('are refused before the start, in standby and after shutdown', async () => {
    const harness = await anEngine({ jobs: { job: () => {} } });
    expect(harness.engine.offer(1)).toBeNull();
    await harness.engine.start();
    await harness.settle();
    await dispatchReserved(harness, offered(harness));
    await harness.engine.standby();
    expect(harness.engine.offer(1)).toBeNull();
    await harness.engine.start();
    await harness.settle();
    await dispatchReserved(harness, offered(harness));
    await stop(harness);
    expect(harness.engine.offer(1)).toBeNull();
  });

  it('are refused while the gate is closed', async () => {
    const gate = new Gate();
    gate.open();
    const harness = await busy({ gate });
    gate.close();
    expect(harness.engine.offer(1)).toBeNull();
    gate.open();
    await dispatchReserved(harness, offered(harness));
    await stop(harness);
  });

  it('are refused while too many completions wait for the store', async () => {
    const harness = await anEngine({ jobs: { job: () => {} }, threadCount: 50 });
    await harness.engine.start();
    harness.store.fail('completeTriggers', Number.POSITIVE_INFINITY);
    await harness.schedule({}, ...Array.from({ length: 2_500 }, (_, n) => ({ key: triggerKey(`t${n}`) })));
    await harness.advanceTo(100);
    expect(harness.workers.running).toBe(0);
    expect(harness.engine.offer(1)).toBeNull();
    harness.store.fail('completeTriggers', 0);
    await harness.advanceTo(IDLE);
    await dispatchReserved(harness, offered(harness));
    await stop(harness);
  });

  it('contain all requested workers or none, and leave one worker to the loop', async () => {
    const harness = await busy({ threadCount: 5 });
    expect(harness.engine.offer(0)).toBeNull();
    expect(harness.engine.offer(5)).toBeNull();
    const offer = offered(harness, 3);
    expect(harness.engine.offer(2)).toBeNull();
    const another = offered(harness, 1);
    expect(harness.engine.offer(1)).toBeNull();
    await dispatchReserved(harness, offer);
    expect(harness.engine.offer(4)).toBeNull();
    await dispatchReserved(harness, another);
    await dispatchReserved(harness, offered(harness, 4));
    await stop(harness);
  });

  it('reduce the number of triggers that the loop requests until they end', async () => {
    const requests = watchRequests();
    const harness = await busy({ threadCount: 5 });
    const offer = offered(harness, 3);
    await harness.wake();
    await dispatchReserved(harness, offer);
    await harness.wake();
    expect(requests.asked()).toEqual([5, 2, 5]);
    requests.restore();
    await stop(harness);
  });

  it('exclude workers that the loop has reserved for requested or acquired triggers', async () => {
    const harness = await busy({ threadCount: 5, batchTriggerAcquisitionMaxCount: 3 });
    const open = harness.store.hold('acquireTriggers');
    await harness.wake();
    expect(harness.engine.offer(3)).toBeNull();
    await dispatchReserved(harness, offered(harness, 2));
    await harness.schedule({}, ...['a', 'b'].map((name) => ({ key: triggerKey(name), startTime: 1_000 })));
    open();
    await harness.settle();
    expect(await harness.stateOf('a')).toBe('ACQUIRED');
    expect(harness.engine.offer(4)).toBeNull();
    await dispatchReserved(harness, offered(harness, 3), 'c', 'd', 'e');
    await harness.advanceTo(1_000);
    expect(harness.workers.running).toBe(5);
    expect(harness.ran).toEqual(['c', 'd', 'e', 'a', 'b']);
    await harness.endAll();
    await dispatchReserved(harness, offered(harness, 4));
    await stop(harness);
  });

  it('include all workers again after a failed store request of the loop', async () => {
    const harness = await busy({ threadCount: 5 });
    harness.store.fail('acquireTriggers');
    await harness.wake();
    await dispatchReserved(harness, offered(harness, 4));
    await stop(harness);
  });

  it('suspend a loop that has no other free worker, and wake it when they end', async () => {
    const harness = await busy({ threadCount: 2 });
    const offer = offered(harness);
    await harness.scheduled('a', 'b');
    expect(harness.ran).toEqual(['a']);
    const { length } = harness.store.calls;
    await harness.settle();
    expect(harness.store.calls).toHaveLength(length);
    await dispatchReserved(harness, offer);
    expect(harness.ran).toEqual(['a', 'b']);
    await harness.endAll();
    await stop(harness);
  });

  it('run the triggers that a change fired, and free their workers afterwards', async () => {
    const harness = await busy({ threadCount: 2 });
    const offer = offered(harness);
    await harness.scheduled('a', 'b');
    await dispatchReserved(harness, offer, 'c');
    expect(harness.ran).toEqual(['a', 'c']);
    harness.ends.shift()?.();
    await harness.settle();
    expect(harness.ran).toEqual(['a', 'c', 'b']);
    await harness.endAll();
    await stop(harness);
  });

  it('do not keep the loop from firing when they follow each other', async () => {
    const harness = await busy({ threadCount: 3 });
    const [first, second] = [offered(harness), offered(harness)];
    await harness.scheduled('a', 'b', 'c');
    expect(harness.ran).toEqual(['a']);
    await dispatchReserved(harness, first);
    expect(harness.ran).toEqual(['a', 'b']);
    await dispatchReserved(harness, second);
    expect(harness.ran).toEqual(['a', 'b', 'c']);
    await harness.endAll();
    await stop(harness);
  });

  it('delay standby until they end, and the triggers that they fired run', async () => {
    const harness = await busy();
    const offer = offered(harness);
    let isStandby = false;
    const stopped = harness.engine.standby().then(() => {
      isStandby = true;
    });
    await harness.settle();
    expect(isStandby).toBe(false);
    expect(harness.engine.offer(1)).toBeNull();
    await dispatchReserved(harness, offer, 'a');
    await stopped;
    expect(harness.ran).toEqual(['a']);
    await harness.endAll();
    await stop(harness);
  });

  it('delay whenStarted, unless they were made after its call', async () => {
    const harness = await busy();
    const offer = offered(harness);
    let isHandedOn = false;
    const waiting = harness.engine.whenStarted(1_000).then(() => {
      isHandedOn = true;
    });
    await harness.settle();
    expect(isHandedOn).toBe(false);
    const later = offered(harness);
    await dispatchReserved(harness, offer, 'a');
    await waiting;
    expect(harness.ran).toEqual(['a']);
    await dispatchReserved(harness, later);
    await harness.endAll();
    await stop(harness);
  });

  it('emit the events of all their firings in the next turn', async () => {
    const harness = await busy();
    harness.engine.dispatchReserved(offered(harness, 2), ['a', 'b'].map(firedOf));
    await Promise.resolve();
    expect(harness.events).toEqual([]);
    await harness.settle();
    const types = harness.events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['triggersAcquired', 'triggerFired']);
    expect(harness.eventsOf('triggersAcquired')).toEqual([expect.objectContaining({ count: 2 })]);
    expect(harness.eventsOf('triggerFired').map(({ firing }) => firing.runId)).toEqual(['a', 'b']);
    expect(harness.eventsOf('jobStarted')).toHaveLength(2);
    await harness.endAll();
    await dispatchReserved(harness, offered(harness));
    expect(harness.eventsOf('triggersAcquired')).toHaveLength(1);
    await stop(harness);
  });
});
