import { SchedulerError } from '../../../src/base/errors';
import { DETECTION, INTERVAL, World } from './harness';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

describe('joining under an id that is already stored', () => {
  it('is refused at once if the other node with this id checks in', async () => {
    const first = world.node('same');
    const second = world.node('same');
    await world.start(first);
    await world.advance(INTERVAL);
    await expect(world.start(second)).rejects.toMatchObject({ code: 'INSTANCE_ID_TAKEN' });
    await world.advance(2 * DETECTION);
    expect(first.leasesLost).toEqual([]);
    expect(second.firingAllowed).toEqual([]);
    expect([second.leasesLost, second.events]).toEqual([[], []]);
    expect(world.store.row('same')?.epoch).toBe(first.node.epoch);
  });

  it('succeeds for one of two nodes that start together', async () => {
    const nodes = [world.node('same'), world.node('same')];
    const outcomes = await Promise.allSettled([world.start(nodes[0] as never), world.start(nodes[1] as never)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(SchedulerError);
  });

  it('waits until the lease of a dead node has ended, and recovers its firings', async () => {
    world.store.put({ instanceId: 'a', epoch: 'before' });
    const a = world.node('a');
    const startedAt = world.storeClock.now();
    await world.start(a);
    const waited = world.storeClock.now() - startedAt;
    expect(waited).toBeGreaterThanOrEqual(0.8 * DETECTION);
    expect(waited).toBeLessThan(DETECTION);
    expect(a.eventsOf('nodeRecovered')).toMatchObject([{ report: { instanceId: 'a', lost: 1 } }]);
    expect(a.changes).toEqual([null]);
  });

  it('does not wait if the other node has been silent for long', async () => {
    world.store.put({ instanceId: 'a', epoch: 'before', lastCheckInTime: world.storeClock.now() - 2 * DETECTION });
    const a = world.node('a');
    const startedAt = world.storeClock.now();
    await world.start(a);
    expect(world.storeClock.now()).toBe(startedAt);
  });

  it('takes over at once if the machine knows that the other process has ended', async () => {
    world.store.put({ instanceId: 'a', epoch: 'before', processId: 7 });
    const a = world.node('a', { isDeadProcess: ({ processId }) => processId === 7 });
    const startedAt = world.storeClock.now();
    await world.start(a);
    expect(world.storeClock.now()).toBe(startedAt);
    expect(a.eventsOf('nodeRecovered')).toMatchObject([{ report: { instanceId: 'a', lost: 1 } }]);
  });

  it('waits for a Java node with this id, because its times are by its own clock', async () => {
    world.store.put({ instanceId: 'a', epoch: null, lastCheckInTime: world.storeClock.now() - 3_600_000 });
    const a = world.node('a');
    const startedAt = world.storeClock.now();
    await world.start(a);
    expect(world.storeClock.now() - startedAt).toBeGreaterThanOrEqual(0.8 * DETECTION);
  });

  it('stops waiting when the node is stopped', async () => {
    world.store.put({ instanceId: 'a', epoch: 'before' });
    const a = world.node('a');
    const started = a.node.start();
    await world.settle();
    await a.node.stop();
    await started;
    expect(a.firingAllowed).toEqual([]);
    expect(world.store.row('a')?.epoch).toBe('before');
  });
});
