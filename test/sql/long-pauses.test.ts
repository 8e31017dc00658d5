import { setTimeout as pause } from 'node:timers/promises';
import { GroupMatcher } from '../../src/domain/keys';
import { MINUTE, NOW, once } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

/*
 * A transaction that is silent is cut off after 1 or 2 s, for its node may have stopped with the cluster-wide lock. Storing 100,000
 * triggers at once computes for longer than that, and was cut off as often as it was tried.
 */

/** Milliseconds: longer than any server waits for the next statement. */
const SILENCE = 2_600;
const OPTIONS = { now: NOW, misfireThreshold: MINUTE };

describeOnAnyServer('what computes for long in its transaction, on a real server,', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  let steps: SteppedDriver;
  let node: StoreDriver;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    steps = new SteppedDriver(stores.driver);
    node = new StoreDriver(storeOn({ driver: steps, close: async () => undefined }, testNode()));
    await node.open();
    await node.scheduleAll(once('present'));
    steps.at('commit', () => pause(SILENCE));
  });

  afterEach(() => node.store.close());

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  const storingMany = (count: number) => Array.from({ length: count }, (_, index) => storing(once(`t${index}`)));

  it.each<[string, () => Promise<unknown>]>([
    ['storing more than a thousand', () => node.store.applySchedule(storingMany(1_001), OPTIONS)],
    ['clearing everything', () => node.apply({ type: 'clear' })],
    ['pausing every group', () => node.store.pauseTriggers(GroupMatcher.anyGroup())],
  ])('is not cut off: %s', async (_, work) => {
    await work();
    expect(steps.failures).toEqual([]);
  });

  it('is cut off, and done again, where a node that does so little has stopped', async () => {
    await node.store.applySchedule(storingMany(10), OPTIONS);
    expect(steps.failures).toHaveLength(1);
  });

  it('leaves the limit as it was, whatever becomes of it', async () => {
    steps.release();
    await node.store.applySchedule(storingMany(1_001), OPTIONS);
    await expect(
      node.apply({ type: 'clear' }, storing(once('nobody', { jobKey: { group: 'no', name: 'no' } }))),
    ).rejects.toThrow();
    steps.failures.splice(0);
    steps.at('commit', () => pause(SILENCE));
    await node.store.applySchedule([storing(once('another'))], OPTIONS);
    expect(steps.failures).toHaveLength(1);
  });
});
