import { setTimeout } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { StaleRead } from '../../src/store/sql/runtime/retry-rules';
import type { SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import type { CommitResolution, Transactions } from '../../src/store/sql/runtime/transactions';
import { createTables, named, openDriver, transactionsOn } from '../support/database/sql-fixture';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';

/** Returns a function that resolves when all participants have called it. */
function meetingOf(people: number): () => Promise<void> {
  let arrived = 0;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    if (++arrived === people) open();
    return gate;
  };
}

describeOnServer('transactions of the store on a real server', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let driver: SqlDriver;
  let transactions: Transactions;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    await createTables(database.url);
  });

  beforeEach(async () => {
    proxy = await FaultProxy.before(database.url);
    driver = await openDriver(proxy.url);
    transactions = transactionsOn(driver);
    await transactions.createLockRows();
    await transactions.run(null, (tx) => tx.all('selectLockNames', { schedName: 'test' })); // opens the connection whose commits are lost
    await database.query('DELETE FROM TEST_COUNTERS');
    await database.query("INSERT INTO TEST_COUNTERS VALUES ('a', 0), ('b', 0)");
  });

  afterEach(async () => {
    await transactions.close();
    await proxy.close();
  });

  afterAll(() => database.drop());

  const add = (name: string, amount = 1) => ({ name, amount });
  const counts = async () => {
    const rows = await database.query<{ NAME: string; COUNT_VALUE: number }>(
      'SELECT * FROM TEST_COUNTERS ORDER BY NAME',
    );
    return rows.map(({ COUNT_VALUE }) => COUNT_VALUE);
  };

  it('let one node at a time hold the lock', async () => {
    const other = transactionsOn(await openDriver(database.url));
    const increment = (on: Transactions) =>
      on.run('TRIGGER_ACCESS', async (tx) => {
        const [row] = await tx.all<{ count: number }>(named('selectCounter'), { name: 'a' });
        await tx.run(named('addToCounter'), add('a', 1 + 0 * (row?.count ?? 0)));
        return row?.count;
      });
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, at) => increment(at % 2 === 0 ? transactions : other)),
    );
    await other.close();
    expect([...seen].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  it('use separate locks for schedulers with different names', async () => {
    const other = transactionsOn(await openDriver(database.url), 'other');
    await other.createLockRows();
    await transactions.run('TRIGGER_ACCESS', () => other.run('TRIGGER_ACCESS', async () => undefined));
    await other.close();
  });

  it('restore deleted lock rows', async () => {
    await database.query('DELETE FROM QRTZ_LOCKS');
    await expect(transactions.run(['TRIGGER_ACCESS', 'STATE_ACCESS'], async () => 'done')).resolves.toBe('done');
  });

  it('restart after a deadlock, and both transactions are stored once', async () => {
    const other = transactionsOn(await openDriver(database.url));
    const meet = meetingOf(2);
    const attempts = [0, 0];
    const crossing = (on: Transactions, who: 0 | 1, first: string, second: string) =>
      on.run(null, async (tx) => {
        attempts[who] = (attempts[who] ?? 0) + 1;
        await tx.run(named('addToCounter'), add(first));
        if (attempts[who] === 1) await meet();
        await tx.run(named('addToCounter'), add(second, 10));
      });
    await Promise.all([crossing(transactions, 0, 'a', 'b'), crossing(other, 1, 'b', 'a')]);
    await other.close();
    expect([...attempts].sort()).toEqual([1, 2]);
    expect(await counts()).toEqual([11, 11]);
  });

  it('roll back after a lock timeout, so that a retry stores the changes once', async () => {
    const holder = await createConnection(database.url);
    await holder.beginTransaction();
    await holder.query("UPDATE TEST_COUNTERS SET COUNT_VALUE = 0 WHERE NAME = 'b'");
    let attempts = 0;
    const waiting = transactions.run(
      null,
      async (tx) => {
        attempts++;
        if (attempts === 2) await holder.rollback();
        await tx.run(named('addToCounter'), add('a'));
        await tx.run(named('addToCounter'), add('b'));
      },
      { role: 'completions' }, // waits 1 s for a row
    );
    await waiting;
    await holder.end();
    expect(attempts).toBe(2);
    expect(await counts()).toEqual([1, 1]);
  });

  it('wait longer for the cluster lock than for a row, and report each long wait', async () => {
    const holder = await createConnection(database.url);
    await holder.beginTransaction();
    await holder.query("SELECT * FROM QRTZ_LOCKS WHERE SCHED_NAME = 'test' FOR UPDATE");
    const adding = transactions.run('TRIGGER_ACCESS', (tx) => tx.run(named('addToCounter'), add('a')));
    await setTimeout(5_000); // longer than a server waits for a row three times
    await holder.end();
    await adding;
    expect(await counts()).toEqual([1, 0]);
    const { lockWaits } = transactions.readActivity();
    expect(lockWaits.sums.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(4_500);
  });

  it('restart without console output when the server has closed their connection for inactivity', async () => {
    const warned = jest.spyOn(console, 'error');
    /** Longer than the server lets a transaction idle. Nothing that the server sends is read in this time. */
    const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_200);
    let attempts = 0;
    await transactions.run('TRIGGER_ACCESS', async (tx) => {
      await tx.run(named('addToCounter'), add('a'));
      if (++attempts === 1) block();
      await tx.run(named('addToCounter'), add('b'));
    });
    expect([attempts, await counts(), warned.mock.calls]).toEqual([2, [1, 1], []]);
    warned.mockRestore();
  });

  it('restart on a new connection when the old one is killed', async () => {
    const ids: number[] = [];
    await transactions.run('TRIGGER_ACCESS', async (tx) => {
      const [session] = await tx.all<{ id: number }>(named('selectSession'), {});
      ids.push(session?.id ?? 0);
      await tx.run(named('addToCounter'), add('a'));
      if (ids.length === 1) await database.query(`KILL ${session?.id}`);
      await tx.run(named('addToCounter'), add('b'));
    });
    expect(new Set(ids).size).toBe(2);
    expect(await counts()).toEqual([1, 1]);
  });

  it('restart on a new connection when the network resets the old one', async () => {
    let attempts = 0;
    await transactions.run('TRIGGER_ACCESS', async (tx) => {
      if (++attempts === 1) proxy.cut();
      await tx.run(named('addToCounter'), add('a'));
    });
    expect(attempts).toBe(2);
    expect(await counts()).toEqual([1, 0]);
  });

  it('restart with a fresh read if rows have changed, at most five times', async () => {
    let attempts = 0;
    const stale = transactions.run('TRIGGER_ACCESS', async (tx) => {
      attempts++;
      await tx.run(named('addToCounter'), add('a'));
      throw new StaleRead(named('addToCounter'));
    });
    await expect(stale).rejects.toMatchObject({ code: 'STORE_FAILURE', cause: expect.any(StaleRead) });
    expect(attempts).toBe(5);
    expect(await counts()).toEqual([0, 0]);
  });

  it('reject with the error of the work, without a second attempt', async () => {
    const boom = new RangeError('boom');
    let attempts = 0;
    const failing = transactions.run('TRIGGER_ACCESS', async () => {
      attempts++;
      throw boom;
    });
    await expect(failing).rejects.toBe(boom);
    expect(attempts).toBe(1);
  });

  describe('whose commit gets no answer', () => {
    /** Adds one, and stores a row for each attempt, like the entry id of a fired row. */
    const fire = (resolveUnknown?: (added: string) => Promise<void>) => {
      let attempts = 0;
      const running = transactions.run<string>(
        'TRIGGER_ACCESS',
        async (tx) => {
          attempts++;
          await tx.run(named('addToCounter'), add('a'));
          await tx.run(named('insertCounter'), { name: `entry${attempts}`, amount: 1 });
          return `entry${attempts}`;
        },
        resolveUnknown === undefined
          ? {}
          : {
              resolveUnknown: async (tx, entry): Promise<CommitResolution<string>> => {
                const rows = await tx.all(named('selectCounter'), { name: entry }); // answered under the lock
                await resolveUnknown(entry);
                return rows.length === 1 ? { status: 'committed', result: entry } : { status: 'notCommitted' };
              },
            },
      );
      return { running, attempts: () => attempts };
    };

    it('find that they were committed, and do not repeat the work', async () => {
      proxy.faultNextCommit('cutAfter');
      const asked: string[] = [];
      const { running, attempts } = fire(async (entry) => void asked.push(entry));
      await expect(running).resolves.toBe('entry1');
      expect(asked).toEqual(['entry1']);
      expect(attempts()).toBe(1);
      expect((await counts())[0]).toBe(1);
    });

    it('find that they were not committed, and repeat the work', async () => {
      proxy.faultNextCommit('cutBefore');
      const { running, attempts } = fire(async () => undefined);
      await expect(running).resolves.toBe('entry2');
      expect(attempts()).toBe(2);
      expect((await counts())[0]).toBe(1);
    });

    it('repeat the look-up until the database answers', async () => {
      proxy.faultNextCommit('cutAfter');
      let asked = 0;
      const { running } = fire(async () => {
        if (++asked < 3) proxy.cut();
      });
      await expect(running).resolves.toBe('entry1');
      expect(asked).toBe(3);
      expect((await counts())[0]).toBe(1);
    });

    it('look up the outcome under the same lock, after the lost transaction has ended', async () => {
      proxy.faultNextCommit('cutAfter');
      let refusal: unknown = null;
      const { running } = fire(async () => {
        refusal = await database.query('SELECT * FROM QRTZ_LOCKS FOR UPDATE NOWAIT').catch((error: unknown) => error);
      });
      await running;
      expect([1205, 3572]).toContain((refusal as { errno?: number }).errno); // not granted: MariaDB's number, MySQL's
    });

    it('report an unknown outcome if there is no way to look it up', async () => {
      proxy.faultNextCommit('cutAfter');
      await expect(fire().running).rejects.toMatchObject({
        code: 'STORE_FAILURE',
        message: expect.stringContaining('unknown whether the transaction was stored'),
      });
    });

    it('repeat the work without a look-up if they have written nothing', async () => {
      proxy.faultNextCommit('cutBefore');
      let attempts = 0;
      await transactions.run('TRIGGER_ACCESS', async (tx) => {
        attempts++;
        await tx.all(named('selectCounter'), { name: 'a' });
      });
      expect(attempts).toBe(2);
    });
  });

  it('report the failure if the database refuses every connection', async () => {
    await proxy.close();
    const running = transactions.run('TRIGGER_ACCESS', async () => undefined);
    await expect(running).rejects.toMatchObject({ code: 'STORE_FAILURE', cause: { kind: 'connectionLost' } });
    await expect(transactions.all(named('selectCounter'), { name: 'a' })).rejects.toMatchObject({
      code: 'STORE_FAILURE',
    });
  });
});
