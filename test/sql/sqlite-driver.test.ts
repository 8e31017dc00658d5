import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../src/base/ids';
import type { SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import { type SqlText, splitSql } from '../../src/store/sql/runtime/sql-text';
import { toStatement } from '../../src/store/sql/runtime/statements';
import type { Transactions } from '../../src/store/sql/runtime/transactions';
import { loadSqlite } from '../../src/store/sql/sqlite/sqlite-module';
import { SqliteSession } from '../../src/store/sql/sqlite/sqlite-session';
import { LOCK_WAIT_BOUNDS_MS } from '../../src/store/store-activity';
import { clock, createTables, named, openDriver, transactionsOn } from '../support/database/sql-fixture';
import { countTurns, HastyClock } from '../support/turns';

describe('the SQLite driver on a file', () => {
  let folder: string;
  let url: string;
  let driver: SqlDriver;
  let transactions: Transactions;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-driver-'));
    url = `sqlite:${join(folder, 'quartz.db')}`;
    await createTables(url);
    driver = await openDriver(url);
    transactions = transactionsOn(driver);
    await transactions.createLockRows();
    await transactions.run(null, async (tx) => {
      await tx.run(named('insertCounter'), { name: 'a', amount: 0 });
    });
  });

  afterEach(async () => {
    await transactions.close();
    rmSync(folder, { recursive: true });
  });

  const add = (on: Transactions, amount = 1) =>
    on.run('TRIGGER_ACCESS', (tx) => tx.run(named('addToCounter'), { name: 'a', amount }));
  const count = async () => (await driver.select<{ count: number }>(named('selectCounter'), { name: 'a' }))[0]?.count;

  it('uses a write-ahead log, so that readers and writers do not wait for each other', async () => {
    const seen = await driver.transaction('read', async (tx) => {
      const before = await tx.all(named('selectCounter'), { name: 'a' });
      await add(transactions);
      return [before, await tx.all(named('selectCounter'), { name: 'a' })];
    });
    expect(seen).toEqual([[{ count: 0 }], [{ count: 0 }]]);
    expect(await count()).toBe(1);
    const { DatabaseSync } = loadSqlite();
    const bystander = new DatabaseSync(join(folder, 'quartz.db'));
    expect(bystander.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
    bystander.close();
  });

  it('counts statements and commits, and measures waits for other writers', async () => {
    const before = transactions.readActivity();
    const other = await openDriver(url);
    let waiting: Promise<unknown> = Promise.resolve();
    await other.transaction('scheduler', async (tx) => {
      await tx.run(named('addToCounter'), { name: 'a', amount: 1 });
      waiting = add(transactions);
      await new Promise((resolve) => setTimeout(resolve, 60)); // as long as the wait that is measured
      expect(transactions.readActivity().connections[0]).toMatchObject({ open: 1, inUse: 1, waiting: 1 });
    });
    await other.close();
    await waiting;
    await count();
    const after = transactions.readActivity();
    const difference = (kind: number, key: 'statements' | 'commits') =>
      (after.connections[kind]?.[key] ?? 0) - (before.connections[kind]?.[key] ?? 0);
    expect(after.connections.map(({ connection }) => connection)).toEqual(['write', 'read']);
    expect([difference(0, 'statements'), difference(0, 'commits')]).toEqual([2, 1]); // the lock is one of them
    expect([difference(1, 'statements'), difference(1, 'commits')]).toEqual([1, 0]);
    const longer = ({ lockWaits }: typeof after) => lockWaits.counts.slice(5).reduce((sum, each) => sum + each, 0);
    expect(LOCK_WAIT_BOUNDS_MS[4]).toBe(25);
    expect(longer(after) - longer(before)).toBe(1);
  });

  it('creates its files with access for their owner only', async () => {
    await add(transactions);
    for (const name of ['quartz.db', 'quartz.db-wal', 'quartz.db-shm']) {
      expect({ name, mode: statSync(join(folder, name)).mode & 0o777 }).toEqual({ name, mode: 0o600 });
    }
  });

  it('creates the target of symbolic links with access for its owner only', async () => {
    const target = join(folder, 'elsewhere.db');
    symlinkSync('second.db', join(folder, 'first.db'));
    symlinkSync(target, join(folder, 'second.db'));
    await createTables(`sqlite:${join(folder, 'first.db')}`);
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  it('writes the whole log into the database file when it is closed', async () => {
    await add(transactions, 3);
    await transactions.close();
    const path = join(folder, 'quartz.db');
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    const { DatabaseSync } = loadSqlite();
    const bystander = new DatabaseSync(copy);
    const [row] = bystander.prepare('SELECT COUNT_VALUE AS count FROM TEST_COUNTERS').all();
    bystander.close();
    expect(row).toEqual({ count: 3 });
    const closed = readFileSync(path);
    const later = new DatabaseSync(path);
    later.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    later.close();
    expect(readFileSync(path).equals(closed)).toBe(true);
  });

  it('reports a missing file instead of writing, and continues when the file is back', async () => {
    const path = join(folder, 'quartz.db');
    await add(transactions);
    await driver.transaction('read', (tx) => tx.all(named('selectCounter'), { name: 'a' }));
    renameSync(path, `${path}.away`);
    const gone = {
      kind: 'connectionLost',
      message: expect.stringContaining('was deleted or replaced while the scheduler was running'),
    };
    const write = () =>
      driver.transaction('scheduler', (tx) => tx.run(named('addToCounter'), { name: 'a', amount: 1 }));
    await expect(write()).rejects.toMatchObject(gone);
    await expect(write()).rejects.toMatchObject(gone);
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.away`, path);
    await add(transactions);
    expect(await count()).toBe(2);
  });

  it.each(['write', 'read'] as const)('syncs every commit to disk, on a %s connection', async (purpose) => {
    const options = { path: join(folder, 'quartz.db'), clock, random: systemRandom };
    const session = await SqliteSession.open(options, purpose);
    const [text] = splitSql('-- name: showSynchronous\nPRAGMA synchronous;', 'test');
    const FULL = 2;
    const { rows } = await session.execute(toStatement(text as SqlText, { tablePrefix: 'QRTZ_' }), []);
    expect(rows).toEqual([{ synchronous: FULL }]);
    await session.close();
  });

  describe('with a read connection whose time slice is always over', () => {
    let session: SqliteSession;
    const [text] = splitSql(
      `-- name: selectNumbers
       WITH RECURSIVE NUMBERS (N) AS (SELECT :first UNION ALL SELECT N + 1 FROM NUMBERS WHERE N < :last)
       SELECT N + COUNT_VALUE AS N FROM NUMBERS CROSS JOIN TEST_COUNTERS;`,
      'test',
    );
    const numbers = toStatement(text as SqlText, { tablePrefix: 'QRTZ_' });
    const listed = async (first: number, last: number) =>
      (await session.execute(numbers, [first, last])).rows.map((row) => (row as { readonly N: number }).N);

    beforeEach(async () => {
      const options = { path: join(folder, 'quartz.db'), clock: new HastyClock(), random: systemRandom };
      session = await SqliteSession.open(options, 'read');
    });

    afterEach(() => session.close());

    it('yields to the event loop between two statements and between two rows', async () => {
      expect(await countTurns(() => listed(1, 3))).toEqual({ result: [1, 2, 3], turns: 4 });
    });

    it('runs statements in order, even the same one twice', async () => {
      expect(await Promise.all([listed(1, 3), listed(11, 13)])).toEqual([
        [1, 2, 3],
        [11, 12, 13],
      ]);
    });

    it('rereads large numbers as rounded values, yielding in between', async () => {
      const large = 2 ** 53;
      expect(await Promise.all([listed(large - 2, large), listed(1, 2)])).toEqual([
        [large - 2, large - 1, large],
        [1, 2],
      ]);
    });

    it('rolls back after its running read, so that the next transaction reads current data', async () => {
      await session.begin();
      const reading = listed(1, 1_000);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate); // it has begun
      await session.rollback();
      await add(transactions, 5_000);
      await session.begin();
      expect(await listed(1, 1)).toEqual([5_001]);
      await session.commit();
      expect(await reading).toHaveLength(1_000);
    });
  });

  it('commits if the work resolves, and rolls back if it rejects', async () => {
    const boom = new Error('boom');
    const failing = transactions.run('TRIGGER_ACCESS', async (tx) => {
      await tx.run(named('addToCounter'), { name: 'a', amount: 5 });
      throw boom;
    });
    await expect(failing).rejects.toBe(boom);
    await add(transactions, 2);
    expect(await count()).toBe(2);
  });

  it('counts matched rows, even if their values do not change', async () => {
    await expect(add(transactions, 0)).resolves.toEqual({ changes: 1 });
  });

  it('does not commit a transaction whose work swallowed an error', async () => {
    const swallowing = transactions.run(null, async (tx) => {
      await tx.run(named('addToCounter'), { name: 'a', amount: 5 });
      await tx.run(named('insertCounter'), { name: 'a', amount: 1 }).catch(() => undefined);
    });
    await expect(swallowing).rejects.toMatchObject({ code: 'STORE_FAILURE', cause: { kind: 'duplicateKey' } });
    expect(await count()).toBe(0);
  });

  it('stores integers exactly, within the safe range of a double', async () => {
    for (const amount of [1, -1, 2 ** 31, Date.UTC(9999, 0), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      await transactions.run(null, (tx) => tx.run(named('insertCounter'), { name: `n${amount}`, amount }));
      expect(await driver.select(named('selectCounter'), { name: `n${amount}` })).toEqual([{ count: amount }]);
    }
  });

  it('waits for another writer without stopping the event loop', async () => {
    const other = transactionsOn(await openDriver(url));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const holding = other.run('TRIGGER_ACCESS', async (tx) => {
      await tx.run(named('addToCounter'), { name: 'a', amount: 10 });
      isHeld();
      await released;
    });
    await held;
    const adding = add(transactions);
    let longest = 0;
    let turns = 0;
    for (let last = performance.now(); turns < 50; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    release();
    await Promise.all([holding, adding]);
    await other.close();
    expect(longest).toBeLessThan(200); // it waits 20 ms at a time
    expect(await count()).toBe(11);
  });

  it('serves writers on many connections in turn, without losing a write', async () => {
    const nodes = await Promise.all(Array.from({ length: 4 }, async () => transactionsOn(await openDriver(url))));
    const readThenWrite = (node: Transactions) =>
      node.run('TRIGGER_ACCESS', async (tx) => {
        const [row] = await tx.all<{ count: number }>(named('selectCounter'), { name: 'a' });
        await tx.run(named('addToCounter'), { name: 'a', amount: 1 });
        return row?.count ?? -1;
      });
    const seen = await Promise.all(nodes.flatMap((node) => Array.from({ length: 25 }, () => readThenWrite(node))));
    await Promise.all(nodes.map((node) => node.close()));
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at));
  });

  it('releases the file if an error loses the connection during a transaction', async () => {
    const { DatabaseSync } = loadSqlite();
    const bystander = new DatabaseSync(join(folder, 'quartz.db'));
    bystander.exec("CREATE TRIGGER r BEFORE UPDATE ON TEST_COUNTERS BEGIN SELECT RAISE(ABORT, 'refused'); END");
    const refused = transactions.run(null, async (tx) => {
      await tx.all(named('selectCounter'), { name: 'a' });
      await tx.run(named('insertCounter'), { name: 'b', amount: 1 });
      await tx.run(named('addToCounter'), { name: 'a', amount: 1 });
    });
    await expect(refused).rejects.toMatchObject({ cause: { kind: 'refused', databaseCode: 'SQLite 1811' } });
    bystander.exec('BEGIN IMMEDIATE; DROP TRIGGER r; COMMIT');
    bystander.close();
    await add(transactions);
    expect(await count()).toBe(1);
  });

  it('names the file in its errors, except in errors of a statement or its values', async () => {
    const other = join(folder, 'other.db');
    writeFileSync(other, 'no database, but a text of some length that begins with other letters'.repeat(20));
    const damaged = await openDriver(`sqlite:${other}`);
    await expect(damaged.select(named('selectCounter'), { name: 'a' })).rejects.toThrow(other);
    await damaged.close();
    const twice = driver.transaction('scheduler', (tx) => tx.run(named('insertCounter'), { name: 'a', amount: 0 }));
    await expect(twice).rejects.toThrow(/UNIQUE/);
    await expect(twice).rejects.not.toThrow(folder);
  });

  it('enforces foreign keys', async () => {
    const orphan = transactions.run(null, (tx) => tx.run(named('insertOrphan'), {}));
    await expect(orphan).rejects.toMatchObject({
      cause: { message: expect.stringContaining('FOREIGN KEY') },
    });
  });

  it('accepts any text as a key', async () => {
    for (const name of ['任务', 'a ', 'A', "o'clock", '\\', '😀', '__proto__']) {
      await transactions.run(null, (tx) => tx.run(named('insertCounter'), { name, amount: 1 }));
      expect(await driver.select(named('selectCounter'), { name })).toEqual([{ count: 1 }]);
    }
  });
});
