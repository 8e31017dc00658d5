import { systemRandom } from '../../src/base/ids';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { ScheduleChange } from '../../src/domain/schedule-change';
import { NodeTransactions } from '../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../src/store/sql/rows/sql-node';
import type { SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { job, once } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
import { keptOpen, openStores, type StoreDatabase, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';

const adding = (name: string): readonly ScheduleChange[] => [
  { type: 'storeJob', job: job(name), ifExists: 'fail', requireTrigger: true },
  storing(once(name, { jobKey: jobKey(name) })),
];

/** The store of one process, in which the proxy delays a packet. */
function processOn(driver: SqlDriver, node: SqlNode): StoreDriver {
  const { schedName, clock } = node;
  const transactions = new Transactions(keptOpen(driver), { schedName, clock, random: systemRandom });
  return new StoreDriver(new SqlJobStore(new NodeTransactions(transactions, node), driver.dialect.name));
}

describe('a commit packet that arrives after the client has looked up its outcome', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let stores: StoreDatabase;
  let schedName: string;
  let slow: StoreDriver;

  const open = async () => {
    database = await createDatabase(await sharedServer());
    proxy = await FaultProxy.before(database.url);
    stores = await openStores(proxy.url);
  };
  const begin = async () => {
    const node = testNode();
    ({ schedName } = node);
    slow = processOn(stores.driver, node);
    await slow.open();
    await slow.apply(...adding('first'));
  };
  const close = async () => {
    await stores.close();
    await proxy.close();
    await database.drop();
  };
  const withProcess = () => {
    beforeAll(open);
    beforeEach(begin);
    afterAll(close);
  };
  /** Text that marks the commit: the key of the token in a script, or the COMMIT packet. */
  const committing = () => (stores.driver.script === undefined ? 'COMMIT' : 'commit.');
  const delayNext = () => {
    const delayed = proxy.commitFaulted();
    proxy.faultNextCommit('late', committing());
    return delayed;
  };

  describeOnServer('stores nothing:', () => {
    withProcess();

    it('a one-off does not run twice', async () => {
      const delayed = delayNext();
      await slow.apply(...adding('x'));
      await delayed;
      const fired = await slow.fireDue();
      expect(fired.map(({ trigger }) => trigger.key.name).sort()).toEqual(['first', 'x']);
      for (const firing of fired) await slow.complete(firing, 'DELETE_TRIGGER');
      await proxy.deliver();
      expect(await slow.fireDue()).toEqual([]);
      expect([await slow.find('x'), await slow.job('x')]).toEqual([null, null]);
    });

    it('a deleted trigger does not come back', async () => {
      const delayed = delayNext();
      await slow.apply(...adding('x'));
      await delayed;
      await slow.applyOne({ type: 'deleteTrigger', key: triggerKey('x') });
      await proxy.deliver();
      expect(await slow.find('x')).toBeNull();
    });

    it('a changed trigger keeps its change', async () => {
      const delayed = delayNext();
      await slow.apply(...adding('x'));
      await delayed;
      await slow.register(once('x', { jobKey: jobKey('x'), priority: 9 }));
      await proxy.deliver();
      expect(await slow.trigger('x')).toMatchObject({ priority: 9 });
    });

    it('a pending call resolves if its change is stored, even if the store is closing', async () => {
      const faulted = proxy.commitFaulted();
      proxy.faultNextCommit('cutAfter', committing());
      const added = slow.apply(...adding('x'));
      await faulted;
      await Promise.all([expect(added).resolves.toHaveLength(2), slow.store.close(10_000)]);
    });

    it('a pending call rejects only if nothing is stored, even if the store is closing', async () => {
      const delayed = delayNext();
      const added = slow.apply(...adding('x'));
      await delayed;
      await Promise.all([
        expect(added).rejects.toMatchObject({
          code: 'STORE_FAILURE',
          message: expect.not.stringContaining('unknown whether'),
        }),
        slow.store.close(10_000),
      ]);
      await proxy.deliver();
      const found = 'SELECT TRIGGER_NAME AS name FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ?';
      expect(await database.query(found, [schedName])).toEqual([{ name: 'first' }]);
    });

    it('a closed store, whose token is deleted, stores no late change', async () => {
      const delayed = delayNext();
      await slow.apply(...adding('late'));
      await delayed;
      await slow.applyOne({ type: 'deleteJob', key: jobKey('late') });
      await slow.store.close();
      await proxy.deliver();
      const found = await database.query('SELECT 1 FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ? AND TRIGGER_NAME = ?', [
        schedName,
        'late',
      ]);
      expect(found).toEqual([]);
    });
  });

  describe('and is a script', () => {
    withProcess();

    it('is refused between the look-up and the repetition, and the repeated call stores the job', async () => {
      let scripts = 0;
      const script: SqlDriver['script'] = async (role, steps, options) => {
        scripts++;
        if (scripts === 3) await proxy.deliver(); // the look-up has ended, and the repetition is not sent yet
        return stores.driver.script?.(role, steps, options) ?? [];
      };
      const driver = processOn({ ...keptOpen(stores.driver), script }, testNode());
      await driver.open();
      await driver.apply(...adding('prepared'));
      const delayed = delayNext();
      await expect(driver.apply(...adding('x'))).resolves.toHaveLength(2);
      await delayed;
      expect(scripts).toBe(3);
      expect(await driver.state('x')).toBe('WAITING');
    });

    const tokenRow = "WHERE SCHED_NAME = ? AND META_KEY LIKE 'commit.%'";

    it.each([
      ['deleted after a week', `DELETE FROM QRTZ_X_META ${tokenRow}`],
      ['set back by a failover', `UPDATE QRTZ_X_META SET META_VALUE = '1700000000000 0' ${tokenRow}`],
    ])('does not block later calls after the token was %s', async (_, change) => {
      await slow.apply(...adding('prepared'));
      await database.query(change, [schedName]);
      await slow.apply(...adding('x'));
      await slow.apply(...adding('y'));
      expect([await slow.state('x'), await slow.state('y')]).toEqual(['WAITING', 'WAITING']);
    });
  });
});
