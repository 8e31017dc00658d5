import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createScheduler } from '../../src';
import type { LockName } from '../../src/store/sql/runtime/transactions';
import { transactionsOn } from '../support/database/sql-fixture';
import { openStores, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';

/** A node that starts while another one holds the locks of the cluster, for longer than any statement waits. */
function describeBusyStart(url: () => string) {
  it('opens without waiting for the locks if the tables and lock rows exist', async () => {
    const { schedName } = testNode();
    const first = await openStores(url());
    const holder = transactionsOn(first.driver, schedName);
    await holder.createLockRows();
    const held = await hold(holder, schedName, ['STATE_ACCESS', 'TRIGGER_ACCESS']);
    const second = await openStores(url());
    const store = storeOn(second, testNode({ schedName, instanceId: 'second' }));
    await store.open(() => undefined);
    expect(await store.getCalendarNames()).toEqual([]);
    await held.release();
    await store.close();
    await second.close();
    await first.close();
  });
}

/** Only for servers, which lock single rows. */
function describeBusyRows(url: () => string) {
  it('creates a missing lock row while the other one is held', async () => {
    const { schedName } = testNode();
    const first = await openStores(url());
    const lockNames = async () =>
      (await first.driver.select<{ LOCK_NAME: string }>('selectLockNames', { schedName })).map((row) => row.LOCK_NAME);
    await first.driver.transaction('scheduler', (tx) =>
      tx.run('insertLocks', { schedName, rows: JSON.stringify(['STATE_ACCESS']) }),
    );
    const held = await holdRow(url(), schedName, 'STATE_ACCESS');
    const second = await openStores(url());
    await transactionsOn(second.driver, schedName).createLockRows();
    expect((await lockNames()).sort()).toEqual(['STATE_ACCESS', 'TRIGGER_ACCESS']);
    await held.release();
    await second.close();
    await first.close();
  });

  it('is created while another session holds TRIGGER_ACCESS, and fires after its release', async () => {
    const { schedName } = testNode();
    const first = await openStores(url());
    await transactionsOn(first.driver, schedName).createLockRows();
    const held = await holdRow(url(), schedName, 'TRIGGER_ACCESS');
    const scheduler = await createScheduler(
      {
        scheduler: { instanceName: schedName, logLevel: 'silent' },
        jobStore: { class: 'mysql', dataSource: 'main', schema: 'never', storeThread: false },
        dataSource: { main: { URL: url() } },
      },
      { jobs: { work: async () => ran() } },
    );
    let ran = () => {};
    const hasRun = new Promise<void>((resolve) => {
      ran = resolve;
    });
    const scheduled = scheduler.start().then(() => scheduler.schedule('work', { at: new Date() }));
    await held.isAwaited();
    await held.release();
    await scheduled;
    await hasRun;
    await scheduler.shutdown();
    await first.close();
  });
}

/** Holds the row of a lock from a session whose transaction the server does not end for being idle. */
async function holdRow(url: string, schedName: string, lockName: LockName) {
  const connection = await createConnection(url);
  await connection.query('BEGIN');
  const row = 'SELECT LOCK_NAME FROM QRTZ_LOCKS WHERE SCHED_NAME = ? AND LOCK_NAME = ? FOR UPDATE';
  await connection.query(row, [schedName, lockName]);
  return {
    /** Resolves when a session waits for a row. */
    async isAwaited() {
      for (let waiting = 0; waiting === 0; ) {
        const [rows] = await connection.query<(RowDataPacket & { Value: string })[]>(
          "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'",
        );
        waiting = Number(rows[0]?.Value);
      }
    },
    async release() {
      await connection.query('ROLLBACK');
      await connection.end();
    },
  };
}

/** Holds locks until they are released, in a transaction of its own. Resolves when it has them. */
async function hold(holder: ReturnType<typeof transactionsOn>, schedName: string, locks: readonly LockName[]) {
  let release = () => {};
  let lock = () => {};
  const locked = new Promise<void>((resolve) => {
    lock = resolve;
  });
  const held = holder.run(locks, async (tx) => {
    await tx.all('selectLock', { schedName, lockName: locks.at(-1) as LockName });
    lock();
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  await locked;
  return {
    async release() {
      release();
      await held;
    },
  };
}

describe('a node that starts while the locks are held, in a file', () => {
  const folder = memoryFolder('quartz-ts-busy-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describeBusyStart(() => `sqlite:${join(folder, 'quartz.db')}`);
});

describeOnAnyServer('a node that starts while the locks are held, on a server', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
  });
  afterAll(() => database.drop());

  describeBusyStart(() => database.url);
  describeBusyRows(() => database.url);
});
