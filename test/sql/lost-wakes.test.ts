import { systemRandom } from '../../src/base/ids';
import { NodeTransactions } from '../../src/store/sql/rows/node-transaction';
import { type SqlDriver, SqlError } from '../../src/store/sql/runtime/sql-driver';
import type { StatementName } from '../../src/store/sql/runtime/statement-names';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { job, NOW, once, SECOND } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { keptOpen, openSqliteStores, type StoreDatabase, testNode } from '../support/database/sql-store';

const lost = new SqlError({ kind: 'connectionLost', databaseCode: '0', statement: null, message: 'lost' });

describe('triggers that wait for a limit, if the database fails when they should be released', () => {
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let schedName: string;
  /** Statement that finds no database, until `returns` is called. */
  let away: StatementName | null;
  let refused: number;
  let woken: Promise<number | null>;

  beforeAll(async () => {
    stores = await openSqliteStores();
  });
  afterAll(() => stores.close());

  beforeEach(async () => {
    const node = testNode();
    ({ schedName } = node);
    away = null;
    refused = 0;
    const select: SqlDriver['select'] = async (statement, ...rest) => {
      if (statement !== away) return stores.driver.select(statement, ...rest);
      refused++;
      throw lost;
    };
    const transactions = new Transactions({ ...keptOpen(stores.driver), select }, { ...node, random: systemRandom });
    const store = new SqlJobStore(new NodeTransactions(transactions, node), 'sqlite');
    driver = new StoreDriver(store);
    woken = new Promise((resolve) => {
      void store.open(resolve);
    });
    const limited = { policy: { concurrency: { key: 'mail', limit: 1 } } };
    await driver.store.applySchedule(
      ['a', 'b'].flatMap((name, index) => [
        { type: 'storeJob', job: job(name, limited), ifExists: 'fail', requireTrigger: true },
        {
          type: 'storeTrigger',
          trigger: once(name, { jobKey: job(name).key, startTime: NOW - (9 - index) * SECOND }),
          ifExists: 'fail',
          startTimeDefaulted: false,
        },
      ]),
      driver.options,
    );
    await woken;
    woken = new Promise((resolve) => {
      void store.open(resolve);
    });
  });

  afterEach(() => driver.store.close());

  it('are released as soon as the database is back, after a run has freed the limit', async () => {
    const firing = await driver.fireOne();
    expect(await driver.fireDue()).toEqual([]);
    away = 'selectAwaitedLimits';
    expect(await driver.complete(firing, 'DELETE_TRIGGER')).toMatchObject({ status: 'completed' });
    expect(refused).toBeGreaterThan(0);
    expect(await driver.state('b')).toBe('BLOCKED');
    away = null;
    await woken;
    expect(namesOf(await driver.fireDue())).toEqual(['b']);
  });

  it('are released as soon as the database is back, if the limit was freed while they began to wait', async () => {
    const firing = await driver.fireOne();
    away = 'countHeld';
    await driver.fireDue().catch(() => undefined);
    expect(refused).toBeGreaterThan(0);
    expect(await driver.state('b')).toBe('BLOCKED');
    // Another node ends the run. It has searched for waiting triggers before this one waited.
    const rows = JSON.stringify([['mail', firing.runId]]);
    await stores.driver.transaction('scheduler', (tx) => tx.run('deleteHeld', { schedName, rows }));
    away = null;
    await woken;
    expect(namesOf(await driver.fireDue())).toEqual(['b']);
  });
});
