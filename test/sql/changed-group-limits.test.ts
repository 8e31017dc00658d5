import { DEFAULT_POLICY } from '../../src/domain/execution-policy';
import type { TriggerFiring } from '../../src/domain/firing';
import type { GroupLimits } from '../../src/domain/group-limits';
import { jobKey } from '../../src/domain/keys';
import { job, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { storesOfNode } from '../support/database/cluster-stores';
import { openSqliteStores, openStores, type StoreDatabase, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

/** Tests of nodes that restart with another configuration. */
function describeChanges(database: () => StoreDatabase) {
  let schedName: string;
  let running: TriggerFiring;
  const opened: StoreDriver[] = [];

  const node = async (instanceId: string, groupLimits?: GroupLimits) => {
    const policy = groupLimits === undefined ? DEFAULT_POLICY : { ...DEFAULT_POLICY, groupLimits };
    const { store, cluster } = storesOfNode(database(), { schedName, instanceId, policy });
    const driver = new StoreDriver(store);
    await driver.open();
    opened.push(driver);
    return { driver, sweep: () => cluster.sweep(100) };
  };

  beforeEach(async () => {
    schedName = testNode().schedName;
    const { driver } = await node('before', { reports: 1 });
    const due = Array.from({ length: 6 }, (_, index) => once(`r${index}`, { startTime: NOW - (10 - index) * SECOND }));
    await driver.schedule(job('job', { key: jobKey('job', 'reports') }), ...due);
    running = await driver.fireOne();
    expect(await driver.fireDue()).toEqual([]);
    expect(await driver.state('r5')).toBe('BLOCKED');
  });

  afterEach(async () => {
    for (const driver of opened.splice(0)) await driver.store.close();
  });

  it('a raised limit releases waiting triggers up to the new limit', async () => {
    const { driver, sweep } = await node('after', { reports: 3 });
    await sweep();
    expect(namesOf(await driver.fireDue())).toEqual(['r1', 'r2']);
    await sweep();
    expect(await driver.fireDue()).toEqual([]);
  });

  it('without a limit all waiting triggers fire together', async () => {
    const { driver, sweep } = await node('after');
    await (opened[0] as StoreDriver).complete(running, 'DELETE_TRIGGER');
    expect(namesOf(await driver.fireDue())).toEqual(['r1']); // its end let one go on
    await sweep();
    expect(namesOf(await driver.fireDue())).toEqual(['r2', 'r3', 'r4', 'r5']);
  });

  it('a node with another limit counts the runs of other nodes', async () => {
    const { driver } = await node('other', { reports: 2 });
    await driver.schedule(job('more', { key: jobKey('more', 'reports') }), once('m1'), once('m2'));
    expect(namesOf(await driver.fireDue())).toEqual(['m1']);
    expect(await (opened[0] as StoreDriver).fireDue()).toEqual([]);
  });
}

describeOnAnyServer('changed limits of job groups, on a real server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  describeChanges(() => stores);

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });
});

describe('changed limits of job groups, on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describeChanges(() => stores);

  afterAll(() => stores.close());
});
