import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, openSchemaConnection } from '../../src/store/sql/open-database';
import { prepareSchema, printMigration } from '../../src/store/sql/schema/migrate';
import { JAVA_TABLES } from '../support/database/java-tables';
import { databaseOptions } from '../support/database/sql-fixture';
import {
  createDatabase,
  describeOnAnyServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { freshDist } from '../support/fresh-dist';

/*
 * Nodes that die while they create the tables. A server commits each DDL statement separately, so a dead node leaves half a schema. The next node
 * must complete it, and distinguish it from the tables of an older version.
 */

/** Creates the tables like a node with `schema: create`. Returns the applied migrations. */
async function create(url: string): Promise<readonly string[]> {
  const { driver, applied } = await openDatabase({ ...databaseOptions(url), schema: 'create' });
  await driver.close();
  return applied;
}

/** Kills the connection after the first statement that is not in `before`, and returns that statement; null if the creation has completed. */
async function createUntilKilled(url: string, before: readonly string[]): Promise<string | null> {
  const connection = await openSchemaConnection(databaseOptions(url));
  const define = connection.define.bind(connection);
  let ran: string | null = null;
  connection.define = async (text) => {
    await define(text);
    if (before.includes(text)) return;
    ran = text;
    await define('KILL CONNECTION_ID()');
  };
  const starting = prepareSchema(connection, { mode: 'create' });
  await starting.catch((error: unknown) => {
    if (ran === null) throw error;
  });
  await connection.close().catch(() => undefined);
  return ran;
}

const metaOf = async (database: TestDatabase) => {
  const rows = await database.query<{ name: string }>('SELECT META_KEY AS name FROM QRTZ_X_META ORDER BY 1');
  return rows.map(({ name }) => name);
};

async function tablesOf(database: TestDatabase) {
  const connection = await openSchemaConnection(databaseOptions(database.url));
  const { tables } = await connection.readCatalogue();
  await connection.close();
  return tables;
}

async function planFor(url: string) {
  const connection = await openSchemaConnection(databaseOptions(url));
  const { statements } = await printMigration(connection);
  await connection.close();
  return statements;
}

/** Starts a node in its own process that stops after that many statements of the creation, and keeps the lock. */
async function stoppedAfter(statements: number, url: string): Promise<ChildProcess> {
  freshDist();
  const child = fork(join(__dirname, '../support/database/stopping-creation.cjs'), [url, String(statements)]);
  const message = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  expect(message[0]).toBe('stopped');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describeOnAnyServer('schema creation by a node that dies', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase(await sharedServer(), 'utf8mb4 COLLATE utf8mb4_bin');
  });

  afterEach(() => database.drop());

  const at = (statements: readonly string[], migration: string) =>
    statements.findIndex((text) => text.startsWith('INSERT') && text.includes(migration));

  it.each([
    ['in an empty database', []],
    ['in a database with tables made by Java', JAVA_TABLES],
  ])('is continued after any statement, %s', async (_, before) => {
    const whole = await createDatabase(await sharedServer(), 'utf8mb4 COLLATE utf8mb4_bin');
    for (const statement of before) for (const each of [whole, database]) await each.query(statement);
    await create(whole.url);
    const planned = await planFor(database.url);
    const ran: string[] = [];
    for (;;) {
      const text = await createUntilKilled(database.url, ran);
      if (text === null) break;
      ran.push(text);
    }
    expect(ran).toEqual(planned);
    expect(await tablesOf(database)).toEqual(await tablesOf(whole));
    expect(await metaOf(database)).toEqual(await metaOf(whole));
    expect((await metaOf(whole)).every((key) => key.startsWith('migration.'))).toBe(true);
    await whole.drop();
  });

  it('is completed by exactly one of the waiting nodes as soon as the dead process has ended', async () => {
    const planned = await planFor(database.url);
    const dying = await stoppedAfter(at(planned, '0001_initial'), database.url);
    const others = Promise.all([create(database.url), create(database.url)]);
    const waiting = "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = ? AND INFO LIKE 'SELECT GET_LOCK%'";
    for (const end = Date.now() + 30_000; (await database.query(waiting, [database.name])).length < 2; ) {
      if (Date.now() > end) throw new Error('The others do not wait.');
    }
    await kill(dying);
    const applied = await others;
    expect(applied.flat()[0]).toBe('0001_initial');
    expect(applied.filter(({ length }) => length > 0)).toHaveLength(1);
    expect(await planFor(database.url)).toEqual([]);
  });

  it('is not continued if a newer version has applied a migration', async () => {
    const planned = await planFor(database.url);
    await kill(await stoppedAfter(at(planned, '0001_initial'), database.url));
    await database.query("INSERT INTO QRTZ_X_META VALUES ('', 'migration.9999_later', 'x')");
    await expect(create(database.url)).rejects.toThrow('migration.9999_later was applied by a newer version');
    expect(await metaOf(database)).toEqual(expect.arrayContaining(['creation', 'migration.9999_later']));
    expect(await metaOf(database)).not.toContain('migration.0001_initial');
  });
});

describe('schema creation in a file by a node that dies', () => {
  it('leaves no tables, so that the next node starts from the beginning', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-creation-'));
    const url = `sqlite:${join(folder, 'quartz.db')}`;
    const planned = await planFor(url);
    await kill(await stoppedAfter(planned.length - 1, url));
    expect(await planFor(url)).toEqual(planned);
    await create(url);
    expect(await planFor(url)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
