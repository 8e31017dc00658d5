import { systemRandom } from '../../src/base/ids';
import { ManualClock } from '../../src/base/manual-clock';
import { yieldToEventLoop } from '../../src/base/yield-to-event-loop';
import type { NodeIdentity } from '../../src/store/cluster-store';
import { newAcquireMemory } from '../../src/store/sql/operations/acquire-memory';
import { NodeTransactions } from '../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../src/store/sql/rows/sql-node';
import type { Bell, SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlClusterStore } from '../../src/store/sql/sql-cluster-store';
import { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { WakeUps } from '../../src/store/sql/wake-ups';
import { HOUR, job, NOW, once, SECOND } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, type StoreDatabase, testNode } from '../support/database/sql-store';

const LIMIT = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** A bell that records whom it rings. */
class RecordingBell implements Bell {
  readonly rings: (readonly string[])[] = [];
  #told: () => void = () => undefined;

  async awaitRing(): Promise<boolean> {
    return true;
  }

  async ring(epochs: readonly string[]): Promise<void> {
    this.rings.push(epochs);
    this.#told();
  }

  /** Resolves after that many rings. */
  async hasRung(times: number): Promise<void> {
    while (this.rings.length < times)
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
  }
}

describe('a node that changes the schedule', () => {
  let database: StoreDatabase;
  let bell: RecordingBell;
  let clock: ManualClock;
  let ours: StoreDriver;
  let cluster: SqlClusterStore;
  let wakeUps: WakeUps;

  beforeAll(async () => {
    database = await openSqliteStores();
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    bell = new RecordingBell();
    clock = new ManualClock(NOW);
    const node: SqlNode = {
      ...testNode({ clock, instanceId: 'own' }),
      incarnation: { epoch: null, jobTypes: null, status: 'MEMBER' },
    };
    const driver = { ...methodsOf(database.driver), bell };
    const transactions = new Transactions(driver, { schedName: node.schedName, clock, random: systemRandom });
    const ofNode = new NodeTransactions(transactions, node);
    const memory = newAcquireMemory(ofNode);
    wakeUps = new WakeUps(ofNode);
    cluster = new SqlClusterStore(ofNode, memory);
    ours = new StoreDriver(new SqlJobStore(ofNode, 'sqlite', memory));
    await ours.open();
  });

  /** Joins nodes whose epochs are their names. */
  async function join(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const identity: NodeIdentity = {
        instanceId: name,
        epoch: name,
        version: '1',
        host: 'h',
        processId: 1,
        checkInInterval: SECOND,
        checkInGrace: SECOND,
      };
      await cluster.join(identity, null, LIMIT);
    }
  }

  /** Lets the intervals between rings pass. */
  async function pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left--) {
      await yieldToEventLoop();
      clock.advanceBy(1);
    }
    await yieldToEventLoop();
  }

  it('wakes the other nodes halfway to the fire time of a trigger that is due soon', async () => {
    await join('b', 'c', 'own');
    await ours.schedule(job('job'), once('due', { startTime: NOW + SECOND }));
    await pass(499);
    expect(bell.rings).toEqual([]);
    await pass(1);
    await bell.hasRung(1);
    expect(bell.rings).toEqual([['b', 'c']]);
  });

  it('wakes the other nodes earlier for a trigger that is due earlier', async () => {
    await join('b', 'own');
    await ours.schedule(job('job'), once('due', { startTime: NOW + SECOND }));
    await ours.schedule(job('next'), once('sooner', { startTime: NOW + 200 }));
    await pass(99);
    expect(bell.rings).toEqual([]);
    await pass(1);
    await bell.hasRung(1);
    await pass(SECOND);
    expect(bell.rings).toHaveLength(1);
  });

  it('sends its pending wake-up at once when its store closes', async () => {
    await join('b', 'own');
    wakeUps.scheduleChanged(NOW + SECOND);
    await pass(10);
    expect(bell.rings).toEqual([]);
    await wakeUps.end();
    expect(bell.rings).toEqual([['b']]);
  });

  describe('for a trigger that has become due on this node', () => {
    beforeEach(() => join('b', 'own'));

    it('wakes the other nodes if it has not fired all due triggers', async () => {
      wakeUps.becameDueHere(NOW);
      await pass(249);
      expect(bell.rings).toEqual([]);
      await pass(1);
      await bell.hasRung(1);
    });

    it('wakes no node if it has fired all due triggers', async () => {
      wakeUps.becameDueHere(NOW);
      await pass(10);
      wakeUps.firedAllSince(clock.monotonic());
      await pass(SECOND);
      expect(bell.rings).toEqual([]);
    });

    it('wakes the other nodes for a later trigger only if it has not fired it in time', async () => {
      wakeUps.becameDueHere(NOW + SECOND);
      await pass(SECOND + 249);
      expect(bell.rings).toEqual([]);
      await pass(1);
      await bell.hasRung(1);
    });

    it('still wakes the other nodes if its last acquisition was before the fire time', async () => {
      wakeUps.becameDueHere(NOW + SECOND);
      await pass(SECOND - 1);
      wakeUps.firedAllSince(clock.monotonic());
      await pass(251);
      await bell.hasRung(1);
    });

    it('wakes no node if idle nodes find the trigger in time by themselves', async () => {
      wakeUps.becameDueHere(NOW + HOUR);
      await pass(HOUR + SECOND);
      expect(bell.rings).toEqual([]);
    });

    it('wakes the other nodes if it fired all due triggers only before this one', async () => {
      wakeUps.becameDueHere(NOW);
      wakeUps.firedAllSince(clock.monotonic() - 1);
      await pass(250);
      await bell.hasRung(1);
    });
  });

  it('wakes no node for a later trigger that idle nodes find in time by themselves', async () => {
    await join('b', 'own');
    await ours.schedule(job('job'), once('later', { startTime: NOW + HOUR }));
    await ours.schedule(job('next'), once('due', { startTime: NOW }));
    await bell.hasRung(1);
    await pass(100);
    expect(bell.rings).toHaveLength(1);
  });

  it('combines the wake-ups of five milliseconds into one', async () => {
    await join('b', 'own');
    await ours.schedule(job('job'), once('due'));
    await bell.hasRung(1);
    for (let index = 0; index < 10; index++) await ours.schedule(job(`job${index}`), once(`due${index}`));
    await pass(100);
    expect(bell.rings).toHaveLength(2);
  });

  it('wakes the other nodes before the commit of a change that only adds, and not again after it', async () => {
    await join('b', 'own');
    await ours.schedule(job('job'), once('due'));
    await bell.hasRung(1);
    await pass(5);
    await ours.schedule(job('next'), once('then'));
    expect(bell.rings).toHaveLength(2);
    await pass(100);
    expect(bell.rings).toHaveLength(2);
  });

  it('wakes four nodes of a large cluster in turn, and the others shortly after', async () => {
    await join('b', 'c', 'd', 'e', 'f', 'g', 'own');
    await ours.schedule(job('job'), once('due'));
    await bell.hasRung(1);
    expect(bell.rings[0]).toHaveLength(4);
    await pass(30);
    expect([...bell.rings.flat()].sort()).toEqual(['b', 'c', 'd', 'e', 'f', 'g']);
    await ours.schedule(job('next'), once('then'));
    await bell.hasRung(3);
    expect(bell.rings[2]).not.toEqual(bell.rings[0]);
  });

  describe('in a transaction that includes the wake-up', () => {
    beforeEach(async () => {
      await join('b', 'own');
      wakeUps.scheduleChanged(NOW); // reads the list of nodes
      await bell.hasRung(1);
      await pass(5);
    });

    it('wakes the other nodes at most once in five milliseconds, for a trigger that is due soon', () => {
      expect(wakeUps.ringWithin(NOW + HOUR)).toEqual([]);
      expect(wakeUps.ringWithin(NOW)).toEqual(['b']);
      expect(wakeUps.ringWithin(NOW)).toEqual([]);
    });

    it('adds no wake-up while one after an earlier commit is pending', async () => {
      expect(wakeUps.ringWithin(NOW)).toEqual(['b']);
      wakeUps.scheduleChanged(NOW);
      clock.advanceBy(5);
      expect(wakeUps.ringWithin(NOW)).toEqual([]);
      await bell.hasRung(2);
    });

    it('wakes a node that has joined since, after the commit', async () => {
      await join('c', 'now own');
      await pass(2_000);
      expect(wakeUps.ringWithin(NOW)).toEqual(['b', 'own']);
      await wakeUps.changedWithRing();
      expect(bell.rings.slice(1)).toEqual([['c']]);
      clock.advanceBy(5);
      expect(wakeUps.ringWithin(NOW)).toContain('c');
    });
  });

  it('wakes a node to which it sends a signal', async () => {
    await join('b', 'c', 'own');
    await cluster.sendSignal(['c'], { type: 'drain' });
    expect(bell.rings).toEqual([['c']]);
  });

  it('acquires at once after a wake-up, unless its acquisition after the last one found nothing', async () => {
    await join('own');
    await ours.schedule(job('job', { durable: true }), once('due'));
    const rung = () => cluster.awaitRing({ epoch: 'own' }, new AbortController().signal, false);
    expect(await rung()).toBe('acquire');
    expect(await ours.fireDue()).toHaveLength(1);
    await ours.fireDue(); // no ring came before this one, which finds nothing
    expect(await rung()).toBe('acquire');
    await ours.fireDue();
    expect(await rung()).toBe('acquire'); // it was the fastest node just now
    clock.advanceBy(100);
    await ours.fireDue();
    expect(await rung()).toBe('poll');
  });
});

function methodsOf(driver: SqlDriver): SqlDriver {
  return {
    dialect: driver.dialect,
    transaction: (role, work, options) => driver.transaction(role, work, options),
    select: (...args) => driver.select(...args),
    readActivity: () => driver.readActivity(),
    close: async () => undefined,
  };
}
