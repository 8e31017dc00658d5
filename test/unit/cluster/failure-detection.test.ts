import { DETECTION, GRACE, INTERVAL, type TestNode, World } from './harness';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

const failedOf = (node: TestNode) => node.eventsOf('nodeFailed').map(({ instanceId }) => instanceId);

describe('a node that fails', () => {
  it('is detected after its detection time, within one further check-in', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(2 * INTERVAL);
    b.stop();
    const last = world.store.row('b')?.lastCheckInTime as number;
    while (failedOf(a).length === 0) await world.advance(10, 10);
    const after = world.storeClock.now() - last;
    expect(after).toBeGreaterThanOrEqual(DETECTION);
    expect(after).toBeLessThanOrEqual(DETECTION + INTERVAL / 3 + 50);
  });

  it('is detected within 0.25 s if the machine reports the end of the process', async () => {
    let isDead = false;
    const isDeadProcess = ({ instanceId }: { readonly instanceId: string }) => isDead && instanceId === 'b';
    const a = world.node('a', { isDeadProcess });
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(20_000); // without changes for a while, the node polls half as often
    b.stop();
    isDead = true;
    await world.advance(250, 10);
    expect(failedOf(a)).toEqual(['b']);
    expect(world.store.recoveries).toEqual(['b']);
    await world.advance(2 * DETECTION);
    expect(failedOf(a)).toEqual(['b']);
    expect(world.store.recoveries).toEqual(['b']);
  });

  it('is reported once, before its recovery, and wakes the node for released triggers', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    b.stop();
    await world.advance(3 * DETECTION);
    const types = a.events.map(({ type }) => type).filter((type) => /^node(Failed|Recovered)$/.test(type));
    expect(types).toEqual(['nodeFailed', 'nodeRecovered']);
    expect(a.changes).toEqual([null]);
    expect(world.store.row('b')).toBeUndefined();
  });

  it('is recovered by exactly one of several other nodes', async () => {
    const survivors = [world.node('a'), world.node('b'), world.node('c')];
    const dead = world.node('dead');
    await world.start(...survivors, dead);
    dead.stop();
    await world.advance(3 * DETECTION);
    expect(world.store.recoveries).toEqual(['dead']);
    expect(survivors.flatMap((node) => node.eventsOf('nodeRecovered'))).toHaveLength(1);
  });

  it('is recovered even if the recovery of another node fails', async () => {
    const a = world.node('a');
    const dead = [world.node('dead 1'), world.node('dead 2')];
    await world.start(a, ...dead);
    for (const node of dead) node.stop();
    let count = 0;
    world.store.before = async (method) => {
      if (method === 'recoverInstance' && ++count === 1) throw new Error('a bad row');
    };
    await world.advance(DETECTION + INTERVAL);
    expect(world.store.recoveries).toHaveLength(2);
    expect(a.eventsOf('schedulerError').map(({ during }) => during)).toEqual(["recovering the node 'dead 1'"]);
  });

  it('is detected after the grace of Quartz if it is a Java node', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.put({ instanceId: 'java', checkInInterval: 1_000, checkInGrace: 7_500 });
    await world.advance(8_300);
    expect(failedOf(a)).toEqual([]);
    await world.advance(INTERVAL);
    expect(failedOf(a)).toEqual(['java']);
  });

  it('is judged by its own check-in interval', async () => {
    const a = world.node('a');
    const slow = world.node('slow', { checkInInterval: 20_000, checkInGrace: 5_000 });
    await world.start(a, slow);
    slow.stop();
    await world.advance(24_000);
    expect(failedOf(a)).toEqual([]);
    await world.advance(8_000);
    expect(failedOf(a)).toEqual(['slow']);
  });
});

describe('a node that is alive', () => {
  const HOUR = 3_600_000;

  it.each([
    { why: 'if its clock is an hour behind', skew: -HOUR },
    { why: 'if its clock is an hour ahead', skew: HOUR },
  ])('is never declared dead $why', async ({ skew }) => {
    const a = world.node('a');
    const b = world.node('b', { skew });
    await world.start(a, b);
    await world.advance(10 * DETECTION);
    expect([...failedOf(a), ...failedOf(b)]).toEqual([]);
  });

  it('is never declared dead if its check-in times are an hour behind, as those of Java may be', async () => {
    const a = world.node('a');
    await world.start(a);
    for (let beat = 0; beat < 20; beat++) {
      world.store.put({ instanceId: 'java', lastCheckInTime: world.storeClock.now() - HOUR, checkInGrace: 7_500 });
      await world.advance(INTERVAL);
    }
    expect(failedOf(a)).toEqual([]);
  });

  it('is never declared dead if the store clock jumps', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(INTERVAL);
    for (const jump of [HOUR, -2 * HOUR, HOUR]) {
      world.storeClock.stepTo(world.storeClock.now() + jump);
      await world.advance(2 * INTERVAL);
    }
    expect([...failedOf(a), ...failedOf(b)]).toEqual([]);
  });

  it('is never declared dead by a node that was suspended', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(INTERVAL);
    a.stop();
    b.stop(); // suspends the whole machine
    await world.advance(20 * DETECTION);
    a.resume();
    await world.settle();
    await world.advance(INTERVAL / 2);
    b.resume();
    await world.advance(3 * DETECTION);
    expect(failedOf(a)).toEqual([]);
    expect(world.store.recoveries).toEqual([]);
  });

  it('is never declared dead if every reading is slow', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    world.store.before = async (method) => {
      if (method !== 'checkIn') return;
      const end = a.clock.monotonic() + 800;
      while (a.clock.monotonic() < end && b.clock.monotonic() < end)
        await a.clock.sleepUntil(a.clock.now() + 50, never);
    };
    await world.advance(10 * DETECTION);
    expect([...failedOf(a), ...failedOf(b)]).toEqual([]);
    world.store.before = async () => undefined;
    await world.advance(INTERVAL);
  });

  it('is not recovered if it checks in after its failure was reported', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    const before = world.store.row('b');
    b.stop();
    let isLate = false;
    world.store.before = async (method) => {
      if (method !== 'recoverInstance' || isLate) return;
      isLate = true;
      world.store.put({ ...before, instanceId: 'b', lastCheckInTime: world.storeClock.now() });
    };
    await world.advance(DETECTION + INTERVAL);
    expect(failedOf(a)).toEqual(['b']);
    expect(world.store.recoveries).toEqual([]);
  });

  it('is never declared dead before another node has polled three times', async () => {
    const a = world.node('a', { checkInInterval: 60_000, checkInGrace: GRACE });
    await world.start(a);
    world.store.put({ instanceId: 'dead', lastCheckInTime: world.storeClock.now() - HOUR });
    await world.advance(DETECTION + 1_000);
    expect(failedOf(a)).toEqual([]);
    await world.advance(60_000);
    expect(failedOf(a)).toEqual(['dead']);
  });
});

const never = new AbortController().signal;
