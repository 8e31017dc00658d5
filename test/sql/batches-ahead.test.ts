import { deferBehind } from '../../src/domain/admission';
import type { Completion } from '../../src/domain/completion';
import type { TriggerFiring } from '../../src/domain/firing';
import { job, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

const ahead = { maxCount: 2, ahead: 6, runsPerSlot: { sample: 8 } };
const due = (count: number, fields: Parameters<typeof once>[1] = {}) =>
  Array.from({ length: count }, (_, at) => once(`t${at}`, { startTime: NOW - SECOND + at, ...fields }));
const ended = (firing: TriggerFiring): Completion => ({ firing, instruction: 'DELETE_TRIGGER' });

function describeAhead(database: () => StoreDatabase): void {
  let driver: StoreDriver;

  beforeEach(async () => {
    driver = new StoreDriver(storeOn(database(), testNode()));
    await driver.open();
  });

  it('contain several short runs for each worker', async () => {
    await driver.schedule(job('job'), ...due(9));
    expect(namesOf(await driver.fireDue(ahead))).toEqual(['t0', 't1', 't2', 't3', 't4', 't5']);
    expect(namesOf(await driver.fireDue(ahead))).toEqual(['t6', 't7', 't8']);
  });

  it('share workers evenly, and none if there are enough', async () => {
    const slotsOf = async (count: number) => {
      await driver.apply({ type: 'clear' });
      await driver.schedule(job('job'), ...due(count));
      return (await driver.fireDue(ahead)).map(({ slot }) => slot);
    };
    expect(await slotsOf(2)).toEqual([undefined, undefined]);
    expect(await slotsOf(6)).toEqual([0, 0, 0, 1, 1, 1]);
  });

  it.each([
    ['of a type that is not short', { runsPerSlot: {} }, {}, {}],
    ['of a job that disallows concurrent runs', {}, { disallowConcurrentExecution: true }, {}],
    ['under a rule', {}, { policy: { overlap: 'skip' as const } }, {}],
    ['with a policy', {}, {}, { policy: { startWithin: 60 * SECOND } }],
    ['that is not due', {}, {}, { startTime: NOW + 30 }],
  ])('give a firing %s a worker of its own', async (_, request, jobFields, triggerFields) => {
    await driver.schedule(
      job('special', jobFields),
      once('special', { startTime: NOW - 2 * SECOND, ...triggerFields }),
    );
    await driver.schedule(job('job'), ...due(8));
    const fired = await driver.fireDue({ ...ahead, ...request, maxCount: 3, ahead: 9, fireWithin: 25, timeWindow: 50 });
    const workers = new Map<number | string, number>();
    for (const { trigger, slot } of fired) {
      const worker = slot ?? trigger.key.name;
      workers.set(worker, (workers.get(worker) ?? 0) + 1);
    }
    expect(workers.size).toBe(Math.min(3, fired.length));
    expect(workers.get('special') ?? 1).toBe(1);
  });

  it('let firings of a limit that is not scarce share workers, and hold the limit once for each', async () => {
    const limited = job('job', { policy: { concurrency: { key: 'mail', limit: 99 } } });
    await driver.schedule(limited, ...due(6));
    const fired = await driver.fireDue(ahead);
    expect(fired.map(({ slot, holds }) => [slot, holds?.length])).toEqual([
      [0, undefined],
      [0, undefined],
      [0, 1],
      [1, undefined],
      [1, undefined],
      [1, 1],
    ]);
  });

  it('lose no firing that is deferred behind a long run', async () => {
    await driver.schedule(job('job'), ...due(3));
    const [slow, ...waiting] = (await driver.fireDue(ahead)) as [TriggerFiring, ...TriggerFiring[]];
    await driver.store.completeTriggers(
      waiting.map((firing) => ({ ...ended(firing), further: deferBehind(firing, slow).further })),
    );
    await driver.store.completeTriggers([ended(slow)]);
    const again = await driver.fireDue({ maxCount: 5 });
    expect(again.map(({ scheduledFireTime }) => scheduledFireTime - NOW + SECOND)).toEqual([1, 2]);
    await driver.store.completeTriggers(again.map(ended));
    expect(await driver.job()).toBeNull();
    expect(await driver.fireDue()).toEqual([]);
  });

  afterEach(() => driver.store.close());
}

describe('batches ahead on SQLite', () => {
  let stores: StoreDatabase;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });

  describeAhead(() => stores);

  afterAll(() => stores.close());
});

describeOnServer('batches ahead on a server', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });

  describeAhead(() => stores);

  afterAll(async () => {
    await stores.close();
    await database.drop();
  });
});
