import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { transactionsOn } from '../support/database/sql-fixture';
import { openStores, storeOn, testNode } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';

/** A node that starts while another one holds the locks of the cluster, for longer than any statement waits. */
function describeBusyStart(url: () => string) {
  it('opens on tables that are whole and a schedule that has its locks, without waiting for them', async () => {
    const { schedName } = testNode();
    const first = await openStores(url());
    const holder = transactionsOn(first.driver, schedName);
    await holder.createLockRows();
    let release = () => {};
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const held = holder.run(['STATE_ACCESS', 'TRIGGER_ACCESS'], async (tx) => {
      await tx.all('selectLock', { schedName, lockName: 'TRIGGER_ACCESS' });
      locked();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await isLocked;
    const second = await openStores(url());
    const store = storeOn(second, testNode({ schedName, instanceId: 'second' }));
    await store.open(() => undefined);
    expect(await store.getCalendarNames()).toEqual([]);
    release();
    await held;
    await store.close();
    await second.close();
    await first.close();
  });

  it('makes the lock that is missing while the other one is held', async () => {
    const { schedName } = testNode();
    const first = await openStores(url());
    const transactions = transactionsOn(first.driver, schedName);
    await first.driver.transaction('scheduler', (tx) =>
      tx.run('insertLocks', { schedName, rows: JSON.stringify(['STATE_ACCESS']) }),
    );
    await transactions.createLockRows();
    const names = await first.driver.select<{ LOCK_NAME: string }>('selectLockNames', { schedName });
    expect(names.map(({ LOCK_NAME }) => LOCK_NAME).sort()).toEqual(['STATE_ACCESS', 'TRIGGER_ACCESS']);
    await first.close();
  });
}

describe('a node that starts while the locks are held, in a file', () => {
  const folder = memoryFolder('quartz-ts-busy-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describeBusyStart(() => `sqlite:${join(folder, 'quartz.db')}`);
});

describeOnServer('a node that starts while the locks are held, on a server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });
  afterAll(() => database.drop());

  describeBusyStart(() => database.url);
});
