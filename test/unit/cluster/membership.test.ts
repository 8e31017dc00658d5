import { SchedulerError } from '../../../src/base/errors';
import { DETECTION, INTERVAL, World } from './harness';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

describe('joining under an id that is stored', () => {
  it('is refused at once when the namesake checks in', async () => {
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

  it('lets one of two in that start together', async () => {
    const nodes = [world.node('same'), world.node('same')];
    const outcomes = await Promise.allSettled([world.start(nodes[0] as never), world.start(nodes[1] as never)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect((refused as PromiseRejectedResult).reason).toBeInstanceOf(SchedulerError);
  });

  it('waits until the lease of a dead namesake is certainly over, and recovers what it left', async () => {
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

  it('does not wait for a namesake that is long overdue', async () => {
    world.store.put({ instanceId: 'a', epoch: 'before', lastCheckInTime: world.storeClock.now() - 2 * DETECTION });
    const a = world.node('a');
    const startedAt = world.storeClock.now();
    await world.start(a);
    expect(world.storeClock.now()).toBe(startedAt);
  });

  it('takes over at once from a namesake whose process this machine knows to have ended', async () => {
    world.store.put({ instanceId: 'a', epoch: 'before', processId: 7 });
    const a = world.node('a', { isDeadProcess: ({ processId }) => processId === 7 });
    const startedAt = world.storeClock.now();
    await world.start(a);
    expect(world.storeClock.now()).toBe(startedAt);
    expect(a.eventsOf('nodeRecovered')).toMatchObject([{ report: { instanceId: 'a', lost: 1 } }]);
  });

  it('watches a Java namesake, whose times are by a clock of its own', async () => {
    world.store.put({ instanceId: 'a', epoch: null, lastCheckInTime: world.storeClock.now() - 3_600_000 });
    const a = world.node('a');
    const startedAt = world.storeClock.now();
    await world.start(a);
    expect(world.storeClock.now() - startedAt).toBeGreaterThanOrEqual(0.8 * DETECTION);
  });

  it('gives up waiting when the node is stopped', async () => {
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
