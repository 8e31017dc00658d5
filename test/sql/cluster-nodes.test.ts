import { Availability } from '../../src/base/availability';
import { SystemClock } from '../../src/base/clock';
import { systemRandom } from '../../src/base/ids';
import { ClusterNode } from '../../src/cluster/cluster-node';
import { NodeFence } from '../../src/cluster/node-fence';
import { ClusterRequests } from '../../src/cluster/signals';
import type { FencingReason, SchedulerEvent, SchedulerEventOf } from '../../src/domain/scheduler-event';
import type { ClusterStore, NodeSignal } from '../../src/store/cluster-store';
import { everyMinute, job, once } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { storesOfNode } from '../support/database/cluster-stores';
import { openSqliteNodes, openStores, type StoreDatabase, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

const INTERVAL = 300;
/** Longer than a busy machine delays a timer. */
const GRACE = 700;
const DETECTION = INTERVAL + GRACE;

/** A node on the real clock that can be cut off from its database. */
class LiveNode extends StoreDriver {
  readonly cluster: ClusterStore;
  readonly node: ClusterNode;
  readonly events: SchedulerEvent[] = [];
  readonly changes: { readonly earliest: number | null; readonly at: number }[] = [];
  readonly received: NodeSignal[] = [];
  readonly leasesLost: FencingReason[] = [];
  #isCut = false;
  #told: () => void = () => undefined;

  constructor(database: StoreDatabase, schedName: string, instanceId: string) {
    const fence: NodeFence = new NodeFence(() => live.node as ClusterNode);
    const live: { node?: ClusterNode } = {};
    const { store, cluster } = storesOfNode(database, { schedName, instanceId, fence });
    super(store);
    this.cluster = cluster;
    const pace = { checkInInterval: INTERVAL, checkInGrace: GRACE };
    this.node = new ClusterNode(
      {
        store: this.#cuttable(cluster),
        inFlight: fence.inFlight,
        availability: new Availability(new SystemClock()),
        hasNonConcurrentWork: () => true,
        suspendedTime: () => 0,
        readLoad: () => null,
        isDeadProcess: () => false,
        clock: new SystemClock(),
        random: systemRandom,
        hooks: {
          publish: (event) => this.#tell(() => this.events.push(event)),
          firingAllowed: () => this.#tell(() => undefined),
          leaseLost: (reason) => this.#tell(() => this.leasesLost.push(reason)),
          scheduleChanged: (earliest) => this.#tell(() => this.changes.push({ earliest, at: performance.now() })),
          othersTakeWork: () => undefined,
          storeAvailable: () => this.#tell(() => undefined),
          receive: async (signal) => this.#tell(() => this.received.push(signal)),
        },
      },
      {
        node: { instanceId, version: '1', host: 'h', processId: 1, ...pace },
        maxMainStall: 0,
        isReadableByJava: true,
        maxRecoveryAttempts: 3,
        maxHandOvers: 10,
      },
    );
    live.node = this.node;
  }

  eventsOf<Type extends SchedulerEvent['type']>(type: Type): readonly SchedulerEventOf<Type>[] {
    return this.events.filter((event): event is SchedulerEventOf<Type> => event.type === type);
  }

  /** Cuts the node off from the database. */
  cut(): void {
    this.#isCut = true;
  }

  mend(): void {
    this.#isCut = false;
  }

  /** Waits until an event or signal makes `isSo` true. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
  }

  #tell(act: () => unknown): void {
    act();
    this.#told();
  }

  #cuttable(cluster: ClusterStore): ClusterStore {
    return new Proxy(cluster, {
      get: (target, name) => {
        const method = target[name as keyof ClusterStore] as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          if (this.#isCut) throw new Error('cut off');
          return method.apply(target, args);
        };
      },
    });
  }
}

function describeNodes(open: (count: number) => Promise<readonly StoreDatabase[]>): void {
  let databases: readonly StoreDatabase[];
  let nodes: LiveNode[];
  let schedName: string;

  beforeAll(async () => {
    databases = await open(2);
  });

  beforeEach(() => {
    schedName = testNode().schedName;
    nodes = [];
  });

  afterEach(async () => {
    for (const node of nodes) node.mend();
    await Promise.all(nodes.map(({ node }) => node.stop()));
  });

  afterAll(async () => {
    for (const database of databases) await database.close();
  });

  const begin = async (index: number, instanceId: string): Promise<LiveNode> => {
    const node = new LiveNode(databases[index] as StoreDatabase, schedName, instanceId);
    nodes.push(node);
    await node.open();
    await node.node.start();
    return node;
  };

  it('a dead node is detected within its detection time, and its firings are released or recovered', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    await b.schedule(job('job', { requestsRecovery: true }), everyMinute('running'), everyMinute('reserved'));
    await b.fireOne();
    await b.acquireOne();
    const last = performance.now();
    b.cut();
    await a.until(() => a.eventsOf('nodeRecovered').length > 0);
    const took = performance.now() - last;
    // Its last check-in was up to a third of the interval before.
    expect(took).toBeGreaterThanOrEqual(DETECTION - INTERVAL / 3 - 50);
    expect(a.eventsOf('nodeFailed')).toMatchObject([{ instanceId: 'b' }]);
    expect(a.eventsOf('nodeRecovered')).toMatchObject([{ report: { instanceId: 'b', released: 1, lost: 0 } }]);
    expect(a.changes.at(-1)).toMatchObject({ earliest: null });
    const fired = await a.fireDue();
    expect(fired.map(({ recovering }) => recovering).sort()).toEqual([false, true]);
  });

  it('a node that loses its lease stops firing before it is recovered, and rejoins after the outage', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    const { epoch } = b.node;
    await b.scheduleAll(everyMinute());
    const [firing] = (await b.store.acquireTriggers(b.request({ fireWithin: 0 }))).fired;
    b.cut();
    await b.until(() => b.leasesLost.length > 0);
    expect(a.eventsOf('nodeFailed')).toEqual([]); // not yet
    expect(b.leasesLost).toEqual(['leaseExpired']);
    await expect(b.store.acquireTriggers(b.request({ fireWithin: 0 }))).resolves.toEqual({ acquired: [], fired: [] });
    await a.until(() => a.eventsOf('nodeRecovered').length > 0);
    b.mend();
    await b.until(() => b.node.epoch !== epoch && b.node.lease.mayFire);
    expect(b.leasesLost).toEqual(['leaseExpired']); // not reported a second time
    if (firing?.status !== 'fired') throw new Error('Expected a firing.');
    await expect(b.complete(firing.firing)).resolves.toMatchObject({ status: 'fenced' });
    b.now += 60_200; // so late that it is no longer left to the other node
    const again = await b.store.acquireTriggers(b.request({ fireWithin: 0 }));
    expect(again.fired).toMatchObject([{ status: 'fired' }]);
  });

  it('a node that is cut off briefly keeps its lease and its incarnation', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    const { epoch } = b.node;
    b.cut();
    await b.until(() => b.eventsOf('schedulerError').length > 0);
    b.mend();
    await b.node.checkIn(new AbortController().signal);
    expect(b.node.epoch).toBe(epoch);
    expect([a.eventsOf('nodeFailed'), b.leasesLost]).toEqual([[], []]);
  });

  it('a second process with the id of a living node is refused', async () => {
    const a = await begin(0, 'same');
    await expect(begin(1, 'same')).rejects.toMatchObject({ code: 'INSTANCE_ID_TAKEN' });
    expect(a.leasesLost).toEqual([]);
    expect(a.node.lease.mayFire).toBe(true);
  });

  it('a new process with the id of a dead node recovers the work of that node', async () => {
    const dead = await begin(0, 'same');
    await dead.scheduleAll(everyMinute());
    await dead.acquireOne();
    dead.cut();
    await dead.node.stop().catch(() => undefined);
    const heir = await begin(1, 'same');
    expect(heir.eventsOf('nodeRecovered')).toMatchObject([{ report: { instanceId: 'same', released: 1 } }]);
    await expect(heir.acquireOne()).resolves.toBeDefined();
  });

  it('a clean shutdown releases everything, and other nodes report no failure', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    await b.scheduleAll(everyMinute());
    await b.acquireOne();
    await b.node.stop();
    const { nodes: left } = await a.cluster.readNodes();
    expect(left.map(({ instanceId }) => instanceId)).toEqual(['a']);
    await expect(a.acquireOne()).resolves.toBeDefined();
    expect(a.eventsOf('nodeFailed')).toEqual([]);
  });

  it('a change on one node wakes the other within a second', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    const now = Math.floor(await b.cluster.readClock());
    const scheduledAt = performance.now();
    await b.scheduleAll(once('soon', { startTime: now }));
    await a.until(() => a.changes.length > 0);
    expect(a.changes[0]?.earliest).toBe(now);
    expect((a.changes[0]?.at ?? 0) - scheduledAt).toBeLessThan(1_000);
  });

  it('signals to another node are received and acknowledged', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    await b.scheduleAll(everyMinute());
    const { runId } = await b.fireOne();
    const requests = new ClusterRequests(a.cluster, new SystemClock(), 'a');
    await expect(requests.interruptOn(['b'], { type: 'interruptRun', runId })).resolves.toBe(true);
    await expect(requests.confirmStarted(await requests.readNodes())).resolves.toEqual({
      acknowledged: ['b'],
      silent: [],
    });
    expect(b.received.map(({ type }) => type)).toEqual(['interruptRun', 'confirmStarted']);
    await expect(requests.getFirings()).resolves.toMatchObject([{ instanceId: 'b' }]);
  });

  it('healthy nodes leave nothing to repair for the sweeper', async () => {
    const a = await begin(0, 'a');
    const b = await begin(1, 'b');
    await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('s1'), everyMinute('s2'));
    await b.fireDue({ maxCount: 1 });
    for (const { node } of [a, b]) {
      await node.sweeper.runOnce();
      expect(node.sweeper.repairCount).toBe(0);
    }
  });
}

describe('nodes on SQLite', () => describeNodes((count) => openSqliteNodes(count)));

describeOnAnyServer('nodes on MySQL or MariaDB', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });

  afterAll(() => database.drop());

  describeNodes(async (count) => Promise.all(Array.from({ length: count }, () => openStores(database.url))));
});
