import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { jobKey, triggerKey } from '../../src/domain/keys';
import type { SqlJobStore } from '../../src/store/sql/sql-job-store';
import { everyMinute, job, MINUTE, NOW, once } from '../conformance/samples';
import { StoreDriver, storing } from '../conformance/store-driver';
import { openStores, type StoreDatabase, storeOn } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';

const BATCH = 25;
const ROUNDS = 20;

/** Counted by the server itself, which nobody else uses: what a firing costs, from being due to its completion. */
describeOnServer('statements and commits per firing, 25 at a time', () => {
  let server: PrivateServer;
  let database: TestDatabase;
  let stores: StoreDatabase;
  let driver: StoreDriver;
  let asking: Connection;

  beforeAll(async () => {
    server = await startServer();
    database = await createDatabase(server);
    // One connection for all questions: that another one ends, the server counts whenever it comes to it.
    asking = await createConnection(database.url);
    stores = await openStores(database.url);
  });

  beforeEach(async () => {
    driver = new StoreDriver(storeOn(stores) as SqlJobStore);
    await driver.open();
  });

  afterAll(async () => {
    await asking.end();
    await stores.close();
    await server.stop();
  });

  /** Com_commit: Handler_commit also counts the end of every statement of a transaction, on both servers. */
  const COUNTED = ['Questions', 'Com_commit', 'Com_stmt_execute'] as const;

  async function counters(): Promise<Readonly<Record<(typeof COUNTED)[number], number>>> {
    const [rows] = await asking.query<RowDataPacket[]>('SHOW GLOBAL STATUS');
    const values = new Map(rows.map(({ Variable_name, Value }) => [Variable_name, Number(Value)]));
    return Object.fromEntries(COUNTED.map((name) => [name, values.get(name)])) as Awaited<ReturnType<typeof counters>>;
  }

  /** Per firing, and in all. Every one is a prepared statement, which holds a single one, or a commit. */
  async function costOf(work: () => Promise<number>) {
    const before = await counters();
    const firings = await work();
    const after = await counters();
    const [statements, commits, executed] = COUNTED.map((name) => after[name] - before[name]) as [
      number,
      number,
      number,
    ];
    const own = statements - 1; // without the second question
    expect(executed + commits).toBe(own);
    return { total: own, statements: own / firings, commits: commits / firings };
  }

  async function fireAll(rounds: number, instruction: 'NOOP' | 'DELETE_TRIGGER'): Promise<number> {
    let count = 0;
    for (let round = 0; round < rounds; round++, driver.now += instruction === 'NOOP' ? MINUTE : 0) {
      const firings = await driver.fireDue({ maxCount: BATCH });
      await driver.store.completeTriggers(firings.map((firing) => ({ firing, instruction })));
      count += firings.length;
    }
    return count;
  }

  it('stays below a half and a tenth for repeating triggers', async () => {
    await driver.schedule(job(), ...Array.from({ length: BATCH }, (_, i) => everyMinute(`t${i}`)));
    await fireAll(1, 'NOOP');
    const cost = await costOf(() => fireAll(ROUNDS, 'NOOP'));
    expect(cost.statements).toBeLessThan(0.5);
    expect(cost.commits).toBeLessThan(0.1);
  });

  it('stays below a half and a tenth for one-shots that leave with their jobs', async () => {
    const names = Array.from({ length: BATCH * (ROUNDS + 1) }, (_, i) => `t${i}`);
    await driver.apply(
      ...names.flatMap((name) => [
        { type: 'storeJob', job: job(name), ifExists: 'fail', requireTrigger: false } as const,
        storing(once(name, { jobKey: jobKey(name), startTime: NOW })),
      ]),
    );
    await fireAll(1, 'DELETE_TRIGGER');
    const cost = await costOf(() => fireAll(ROUNDS, 'DELETE_TRIGGER'));
    expect((await driver.store.queryTriggers({ skip: 0, take: 1 })).total).toBe(0);
    expect((await driver.store.queryJobs({ skip: 0, take: 1 })).total).toBe(0);
    expect(cost.statements).toBeLessThan(0.5);
    expect(cost.commits).toBeLessThan(0.1);
  });

  it('costs the same whatever the number of triggers', async () => {
    const cost = async (size: number) => {
      const own = new StoreDriver(storeOn(stores));
      await own.open();
      await own.schedule(
        job(),
        ...Array.from({ length: size }, (_, i) => everyMinute(`t${i}`, { key: triggerKey(`t${i}`) })),
      );
      const { total } = await costOf(async () => {
        const firings = await own.fireDue({ maxCount: size });
        await own.store.completeTriggers(firings.map((firing) => ({ firing, instruction: 'NOOP' })));
        return 1;
      });
      return total;
    };
    expect(await cost(400)).toBe(await cost(10));
  });
});
