import { deferBehind } from '../../src/domain/admission';
import type { Completion } from '../../src/domain/completion';
import type { TriggerFiring } from '../../src/domain/firing';
import { job, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { openSqliteStores, openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';

const ahead = { maxCount: 2, ahead: { maxCount: 6, jobTypes: ['sample'] } };
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

  it.each([
    ['of a type that is not short', { ahead: { maxCount: 6, jobTypes: ['other'] } }, {}, {}],
    ['of a job that disallows concurrent runs', {}, { disallowConcurrentExecution: true }, {}],
    ['under a limit', {}, { policy: { concurrency: { key: 'mail', limit: 9 } } }, {}],
    ['under a rule', {}, {}, { policy: { startWithin: 60 * SECOND } }],
    ['that is not due', {}, {}, { startTime: NOW + 20 }],
  ])('end before a firing %s, after one for each worker', async (_, request, jobFields, triggerFields) => {
    await driver.schedule(job('job'), ...due(4));
    await driver.schedule(job('special', jobFields), once('special', { startTime: NOW - 1, ...triggerFields }));
    await driver.schedule(job('later'), once('later', { startTime: NOW + 20 }));
    const isShort = !('ahead' in request);
    const fired = namesOf(await driver.fireDue({ ...ahead, ...request, fireWithin: 25, timeWindow: 50 }));
    expect(fired).toEqual(['t0', 't1', 't2', 't3'].slice(0, isShort ? 4 : 2));
  });

  it('end after one firing for each worker if one of these has a long job', async () => {
    await driver.schedule(
      job('special', { disallowConcurrentExecution: true }),
      once('a', { startTime: NOW - SECOND }),
    );
    await driver.schedule(job('job'), ...due(4, { startTime: NOW - 1 }));
    expect(namesOf(await driver.fireDue(ahead))).toEqual(['a', 't0']);
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
