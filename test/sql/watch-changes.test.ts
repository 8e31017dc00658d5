import { systemRandom } from '../../src/base/ids';
import { ManualClock } from '../../src/base/manual-clock';
import { acquireTriggers } from '../../src/store/sql/operations/acquire';
import { ScanMemory } from '../../src/store/sql/operations/scan-memory';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlClusterStore } from '../../src/store/sql/sql-cluster-store';
import { HOUR, job, NOW, once } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';

describe('the change watch of a node', () => {
  const clock = new ManualClock(NOW);
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });
  afterAll(() => stores.close());

  it('counts the backlog unless a scan of the node has just looked at all of it', async () => {
    const node = testNode({ clock });
    const ours = new StoreDriver(storeOn(stores, node));
    await ours.open();
    await ours.schedule(
      job('job'),
      once('old', { startTime: NOW - HOUR }),
      once('older', { startTime: NOW - 2 * HOUR }),
    );
    const transactions = new Transactions(stores.driver, { schedName: node.schedName, clock, random: systemRandom });
    const scan = new ScanMemory(node);
    const cluster = new SqlClusterStore(transactions, node, scan);
    const watch = { instanceId: 'x', epoch: 'x', lookBack: 0, isCounted: true };
    const backlog = async () => (await cluster.watchChanges(watch)).backlog?.count ?? null;
    expect(await backlog()).toBe(2);

    const request = { now: NOW, noLaterThan: NOW, maxCount: 1, timeWindow: 0, misfireThreshold: 3 * HOUR };
    const asked = { ...request, jobTypes: ['sample'], fireWithin: 0, requestedAt: clock.monotonic() };
    await transactions.run('TRIGGER_ACCESS', (tx) => acquireTriggers(tx, node, asked, scan), {
      resolveUnknown: async () => ({ status: 'notCommitted' }),
    });
    expect(await backlog()).toBeNull();
    clock.advanceBy(99);
    expect(await backlog()).toBeNull();
    clock.advanceBy(1);
    expect(await backlog()).toBe(1);
  });
});
