import { jobKey } from '../../src/domain/keys';
import { job, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver, storing } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { SlowClock } from '../support/slow-clock';

const BACKLOG = 1_000;
const OVERDUE = NOW - 40 * SECOND;
const FULL = { maxCount: 5, groupCapacity: { reports: 0 } };

/** Many due triggers of a group that is full on this node precede those of another group. */
function describeBacklog(database: () => StoreDatabase) {
  let clock: SlowClock;
  let ours: StoreDriver;
  let other: StoreDriver;
  const free = (name: string, startTime: number) => storing(once(name, { startTime, jobKey: jobKey('free', 'free') }));
  const fired = async (fields: object = FULL) => namesOf(await ours.fireDue(fields));

  beforeEach(async () => {
    clock = new SlowClock(NOW);
    const { schedName } = testNode();
    ours = new StoreDriver(storeOn(database(), testNode({ schedName, clock, instanceId: 'ours' })));
    other = new StoreDriver(storeOn(database(), testNode({ schedName, instanceId: 'other' })));
    await ours.open();
    await other.open();
    const reports = Array.from({ length: BACKLOG }, (_, index) => once(`r${index}`, { startTime: OVERDUE + index }));
    await ours.schedule(job('job', { key: jobKey('job', 'reports') }), ...reports);
    await ours.schedule(job('free', { key: jobKey('free', 'free'), durable: true }));
    clock.tick = 50;
    expect(await fired()).toEqual([]); // took 50 ms at least
    clock.tick = 0;
  });

  afterEach(async () => {
    await ours.store.close();
    await other.store.close();
  });

  it('the backlog is skipped for twenty times the scan time, then triggers added by other nodes are found', async () => {
    await other.apply(free('among them', OVERDUE + 5));
    expect(await fired()).toEqual([]);
    clock.advanceBy(999);
    expect(await fired()).toEqual([]);
    clock.advanceBy(9 * SECOND);
    expect(await fired()).toEqual(['among them']);
  });

  it('a trigger after the backlog is found at once, whichever node schedules it', async () => {
    ours.now += SECOND;
    await other.apply(free('behind', NOW + 1));
    expect(await fired()).toEqual(['behind']);
    await other.apply(free('behind that', NOW + 2));
    expect(await fired()).toEqual(['behind that']);
  });

  it('a trigger that this node adds within the backlog is found at once', async () => {
    await ours.apply(free('own', OVERDUE + 500));
    expect(await fired()).toEqual(['own']);
    await ours.apply(free('earlier', OVERDUE - 1));
    expect(await fired()).toEqual(['earlier']);
  });

  it('triggers of the group fire in order again when the group has capacity', async () => {
    ours.now += SECOND;
    await other.apply(free('behind', NOW + 1));
    expect(await fired({ ...FULL, groupCapacity: { reports: 2 } })).toEqual(['r0', 'r1', 'behind']);
    expect(await fired({ maxCount: 5 })).toEqual(['r2', 'r3', 'r4', 'r5', 'r6']);
  });

  it('the backlog is read again when this node can run other job types', async () => {
    const jobTypes = ['sample', 'more'];
    await other.apply(free('among them', OVERDUE + 5));
    expect(await fired({ ...FULL, jobTypes })).toEqual(['among them']);
  });
}

describeOnAnyServer('a backlog of a full job group, on a real server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  describeBacklog(() => stores);

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });
});

describe('a backlog of a full job group, on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describeBacklog(() => stores);

  afterAll(() => stores.close());
});
