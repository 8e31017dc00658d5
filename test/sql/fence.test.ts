import type { FiringFence } from '../../src/store/cluster-store';
import { everyMinute, job, once } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
import { openSqliteStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';

let database: StoreDatabase;
let driver: StoreDriver;
let release: string[];
const fence = { mayFire: true, hasJavaPeer: false, dispatch: (work) => work() } as Omit<FiringFence, 'letGo'> as {
  -readonly [Key in keyof FiringFence]: FiringFence[Key];
};

beforeEach(async () => {
  release = [];
  Object.assign(fence, { mayFire: true, hasJavaPeer: false });
  fence.release = (id, isEnded) => void release.push(`${id} ${isEnded}`);
  database = await openSqliteStores();
  driver = new StoreDriver(storeOn(database, testNode({ fence })));
  await driver.open();
});

afterEach(async () => {
  await driver.store.close();
  await database.close();
});

describe('a store with a firing fence', () => {
  it('changes the schedule but fires nothing while the node may not fire', async () => {
    fence.mayFire = false;
    const changes = [
      { type: 'storeJob', job: job(), ifExists: 'fail', requireTrigger: false },
      storing(once('now', { jobKey: job().key })),
    ] as const;
    const fireNow = { maxCount: 1, jobTypes: ['sample'] };
    await expect(driver.store.applySchedule(changes, { ...driver.options, fireNow })).resolves.toMatchObject({
      fired: [],
    });
    await expect(driver.store.acquireTriggers(driver.request())).resolves.toEqual({ acquired: [], fired: [] });
    fence.mayFire = true;
    expect(await driver.fireDue()).toHaveLength(1);
  });

  it('reserves nothing ahead of its fire time if a Java node is alive, and reports the window it used', async () => {
    await driver.schedule(job(), everyMinute('due'), everyMinute('soon', { startTime: driver.now + 10_000 }));
    fence.hasJavaPeer = true;
    const request = driver.request({
      timeWindow: 20_000,
      fireWithin: 0,
      noLaterThan: driver.now + 30_000,
      maxCount: 2,
    });
    await expect(driver.store.acquireTriggers(request)).resolves.toMatchObject({ fired: [{}], timeWindow: 0 });
    fence.hasJavaPeer = false;
    const alone = await driver.store.acquireTriggers(request);
    expect([alone.acquired.length, alone.timeWindow]).toEqual([1, undefined]);
  });

  it('releases an acquired trigger that the node may no longer fire', async () => {
    await driver.schedule(job(), everyMinute());
    const acquired = await driver.acquire();
    fence.mayFire = false;
    const result = await driver.store.fireTriggers(acquired, driver.now);
    expect(result).toMatchObject([{ status: 'notFired', reason: 'lost', acquired: acquired[0] }]);
    expect(release).toEqual([`${acquired[0]?.runId} true`]);
    fence.mayFire = true;
    expect(await driver.fireDue()).toHaveLength(1);
  });

  it('releases a firing when it completes, whether or not the node may fire', async () => {
    await driver.schedule(job(), everyMinute());
    const [firing] = await driver.fireDue();
    fence.mayFire = false;
    if (firing === undefined) throw new Error('Expected a firing.');
    await expect(driver.complete(firing)).resolves.toMatchObject({ status: 'completed' });
    expect(release).toEqual([`${firing.runId} true`]);
  });
});
