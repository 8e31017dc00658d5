import type { SqlDriver } from '../../../src/store/sql/runtime/sql-driver';
import { everyMinute, HOUR, job, NOW, once } from '../../conformance/samples';
import { openStores, type StoreDatabase, testNode } from '../../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../../support/database/test-database';
import { LATE, TrainNode } from './scene';

/** Counts how often due triggers are read for a train. */
function counting(driver: SqlDriver): { readonly driver: SqlDriver; readings: number } {
  const counted = { readings: 0 };
  const select: SqlDriver['select'] = (statement, ...rest) => {
    if (statement === 'selectDueForTrain') counted.readings++;
    return driver.select(statement, ...rest);
  };
  const script = driver.script?.bind(driver);
  return Object.assign(counted, {
    driver: {
      dialect: driver.dialect,
      select,
      ...(script !== undefined && { script }),
      transaction: driver.transaction.bind(driver),
      readActivity: () => driver.readActivity(),
      close: async () => undefined,
    } satisfies SqlDriver,
  });
}

const limited = { policy: { concurrency: { key: 'mail', limit: 5 } } };

describeOnAnyServer('a node that decided its last batch under the lock', () => {
  let database: TestDatabase;
  let stores: StoreDatabase;
  let counted: ReturnType<typeof counting>;
  let node: TrainNode;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    stores = await openStores(database.url);
  });
  afterAll(async () => {
    await stores.close();
    await database.drop();
  });

  beforeEach(async () => {
    counted = counting(stores.driver);
    node = await new TrainNode(counted.driver, testNode().schedName, 'mine').begin();
    await node.schedule(job('limited', limited), ...[1, 2, 3].map((number) => once(`limited ${number}`)));
  });

  const fired = async (fields: Parameters<TrainNode['fireDue']>[0] = {}) =>
    (await node.fireDue({ maxCount: 1, ...fields })).map(({ trigger }) => trigger.key.name);
  const trains = () => node.stores.cluster.readActivity().then((activity) => activity.trains);

  it('acquires the next batch under the lock, without reading due triggers first', async () => {
    expect(await fired()).toEqual(['limited 1']);
    const { readings } = counted;
    expect(readings).toBeGreaterThan(0);
    expect(await fired()).toEqual(['limited 2']);
    expect(await fired()).toEqual(['limited 3']);
    expect(counted.readings).toBe(readings);
    expect((await trains()).sent).toBe(0);
  });

  it('fires by a train of statements again after a batch that does not need the lock', async () => {
    expect(await fired({ maxCount: 3 })).toHaveLength(3);
    await node.schedule(job('plain'), once('plain'));
    expect(await fired()).toEqual(['plain']);
    expect((await trains()).sent).toBe(0);
    await node.schedule(job('next'), once('next'));
    expect(await fired()).toEqual(['next']);
    expect((await trains()).sent).toBe(1);
  });

  it('reads due triggers again if none is due within a second, and reserves none', async () => {
    expect(await fired({ maxCount: 3 })).toHaveLength(3);
    await node.schedule(
      job('later'),
      everyMinute('later', { startTime: LATE + HOUR, key: { name: 'later', group: 'DEFAULT' } }),
    );
    const { readings } = counted;
    const request = node.request({ fireWithin: 0, noLaterThan: NOW + 2 * HOUR });
    const { acquired, pollAgainAt } = await node.store.acquireTriggers(request);
    expect(acquired).toEqual([]);
    expect(counted.readings).toBeGreaterThan(readings);
    expect(pollAgainAt).toBeGreaterThan(LATE);
  });
});
