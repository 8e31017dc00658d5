import type { Completion } from '../../src/domain/completion';
import { jobKey } from '../../src/domain/keys';
import type { AcquireRequest } from '../../src/store/job-store';
import { acquireTriggers } from '../../src/store/sql/operations/acquire';
import { completeFast } from '../../src/store/sql/operations/complete';
import { fireTriggers } from '../../src/store/sql/operations/fire';
import { pageTriggers } from '../../src/store/sql/operations/list-pages';
import { recoverMisfires } from '../../src/store/sql/operations/recover-misfires';
import { ScanMemory } from '../../src/store/sql/operations/scan-memory';
import { withNode } from '../../src/store/sql/rows/node-transaction';
import type { SqlNode } from '../../src/store/sql/rows/sql-node';
import type { ConnectionRole, SqlTransaction } from '../../src/store/sql/runtime/sql-driver';
import { everyMinute, HOUR, job, NOW, once } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { openStores, type StoreDatabase, storeOn, testNode } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';

const TRIGGERS = 500;
const BATCH = 10;

/** Rows locked for one row of a batch: the trigger, its kind's row, the fired row, their index entries, its job as a parent. */
const PER_ROW = 8;

/** Counted by the server while the transaction is still open. Other sessions do not wait for rows that an operation does not lock. */
describeOnServer('row locks', () => {
  let server: PrivateServer;
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let node: SqlNode;

  beforeAll(async () => {
    server = await startServer();
    database = await createDatabase(server);
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    node = testNode();
    driver = new StoreDriver(storeOn(stores, node));
    await driver.open();
    await driver.scheduleAll(...Array.from({ length: TRIGGERS }, (_, index) => everyMinute(`t${index}`)));
  });

  afterAll(async () => {
    await stores.close();
    await server.stop();
  });

  /** Runs `work`, and counts the rows that its transaction has locked just before the commit. */
  async function locksOf<T>(role: ConnectionRole, work: (tx: SqlTransaction) => Promise<T>) {
    const counted = async (tx: SqlTransaction) => ({ result: await work(tx), locked: await lockedRows() });
    return stores.driver.transaction(role, counted, { schedName: node.schedName });
  }

  /** The server answers from a cache, which it renews only after 100 ms without a query. */
  async function lockedRows(): Promise<number> {
    await database.query('SELECT SLEEP(0.15)');
    const rows = await database.query<{ locked: number }>(
      'SELECT trx_rows_locked AS locked FROM information_schema.INNODB_TRX',
    );
    return Math.max(0, ...rows.map(({ locked }) => Number(locked)));
  }

  const expectOfBatch = (locked: number) => {
    expect(locked).toBeGreaterThanOrEqual(BATCH);
    expect(locked).toBeLessThanOrEqual(BATCH * PER_ROW);
  };

  const lockTriggers = (tx: SqlTransaction) => tx.all('selectLock', { lockName: 'TRIGGER_ACCESS' });

  const asked = (fields: Partial<AcquireRequest>) => ({
    ...driver.request(fields),
    requestedAt: node.clock.monotonic(),
  });

  const complete = (completions: readonly Completion[]) =>
    locksOf('completions', (tx) => completeFast(withNode(tx, node), completions));

  it('acquiring and firing lock only the rows of the batch, however many triggers are due', async () => {
    const { result, locked } = await locksOf('scheduler', async (tx) => {
      await lockTriggers(tx);
      return acquireTriggers(withNode(tx, node), asked({ maxCount: BATCH, fireWithin: 0 }), new ScanMemory(node));
    });
    expect(result.fired).toHaveLength(BATCH);
    expectOfBatch(locked);
  });

  it('reserving, and firing reserved triggers, lock only the rows of the batch', async () => {
    const reserving = await locksOf('scheduler', async (tx) => {
      await lockTriggers(tx);
      return acquireTriggers(withNode(tx, node), asked({ maxCount: BATCH }), new ScanMemory(node));
    });
    expectOfBatch(reserving.locked);
    const firing = await locksOf('scheduler', async (tx) => {
      await lockTriggers(tx);
      return fireTriggers(withNode(tx, node), reserving.result.acquired, NOW);
    });
    expect(firing.result.every(({ status }) => status === 'fired')).toBe(true);
    expectOfBatch(firing.locked);
  });

  it('a completion locks only the rows of its firings', async () => {
    const firings = await driver.fireDue({ maxCount: BATCH });
    const { result, locked } = await complete(firings.map((firing) => ({ firing, instruction: 'NOOP' })));
    expect(result.outcomes.every(({ status }) => status === 'completed')).toBe(true);
    expectOfBatch(locked);
  });

  it('a misfire sweep locks only the rows of its triggers', async () => {
    const { result, locked } = await locksOf('scheduler', async (tx) => {
      await lockTriggers(tx);
      return recoverMisfires(withNode(tx, node), { now: NOW + HOUR, misfireThreshold: 1, maxCount: BATCH });
    });
    expect(result.misfired).toHaveLength(BATCH);
    expectOfBatch(locked);
  });

  it('a query locks no rows', async () => {
    const { result, locked } = await locksOf('read', (tx) =>
      pageTriggers(withNode(tx, node), { sort: 'key', take: TRIGGERS + 1 }),
    );
    expect(result.items).toHaveLength(TRIGGERS);
    expect(locked).toBe(0);
  });

  it('completions of concurrent jobs and the next acquisition do not wait for each other', async () => {
    await driver.schedule(
      job('done'),
      ...Array.from({ length: BATCH }, (_, index) => once(`once ${index}`, { priority: 9 })),
    );
    const firings = await driver.fireDue({ maxCount: BATCH });
    expect(firings[0]?.jobDetail.key).toEqual(jobKey('done'));
    const completing = complete(firings.map((firing) => ({ firing, instruction: 'DELETE_TRIGGER' })));
    // The acquisition begins and ends while the completions are uncommitted, and the other way round.
    const { result } = await locksOf('scheduler', async (tx) => {
      await lockTriggers(tx);
      const acquired = await acquireTriggers(
        withNode(tx, node),
        asked({ maxCount: BATCH, fireWithin: 0 }),
        new ScanMemory(node),
      );
      await completing;
      return acquired;
    });
    expect(result.fired).toHaveLength(BATCH);
    expect((await completing).result.outcomes.every(({ deletedTrigger }) => deletedTrigger)).toBe(true);
  });
});
