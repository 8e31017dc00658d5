import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock';
import { systemRandom } from '../../src/base/ids';
import { DEFAULT_POLICY } from '../../src/domain/execution-policy';
import type { DatabaseExaminer, DatabaseFault } from '../../src/store/database-examiner';
import { busyFaults, SqlExaminer } from '../../src/store/sql/examination/sql-examiner';
import { MYSQL } from '../../src/store/sql/mysql/engine';
import { openSchemaConnection } from '../../src/store/sql/open-database';
import { type OpenSqlStore, openSqlStore } from '../../src/store/sql/open-sql-store';
import { STATEMENT_NAMES } from '../../src/store/sql/runtime/statement-names';
import { everyMinute, job } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { JAVA_TABLES } from '../support/database/java-tables';
import { clock, createTables, databaseOptions, named, openDriver } from '../support/database/sql-fixture';
import {
  createDatabase,
  describeOnServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';
import { DatabaseSync } from '../support/sqlite';

const opened: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** Opens the store of a node on a database, with its examiner. */
async function open(url: string, machine: Clock = clock, orderByPriority = false): Promise<OpenSqlStore> {
  const store = await openSqlStore({
    ...databaseOptions(url),
    ...{ schema: 'create', orderByPriority, schedName: 'examined', instanceId: 'node', timeZone: 'UTC' },
    ...{ policy: DEFAULT_POLICY, useProperties: false, startTimeout: 0, clock: machine, random: systemRandom },
    ...{ onRowProblem: () => undefined, onUnreadableRow: () => undefined },
  });
  opened.push(() => store.store.close());
  return store;
}

async function faultsOf({ examiner }: Pick<OpenSqlStore, 'examiner'>, nodes = 1): Promise<readonly DatabaseFault[]> {
  return (await examiner.examine(nodes)).faults;
}

const idsOf = (faults: readonly DatabaseFault[]) => faults.map(({ id }) => id).sort();

/** A machine whose clock is an hour ahead. */
const AHEAD: Clock = {
  now: () => clock.now() + 3_600_000,
  monotonic: () => clock.monotonic(),
  sleepUntil: (time, signal) => clock.sleepUntil(time - 3_600_000, signal),
};

describeOnServer('the examination of MySQL or MariaDB', () => {
  let server: PrivateServer;
  let database: TestDatabase;

  beforeAll(async () => {
    server = await startServer(['--innodb-flush-log-at-trx-commit=1']);
  });

  beforeEach(async () => {
    database = await createDatabase(server, 'utf8mb4 COLLATE utf8mb4_bin');
    opened.push(() => database.drop());
  });

  afterAll(() => server.stop());

  it('finds no fault in a correct database, and lists its settings', async () => {
    const { examiner } = await open(database.url);
    const { faults, facts, clockOffset } = await examiner.examine(3);
    expect(faults).toEqual([]);
    expect(Math.abs(clockOffset)).toBeLessThan(1_000);
    const value = (name: string) => facts.find((fact) => fact.name === name)?.value;
    expect(value('innodb_flush_log_at_trx_commit')).toBe('1');
    expect(value('last migration')).toMatch(/^00\d\d_/);
    expect(value('in use or idle')).toMatch(/^1 of \d+$/);
    expect(value('selectDueTriggers')).toBeUndefined();
  });

  it('lists the SQL text of every statement on request', async () => {
    const { examiner } = await open(database.url);
    const { facts } = await examiner.examine(1, true);
    const value = (name: string) => facts.find((fact) => fact.name === name)?.value;
    expect(value('selectDueTriggers')).toMatch(/^SELECT STRAIGHT_JOIN\n[\s\S]*FORCE INDEX \(IDX_QRTZ_T_NFT_ST\)/);
    expect(STATEMENT_NAMES.filter((name) => value(name) === undefined)).toEqual([]);
  });

  it.each([
    ['DROP TABLE QRTZ_X_ACTIONS', ['missingTables'], /QRTZ_X_ACTIONS is missing/],
    [
      'ALTER TABLE QRTZ_TRIGGERS DROP COLUMN DESCRIPTION',
      ['missingColumns', 'statementPlans'],
      /no column DESCRIPTION/,
    ],
    ['ALTER TABLE QRTZ_X_META DROP PRIMARY KEY', ['missingKeys'], /QRTZ_X_META has no primary key/],
    ['ALTER TABLE QRTZ_X_RUNS MODIFY ENDED_TIME INT NOT NULL', ['alteredColumns'], /ENDED_TIME is INT, not BIGINT/],
    [
      'ALTER TABLE QRTZ_JOB_DETAILS MODIFY DESCRIPTION VARCHAR(20)',
      ['schemaWarnings'],
      /DESCRIPTION holds 20 characters/,
    ],
    ['ALTER TABLE QRTZ_X_META ENGINE = MyISAM', ['alteredTables'], /engine InnoDB for QRTZ_X_META, found MyISAM/i],
    [
      'ALTER TABLE QRTZ_X_META CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
      ['keyText'],
      /utf8mb4_general_ci/,
    ],
    [
      "DELETE FROM QRTZ_X_META WHERE META_KEY = 'migration.0001_initial'",
      ['schemaVersion'],
      /0001_initial has not been applied/,
    ],
  ])('reports this damage to the tables: %s', async (damage, ids, found) => {
    const store = await open(database.url);
    await database.query(damage);
    const faults = await faultsOf(store);
    expect(idsOf(faults)).toEqual(ids);
    expect(faults.map((fault) => fault.found).join(' ')).toMatch(found);
  });

  it('reports a missing index with the statements that need it, and can create the index', async () => {
    const store = await open(database.url, clock, true);
    await database.query('DROP INDEX IDX_QRTZ_T_NFT_ST ON QRTZ_TRIGGERS');
    await database.query('DROP INDEX IDX_QRTZ_X_T_P_NFT ON QRTZ_TRIGGERS');
    const faults = await faultsOf(store);
    expect(idsOf(faults)).toEqual(['missingIndexes', 'statementPlans']);
    expect(faults.find(({ id }) => id === 'missingIndexes')?.found).toMatch(/T_NFT_ST .*T_P_NFT/);
    expect(faults.find(({ id }) => id === 'statementPlans')).toMatchObject({
      severity: 'problem',
      found: expect.stringMatching(/selectDueTriggers cannot be executed: .*IDX_QRTZ_T_NFT_ST/),
    });
    expect(await store.examiner.createMissingIndexes()).toHaveLength(2);
    expect(await faultsOf(store)).toEqual([]);
    expect(await store.examiner.createMissingIndexes()).toEqual([]);
  });

  it('reports a slow plan if an index with the right name has other columns, in a large table', async () => {
    const store = await open(database.url);
    const driver = new StoreDriver(store.store);
    await driver.open();
    const names = Array.from({ length: 1_500 }, (_, index) => `t${index}`);
    await driver.schedule(job(), ...names.map((name) => everyMinute(name)));
    await database.query('ANALYZE TABLE QRTZ_TRIGGERS');
    expect(await faultsOf(store)).toEqual([]);
    await database.query('DROP INDEX IDX_QRTZ_T_NFT_ST ON QRTZ_TRIGGERS');
    await database.query('CREATE INDEX IDX_QRTZ_T_NFT_ST ON QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_STATE, TRIGGER_NAME)');
    await database.query('ANALYZE TABLE QRTZ_TRIGGERS');
    const faults = await faultsOf(store);
    expect(idsOf(faults)).toEqual(['missingIndexes', 'statementPlans']);
    expect(faults.find(({ id }) => id === 'statementPlans')).toMatchObject({
      severity: 'warning',
      found: expect.stringMatching(/selectDueTriggers sorts its rows/),
    });
    expect(faults.find(({ id }) => id === 'missingIndexes')?.advice).toMatch(/drop/i);
    expect(await store.examiner.createMissingIndexes()).toEqual([]);
  });

  it('reports only ignored trailing blanks for tables made by Java', async () => {
    for (const text of JAVA_TABLES) await database.query(text);
    const store = await open(database.url);
    const driver = new StoreDriver(store.store);
    await driver.open();
    const names = Array.from({ length: 1_500 }, (_, index) => `t${index}`);
    await driver.schedule(job(), ...names.map((name) => everyMinute(name)));
    await database.query('ANALYZE TABLE QRTZ_TRIGGERS');
    expect(await faultsOf(store)).toMatchObject([
      { id: 'schemaWarnings', found: expect.stringContaining('trailing spaces') },
    ]);
  });

  it.each([
    ['innodb_flush_log_at_trx_commit', '2', '1', 'durability'],
    ['read_only', 'ON', 'OFF', 'readOnly'],
    ['max_connections', '20', '151', 'connectionLimit'],
  ])('reports the server setting %s = %s', async (name, wrong, right, id) => {
    const store = await open(database.url);
    await database.query(`SET GLOBAL ${name} = ${wrong}`);
    const faults = await faultsOf(store, 5);
    await database.query(`SET GLOBAL ${name} = ${right}`);
    expect(faults).toEqual([expect.objectContaining({ id, found: expect.stringContaining(`${name} = ${wrong}`) })]);
    expect(faults[0]?.expected).toContain(name);
    expect(await faultsOf(store, 5)).toEqual([]);
  });

  it('reports connection settings that differ from the values set by the driver', async () => {
    await createTables(database.url);
    const driver = await openDriver(database.url);
    opened.push(() => driver.close());
    const examiner = new SqlExaminer({
      engine: MYSQL,
      ...{ driver, clock, schedName: 'examined', instanceId: 'node', tablePrefix: 'QRTZ_', maxConnections: 10 },
      connect: () => openSchemaConnection(databaseOptions(database.url)),
      readClock: async () => (await driver.select<{ NOW_TIME: number }>('selectClock', {}))[0]?.NOW_TIME as number,
    });
    await driver.transaction('scheduler', (tx) => tx.all('selectClock', {}));
    expect(await faultsOf({ examiner })).toEqual([]);
    await driver.transaction('scheduler', (tx) => tx.run(named('spoilIsolation'), {}));
    await driver.transaction('scheduler', (tx) => tx.run(named('spoilSettings'), {}));
    expect(await faultsOf({ examiner })).toMatchObject([
      { id: 'isolation', severity: 'warning', found: 'scheduler: SERIALIZABLE, not READ COMMITTED.' },
      {
        id: 'sessionSettings',
        found: expect.stringMatching(/scheduler: sql_mode = ''\..*innodb_lock_wait_timeout = 50/),
      },
    ]);
    const { facts } = await examiner.examine(1);
    expect(facts).toContainEqual({ section: 'connections', name: 'scheduler', value: 'idle, SERIALIZABLE' });
  });

  it('reports that many transactions wait for one connection', async () => {
    await createTables(database.url);
    const driver = await openDriver(database.url);
    opened.push(() => driver.close());
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const transactions = Array.from({ length: 25 }, () => driver.transaction('scheduler', () => held));
    expect(busyFaults((await driver.readConnections?.(10)) ?? [])).toMatchObject([
      { id: 'connectionsBusy', found: '24 transactions wait for a connection (scheduler).' },
    ]);
    end();
    await Promise.all(transactions);
    expect(busyFaults((await driver.readConnections?.(3_000)) ?? [])).toEqual([]);
  });

  it('reports that the clock of this machine is ahead of the clock of the database', async () => {
    const { examiner } = await open(database.url, AHEAD);
    const { clockOffset } = await examiner.examine(1);
    expect(Math.round(clockOffset / 60_000)).toBe(-60);
  });
});

describe('the examination of a SQLite file', () => {
  let url: string;
  let bystander: InstanceType<typeof DatabaseSync>;
  let store: OpenSqlStore;

  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-examined-'));
    opened.push(() => rmSync(folder, { recursive: true }));
    url = `sqlite:${join(folder, 'quartz.db')}`;
    store = await open(url);
    await store.store.open(() => undefined);
    bystander = new DatabaseSync(url.slice('sqlite:'.length));
    opened.push(() => bystander.close());
  });

  const examined = (examiner: DatabaseExaminer) => examiner.examine(1);

  it('finds no fault in a correct file, and lists its settings', async () => {
    const { faults, facts } = await examined(store.examiner);
    expect(faults).toEqual([]);
    expect(facts).toEqual(
      expect.arrayContaining([
        { section: 'server', name: 'journal_mode', value: 'wal' },
        { section: 'server', name: 'synchronous', value: '2' },
        { section: 'connections', name: 'scheduler', value: 'idle' },
      ]),
    );
  });

  it.each([
    ['DROP TABLE QRTZ_X_ACTIONS', ['missingTables'], /QRTZ_X_ACTIONS is missing/],
    [
      'ALTER TABLE QRTZ_TRIGGERS DROP COLUMN DESCRIPTION',
      ['missingColumns', 'statementPlans'],
      /no column DESCRIPTION/,
    ],
    [
      "DELETE FROM QRTZ_X_META WHERE META_KEY = 'migration.0001_initial'",
      ['schemaVersion'],
      /0001_initial has not been applied/,
    ],
  ])('reports this damage to the tables: %s', async (damage, ids, found) => {
    bystander.exec(damage);
    const { faults } = await examined(store.examiner);
    expect(idsOf(faults)).toEqual(ids);
    expect(faults.map((fault) => fault.found).join(' ')).toMatch(found);
  });

  it('reports a missing index with the statements that need it, and can create the index', async () => {
    bystander.exec('DROP INDEX IDX_QRTZ_T_NFT_ST');
    const { faults } = await examined(store.examiner);
    expect(idsOf(faults)).toEqual(['missingIndexes', 'statementPlans']);
    expect(await store.examiner.createMissingIndexes()).toEqual([expect.stringContaining('IDX_QRTZ_T_NFT_ST')]);
    expect(await faultsOf(store)).toEqual([]);
  });

  it('reports a large write-ahead log, and truncates it after the last reader has ended', async () => {
    bystander.exec('CREATE TABLE FILLER (CONTENT BLOB)');
    const reader = new DatabaseSync(url.slice('sqlite:'.length));
    reader.exec('BEGIN; SELECT COUNT(*) FROM FILLER');
    bystander.exec('PRAGMA synchronous = OFF; INSERT INTO FILLER VALUES (zeroblob(70000000))');
    expect(idsOf(await faultsOf(store))).toEqual(['largeLog']);
    expect(await store.examiner.truncateLog()).toBe(false);
    reader.close();
    expect(await store.examiner.truncateLog()).toBe(true);
    expect(await faultsOf(store)).toEqual([]);
  });

  it('reports that the clock of the node is ahead of the system clock that SQLite uses', async () => {
    const { clockOffset } = await examined((await open(url, AHEAD)).examiner);
    expect(Math.round(clockOffset / 60_000)).toBe(-60);
  });
});
