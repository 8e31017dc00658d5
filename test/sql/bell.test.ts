import { createConnection } from 'mysql2/promise';
import { systemRandom } from '../../src/base/ids';
import { MysqlBell } from '../../src/store/sql/mysql/mysql-bell';
import { readMysqlUrl } from '../../src/store/sql/mysql/mysql-data-source';
import { MysqlSession } from '../../src/store/sql/mysql/mysql-session';
import type { Bell, SqlDriver } from '../../src/store/sql/runtime/sql-driver';
import { clock, createTables, openDriver } from '../support/database/sql-fixture';
import { openSqliteNodes } from '../support/database/sql-store';
import { createDatabase, describeOnServer, sharedServer, type TestDatabase } from '../support/database/test-database';
import { until } from '../support/until';

const settingsOf = (url: string) => readMysqlUrl({ name: 'test', url, user: null, password: null }).settings;

const NEVER = new AbortController().signal;

/** Connection that holds the lock of the bell `c`. */
const HOLDER = "SELECT IS_USED_LOCK('quartz_ts bell c') AS id";

/** Rings until the wait ends: the first ring may come before the wait. */
async function ringUntil(ringer: Bell, epoch: string, wait: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const ended = wait.then(
    () => (hasEnded = true),
    () => (hasEnded = true),
  );
  while (!hasEnded) {
    await ringer.ring([epoch]);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5))]);
  }
}

interface Opened {
  readonly driver: SqlDriver;
  close(): Promise<void>;
}

function describeBell(open: () => Promise<readonly Opened[]>): void {
  let nodes: readonly Opened[];
  const bell = (index: 0 | 1) => nodes[index]?.driver.bell as Bell;

  beforeEach(async () => {
    nodes = await open();
  });
  afterEach(async () => {
    for (const node of nodes) await node.close();
  });

  it('ends the wait of another node on every ring', async () => {
    for (let round = 0; round < 5; round++) {
      const waiting = bell(0).awaitRing('a', NEVER);
      await ringUntil(bell(1), 'a', waiting);
      expect(await waiting).toBe(true);
    }
  });

  it('waits again for a new incarnation of the node', async () => {
    await ringUntil(bell(1), 'a', bell(0).awaitRing('a', NEVER));
    const waiting = bell(0).awaitRing('b', NEVER);
    await ringUntil(bell(1), 'b', waiting);
    expect(await waiting).toBe(true);
  });

  it('has no effect if no node waits', async () => {
    await expect(bell(1).ring(['nobody', 'x'.repeat(500), "'; KILL 1"])).resolves.toBeUndefined();
  });

  it('ends a wait when its signal aborts, and when the driver closes', async () => {
    const controller = new AbortController();
    const aborted = bell(0)
      .awaitRing('a', controller.signal)
      .catch(() => false);
    controller.abort();
    expect(await aborted).toBe(false);
    const closed = bell(0)
      .awaitRing('a', NEVER)
      .catch(() => false);
    await nodes[0]?.driver.close();
    expect(await closed).toBe(false);
  });
}

describeOnServer('the wake-up bell of a server', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase(await sharedServer());
    await createTables(database.url);
  });
  afterAll(() => database.drop());

  describeBell(async () => {
    const drivers = [await openDriver(database.url), await openDriver(database.url)];
    return drivers.map((driver) => ({ driver, close: () => driver.close() }));
  });

  it('rings from a script, which commits whether or not nodes are waiting', async () => {
    const [ringer, waiter] = [await openDriver(database.url), await openDriver(database.url)];
    const waiting = waiter.bell?.awaitRing('e', NEVER);
    const rung = waiting?.then(() => true);
    const params = { schedName: 'SCHED', tokenKey: 'commit.e', number: '1' };
    const steps = [{ statement: 'writeCommitToken', params, isQuery: false, rows: null }] as const;
    const { script } = ringer;
    const ringOnce = () => script?.('scheduler', steps, { rings: ['x', 'e'] }).then(() => false);
    while (script !== undefined && !(await Promise.race([rung, ringOnce()])));
    if (script === undefined) await ringUntil(ringer.bell as Bell, 'e', waiting as Promise<boolean>);
    expect(await waiting).toBe(true);
    const stored = await database.query<{ n: number }>(
      "SELECT COUNT(*) AS n FROM QRTZ_X_META WHERE META_KEY = 'commit.e'",
    );
    expect(stored).toEqual([{ n: script === undefined ? 0 : 1 }]);
    await Promise.all([ringer.close(), waiter.close()]);
  });

  it('ends only waits for a ring, even for an epoch that contains SQL', async () => {
    const driver = await openDriver(database.url);
    const victim = await createConnection(database.url);
    await victim.query("DO GET_LOCK('victim', 0)");
    const [[answer]] = await Promise.all([
      victim.query('SELECT SLEEP(0.5) AS wasKilled'),
      (async () => {
        for (let round = 0; round < 20; round++) await driver.bell?.ring(['victim', "') OR IS_USED_LOCK('victim"]);
      })(),
    ]);
    expect(answer).toEqual([{ wasKilled: 0 }]);
    await victim.end();
    await driver.close();
  });

  it('waits on a new connection after the old one was closed', async () => {
    const driver = await openDriver(database.url);
    const bell = driver.bell as Bell;
    const closed = expect(bell.awaitRing('c', NEVER)).rejects.toMatchObject({ kind: 'connectionLost' });
    for (let isOpen = true; isOpen; ) {
      const [holder] = await database.query<{ id: number | null }>(HOLDER);
      if (holder?.id) await database.query(`KILL ${Number(holder.id)}`);
      isOpen = !holder?.id;
    }
    await closed;
    // The server notices only later that the waiting connection, which may have taken the lock, was closed as well.
    await until(
      () => database.query<{ id: number | null }>(HOLDER),
      ([holder]) => holder?.id === null,
    );
    const waiting = bell.awaitRing('c', NEVER);
    await ringUntil(bell, 'c', waiting);
    expect(await waiting).toBe(true);
    await driver.close();
  });

  it('waits on new connections after the connection that holds its lock was closed', async () => {
    const driver = await openDriver(database.url);
    const bell = driver.bell as Bell;
    const ended = expect(bell.awaitRing('h', NEVER)).rejects.toMatchObject({ databaseCode: 'BELL' });
    const waits = () =>
      database.query(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT GET_LOCK%10)%' AND DB = DATABASE()",
      );
    while ((await waits()).length === 0);
    const [holder] = await database.query<{ id: number }>("SELECT IS_USED_LOCK('quartz_ts bell h wait') AS id");
    await database.query(`KILL ${Number(holder?.id)}`);
    await ended;
    const waiting = bell.awaitRing('h', NEVER);
    await ringUntil(bell, 'h', waiting);
    expect(await waiting).toBe(true);
    await driver.close();
  });

  it('accepts rings from several connections at the same time', async () => {
    const drivers = await Promise.all(Array.from({ length: 3 }, () => openDriver(database.url)));
    const [waiter, ...ringers] = drivers.map((driver) => driver.bell as Bell) as [Bell, ...Bell[]];
    let waits = 0;
    const waiting = (async () => {
      for (; waits < 20; waits++) await waiter.awaitRing('s', NEVER);
    })();
    const ring = async (ringer: Bell) => {
      while (waits < 20) await ringer.ring(['s']);
    };
    await Promise.all([...ringers, ...ringers].map(ring));
    await waiting;
    expect(waits).toBe(20);
    await Promise.all(drivers.map((driver) => driver.close()));
  });

  it('rejects the wait if rings cannot reach it, for example through a proxy', async () => {
    const name = `bell_${systemRandom.token(8)}`;
    await database.query(`CREATE USER '${name}'@'%' IDENTIFIED BY 'a'`);
    const { host } = new URL(database.url);
    const stranger = await MysqlSession.open(settingsOf(`mysql://${name}:a@${host}/information_schema`), clock);
    const bell = new MysqlBell({
      clock,
      connect: () => MysqlSession.open(settingsOf(database.url), clock),
      use: (work) => work(stranger),
    });
    await expect(bell.awaitRing('d', NEVER)).rejects.toMatchObject({ databaseCode: 'BELL' });
    await stranger.close();
    await database.query(`DROP USER '${name}'@'%'`);
  });
});

describe('the wake-up bell of SQLite', () => {
  describeBell(() => openSqliteNodes(2));
});
