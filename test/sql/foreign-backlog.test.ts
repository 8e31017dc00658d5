import { report } from '../cluster/support/figures';
import { job, MINUTE, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver, storing } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { SlowClock } from '../support/slow-clock';

const BACKLOG = 10_000;
const OVERDUE = NOW - 40 * SECOND;

/** Thousands of overdue triggers of job types that no node here can run precede the due one. */
function describeBacklog(database: () => StoreDatabase) {
  let clock: SlowClock;
  let ours: StoreDriver;
  let other: StoreDriver;

  beforeAll(async () => {
    clock = new SlowClock(NOW);
    const { schedName } = testNode();
    ours = new StoreDriver(storeOn(database(), testNode({ schedName, clock, instanceId: 'ours' })));
    other = new StoreDriver(storeOn(database(), testNode({ schedName, instanceId: 'other' })));
    await ours.open();
    await other.open();
    const foreign = Array.from({ length: BACKLOG }, (_, index) =>
      once(`foreign ${index}`, { startTime: OVERDUE + (index % 1000) }),
    );
    await ours.schedule(job('foreign', { jobType: 'foreign' }), ...foreign);
    await ours.schedule(job('job', { durable: true }));
  });

  afterAll(async () => {
    await ours.store.close();
    await other.store.close();
  });

  const overdue = (name: string) => storing(once(name, { startTime: OVERDUE - SECOND }));
  const fired = async () => namesOf(await ours.fireDue({ maxCount: 25 }));
  /** A scan that took 20 ms at least. */
  const firedSlowly = async () => {
    clock.tick = 20;
    const names = await fired();
    clock.tick = 0;
    return names;
  };

  it('a due trigger behind the backlog is found at once', async () => {
    const delays: number[] = [];
    for (const name of ['first', 'second', 'third']) {
      clock.advanceBy(MINUTE); // forgets the skipped range
      await other.apply(storing(once(name)));
      const start = performance.now();
      expect(await fired()).toEqual([name]);
      delays.push(performance.now() - start);
    }
    report(`10,000 overdue triggers of unknown job types delay a known one by ${Math.min(...delays).toFixed(1)} ms`);
    expect(Math.min(...delays)).toBeLessThan(500); // reading them all takes seconds
  });

  it('the backlog is skipped for twenty times the scan time, then triggers added by other nodes are found', async () => {
    clock.advanceBy(MINUTE);
    expect(await firedSlowly()).toEqual([]);
    await other.apply(overdue('among them'), storing(once('recent', { startTime: NOW - SECOND })));
    expect(await fired()).toEqual(['recent']);
    clock.advanceBy(399);
    expect(await fired()).toEqual([]);
    clock.advanceBy(601); // skipped for a second at most
    expect(await fired()).toEqual(['among them']);
  });

  it('a trigger that this node adds within the backlog is found at once', async () => {
    clock.advanceBy(MINUTE);
    expect(await firedSlowly()).toEqual([]);
    await ours.apply(overdue('own'));
    expect(await fired()).toEqual(['own']);
  });

  it('the backlog is read again when this node can run its job type', async () => {
    clock.advanceBy(MINUTE);
    expect(await firedSlowly()).toEqual([]);
    const firings = await ours.fireDue({ maxCount: 3, jobTypes: ['sample', 'foreign'], misfireThreshold: MINUTE });
    expect(namesOf(firings)).toEqual(['foreign 0', 'foreign 1000', 'foreign 2000']);
  });
}

describeOnServer('a backlog of triggers that this node cannot run, on a real server', () => {
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

describe('a backlog of triggers that this node cannot run, on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describeBacklog(() => stores);

  afterAll(() => stores.close());
});
