import { InFlightRuns } from '../../../src/cluster/node-fence';
import { ClusterRequests } from '../../../src/cluster/signals';
import { jobKey } from '../../../src/domain/keys';
import type { NodeLoad } from '../../../src/domain/node-load';
import type { NodeSignal } from '../../../src/store/cluster-store';
import { DETECTION, INTERVAL, World } from './harness';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

const now = () => world.storeClock.now();

describe('a node after a store outage', () => {
  it('finds the store within half a second, however rarely it checks in, and reports this', async () => {
    const a = world.node('a', { checkInInterval: 60_000, checkInGrace: 60_000 });
    world.store.before = async (method) => {
      if (method === 'watchChanges') throw new Error('not now');
    };
    await world.start(a);
    await world.advance(INTERVAL);
    a.cut();
    await world.advance(60_000);
    expect(a.available).toEqual([]);
    a.mend();
    const mended = now();
    await world.advance(600);
    expect(a.available.map((time) => time - mended <= 500)).toEqual([true]);
  });
});

describe('the check-in', () => {
  it('reports the load of the node when it has changed, and in each incarnation', async () => {
    let load = { workers: 10 } as never as NodeLoad;
    const a = world.node('a', { readLoad: () => load });
    await world.start(a);
    await world.advance(2 * INTERVAL);
    const reports = () => world.store.loads.filter((each) => each !== null);
    expect(reports()).toEqual([load]);
    load = { workers: 11 } as never as NodeLoad;
    await world.advance(2 * INTERVAL);
    expect(reports()).toHaveLength(2);
    world.store.remove('a'); // another node has recovered it, so it joins again
    await world.advance(4 * INTERVAL);
    expect(reports()).toEqual([{ workers: 10 }, load, load]);
  });
});

describe('the change watch', () => {
  it('wakes the node within 100 ms for a trigger that another node has scheduled for now', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(INTERVAL);
    world.store.waiting = [now()];
    const due = now();
    await world.advance(110, 10);
    expect(a.changes).toEqual([due]);
  });

  it('polls twice for a trigger that is due later, because the node that changed it may acquire it', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(INTERVAL);
    const later = now() + 10_000;
    world.store.waiting = [later];
    await world.advance(110, 10);
    expect(a.changes).toEqual([]);
    await world.advance(100, 10);
    expect(a.changes).toEqual([later]);
  });

  it('does not wake the node again for an unchanged trigger', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.waiting = [now() + 60_000];
    await world.advance(5_000);
    expect(a.changes).toHaveLength(1);
  });

  it('notices a new trigger behind one that cannot run on this node', async () => {
    const a = world.node('a');
    await world.start(a);
    const stuck = now() + 5_000;
    world.store.waiting = [stuck];
    await world.advance(INTERVAL);
    world.store.waiting = [stuck, stuck + 1_000];
    await world.advance(INTERVAL);
    expect(a.changes).toEqual([stuck, stuck]);
  });

  it('polls half as often after ten seconds without a change, and at full rate after a change', async () => {
    const a = world.node('a');
    await world.start(a);
    const looksIn = async (milliseconds: number) => {
      const before = world.store.looks;
      await world.advance(milliseconds, 10);
      return world.store.looks - before;
    };
    await looksIn(5_000);
    expect(await looksIn(2_000)).toBeGreaterThanOrEqual(18);
    await looksIn(5_000);
    expect(await looksIn(2_000)).toBeLessThanOrEqual(10);
    world.store.waiting = [now()];
    await world.advance(210, 10);
    expect(a.changes).toHaveLength(1);
    expect(await looksIn(2_000)).toBeGreaterThanOrEqual(18);
  });

  describe('on a node that receives rings', () => {
    beforeEach(() => {
      world.store.canRing = true;
    });

    const looksIn = async (milliseconds: number) => {
      const before = world.store.looks;
      await world.advance(milliseconds, 10);
      return world.store.looks - before;
    };

    it('acquires at once on a ring, and polls shortly afterwards', async () => {
      const a = world.node('a');
      await world.start(a);
      await world.advance(20_000);
      const { looks } = world.store;
      world.store.ring('acquire');
      await world.advance(0);
      expect(a.changes).toEqual([null]);
      expect(world.store.looks).toBe(looks);
      expect(await looksIn(10)).toBe(1);
    });

    it('polls shortly after a ring that another node has answered, and wakes only for a change', async () => {
      const a = world.node('a');
      await world.start(a);
      await world.advance(20_000);
      const due = now();
      world.store.ring('poll');
      await world.advance(5);
      expect(a.changes).toEqual([]);
      world.store.ring('poll');
      await world.advance(0);
      world.store.waiting = [due]; // a ring may precede its commit
      await world.advance(5);
      expect(a.changes).toEqual([due]);
    });

    it('polls once for several rings in quick succession', async () => {
      const a = world.node('a');
      await world.start(a);
      await world.advance(20_000);
      for (let rings = 0; rings < 20; rings++) {
        world.store.ring('acquire');
        await world.advance(0);
      }
      expect(a.changes).toHaveLength(20);
      expect(await looksIn(10)).toBe(1);
      world.store.ring('acquire');
      expect(await looksIn(20)).toBe(1);
    });

    it('polls once a second after ten seconds without a change, and ten times a second after a ring', async () => {
      const a = world.node('a');
      await world.start(a);
      world.store.ring('none');
      await looksIn(12_000);
      expect(await looksIn(10_000)).toBe(10);
      world.store.ring('poll');
      expect(await looksIn(2_000)).toBeGreaterThanOrEqual(18);
      await looksIn(10_000);
      expect(await looksIn(10_000)).toBe(10);
    });

    it('polls as often as without rings after a failed wait, until a wait succeeds', async () => {
      const a = world.node('a');
      await world.start(a);
      world.store.ring('none');
      await looksIn(12_000);
      world.store.failRings();
      await looksIn(1_000);
      expect(await looksIn(2_000)).toBeGreaterThanOrEqual(9);
      expect(a.eventsOf('schedulerError')).toEqual([]);
      await looksIn(4_000);
      world.store.ring('none');
      await looksIn(1_000);
      expect(await looksIn(10_000)).toBe(10);
    });

    it('polls once in five seconds while the store polls for it, and at once when that ends', async () => {
      const a = world.node('a');
      await world.start(a);
      world.store.ring('none');
      await looksIn(12_000);
      expect(world.store.mayPoll).toBe(false);
      world.store.ring('none');
      await looksIn(1_000);
      expect(world.store.mayPoll).toBe(true);
      expect(await looksIn(10_000)).toBe(10);
      world.store.ring('unchanged');
      await looksIn(5_000);
      expect(await looksIn(10_000)).toBe(2);
      world.store.failRings();
      expect(await looksIn(100)).toBeGreaterThanOrEqual(1);
      expect(await looksIn(2_000)).toBeGreaterThanOrEqual(9);
    });

    it('does not let the store poll while there is a backlog', async () => {
      const a = world.node('a');
      await world.start(a);
      world.store.waiting = backlogOf(5_000);
      world.store.foreign = new Set(world.store.waiting);
      world.store.ring('none');
      await looksIn(12_000);
      world.store.ring('none');
      await looksIn(1_000);
      expect(world.store.mayPoll).toBe(false);
    });

    it('polls as often as without rings if the cluster has a Java node, because Java sends no rings', async () => {
      const a = world.node('a');
      await world.start(a);
      world.store.ring('none');
      world.store.put({ instanceId: 'java', lastCheckInTime: now() + 3_600_000, checkInGrace: 7_500 });
      await looksIn(12_000);
      expect(await looksIn(2_000)).toBeGreaterThanOrEqual(9);
    });

    it('ends its wait when it stops', async () => {
      const a = world.node('a');
      await world.start(a);
      await a.node.stop();
      world.store.ring('acquire');
      await world.advance(1_000);
      expect(a.changes).toEqual([]);
    });
  });

  const backlogOf = (length: number) => Array.from({ length }, (_, index) => now() - 3_000 - index);

  it('is not woken by changes of a backlog that only other nodes can run', async () => {
    const a = world.node('a');
    await world.start(a);
    const backlog = backlogOf(100);
    world.store.foreign = new Set(backlog);
    world.store.waiting = backlog;
    await world.advance(INTERVAL);
    world.store.waiting = backlog.slice(50);
    await world.advance(INTERVAL);
    expect(a.changes).toEqual([]);
    world.store.waiting = [...world.store.waiting, now()];
    await world.advance(INTERVAL);
    expect(a.changes).toHaveLength(1);
  });

  it.each([
    2_001, 60_000, 86_400_000,
  ])('wakes the node within 0.25 s for a trigger that becomes acquirable %i ms late', async (late) => {
    const a = world.node('a');
    await world.start(a);
    const backlog = backlogOf(100);
    world.store.foreign = new Set(backlog);
    world.store.waiting = backlog;
    await world.advance(20_000); // without changes for a while, the node polls half as often
    world.store.waiting = [...backlog.slice(1), now() - late]; // the same number as before
    const [due] = world.store.waiting.slice(-1);
    await world.advance(210, 10);
    expect(a.changes).toEqual([due]);
  });

  it('repeats a failed request for the backlog', async () => {
    const a = world.node('a');
    await world.start(a);
    let failures = 1;
    world.store.before = async (method) => {
      if (method === 'findInBacklog' && failures-- > 0) throw new Error('lost connection');
    };
    world.store.waiting = [now() - 10_000];
    await world.advance(INTERVAL);
    expect(a.changes).toEqual(world.store.waiting);
  });

  it('counts a large backlog less often, in proportion to its size', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.waiting = backlogOf(20_000);
    world.store.foreign = new Set(world.store.waiting);
    await world.advance(INTERVAL);
    const [looks, counts] = [world.store.looks, world.store.counts];
    await world.advance(5_000);
    expect(Math.round((world.store.looks - looks) / (world.store.counts - counts))).toBe(5);
    world.store.waiting = [...world.store.waiting, now() - 5_000];
    await world.advance(INTERVAL);
    expect(a.changes).toHaveLength(1);
  });
});

describe('the sweeper', () => {
  it('repairs impossible states, counts and reports them, and wakes the node', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.impossible = { released: 2, unblocked: 1 };
    await world.advance(10 * INTERVAL);
    expect(a.node.sweeper.repairCount).toBe(3);
    expect(a.eventsOf('statesRepaired')).toMatchObject([{ released: 2, unblocked: 1, failed: [] }]);
    expect(a.changes).toEqual([null]);
  });

  it('checks all triggers in turn, a thousand per sweep, and then starts again', async () => {
    const a = world.node('a');
    await world.start(a);
    const names = Array.from({ length: 2_500 }, (_, index) => `t${String(index).padStart(4, '0')}`);
    world.store.triggers = [...names, 't9999!'].sort();
    const failedBy = async () => {
      await a.node.sweeper.runOnce();
      return a.eventsOf('statesRepaired').flatMap(({ failed }) => failed.map(({ name }) => name));
    };
    expect([await failedBy(), await failedBy(), await failedBy()]).toEqual([[], [], ['t9999!']]);
    expect(a.node.sweeper.repairCount).toBe(1);
    world.store.triggers = ['t0000!', ...world.store.triggers];
    expect(await failedBy()).toEqual(['t9999!', 't0000!']);
  });

  it('deletes triggers that have ended, and reports them and their jobs', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.ended = ['bound', 'over!'];
    await a.node.sweeper.runOnce();
    await a.node.sweeper.runOnce();
    expect(a.eventsOf('jobUnscheduled')).toMatchObject([{ triggerKey: { name: 'over!' } }]);
    expect(a.eventsOf('jobDeleted')).toMatchObject([{ jobKey: { name: 'over!' } }]);
    expect(a.node.sweeper.repairCount).toBe(0);
  });

  it('sweeps less often after a minute without changes and runs', async () => {
    const a = world.node('a', { inFlight: new InFlightRuns() });
    let sweeps = 0;
    world.store.before = async (method) => {
      if (method === 'sweep') sweeps++;
    };
    const sweepsIn = async (milliseconds: number) => {
      const before = sweeps;
      await world.advance(milliseconds);
      return sweeps - before;
    };
    await world.start(a);
    expect(await sweepsIn(50_000)).toBeGreaterThanOrEqual(20);
    await sweepsIn(30_000);
    expect(await sweepsIn(60_000)).toBeLessThanOrEqual(12);
    world.store.waiting = [now()];
    await sweepsIn(20_000);
    expect(await sweepsIn(20_000)).toBeGreaterThanOrEqual(8);
  });

  it('repairs nothing in a healthy cluster', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(20 * INTERVAL);
    expect(a.node.sweeper.repairCount).toBe(0);
    expect(a.eventsOf('statesRepaired')).toEqual([]);
  });

  it('recovers firings without a node only after the detection time, because a node may still run them', async () => {
    const a = world.node('a');
    await world.start(a);
    await world.advance(INTERVAL);
    world.store.orphans = ['gone'];
    await a.node.sweeper.runOnce();
    await a.node.sweeper.runOnce();
    await world.advance(DETECTION - 1);
    await a.node.sweeper.runOnce();
    expect(world.store.recoveries).toEqual([]);
    await world.advance(1);
    await a.node.sweeper.runOnce();
    expect(world.store.recoveries).toEqual(['gone']);
  });

  it('recovers many firings in several transactions, with pauses between them', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.put({ instanceId: 'gone', epoch: 'gone' });
    world.store.remainders.set('gone', 4);
    const times: number[] = [];
    world.store.before = async (method) => {
      if (method !== 'recoverInstance' && method !== 'recoverOrphan') return;
      await a.clock.sleepUntil(a.clock.now() + 40, new AbortController().signal);
      times.push(now());
    };
    await world.advance(2 * DETECTION, 10);
    expect(world.store.recoveries).toEqual(Array(5).fill('gone'));
    expect(a.eventsOf('nodeRecovered')).toHaveLength(5);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.filter((pause) => pause >= 60).length).toBeGreaterThanOrEqual(2);
  });

  it('recovers the remaining firings later if a part of a recovery fails', async () => {
    const a = world.node('a');
    await world.start(a);
    world.store.put({ instanceId: 'gone', epoch: 'gone' });
    world.store.remainders.set('gone', 1);
    world.store.before = async (method) => {
      if (method === 'recoverOrphan') throw new Error('not now');
    };
    await world.advance(2 * DETECTION);
    expect(world.store.recoveries).toEqual(['gone']);
    expect(a.eventsOf('nodeRecovered')).toHaveLength(1);
    expect(a.eventsOf('schedulerError')).not.toEqual([]);
  });

  it('does not count the time during which orphaned firings had a node', async () => {
    const a = world.node('a');
    await world.start(a);
    for (let look = 0; look < 5; look++) {
      world.store.orphans = look % 2 === 0 ? ['gone'] : [];
      await a.node.sweeper.runOnce();
      await world.advance(DETECTION / 2);
    }
    expect(world.store.recoveries).toEqual([]);
  });

  it('recovers firings of its own node that are not in flight after it has found them twice', async () => {
    const inFlight = new InFlightRuns();
    const a = world.node('a', { inFlight });
    await world.start(a);
    inFlight.hold('running');
    world.store.entries = ['running', 'nobody'];
    const calls: string[] = [];
    world.store.before = async (method) => {
      if (method === 'findFiringsOf' || method === 'recoverUnheld') calls.push(method);
    };
    await world.advance(5 * INTERVAL);
    expect(calls.slice(0, 3)).toEqual(['findFiringsOf', 'findFiringsOf', 'recoverUnheld']);
    expect(world.store.entries).toEqual(['running']);
    expect(a.eventsOf('nodeRecovered')).toMatchObject([{ report: { instanceId: 'a', lost: 1 } }]);
    expect(a.node.sweeper.repairCount).toBe(1);
  });

  it('does not recover firings of its own node while pending requests may still return them', async () => {
    const inFlight = new InFlightRuns();
    const a = world.node('a', { inFlight });
    await world.start(a);
    let answer = () => {};
    const request = inFlight.during(async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      inFlight.hold('on its way');
    });
    world.store.entries = ['on its way'];
    await world.advance(10 * INTERVAL);
    expect(world.store.entries).toEqual(['on its way']);
    answer();
    await request;
    await world.advance(10 * INTERVAL);
    expect(world.store.entries).toEqual(['on its way']);
    inFlight.release('on its way');
    await world.advance(10 * INTERVAL);
    expect(world.store.entries).toEqual([]);
  });

  it('pauses while the node may not fire', async () => {
    const a = world.node('a');
    await world.start(a);
    let sweeps = 0;
    world.store.before = async (method) => {
      if (method === 'checkIn') throw new Error('cut off');
      if (method === 'sweep') sweeps++;
    };
    await world.advance(5 * INTERVAL);
    sweeps = 0;
    await world.advance(20 * INTERVAL);
    expect(sweeps).toBe(0);
  });
});

describe('cluster signals', () => {
  const requestsOf = (instanceId: string) => new ClusterRequests(world.store, world.storeClock, instanceId);
  const settle = async (instanceId: string) => requestsOf(instanceId).confirmStarted(await world.store.readNodes());

  it('interrupt jobs only on the requested nodes, and resolve when this is done', async () => {
    const [a, b, c] = [world.node('a'), world.node('b'), world.node('c')];
    await world.start(a, b, c);
    const interrupt = { type: 'interruptJob', jobKey: jobKey('job') } as const;
    const interrupted = requestsOf('a').interruptOn(['b'], interrupt);
    await world.advance(500, 10);
    await expect(interrupted).resolves.toBe(true);
    expect([a, b, c].map(({ received }) => received)).toEqual([[], [interrupt], []]);
    await expect(requestsOf('a').interruptOn([], interrupt)).resolves.toBe(false);
  });

  it('to confirm starts are acknowledged by every other node, in the order of sending', async () => {
    const [a, b, c] = [world.node('a'), world.node('b'), world.node('c')];
    await world.start(a, b, c);
    const settled = Promise.all([settle('a'), settle('a')]);
    await world.advance(500, 10);
    await expect(settled).resolves.toEqual([
      { acknowledged: ['b', 'c'], silent: [] },
      { acknowledged: ['b', 'c'], silent: [] },
    ]);
    expect(b.received).toHaveLength(2);
    expect(a.received).toEqual([]);
  });

  it('do not wait longer than their limit for a hanging node', async () => {
    const [a, b] = [world.node('a'), world.node('b')];
    await world.start(a, b);
    b.stop();
    world.store.before = async (method) => {
      if (method === 'recoverInstance') throw new Error('not now');
    };
    const settled = settle('a');
    await world.advance(6_000);
    await expect(settled).resolves.toEqual({ acknowledged: [], silent: ['b'] });
  });

  it.each([
    ['drain', true],
    ['undrain', false],
  ])('for %s resolve with false if a later request has superseded them', async (_, last) => {
    const setStatus = async ({ type }: NodeSignal) =>
      world.store.put({ ...world.store.row('b'), instanceId: 'b', draining: type === 'drain' });
    await world.start(world.node('a'), world.node('b', { receive: setStatus }));
    const answers = Promise.all([last, !last, last].map((each) => requestsOf('a').setDraining('b', each)));
    await world.advance(500, 10);
    await expect(answers).resolves.toEqual([true, false, true]);
  });

  it('are not answered by the next incarnation of a node, which numbers its signals anew', async () => {
    const [a, b] = [world.node('a'), world.node('b')];
    await world.start(a, b);
    const drained = requestsOf('a').setDraining('b', true);
    await world.settle();
    b.stop();
    world.store.put({ instanceId: 'b', epoch: 'the next', signalSeen: 5 });
    await world.advance(500, 10);
    await expect(drained).resolves.toBe(false);
  });

  it('are not answered by an acknowledgement that is read after their time limit', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const [a, b] = [world.node('a'), world.node('b', { receive: () => slow })];
    await world.start(a, b);
    const drained = requestsOf('a').setDraining('b', true);
    await world.advance(100, 10);
    const answers: (() => void)[] = [];
    world.store.before = async (method) => {
      if (method === 'readNodes') await new Promise<void>((resolve) => answers.push(resolve));
    };
    await world.advance(5_500);
    await world.store.acknowledgeSignals({ instanceId: 'b' }, 1);
    for (const answer of answers) answer();
    await expect(drained).resolves.toBe(false);
    finish();
  });

  it('are completed when their node has left', async () => {
    const [a, b] = [world.node('a'), world.node('b')];
    await world.start(a, b);
    const settled = settle('a');
    await world.settle();
    await b.node.stop();
    await world.advance(6_000);
    await expect(settled).resolves.toEqual({ acknowledged: [], silent: [] });
  });

  it('to confirm starts list a recovered node as silent, because its process may still run', async () => {
    const [a, b, c] = [world.node('a'), world.node('b'), world.node('c')];
    await world.start(a, b, c);
    b.stop();
    const settled = settle('a');
    await world.advance(6_000);
    expect(world.store.recoveries).toEqual(['b']);
    await expect(settled).resolves.toEqual({ acknowledged: ['c'], silent: ['b'] });
  });

  it('to confirm starts list a node as silent that was recovered while the change was being stored', async () => {
    const [a, b] = [world.node('a'), world.node('b')];
    await world.start(a, b);
    b.stop();
    const before = await world.store.readNodes();
    await world.advance(6_000);
    await expect(requestsOf('a').confirmStarted(before)).resolves.toEqual({ acknowledged: [], silent: ['b'] });
  });

  it('to confirm starts ignore a node that left while the change was being stored', async () => {
    const [a, b] = [world.node('a'), world.node('b')];
    await world.start(a, b);
    const before = await world.store.readNodes();
    await b.node.stop();
    await expect(requestsOf('a').confirmStarted(before)).resolves.toEqual({ acknowledged: [], silent: [] });
  });

  it('that fail are reported and acknowledged, and do not delay later ones', async () => {
    let count = 0;
    const receive = async () => {
      if (++count === 1) throw new Error('no such job');
    };
    const a = world.node('a', { receive });
    await world.start(a);
    await world.store.sendSignal(['a'], { type: 'confirmStarted' });
    await world.store.sendSignal(['a'], { type: 'confirmStarted' });
    await world.advance(300);
    expect(a.received).toHaveLength(1);
    expect(world.store.row('a')?.signalSeen).toBe(2);
    expect(a.eventsOf('schedulerError')).toHaveLength(1);
  });

  it('to one incarnation are not mistaken for signals to the next, which are numbered anew', async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let count = 0;
    const a = world.node('a', { receive: () => (++count === 1 ? slow : Promise.resolve()) });
    await world.start(a);
    await world.store.sendSignal(['a'], { type: 'confirmStarted' });
    await world.advance(300); // the main thread does not answer
    world.store.remove('a'); // another node has recovered it
    await world.advance(INTERVAL);
    finish();
    await world.advance(300);
    await world.store.sendSignal(['a'], { type: 'confirmStarted' });
    await world.advance(300);
    expect(a.received).toHaveLength(2);
    expect(world.store.row('a')?.signalSeen).toBe(1);
  });

  it('are handled once, even if the acknowledgement fails', async () => {
    const a = world.node('a');
    await world.start(a);
    let failures = 3;
    world.store.before = async (method) => {
      if (method === 'acknowledgeSignals' && failures-- > 0) throw new Error('not now');
    };
    await world.store.sendSignal(['a'], { type: 'confirmStarted' });
    await world.advance(1_000);
    expect(a.received).toHaveLength(1);
    expect(world.store.row('a')?.signalSeen).toBe(1);
  });
});
