import { createConnection } from 'mysql2/promise';
import { systemRandom } from '../../src/base/ids';
import { readMysqlUrl } from '../../src/store/sql/mysql/mysql-data-source';
import { MysqlSession } from '../../src/store/sql/mysql/mysql-session';
import type { BoundStep } from '../../src/store/sql/runtime/session';
import { type SqlDriver, SqlError } from '../../src/store/sql/runtime/sql-driver';
import { Transactions } from '../../src/store/sql/runtime/transactions';
import { clock, createTables, named, openDriver } from '../support/database/sql-fixture';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';

interface SessionRow {
  readonly id: number;
  readonly autocommit: number;
  readonly timeZone: string;
  readonly lockWait: number;
}

describeOnServer('the MySQL driver on a real server', () => {
  let database: TestDatabase;
  let driver: SqlDriver;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    await createTables(database.url);
    await database.query("INSERT INTO QRTZ_LOCKS VALUES ('driver', 'TRIGGER_ACCESS')");
  });

  beforeEach(async () => {
    driver = await openDriver(database.url);
    await database.query('DELETE FROM TEST_COUNTERS');
    await database.query("INSERT INTO TEST_COUNTERS VALUES ('a', 1), ('b', 1)");
  });

  afterEach(() => driver.close());
  afterAll(() => database.drop());

  const session = async (role: 'scheduler' | 'completions' | 'checkIn' | 'read') =>
    (await driver.transaction(role, (tx) => tx.all<SessionRow>(named('selectSession'), {})))[0] as SessionRow;
  const count = async (name: string) =>
    (await database.query<{ n: number }>('SELECT COUNT_VALUE AS n FROM TEST_COUNTERS WHERE NAME = ?', [name]))[0]?.n;

  it('writes at READ COMMITTED, without autocommit, in UTC', async () => {
    for (const role of ['scheduler', 'completions', 'checkIn'] as const) {
      expect(await session(role)).toMatchObject({ autocommit: 0, timeZone: '+00:00' });
      const shown = await driver.transaction(role, (tx) => tx.all<{ Value: string }>(named('showIsolation'), {}));
      expect(new Set(shown.map(({ Value }) => Value))).toEqual(new Set(['READ-COMMITTED']));
    }
    expect((await session('checkIn')).lockWait).toBe(3);
    expect((await session('scheduler')).lockWait).toBe(1);
  });

  it('keeps a separate connection for every role', async () => {
    const roles = ['scheduler', 'completions', 'checkIn', 'read'] as const;
    const first = await Promise.all(roles.map(async (role) => (await session(role)).id));
    expect(new Set(first).size).toBe(roles.length);
    expect(await Promise.all(roles.map(async (role) => (await session(role)).id))).toEqual(first);
  });

  it('counts statements and commits per connection, and measures waits for the trigger lock', async () => {
    const transactions = new Transactions(driver, { schedName: 'driver', clock, random: systemRandom });
    const other = await createConnection(database.url);
    await other.beginTransaction();
    await other.query("SELECT * FROM QRTZ_LOCKS WHERE SCHED_NAME = 'driver' FOR UPDATE");
    const adding = transactions.run('TRIGGER_ACCESS', (tx) => tx.run(named('addToCounter'), { name: 'a', amount: 1 }));
    const next = driver.transaction('scheduler', (tx) => tx.run(named('addToCounter'), { name: 'a', amount: 1 }));
    const ofScheduler = () => transactions.readActivity().connections[0];
    for (const end = Date.now() + 10_000; ofScheduler()?.statements === 0 && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, 60)); // as long as the wait that is measured
    expect(ofScheduler()).toMatchObject({ connection: 'scheduler', open: 1, inUse: 1, waiting: 1 });
    await other.rollback();
    await other.end();
    await Promise.all([adding, next]);
    await driver.select(named('selectCounter'), { name: 'a' });
    const { connections, lockWaits } = transactions.readActivity();
    expect(connections).toEqual([
      { connection: 'scheduler', open: 1, inUse: 0, waiting: 0, statements: 3, commits: 2 },
      { connection: 'completions', open: 0, inUse: 0, waiting: 0, statements: 0, commits: 0 },
      { connection: 'checkIn', open: 0, inUse: 0, waiting: 0, statements: 0, commits: 0 },
      { connection: 'read', open: 1, inUse: 0, waiting: 0, statements: 1, commits: 0 },
    ]);
    expect(lockWaits.counts.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect(lockWaits.sums.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(50);
  });

  it('commits if the work resolves, and rolls back if it rejects', async () => {
    await driver.transaction('scheduler', (tx) => tx.run(named('addToCounter'), { name: 'a', amount: 2 }));
    const boom = new Error('boom');
    const failing = driver.transaction('scheduler', async (tx) => {
      await tx.run(named('addToCounter'), { name: 'a', amount: 5 });
      throw boom;
    });
    await expect(failing).rejects.toBe(boom);
    expect(await count('a')).toBe(3);
  });

  it('counts matched rows, even if their values do not change', async () => {
    const changes = await driver.transaction('scheduler', async (tx) => [
      (await tx.run(named('addToCounter'), { name: 'a', amount: 0 })).changes,
      (await tx.run(named('addToCounter'), { name: 'nobody', amount: 1 })).changes,
    ]);
    expect(changes).toEqual([1, 0]);
  });

  it('does not commit a transaction whose work swallowed an error', async () => {
    const swallowing = driver.transaction('scheduler', async (tx) => {
      await tx.run(named('addToCounter'), { name: 'a', amount: 5 });
      await tx.run(named('insertCounter'), { name: 'b', amount: 1 }).catch(() => undefined);
    });
    await expect(swallowing).rejects.toMatchObject({ kind: 'duplicateKey', statement: 'insertCounter' });
    expect(await count('a')).toBe(1);
  });

  it('gives a read-only transaction a consistent snapshot', async () => {
    const seen = await driver.transaction('read', async (tx) => {
      const before = await tx.all(named('selectCounter'), { name: 'a' });
      await database.query("UPDATE TEST_COUNTERS SET COUNT_VALUE = 100 WHERE NAME = 'a'");
      return [before, await tx.all(named('selectCounter'), { name: 'a' })];
    });
    expect(seen).toEqual([[{ count: 1 }], [{ count: 1 }]]);
    expect(await driver.select(named('selectCounter'), { name: 'a' })).toEqual([{ count: 100 }]);
  });

  it('refuses to write on the read connection', async () => {
    const writing = driver.transaction('read', (tx) => tx.run(named('addToCounter'), { name: 'a', amount: 1 }));
    await expect(writing).rejects.toMatchObject({ kind: 'readOnly' });
  });

  it('never shows the text or the values of a statement in an error', async () => {
    const failing = driver.transaction('scheduler', (tx) =>
      tx.run(named('insertCounter'), { name: 'x'.repeat(60), amount: 271_828 }),
    );
    const error = await failing.catch((thrown: unknown) => thrown as SqlError);
    expect(error).toBeInstanceOf(SqlError);
    expect(`${(error as Error).stack}${JSON.stringify(error)}`).not.toMatch(/INSERT INTO|271828|xxx/);
  });

  it('reports max_allowed_packet if the parameters are too long, and keeps working', async () => {
    const [row] = await database.query<{ most: number }>('SELECT @@max_allowed_packet AS most');
    const name = 'x'.repeat(row?.most as number);
    const failing = driver.transaction('scheduler', (tx) => tx.run(named('insertCounter'), { name, amount: 1 }));
    await expect(failing).rejects.toThrow(
      /insertCounter: the parameters take \d+ bytes, but the server accepts \d+ \(max_allowed_packet\)/,
    );
    expect((await session('scheduler')).autocommit).toBe(0);
  });

  it('replaces a connection that was killed while it was idle', async () => {
    const { id } = await session('scheduler');
    await database.query(`KILL ${id}`);
    const again = await driver
      .transaction('scheduler', (tx) => tx.all<SessionRow>(named('selectSession'), {}))
      .catch(() => null);
    // The next transaction works whether or not the error packet of the server arrived first.
    expect(again?.[0]?.id ?? (await session('scheduler')).id).not.toBe(id);
  });

  it('refuses a statement after its transaction, and a commit while a statement is running', async () => {
    const escaped = await driver.transaction('scheduler', async (tx) => tx);
    await expect(escaped.all(named('selectCounter'), { name: 'a' })).rejects.toThrow('the transaction has ended');
    const unfinished = driver.transaction('scheduler', async (tx) => {
      void tx.run(named('addToCounter'), { name: 'a', amount: 1 });
    });
    await expect(unfinished).rejects.toThrow('one of its statements was still running');
    expect(await count('a')).toBe(1);
  });

  it('completes pending work before it closes, and refuses later work', async () => {
    const adding = driver.transaction('scheduler', (tx) => tx.run(named('addToCounter'), { name: 'a', amount: 1 }));
    await driver.close();
    await expect(adding).resolves.toEqual({ changes: 1 });
    await expect(session('scheduler')).rejects.toThrow('The store is closed.');
  });

  it('drops all silent connections as soon as the check-in finds the server unreachable', async () => {
    const proxy = await FaultProxy.before(database.url);
    const node = await openDriver(proxy.url, { checkInTimeoutMs: 500 });
    const checkIn = () => node.transaction('checkIn', (tx) => tx.all(named('selectSession'), {}));
    const once = () => node.transaction('scheduler', (tx) => tx.all(named('selectSession'), {}));
    await Promise.all([checkIn(), once()]);
    proxy.silence();
    const start = performance.now();
    const stuck = expect(once()).rejects.toMatchObject({ kind: 'connectionLost', databaseCode: 'SILENT' });
    await expect(checkIn()).rejects.toMatchObject({ databaseCode: 'SILENT' });
    await expect(checkIn()).rejects.toMatchObject({ databaseCode: 'SILENT' }); // nor can it connect
    proxy.heal();
    await checkIn();
    await stuck;
    await expect(once()).resolves.toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(10_000);
    await node.close();
    await proxy.close();
  });

  describe('with a single connection that gets no answer', () => {
    let proxy: FaultProxy;
    let node: SqlDriver;
    const add = (amount: number) =>
      node.transaction('scheduler', (tx) => tx.run(named('addToCounter'), { name: 'a', amount }));

    beforeEach(async () => {
      proxy = await FaultProxy.before(database.url);
      node = await openDriver(proxy.url, { checkInTimeoutMs: 1_000 });
    });

    afterEach(async () => {
      await node.close();
      await proxy.close();
    });

    it.each([
      'requests',
      'answers',
    ] as const)('checks on the server whether the statement runs, and drops the connection if its %s are lost', async (lost) => {
      await node.transaction('scheduler', (tx) => tx.all(named('selectCounter'), { name: 'a' }));
      const forgotten = proxy.forgetSender('UPDATE TEST_COUNTERS', lost);
      const start = performance.now();
      const adding = expect(add(1)).rejects.toMatchObject({ kind: 'connectionLost', databaseCode: 'SILENT' });
      await Promise.all([forgotten, adding]);
      expect(performance.now() - start).toBeLessThan(6_000);
      await expect(add(1)).resolves.toEqual({ changes: 1 }); // the server has rolled back
      expect(await count('a')).toBe(2);
    });

    it('checks on the server whether the statement runs, and keeps waiting for a lock', async () => {
      const holder = await createConnection(database.url);
      await holder.beginTransaction();
      await holder.query("SELECT * FROM QRTZ_LOCKS WHERE LOCK_NAME = 'TRIGGER_ACCESS' FOR UPDATE");
      const params = { schedName: 'driver', lockName: 'TRIGGER_ACCESS' };
      const locking = node.transaction('scheduler', async (tx) => {
        await tx.run(named('spoilSettings'), {}); // MySQL itself would end the wait before the first question
        return tx.all(named('selectLock'), params);
      });
      await proxy.sent('SHOW PROCESSLIST');
      await proxy.sent('SHOW PROCESSLIST');
      await proxy.sent('SHOW PROCESSLIST'); // the answer to the one before has been read
      await holder.rollback();
      await holder.end();
      await expect(locking).resolves.toHaveLength(1);
    });
  });

  it('reports a silent server as a lost connection', async () => {
    const proxy = await FaultProxy.before(database.url);
    const { settings } = readMysqlUrl({ name: 'test', url: proxy.url, user: null, password: null });
    const silent = await MysqlSession.open(settings, clock, { answerTimeoutMs: 200 });
    proxy.silence();
    await expect(silent.query('SELECT 1')).rejects.toMatchObject({ kind: 'connectionLost', databaseCode: 'SILENT' });
    expect(silent.usable).toBe(false);
    await proxy.close();
  });

  it('commits nothing of a transaction that the server rolled back silently, with several writers', async () => {
    const { settings } = readMysqlUrl({ name: 'test', url: database.url, user: null, password: null });
    const isMariaDb = driver.dialect.name === 'mariadb';
    const scripts = isMariaDb ? 'compound' : 'text';
    const proving = await MysqlSession.open(settings, clock, { provesTransactions: true, scripts });
    await proving.query('SET autocommit = 0');
    const addTo = { name: named('addToCounter'), text: 'UPDATE TEST_COUNTERS SET COUNT_VALUE = 5 WHERE NAME = ?' };
    const step = (name: string): BoundStep => ({ statement: addTo, values: [name], isQuery: false, rows: null });
    const ended = (text: string) => ({ ...step(''), statement: { name: 'end', text }, values: [] });
    const undo = ended('ROLLBACK');
    const transactionOf = async (steps: readonly BoundStep[]) => {
      await proving.begin();
      for (const { statement } of steps) await proving.query(statement.text.replace('?', "'b'"));
      await proving.commit();
    };
    // MySQL cannot prepare ROLLBACK; a definition ends a transaction, too.
    const end = isMariaDb ? undo : ended('CREATE TABLE IF NOT EXISTS TEST_COUNTERS (NAME INT)');

    await expect(transactionOf([step('a'), undo, step('b')])).rejects.toMatchObject({
      kind: 'deadlock',
      isRolledBack: true,
    });
    await proving.rollback();
    await expect(proving.script([end, step('b')])).resolves.toBeNull();
    await proving.rollback();
    expect([await count('a'), await count('b')]).toEqual([1, 1]);

    await transactionOf([step('b')]);
    await expect(proving.script([step('a')])).resolves.toEqual([]);
    expect([await count('a'), await count('b')]).toEqual([5, 5]);
    await proving.close();
  });
});
