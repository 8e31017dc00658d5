import { SchedulerError, StoreClosedError } from '../../../src/base/errors';
import { DETECTION, INTERVAL, World } from './harness';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

describe('a node of a cluster', () => {
  it('may fire once it has joined, and reports this once', async () => {
    const a = world.node('a');
    await world.start(a);
    expect(a.firingAllowed).toEqual([true]);
    await world.advance(10 * DETECTION);
    expect(a.firingAllowed).toEqual([true]);
    expect(a.eventsOf('nodeFenced')).toEqual([]);
  });

  it('checks in three times per interval', async () => {
    const a = world.node('a');
    await world.start(a);
    let count = 0;
    world.store.before = async (method) => {
      if (method === 'checkIn') count++;
    };
    await world.advance(10 * INTERVAL);
    expect(count).toBeGreaterThanOrEqual(25);
    expect(count).toBeLessThanOrEqual(32);
  });

  it('reports each node that joins, once', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a);
    await world.start(b);
    await world.advance(DETECTION);
    expect(a.eventsOf('nodeJoined').map(({ instanceId }) => instanceId)).toEqual(['a', 'b']);
    expect(b.eventsOf('nodeJoined').map(({ instanceId }) => instanceId)).toEqual(['a', 'b']);
  });

  it('reports a node that left and returned between two polls', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.put({ instanceId: 'b', epoch: 'first' });
    await world.advance(INTERVAL);
    world.store.put({ instanceId: 'b', epoch: 'second' });
    await world.advance(INTERVAL);
    expect(a.eventsOf('nodeJoined').map(({ instanceId }) => instanceId)).toEqual(['a', 'b', 'b']);
  });

  it('notifies its scheduler when another node starts or stops taking work', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.put({ instanceId: 'java', checkInGrace: 7_500 });
    world.store.put({ instanceId: 'drained', epoch: 'd', draining: true });
    await world.advance(INTERVAL);
    expect(a.others).toEqual([]);
    const b = world.node('b');
    await world.start(b);
    await world.advance(INTERVAL);
    expect([a.others, b.others]).toEqual([[true], [true]]);
    await b.node.stop();
    await world.advance(INTERVAL);
    expect(a.others).toEqual([true, false]);
  });

  it('warns once of a Java node that cannot read its data', async () => {
    const a = world.node('a', { isReadableByJava: false });
    const b = world.node('b');
    await world.start(a, b);
    world.store.put({ instanceId: 'java', checkInGrace: 7_500 });
    await world.advance(2 * INTERVAL);
    const warnings = a.eventsOf('configurationWarning').map(({ message }) => message);
    expect(warnings).toEqual([expect.stringMatching(/Java node 'java'.*useProperties/)]);
    expect(b.eventsOf('configurationWarning')).toEqual([]);
  });

  it('is reported as left, not as failed, after its shutdown', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    await b.node.stop();
    await world.advance(3 * DETECTION);
    expect(world.store.row('b')).toBeUndefined();
    expect(a.eventsOf('nodeFailed')).toEqual([]);
    expect(a.eventsOf('nodeLeft').map(({ instanceId }) => instanceId)).toEqual(['b']);
    expect(b.leasesLost).toEqual([]);
    expect(b.firingAllowed).toEqual([true, false]);
  });

  it('that dies is not reported as having left', async () => {
    const nodes = [world.node('a'), world.node('b'), world.node('c')] as const;
    await world.start(...nodes);
    nodes[0].stop();
    await world.advance(3 * DETECTION);
    expect(world.store.recoveries).toEqual(['a']);
    expect(nodes.flatMap((node) => node.eventsOf('nodeLeft'))).toEqual([]);
  });

  it('that returns at once, as after a restart, is reported as joined again', async () => {
    const [a, b] = [world.node('a'), world.node('b')];
    await world.start(a, b);
    await world.advance(INTERVAL);
    await b.node.stop();
    await world.start(b);
    await world.advance(INTERVAL);
    expect(a.eventsOf('nodeJoined').map(({ instanceId }) => instanceId)).toEqual(['a', 'b', 'b']);
  });

  it('can be started and stopped again', async () => {
    const a = world.node('a');
    await world.start(a);
    await a.node.stop();
    await world.start(a);
    expect(a.firingAllowed).toEqual([true, false, true]);
    expect(world.store.row('a')).toBeDefined();
  });

  it('continues after the store has failed every call for a while', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.before = () => Promise.reject(new Error('the store is gone'));
    await world.advance(2 * DETECTION);
    world.store.before = async () => undefined;
    await world.advance(DETECTION);
    expect(a.firingAllowed).toEqual([true, false, true]);
    expect(a.changes).toEqual([null]); // polls at once for due triggers
    const told = a.eventsOf('schedulerError').map(({ during }) => during);
    expect(told.filter((during) => during === 'checking in')).toHaveLength(1);
  });
});

describe('the lease of a node that cannot check in', () => {
  it('ends firing after 0.7 and everything after 0.8 of the detection time since the last check-in', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(2 * INTERVAL);
    let lastSent = 0;
    world.store.before = async (method) => {
      if (method === 'checkIn') lastSent = a.clock.monotonic();
    };
    await world.advance(INTERVAL, 10);
    const from = lastSent;
    world.store.before = () => Promise.reject(new Error('the store is gone'));
    const left = (share: number) => from + share * DETECTION - a.clock.monotonic();
    await world.advance(left(0.7) - 10, 10);
    expect(a.node.lease.state).toBe('firing');
    await world.advance(20, 10);
    expect(a.node.lease.state).toBe('held');
    expect(a.firingAllowed).toEqual([true, false]);
    await world.advance(left(0.8) - 10, 10);
    expect(a.leasesLost).toEqual([]);
    await world.advance(20, 10);
    expect(a.leasesLost).toEqual(['leaseExpired']);
    expect(a.eventsOf('nodeFenced')).toMatchObject([{ instanceId: 'a', reason: 'leaseExpired' }]);
  });

  it('ends before another node takes over, without any message to the node', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    a.stop();
    await world.advance(3 * DETECTION);
    expect(world.store.recoveries).toEqual(['a']);
    a.resume();
    expect(a.node.lease.state).toBe('lost'); // before any of its timers has run
  });

  it('is renewed by the next check-in if no node has taken over', async () => {
    const a = world.node('a');
    await world.start(a);
    const { epoch } = a.node;
    world.store.before = () => Promise.reject(new Error('the store is gone'));
    await world.advance(2 * DETECTION);
    world.store.before = async () => undefined;
    await world.advance(INTERVAL);
    expect(a.node.lease.state).toBe('firing');
    expect(a.node.epoch).toBe(epoch);
    expect(a.leasesLost).toEqual(['leaseExpired']);
  });

  it('counts from the time at which a check-in was sent, however late its answer is', async () => {
    const a = world.node('a');
    await world.start(a);
    let isFirst = true;
    world.store.before = async (method) => {
      if (method !== 'checkIn' || !isFirst) return;
      isFirst = false;
      a.clock.advanceBy(0.75 * DETECTION);
      world.store.before = () => Promise.reject(new Error('only one'));
    };
    await a.node.checkIn(new AbortController().signal);
    expect(a.node.lease.state).toBe('held');
  });

  it('ends at the shorter time that a Java node has imposed', async () => {
    const a = world.node('a', { checkInGrace: 60_000 });
    await world.start(a);
    world.store.put({ instanceId: 'java', lastCheckInTime: world.storeClock.now() + 100_000, checkInGrace: 7_500 });
    await world.advance(INTERVAL);
    world.store.before = () => Promise.reject(new Error('the store is gone'));
    await world.advance(0.8 * (INTERVAL + 7_500) + INTERVAL);
    expect(a.leasesLost).toEqual(['leaseExpired']); // the longer lease would have ended later
    expect(a.firingAllowed).toEqual([true, false]);
  });

  it('is shorter if there is a Java node, which assumes its own grace for all nodes', async () => {
    const a = world.node('a', { checkInGrace: 60_000 });
    await world.start(a);
    world.store.put({ instanceId: 'java', lastCheckInTime: world.storeClock.now() + 100_000, checkInGrace: 7_500 });
    await world.advance(INTERVAL);
    world.store.before = () => Promise.reject(new Error('the store is gone'));
    await world.advance(0.8 * (INTERVAL + 7_500) + INTERVAL);
    expect(a.node.lease.state).toBe('lost');
  });
});

describe('a node more than 3 s off the store clock', () => {
  const java = { instanceId: 'java', checkInGrace: 7_500 };
  const farAway = () => ({ ...java, lastCheckInTime: world.storeClock.now() + 3_600_000 });

  it('works in a cluster without Java nodes', async () => {
    const a = world.node('a', { skew: -3_600_000 });
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(DETECTION);
    expect(a.firingAllowed).toEqual([true]);
    expect(a.eventsOf('clockUnsafe')).toEqual([]);
    expect(world.store.row('a')?.clockOffset).toBe(3_600_000);
  });

  it.each([
    { skew: 3_001 },
    { skew: -3_001 },
  ])('never fires if there is a Java node, and reports this once (off by $skew ms)', async ({ skew }) => {
    world.store.put(farAway());
    const a = world.node('a', { skew });
    await world.start(a);
    await world.advance(3 * DETECTION);
    expect(a.firingAllowed).toEqual([]);
    expect(a.node.mayFire).toBe(false);
    expect(a.eventsOf('clockUnsafe')).toMatchObject([{ instanceId: 'a', clockOffset: -skew }]);
    expect(a.node.lease.state).toBe('firing'); // it is still alive
  });

  it('works with a Java node if the offset is exactly 3 s', async () => {
    world.store.put(farAway());
    const a = world.node('a', { skew: 3_000 });
    await world.start(a);
    await world.advance(DETECTION);
    expect(a.firingAllowed).toEqual([true]);
    expect(a.eventsOf('clockUnsafe')).toEqual([]);
  });

  it('pauses firing while a Java node is in the cluster, and keeps its running jobs', async () => {
    const a = world.node('a', { skew: 4_000 });
    await world.start(a);
    await world.advance(INTERVAL);
    world.store.put(farAway());
    await world.advance(INTERVAL);
    expect(a.firingAllowed).toEqual([true, false]);
    expect(a.leasesLost).toEqual([]);
    world.store.remove('java');
    await world.advance(INTERVAL);
    expect(a.firingAllowed).toEqual([true, false, true]);
    expect(a.changes).toEqual([null]); // polls at once for due triggers
    expect(a.eventsOf('clockSafe')).toMatchObject([{ instanceId: 'a', clockOffset: -4_000 }]);
  });

  it('continues after its clock was corrected', async () => {
    world.store.put(farAway());
    const a = world.node('a', { skew: 10_000 });
    await world.start(a);
    a.clock.stepTo(world.storeClock.now());
    await world.advance(INTERVAL);
    expect(a.firingAllowed).toEqual([true]);
    expect(a.eventsOf('clockSafe')).toMatchObject([{ clockOffset: 0 }]);
  });

  it('stops firing when the store clock is stepped, as after a failover', async () => {
    world.store.put(farAway());
    const a = world.node('a');
    await world.start(a);
    world.storeClock.stepTo(world.storeClock.now() + 5_000);
    await world.advance(INTERVAL);
    expect(a.firingAllowed).toEqual([true, false]);
  });

  it('is not judged by readings whose round trip is too long', async () => {
    world.store.put(farAway());
    const a = world.node('a');
    await world.start(a);
    a.latency = 700;
    a.clock.stepTo(a.clock.now() + 3_500);
    await world.advance(2 * DETECTION);
    expect(a.eventsOf('clockUnsafe')).toEqual([]);
    a.latency = 0;
    await world.advance(DETECTION);
    expect(a.eventsOf('clockUnsafe')).toHaveLength(1);
  });
});

describe('a node that was declared dead', () => {
  it('is fenced once when it returns, and joins again as a new incarnation', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    const { epoch } = a.node;
    a.stop();
    await world.advance(2 * DETECTION);
    a.resume();
    await world.advance(INTERVAL);
    expect(a.leasesLost).toEqual(['leaseExpired']); // the takeover does not fence the node again
    expect(a.eventsOf('nodeFenced')).toHaveLength(1);
    expect(a.node.epoch).not.toBe(epoch);
    expect(world.store.row('a')?.epoch).toBe(a.node.epoch);
    expect(a.firingAllowed.at(-1)).toBe(true);
  });

  it('owns firings of its current incarnation, but not of the former one', async () => {
    const a = world.node('a');
    const b = world.node('b');
    await world.start(a, b);
    const { epoch } = a.node;
    a.stop();
    await world.advance(2 * DETECTION);
    a.resume();
    const owned = a.node.owns(epoch);
    await world.advance(INTERVAL);
    await expect(owned).resolves.toBe(false);
    await expect(a.node.owns(a.node.epoch)).resolves.toBe(true);
  });

  it('detects the end of its lease before any timer fires, without busy waiting', async () => {
    const a = world.node('a');
    await world.start(a);
    a.clock.skip(2 * DETECTION); // as after SIGCONT: the node reads the answer of the store before its timers fire
    const owned = a.node.owns(a.node.epoch);
    const told = [...a.leasesLost];
    const stopped = a.node.stop(); // ends the wait in any case
    expect(told).toEqual(['leaseExpired']);
    await expect(owned).resolves.toBe(false);
    await stopped;
  });

  it('still owns the firings from before the end of its lease if it can check in again', async () => {
    const a = world.node('a');
    await world.start(a);
    const { epoch } = a.node;
    a.stop();
    await world.advance(2 * DETECTION);
    a.resume();
    const owned = a.node.owns(epoch);
    await world.advance(INTERVAL);
    await expect(owned).resolves.toBe(true);
  });

  it('stays out while another process uses its id, and reports this', async () => {
    const a = world.node('a');
    await world.start(a);
    const beat = setNamesake(world, 'another epoch');
    for (let turn = 0; turn < 20; turn++) {
      beat();
      await world.advance(INTERVAL / 3);
    }
    expect(a.leasesLost).toEqual(['takenOver', 'instanceIdTaken']);
    expect(a.node.lease.state).toBe('lost');
    expect(world.store.row('a')?.epoch).toBe('another epoch');
  });
});

describe('a stall of the main event loop', () => {
  const stalled = { maxMainStall: 5_000, mainStall: () => 5_001 };

  it('ends the lease of the node if it runs non-concurrent jobs', async () => {
    const a = world.node('a', { ...stalled, hasNonConcurrentWork: () => true });
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(2 * DETECTION);
    expect(a.leasesLost).toEqual(['mainStalled']);
    expect(a.eventsOf('nodeFenced')).toHaveLength(1);
    expect(world.store.recoveries).toEqual(['a']);
  });

  it.each([
    { why: 'no non-concurrent job runs', options: { ...stalled, hasNonConcurrentWork: () => false } },
    { why: 'maxMainStall is 0', options: { ...stalled, maxMainStall: 0, hasNonConcurrentWork: () => true } },
    {
      why: 'it is no longer than maxMainStall',
      options: { ...stalled, mainStall: () => 5_000, hasNonConcurrentWork: () => true },
    },
  ])('does not end the lease if $why', async ({ options }) => {
    const a = world.node('a', options);
    const b = world.node('b');
    await world.start(a, b);
    await world.advance(3 * DETECTION);
    expect(a.leasesLost).toEqual([]);
    expect(world.store.recoveries).toEqual([]);
  });

  it('is forgiven if it ends before another node takes over', async () => {
    let stall = 0;
    const a = world.node('a', { maxMainStall: 5_000, mainStall: () => stall, hasNonConcurrentWork: () => true });
    await world.start(a);
    const { epoch } = a.node;
    stall = 6_000;
    await world.advance(INTERVAL);
    expect(a.node.lease.state).toBe('lost');
    stall = 0;
    await world.advance(INTERVAL);
    expect(a.node.lease.state).toBe('firing');
    expect(a.node.epoch).toBe(epoch);
  });
});

/** Simulates another process that checks in under the id of node a. */
function setNamesake(world: World, epoch: string): () => void {
  return () => world.store.put({ instanceId: 'a', epoch });
}

describe('a store that a node cannot reach', () => {
  const outagesOf = (node: ReturnType<World['node']>) =>
    node.events.filter(({ type }) => type === 'storeUnavailable' || type === 'storeAvailable');

  it('is reported once, and again with the length of the outage when it is back', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(INTERVAL);
    a.cut();
    await world.advance(26_000);
    expect(outagesOf(a)).toMatchObject([{ type: 'storeUnavailable', instanceId: 'a' }]);
    a.mend();
    await world.advance(2_000);
    expect(outagesOf(a)).toMatchObject([
      { type: 'storeUnavailable', instanceId: 'a' },
      { type: 'storeAvailable', instanceId: 'a', unavailableFor: expect.any(Number) },
    ]);
    const [, back] = outagesOf(a);
    expect(back?.type === 'storeAvailable' && Math.abs(back.unavailableFor - 26_000)).toBeLessThanOrEqual(1_000);
    expect(a.node.mayFire).toBe(true);
  });

  it('is reported within the detection time if calls neither fail nor return', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(INTERVAL);
    a.latency = 8_000;
    const since = a.clock.now();
    await world.advance(DETECTION);
    expect(outagesOf(a)).toMatchObject([{ type: 'storeUnavailable', instanceId: 'a' }]);
    a.latency = 0;
    await world.advance(10_000);
    const [, back] = outagesOf(a);
    expect(back).toMatchObject({ type: 'storeAvailable', unavailableFor: expect.any(Number) });
    expect(back?.type === 'storeAvailable' && back.at - back.unavailableFor - since).toBeLessThanOrEqual(INTERVAL);
  });

  it('is not reported if it answers slowly, but within half of the detection time', async () => {
    const a = world.node('a');
    await world.start(a);
    a.latency = DETECTION / 4 - 50;
    await world.advance(5 * DETECTION);
    expect(outagesOf(a)).toEqual([]);
    a.latency = 0;
    await world.advance(DETECTION); // pending calls end before the node stops
  });

  it('is not reported if this process has closed it', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.before = async (method) => {
      if (method === 'checkIn') throw new StoreClosedError();
    };
    await world.advance(2 * INTERVAL);
    expect(outagesOf(a)).toEqual([]);
  });

  it('is not reported if another process has taken the id of the node', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.before = async (method) => {
      if (method === 'checkIn') throw new SchedulerError('INSTANCE_ID_TAKEN', 'taken');
    };
    await world.advance(5_000);
    expect(outagesOf(a)).toEqual([]);
  });
});

describe('a machine that was suspended', () => {
  /** A node that has just checked in, on a machine that is then suspended for `duration` milliseconds. */
  async function suspended(duration: number) {
    let suspendedTime = 7;
    const a = world.node('a', { suspendedTime: () => suspendedTime });
    await world.start(a);
    await world.advance(10 * INTERVAL);
    suspendedTime += duration;
    world.store.before = async (method) => {
      if (method === 'checkIn' || method === 'join') throw new Error('not back yet');
    };
    await world.advance(200, 10);
    return a;
  }

  it('ends the lease within 0.2 s after it wakes up, if other nodes may have taken over', async () => {
    const a = await suspended(DETECTION);
    expect(a.leasesLost).toEqual(['leaseExpired']);
    expect(a.node.mayFire).toBe(false);
  });

  it('keeps the lease if the suspension was shorter', async () => {
    const a = await suspended(DETECTION / 3);
    expect(a.leasesLost).toEqual([]);
    expect(a.node.mayFire).toBe(true);
  });
});
