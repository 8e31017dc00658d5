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
 * The server ends a silent transaction after 1 or 2 s, because its node may have stopped with the cluster-wide lock. Storing 100,000
 * triggers at once computes for longer than that, so the server ended the transaction on every attempt.
 */

/** Milliseconds. Longer than any server waits for the next statement. */
const SILENCE = 2_600;
const OPTIONS = { now: NOW, misfireThreshold: MINUTE };

describeOnAnyServer('a transaction that computes for a long time, on a real server,', () => {
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
    ['storing more than a thousand triggers', () => node.store.applySchedule(storingMany(1_001), OPTIONS)],
    ['clearing everything', () => node.apply({ type: 'clear' })],
    ['pausing every group', () => node.store.pauseTriggers(GroupMatcher.anyGroup())],
  ])('is not ended by the server: %s', async (_, work) => {
    await work();
    expect(steps.failures).toEqual([]);
  });

  it('is ended and repeated if it stores only a few triggers', async () => {
    await node.store.applySchedule(storingMany(10), OPTIONS);
    expect(steps.failures).toHaveLength(1);
  });

  it('restores the usual limit after success and after failure', async () => {
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
