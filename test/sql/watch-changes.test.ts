import { SystemClock } from '../../src/base/clock';
import { systemRandom } from '../../src/base/ids';
import { ManualClock } from '../../src/base/manual-clock';
import { acquireTriggers } from '../../src/store/sql/operations/acquire';
import { newAcquireMemory } from '../../src/store/sql/operations/acquire-memory';
import { NodeTransactions, withNode } from '../../src/store/sql/rows/node-transaction';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlClusterStore } from '../../src/store/sql/sql-cluster-store';
import { HOUR, job, NOW, once } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

describe('the change watch of a node', () => {
  const clock = new ManualClock(NOW);
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });
  afterAll(() => stores.close());

  it('counts the backlog unless a recent scan of the node has read all of it', async () => {
    const node = testNode({ clock });
    const ours = new StoreDriver(storeOn(stores, node));
    await ours.open();
    await ours.schedule(
      job('job'),
      once('old', { startTime: NOW - HOUR }),
      once('older', { startTime: NOW - 2 * HOUR }),
    );
    const transactions = new Transactions(stores.driver, { schedName: node.schedName, clock, random: systemRandom });
    const ofNode = new NodeTransactions(transactions, node);
    const memory = newAcquireMemory(ofNode);
    const cluster = new SqlClusterStore(ofNode, memory);
    const watch = { instanceId: 'x', epoch: 'x', lookBack: 0, isCounted: true };
    const backlog = async () => (await cluster.watchChanges(watch)).backlog?.count ?? null;
    expect(await backlog()).toBe(2);

    const request = { now: NOW, noLaterThan: NOW, maxCount: 1, timeWindow: 0, misfireThreshold: 3 * HOUR };
    const asked = { ...request, jobTypes: ['sample'], fireWithin: 0, requestedAt: clock.monotonic() };
    await transactions.run('TRIGGER_ACCESS', (tx) => acquireTriggers(withNode(tx, node), asked, memory.scan), {
      resolveUnknown: async () => ({ status: 'notCommitted' }),
    });
    expect(await backlog()).toBeNull();
    clock.advanceBy(99);
    expect(await backlog()).toBeNull();
    clock.advanceBy(1);
    expect(await backlog()).toBe(1);
  });
});

describeOnServer('the poll of MariaDB while a node waits for a wake-up', () => {
  const clock = new SystemClock();
  let database: TestDatabase;
  let stores: StoreDatabase;
  let cluster: SqlClusterStore;
  /** A node that rings no other node. */
  let ours: StoreDriver;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
    const node = testNode({ clock });
    const transactions = new Transactions(stores.driver, { schedName: node.schedName, clock, random: systemRandom });
    const ofNode = new NodeTransactions(transactions, node);
    cluster = new SqlClusterStore(ofNode, newAcquireMemory(ofNode));
    ours = new StoreDriver(storeOn(stores, node));
    await ours.open();
  });
  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  const read = () => cluster.watchChanges({ instanceId: 'x', epoch: 'x', lookBack: 2_000, isCounted: true });
  const wait = () => cluster.awaitRing({ epoch: 'x' }, new AbortController().signal, true);

  it('ends the wait within a second after a change without a wake-up', async () => {
    if (!stores.driver.bell?.canPoll) return;
    await ours.schedule(job('job'), once('first', { startTime: clock.now() + HOUR }));
    await read();
    const since = clock.monotonic();
    const waiting = wait();
    await database.query('DO SLEEP(2.2)');
    await ours.schedule(job('other'), once('next', { startTime: clock.now() + HOUR }));
    expect(await waiting).toBe('acquire');
    expect(clock.monotonic() - since).toBeGreaterThan(2_200);
    expect(clock.monotonic() - since).toBeLessThan(4_000);
    expect(await waitsFor(wait())).toBeLessThan(1_500); // the node has not read the change yet
  });

  it('ends the wait early when a wake-up arrives', async () => {
    if (!stores.driver.bell?.canPoll) return;
    await read();
    const waiting = waitsFor(wait());
    const ringing = setInterval(() => void stores.driver.bell?.ring(['x']), 5);
    expect(await waiting).toBeLessThan(900);
    clearInterval(ringing);
  });

  async function waitsFor(ring: Promise<unknown>): Promise<number> {
    const since = clock.monotonic();
    await ring;
    return clock.monotonic() - since;
  }
});
