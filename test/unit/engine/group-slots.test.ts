import { jobKey, triggerKey } from '../../../src/domain/keys';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { anEngine, type Harness } from './harness';

const stop = ({ engine }: Pick<Harness, 'engine'>) => engine.shutdown({ waitForJobs: false, deadline: 0 });

/** A started engine that runs at most two jobs of the group `reports` at once. Its jobs run until the test ends them by name. */
async function limited(reports = 2) {
  const running = new Map<string, () => void>();
  const job = ({ trigger }: { trigger: { key: { name: string } } }) =>
    new Promise<void>((resolve) => running.set(trigger.key.name, resolve));
  const threadPool = { workerThreads: 1, groupLimits: { reports } };
  const harness: Harness = await anEngine({ jobs: { job }, threadPool, threadCount: 10 });
  await harness.engine.start();
  await harness.settle();
  const end = async (name: string) => {
    running.get(name)?.();
    running.delete(name);
    await harness.settle();
  };
  const schedule = async (group: string, names: readonly string[], startTime = harness.clock.now()) => {
    const triggers = names.map((name) => ({ key: triggerKey(name), startTime }));
    await harness.schedule({ key: jobKey('job', group) }, ...triggers);
    await harness.settle();
  };
  return { ...harness, running: () => [...running.keys()].sort(), end, schedule };
}

const requests = ({ store }: Pick<Harness, 'store'>) => store.calls.filter((name) => name === 'acquireTriggers').length;

describe('the limit of a job group on a node', () => {
  it('is never exceeded, keeps further triggers WAITING, and does not limit other groups', async () => {
    const harness = await limited();
    await harness.schedule('reports', ['r1', 'r2', 'r3', 'r4']);
    await harness.schedule('other', ['o1', 'o2', 'o3']);
    expect(harness.running()).toEqual(['o1', 'o2', 'o3', 'r1', 'r2']);
    expect([await harness.stateOf('r3'), await harness.stateOf('r4')]).toEqual(['WAITING', 'WAITING']);
    await stop(harness);
  });

  it('lets the next run start as soon as one has ended', async () => {
    const harness = await limited();
    await harness.schedule('reports', ['r1', 'r2', 'r3', 'r4']);
    await harness.end('r2');
    expect(harness.running()).toEqual(['r1', 'r3']);
    await harness.end('r1');
    await harness.end('r3');
    expect(harness.running()).toEqual(['r4']);
    await stop(harness);
  });

  it('makes the loop poll again if a run ended during a store request', async () => {
    const harness = await limited(1);
    await harness.schedule('reports', ['r1', 'r2']);
    const go = harness.store.hold('acquireTriggers');
    await harness.schedule('other', ['o1']);
    await harness.end('r1');
    expect(harness.running()).toEqual([]);
    go();
    await harness.settle();
    expect(harness.running()).toEqual(['o1', 'r2']);
    await stop(harness);
  });

  it('causes no new poll after a run if no other run waits for the limit', async () => {
    const harness = await limited();
    await harness.schedule('reports', ['r1']);
    const before = requests(harness);
    await harness.end('r1');
    expect(requests(harness)).toBe(before);
    await stop(harness);
  });

  it('keeps all jobs of the group from running there if it is 0', async () => {
    const harness = await limited(0);
    await harness.schedule('reports', ['r1']);
    await harness.schedule('other', ['o1']);
    expect(harness.running()).toEqual(['o1']);
    await stop(harness);
  });

  it('releases triggers that a store has acquired beyond it', async () => {
    const { acquireTriggers } = MemoryJobStore.prototype;
    const careless = jest.spyOn(MemoryJobStore.prototype, 'acquireTriggers');
    careless.mockImplementation(function (this: MemoryJobStore, { groupCapacity: _, ...request }) {
      return acquireTriggers.call(this, { ...request, timeWindow: 1_000 });
    });
    const harness = await limited();
    await harness.schedule('reports', ['r1', 'r2', 'r3'], 5_000);
    expect(await harness.stateOf('r3')).toBe('ACQUIRED');
    careless.mockRestore();
    await harness.advanceTo(5_000);
    expect(harness.running()).toEqual(['r1', 'r2']);
    expect(await harness.stateOf('r3')).toBe('WAITING');
    await harness.end('r1');
    expect(harness.running()).toEqual(['r2', 'r3']);
    await stop(harness);
  });

  it('excludes the group from firing as part of schedule changes', async () => {
    const harness = await limited();
    const offer = harness.engine.offer(1);
    expect(offer).toMatchObject({ exceptGroups: ['reports'] });
    if (offer !== null) harness.engine.dispatchReserved(offer, []);
    await stop(harness);
  });
});
