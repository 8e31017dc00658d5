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
 * Nodes that die while they make the tables. A server commits each definition by itself, so that what they leave is half a schema, which the next
 * one has to complete by itself, and to know from the tables of an older version.
 */

/** As a node with `schema: create` does. */
async function create(url: string): Promise<readonly string[]> {
  const { driver, applied } = await openDatabase({ ...databaseOptions(url), schema: 'create' });
  await driver.close();
  return applied;
}

/** Its connection is killed after the first statement that was not run `before`, which is the answer; null: it ended without one. */
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

/** A node in a process of its own that has run so many statements of the creation, and goes on to hold the lock. */
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

describeOnAnyServer('a creation of the tables that dies', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase(await sharedServer(), 'utf8mb4 COLLATE utf8mb4_bin');
  });

  afterEach(() => database.drop());

  const at = (statements: readonly string[], migration: string) =>
    statements.findIndex((text) => text.startsWith('INSERT') && text.includes(migration));

  it.each([
    ['in an empty database', []],
    ['beside tables that Java made', JAVA_TABLES],
  ])('is gone on with from every statement, %s', async (_, before) => {
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

  it('is completed by one of those that started meanwhile, as soon as its process is gone', async () => {
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

  it('is no reason to change tables that a newer version has begun', async () => {
    const planned = await planFor(database.url);
    await kill(await stoppedAfter(at(planned, '0001_initial'), database.url));
    await database.query("INSERT INTO QRTZ_X_META VALUES ('', 'migration.9999_later', 'x')");
    await expect(create(database.url)).rejects.toThrow('migration.9999_later was applied by a newer version');
    expect(await metaOf(database)).toEqual(expect.arrayContaining(['creation', 'migration.9999_later']));
    expect(await metaOf(database)).not.toContain('migration.0001_initial');
  });
});

describe('a creation of the tables that dies in a file', () => {
  it('leaves nothing, and the next one begins', async () => {
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
