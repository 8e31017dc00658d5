import { systemRandom } from '../../src/base/ids';
import { NodeTransactions } from '../../src/store/sql/rows/node-transaction';
import { UnknownCommitError } from '../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { everyMinute, job } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
import { keptOpen, openSqliteStores, openStores, type StoreDatabase, testNode } from '../support/database/sql-store';
import { SteppedDriver } from '../support/database/stepped-driver';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';

const DAY = 24 * 3_600_000;

/** A process of a scheduler. Closing it leaves the connections open for the next one. */
function processOn({ driver }: StoreDatabase, schedName: string, isAlone = false): StoreDriver {
  const node = testNode({ schedName });
  const transactions = new Transactions(isAlone ? driver : keptOpen(driver), {
    schedName,
    clock: node.clock,
    random: systemRandom,
  });
  return new StoreDriver(new SqlJobStore(new NodeTransactions(transactions, node), driver.dialect.name));
}

describeOnAnyServer('the commit tokens of schedule changes', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let stores: StoreDatabase;
  let schedName: string;
  let driver: StoreDriver;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    proxy = await FaultProxy.before(database.url);
    stores = await openStores(proxy.url);
  });

  beforeEach(async () => {
    ({ schedName } = testNode());
    driver = processOn(stores, schedName);
    await driver.open();
  });

  afterAll(async () => {
    await stores.close();
    await proxy.close();
    await database.drop();
  });

  const tokens = () =>
    database.query<{ name: string; value: string }>(
      "SELECT META_KEY AS name, META_VALUE AS value FROM QRTZ_X_META WHERE SCHED_NAME = ? AND META_KEY LIKE 'commit%' ORDER BY META_KEY",
      [schedName],
    );
  const numbers = async () => (await tokens()).map(({ value }) => value.split(' ')[1]);
  /** Number of tokens that a process writes before its first script, which advances them. */
  const written = () => (stores.driver.script === undefined ? 0 : 1);
  const leave = (name: string, at: number) =>
    database.query('INSERT INTO QRTZ_X_META VALUES (?, ?, ?)', [schedName, `commit.${name}`, `${at} 5`]);

  it('are one row for each process, and are deleted when the process closes its store', async () => {
    const other = processOn(stores, schedName);
    await other.open();
    await driver.scheduleAll(everyMinute('a'));
    for (let round = 0; round < 5; round++) await driver.register(everyMinute('a', { priority: round + 10 }));
    const last = `${6 + written()}`;
    expect(await numbers()).toEqual([last]);
    await other.apply(storing(everyMinute('b')));
    expect([...(await numbers())].sort()).toEqual(['1', last]);
    await driver.store.close();
    expect(await numbers()).toEqual(['1']);
    await other.store.close();
    expect(await tokens()).toEqual([]);
  });

  it('are not written if nothing changes or the change is refused', async () => {
    await driver.applyOne({ type: 'deleteJob', key: job('nobody').key });
    await expect(driver.apply(storing(everyMinute('x')))).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    expect(await tokens()).toEqual([]);
    await driver.scheduleAll(everyMinute('a'));
    await driver.register(everyMinute('a'));
    expect(await numbers()).toEqual([`${1 + written()}`]);
  });

  it('are deleted a week after their process was killed, by the next process that writes one', async () => {
    const now = Date.now();
    await leave('killed', now - 8 * DAY);
    await leave('alive', now - 6 * DAY);
    await database.query("INSERT INTO QRTZ_X_META VALUES (?, 'commits', '1')", [schedName]);
    await driver.scheduleAll(everyMinute('a'));
    const names = (await tokens()).map(({ name }) => name);
    expect(names).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(['commit.alive', 'commits']));
  });

  it('show that nothing was committed when the server kills the connection before the commit', async () => {
    const steps = new SteppedDriver(stores.driver);
    const stepped = processOn({ ...stores, driver: steps }, schedName);
    await stepped.open();
    await stepped.scheduleAll(everyMinute('a'));
    let killed = 0;
    for (let round = 0; round < 5; round++) {
      steps.at('commit', async () => {
        const sessions = await database.query<{ id: number }>(
          'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID()',
        );
        for (const { id } of sessions)
          await database.query(`KILL ${id}`).then(
            () => killed++,
            () => undefined,
          );
      });
      expect((await stepped.register(everyMinute('a', { priority: round + 10 }))).status).toBe('replaced');
      expect(await stepped.trigger('a')).toMatchObject({ priority: round + 10 });
    }
    expect(killed).toBeGreaterThanOrEqual(5);
    expect(steps.failures).toEqual(Array.from({ length: 5 }, () => expect.any(UnknownCommitError)));
    expect(await numbers()).toEqual(['16']); // each look-up refuses the commit, and each repetition has a new number
  });

  it('cannot show the outcome if a closing store reaches its deadline first, which the error reports', async () => {
    const alone = processOn(await openStores(proxy.url), schedName, true);
    await alone.open();
    await alone.scheduleAll(everyMinute('a'));
    const faulted = proxy.commitFaulted();
    proxy.faultNextCommit('late');
    const changing = alone.register(everyMinute('a', { priority: 9 }));
    await faulted;
    await Promise.all([
      expect(changing).rejects.toMatchObject({
        code: 'STORE_FAILURE',
        message: expect.stringContaining('unknown whether the transaction was stored'),
      }),
      alone.store.close(1).then(() => proxy.deliver()),
    ]);
  });
});

describe('the commit tokens of schedule changes in a file', () => {
  it('are not written, because SQLite always reports the outcome of a commit', async () => {
    const stores = await openSqliteStores();
    const { schedName } = testNode();
    const driver = processOn(stores, schedName);
    await driver.open();
    await driver.scheduleAll(everyMinute('a'));
    await driver.store.close();
    const deleted = await stores.driver.transaction('scheduler', (tx) =>
      tx.run('deleteOldCommitTokens', { schedName, age: -DAY }),
    );
    expect(deleted.changes).toBe(0);
    await stores.close();
  });
});
