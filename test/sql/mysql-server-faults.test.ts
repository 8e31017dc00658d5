import { createScheduler, GroupMatcher, newJob, newTrigger } from '../../src/index';
import { openDatabase } from '../../src/store/sql/open-database';
import type { SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import type { Transactions } from '../../src/store/sql/runtime/transactions';
import { createTables, databaseOptions, named, openDriver, transactionsOn } from '../support/database/sql-fixture';
import {
  createDatabase,
  describeOnServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';

/** A promise and how to fulfil it. */
function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describeOnServer('a server with faults, under REPEATABLE READ with snapshot isolation,', () => {
  let server: PrivateServer;
  let database: TestDatabase;
  let driver: SqlDriver;
  let transactions: Transactions;

  beforeAll(async () => {
    // `loose-`: servers that do not know the option start all the same.
    server = await startServer(['--transaction-isolation=REPEATABLE-READ', '--loose-innodb-snapshot-isolation=ON']);
    database = await createDatabase(server, 'latin1');
    await createTables(database.url);
  });

  beforeEach(async () => {
    driver = await openDriver(database.url);
    transactions = transactionsOn(driver);
    await transactions.createLockRows();
    await database.query('DELETE FROM TEST_COUNTERS');
    await database.query("INSERT INTO TEST_COUNTERS VALUES ('a', 0)");
  });

  afterEach(() => transactions.close());
  afterAll(() => server.stop());

  const add = (on: Transactions, name = 'a') =>
    on.run('TRIGGER_ACCESS', (tx) => tx.run(named('addToCounter'), { name, amount: 1 }));
  const count = async () =>
    (await database.query<{ n: number }>("SELECT COUNT_VALUE AS n FROM TEST_COUNTERS WHERE NAME = 'a'"))[0]?.n;

  it('is checked before use, with a warning about weak durability', async () => {
    const warnings: string[] = [];
    const options = databaseOptions(database.url, (warning) => warnings.push(warning));
    await (await openDatabase({ ...options, schema: 'validate' })).driver.close();
    // The test server is set to be fast rather than durable.
    expect(warnings).toEqual([expect.stringContaining('set innodb_flush_log_at_trx_commit to 1')]);
  });

  it('gets thousands of jobs in parts that fit into its packets', async () => {
    await database.query('SET GLOBAL max_allowed_packet = 1048576');
    const scheduler = await createScheduler(
      {
        jobStore: { class: 'mysql', dataSource: 'db', storeThread: false },
        dataSource: { db: { URL: database.url } },
      },
      { jobs: { report: () => {} } },
    );
    const group = 'g'.repeat(150);
    const startTime = new Date(Date.now() + 86_400_000);
    const jobs = Array.from({ length: 4_000 }, (_, index) => {
      const trigger = newTrigger().withIdentity(`t${index}`, group).startAt(startTime).build();
      return [newJob('report').withIdentity(`j${index}`, group).build(), [trigger]] as const;
    });
    await scheduler.scheduleJobs(new Map(jobs), { replace: true });
    expect(await scheduler.getTriggerKeys(GroupMatcher.anyGroup())).toHaveLength(4_000);
    await scheduler.clear();
    await scheduler.shutdown();
    await database.query('SET GLOBAL max_allowed_packet = 16777216');
  });

  it('frees the lock of a node that stopped while holding it, within three seconds', async () => {
    const proxy = await FaultProxy.before(database.url);
    const ghost = transactionsOn(await openDriver(proxy.url));
    const holds = signal();
    const wakes = signal();
    let attempts = 0;
    const haunting = ghost.run('TRIGGER_ACCESS', async (tx) => {
      await tx.all(named('selectCounter'), { name: 'a' }); // answered under the lock
      if (++attempts === 1) {
        holds.give();
        await wakes.given;
      }
      await tx.run(named('addToCounter'), { name: 'a', amount: 10 });
    });
    await holds.given;
    proxy.silence();
    const start = performance.now();
    await add(transactions);
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(performance.now() - start).toBeGreaterThan(500); // it had to wait

    // The stopped node continues. Its transaction is gone, so it begins again, after the others.
    proxy.heal();
    proxy.cut();
    wakes.give();
    await haunting;
    expect(attempts).toBe(2);
    expect(await count()).toBe(11);
    await ghost.close();
    await proxy.close();
  });

  it('loses and repeats nothing when it is killed and restarted', async () => {
    let restarted: Promise<void> = Promise.resolve();
    let acknowledged = 0;
    for (let attempts = 0; acknowledged < 60 && attempts < 200; attempts++) {
      const name = `n${attempts}`;
      const done = await transactions
        .run('TRIGGER_ACCESS', (tx) => tx.run(named('insertCounter'), { name, amount: 1 }), {
          resolveUnknown: async (tx, result) => {
            const rows = await tx.all(named('selectCounter'), { name });
            return rows.length === 1 ? { status: 'committed', result } : { status: 'notCommitted' };
          },
        })
        .catch(() => null);
      if (done !== null && (++acknowledged === 15 || acknowledged === 35)) {
        restarted = restarted.then(() => server.restart()); // a server that has not started yet must not be killed
      }
    }
    await restarted;
    const [rows] = await database.query<{ n: number }>("SELECT COUNT(*) AS n FROM TEST_COUNTERS WHERE NAME LIKE 'n%'");
    expect([acknowledged, rows?.n]).toEqual([60, 60]);
  });

  it('completes a transaction after a pause of the server', async () => {
    await server.pause();
    const adding = add(transactions);
    await server.resume();
    await adding;
    expect(await count()).toBe(1);
  });

  it('shows all changes committed before the lock was granted, in every isolation level', async () => {
    for (const isolation of ['READ COMMITTED', 'REPEATABLE READ'] as const) {
      await database.query("UPDATE TEST_COUNTERS SET COUNT_VALUE = 0 WHERE NAME = 'a'");
      const nodes = await Promise.all(
        [1, 2, 3].map(async () => transactionsOn(await openDriver(database.url, { isolation }))),
      );
      const readThenWrite = (node: Transactions) =>
        node.run('TRIGGER_ACCESS', async (tx) => {
          const [row] = await tx.all<{ count: number }>(named('selectCounter'), { name: 'a' });
          await tx.run(named('addToCounter'), { name: 'a', amount: 1 });
          return row?.count;
        });
      const seen = await Promise.all(nodes.flatMap((node) => [1, 2, 3, 4].map(() => readThenWrite(node))));
      await Promise.all(nodes.map((node) => node.close()));
      expect(seen.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 12 }, (_, at) => at));
    }
  });

  it('makes a transaction restart if its snapshot is older than the row to write', async () => {
    const [finds] = await database.query("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'"); // MariaDB only
    const node = transactionsOn(await openDriver(database.url, { isolation: 'REPEATABLE READ' }));
    let attempts = 0;
    await node.run(null, async (tx) => {
      const [row] = await tx.all<{ count: number }>(named('selectCounter'), { name: 'a' });
      if (++attempts === 1) await database.query("UPDATE TEST_COUNTERS SET COUNT_VALUE = 7 WHERE NAME = 'a'");
      await tx.run(named('addToCounter'), { name: 'a', amount: row?.count ?? 0 });
    });
    await node.close();
    expect([attempts, await count()]).toEqual(finds === undefined ? [1, 7] : [2, 14]);
  });
});
