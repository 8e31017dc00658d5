import { type MysqlSettings, readMysqlUrl } from '../../src/store/sql/mysql/mysql-data-source';
import { MysqlSession } from '../../src/store/sql/mysql/mysql-session';
import type { SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import type { Statement } from '../../src/store/sql/runtime/statements';
import { clock, createTables, named, openDriver } from '../support/database/sql-fixture';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { FaultProxy } from '../support/fault-proxy';

const statement = (text: string): Statement => ({
  name: named(text),
  text,
  parameters: [],
  countsTwice: false,
  indexes: { names: [], inOrder: false },
});

const PAIR = statement('SELECT ? AS first, ? AS second');
const NOTHING = statement('SELECT NAME FROM TEST_COUNTERS WHERE NAME = ?');
const COUNT = statement('UPDATE TEST_COUNTERS SET COUNT_VALUE = COUNT_VALUE + ? WHERE NAME = ?');
const MANY = statement(
  "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i, REPEAT('x', 500) AS pad FROM n",
);

describeOnServer('pipelined statements', () => {
  let database: TestDatabase;
  let proxy: FaultProxy;
  let settings: MysqlSettings;
  let session: MysqlSession;
  const sessions: MysqlSession[] = [];

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    await createTables(database.url);
  });

  beforeEach(async () => {
    proxy = await FaultProxy.before(database.url);
    settings = readMysqlUrl({ name: 'test', url: proxy.url, user: null, password: null }).settings;
    session = await open();
    await database.query('DELETE FROM TEST_COUNTERS');
    await database.query("INSERT INTO TEST_COUNTERS VALUES ('a', 1), ('b', 1), ('c', 1)");
  });

  afterEach(async () => {
    for (const each of sessions.splice(0)) each.discard();
    await proxy.close();
  });
  afterAll(() => database.drop());

  async function open(answerTimeoutMs?: number): Promise<MysqlSession> {
    const opened = await MysqlSession.open(settings, clock, { answerTimeoutMs });
    sessions.push(opened);
    await opened.query('SET autocommit = 0');
    return opened;
  }

  const pair = async (first: string, second: number) => (await session.execute(PAIR, [first, second])).rows;
  const count = async (name: string) =>
    (await database.query<{ n: number }>('SELECT COUNT_VALUE AS n FROM TEST_COUNTERS WHERE NAME = ?', [name]))[0]?.n;

  it('are sent before the previous answer has arrived', async () => {
    await pair('prepared', 0);
    proxy.holdAnswers();
    const sent = proxy.sent('the second');
    const answers = [pair('the first', 1), pair('the second', 2)];
    await sent;
    proxy.passAnswers();
    expect(await Promise.all(answers)).toEqual([
      [{ first: 'the first', second: 1 }],
      [{ first: 'the second', second: 2 }],
    ]);
  });

  it('each get their own answer, whatever other statements are between them', async () => {
    const complaints = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const answers = await Promise.all([
      pair('one', 1),
      session.execute(MANY, [900]),
      session.execute(NOTHING, ['nobody']),
      session.execute(COUNT, [2, 'a']),
      session.query('SELECT 3 AS three'),
      pair('two', 2),
      session.execute(MANY, [700]),
      pair('three', 3),
    ]);
    expect(answers.map((answer) => ('changes' in answer ? [answer.rows.length, answer.changes] : answer))).toEqual([
      [{ first: 'one', second: 1 }],
      [900, 0],
      [0, 0],
      [0, 1],
      [1, 0],
      [{ first: 'two', second: 2 }],
      [700, 0],
      [{ first: 'three', second: 3 }],
    ]);
    expect(complaints).not.toHaveBeenCalled(); // mysql2 logs packets that arrive out of order there
    complaints.mockRestore();
  });

  it('are prepared in one round trip, however many are new', async () => {
    const news = ['one', 'two', 'three'].map((name) => statement(`SELECT ? AS new_${name}`));
    proxy.holdAnswers();
    const sent = news.map(({ text }) => proxy.sent(text));
    const answers = news.map((each, index) => session.execute(each, [index]));
    await Promise.all(sent);
    proxy.passAnswers();
    expect((await Promise.all(answers)).map(({ rows }) => rows)).toEqual([
      [{ new_one: 0 }],
      [{ new_two: 1 }],
      [{ new_three: 2 }],
    ]);
  });

  it('stay in order if some are new and one of the new ones is refused', async () => {
    await pair('prepared', 0);
    const wrong = statement('SELECT NOTHING FROM NOWHERE WHERE NAME = ?');
    const answers = await Promise.allSettled([
      session.execute(COUNT, [1, 'a']),
      session.execute(wrong, ['a']),
      pair('behind it', 1),
      session.rollback(),
      session.execute(COUNT, [5, 'b']),
      session.commit(),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect([await count('a'), await count('b')]).toEqual([1, 6]);
    await expect(session.execute(wrong, ['a'])).rejects.toMatchObject({ kind: 'schema' }); // prepared again
  });

  it('can be sent while another answer arrives', async () => {
    await Promise.all([pair('prepared', 0), session.execute(MANY, [1])]);
    const many = session.execute(MANY, [900]);
    const later: Promise<readonly unknown[]>[] = [];
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      later.push(pair('later', i));
    }
    expect((await many).rows).toHaveLength(900);
    expect((await Promise.all(later)).flat()).toEqual(
      Array.from({ length: 20 }, (_, i) => ({ first: 'later', second: i })),
    );
  });

  it('run in the order they were sent, and before the following commit', async () => {
    const changing = [session.execute(COUNT, [1, 'a']), session.execute(COUNT, [10, 'a'])];
    await session.commit();
    expect(await count('a')).toBe(12);
    expect(await Promise.all(changing)).toEqual([
      { rows: [], changes: 1 },
      { rows: [], changes: 1 },
    ]);
  });

  it('get individual answers if one of them fails', async () => {
    const insert = statement('INSERT INTO TEST_COUNTERS VALUES (?, ?)');
    await Promise.all([pair('prepared', 0), session.execute(insert, ['new', 1])]);
    const duplicate = session.execute(insert, ['a', 1]);
    const neverPrepared = session.execute(statement('SELECT NO_SUCH_COLUMN FROM TEST_COUNTERS WHERE NAME = ?'), ['a']);
    const answers = await Promise.allSettled([pair('before', 1), duplicate, pair('between', 2), neverPrepared]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    await expect(duplicate).rejects.toMatchObject({ kind: 'duplicateKey' });
    await expect(neverPrepared).rejects.toMatchObject({ kind: 'schema' });
    expect(await pair('after', 3)).toEqual([{ first: 'after', second: 3 }]);
  });

  it('all reject if the connection is lost', async () => {
    await pair('prepared', 0);
    proxy.holdAnswers();
    const sent = proxy.sent('third');
    const answers = [pair('first', 1), pair('second', 2), pair('third', 3)].map((each) => each.catch((error) => error));
    await sent;
    proxy.cut();
    for (const error of await Promise.all(answers)) expect(error).toMatchObject({ kind: 'connectionLost' });
    expect(session.usable).toBe(false);
  });

  it('all reject if the server stops answering', async () => {
    session = await open(200);
    await pair('prepared', 0);
    proxy.silence();
    const answers = [pair('first', 1), pair('second', 2)].map((each) => each.catch((error) => error));
    for (const error of await Promise.all(answers)) {
      expect(error).toMatchObject({ kind: 'connectionLost', databaseCode: 'SILENT' });
    }
  });
});

describeOnServer('a transaction of pipelined statements', () => {
  let database: TestDatabase;
  let driver: SqlDriver;
  let other: SqlDriver;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    await createTables(database.url);
  });

  beforeEach(async () => {
    [driver, other] = [await openDriver(database.url), await openDriver(database.url)];
    await database.query('DELETE FROM TEST_COUNTERS');
    await database.query("INSERT INTO TEST_COUNTERS VALUES ('a', 1), ('b', 1), ('c', 1)");
  });

  afterEach(async () => {
    await Promise.all([driver.close(), other.close()]);
  });
  afterAll(() => database.drop());

  const add = (name: string, amount = 1) => [named('addToCounter'), { name, amount }] as const;
  const counters = async () => {
    const rows = await database.query<{ n: number }>("SELECT COUNT_VALUE AS n FROM TEST_COUNTERS WHERE NAME < 'd'");
    return rows.map(({ n }) => Number(n)).sort((a, b) => a - b);
  };

  it('is rolled back as a whole if a statement in the middle fails', async () => {
    const failing = driver.transaction('scheduler', (tx) =>
      Promise.all([
        tx.run(...add('a', 5)),
        tx.run(named('insertCounter'), { name: 'b', amount: 1 }),
        tx.run(...add('c', 7)),
      ]),
    );
    await expect(failing).rejects.toMatchObject({ kind: 'duplicateKey', statement: 'insertCounter' });
    expect(await counters()).toEqual([1, 1, 1]);
  });

  it('stores nothing if a deadlock has ended it while its other statements still run', async () => {
    const heavy = openGate();
    const light = openGate();
    // The server rolls back the transaction that has changed less.
    const winner = driver.transaction('scheduler', async (tx) => {
      for (let i = 0; i < 50; i++) await tx.run(named('insertCounter'), { name: `x${i}`, amount: 1 });
      await tx.run(...add('a'));
      heavy.open();
      await light.opened;
      await tx.run(...add('b'));
    });
    const loser = other.transaction('scheduler', async (tx) => {
      await heavy.opened;
      await tx.run(...add('b', 100));
      light.open();
      await Promise.all([tx.run(...add('a', 100)), tx.run(...add('c', 100))]);
    });
    await expect(loser).rejects.toMatchObject({ kind: 'deadlock' });
    await winner;
    expect(await counters()).toEqual([1, 2, 2]);
  });
});

function openGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
