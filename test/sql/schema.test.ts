import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openDatabase, openSchemaConnection } from '../../src/store/sql/open-database';
import { sqlFolder } from '../../src/store/sql/runtime/sql-files';
import { splitSql } from '../../src/store/sql/runtime/sql-text';
import { applyTokens } from '../../src/store/sql/runtime/statements';
import type { Catalogue } from '../../src/store/sql/schema/catalogue';
import { prepareSchema, printMigration, type SchemaMode } from '../../src/store/sql/schema/migrate';
import type { SchemaConnection } from '../../src/store/sql/schema/schema-connection';
import {
  levelOf,
  loadDeclaredTables,
  loadMigrations,
  type Migration,
  recordOf,
} from '../../src/store/sql/schema/schema-files';
import { once } from '../conformance/samples';
import { namesOf, StoreDriver } from '../conformance/store-driver';
import { JAVA_TABLES } from '../support/database/java-tables';
import { databaseOptions, transactionsOn } from '../support/database/sql-fixture';
import { storeOn } from '../support/database/sql-store';
import {
  createDatabase,
  describeOnAnyServer,
  describeOnServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';

/** A database without tables. */
interface EmptyDatabase {
  readonly url: string;
  drop(): Promise<void> | void;
}

const emptyDatabases: Record<'mysql' | 'sqlite', () => Promise<EmptyDatabase>> = {
  mysql: async () => createDatabase(await sharedServer(), 'latin1'),
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-schema-'));
    return { url: `sqlite:${join(folder, 'quartz.db')}`, drop: () => rmSync(folder, { recursive: true }) };
  },
};

/** Migrations that an empty database needs. */
const ALL = ['0001_initial'];

type Damage = readonly [what: string, statements: readonly string[], problem: RegExp];

const DAMAGES: Readonly<Record<'mysql' | 'sqlite', readonly Damage[]>> = {
  mysql: [
    ['a missing table', ['DROP TABLE QRTZ_CALENDARS'], /table QRTZ_CALENDARS is missing/],
    ['a missing table with indexes', ['DROP TABLE QRTZ_FIRED_TRIGGERS'], /table QRTZ_FIRED_TRIGGERS is missing/],
    ['a missing index', ['DROP INDEX IDX_QRTZ_T_NFT_ST ON QRTZ_TRIGGERS'], /no index IDX_QRTZ_T_NFT_ST/],
    ['a missing column', ['ALTER TABLE QRTZ_TRIGGERS DROP COLUMN DESCRIPTION'], /no column DESCRIPTION/],
    [
      'missing primary keys',
      ['ALTER TABLE QRTZ_FIRED_TRIGGERS DROP PRIMARY KEY', 'ALTER TABLE QRTZ_LOCKS DROP PRIMARY KEY'],
      /QRTZ_FIRED_TRIGGERS has no primary key \(SCHED_NAME, ENTRY_ID\)[\s\S]*QRTZ_LOCKS has no primary key/,
    ],
  ],
  sqlite: [
    ['a missing table', ['DROP TABLE QRTZ_CALENDARS'], /table QRTZ_CALENDARS is missing/],
    ['a missing table with indexes', ['DROP TABLE QRTZ_FIRED_TRIGGERS'], /table QRTZ_FIRED_TRIGGERS is missing/],
    ['a missing index', ['DROP INDEX IDX_QRTZ_T_NFT_ST'], /no index IDX_QRTZ_T_NFT_ST/],
    ['a missing column', ['ALTER TABLE QRTZ_TRIGGERS DROP COLUMN DESCRIPTION'], /no column DESCRIPTION/],
  ],
};

describe('schema.sql', () => {
  it('matches the migrations (node scripts/write-schema.mjs)', () => {
    execFileSync('node', [resolve(__dirname, '../../scripts/write-schema.mjs'), '--check']);
  });
});

for (const dialect of ['mysql', 'sqlite'] as const) {
  (dialect === 'mysql' ? describeOnAnyServer : describe)(`the schema on ${dialect}`, () => {
    let database: EmptyDatabase;
    let connection: SchemaConnection;

    beforeEach(async () => {
      database = await emptyDatabases[dialect]();
      connection = await openSchemaConnection(databaseOptions(database.url));
    });

    afterEach(async () => {
      await connection.close();
      await database.drop();
    });

    const prepare = (mode: SchemaMode) => prepareSchema(connection, { mode });
    const apply = async (file: string) => {
      const tokens = { tablePrefix: 'QRTZ_' };
      for (const { text } of splitSql(readFileSync(join(sqlFolder(dialect), file), 'utf8'), file)) {
        await connection.define(applyTokens(text, tokens));
      }
    };
    const tablesOf = async () => plain(await connection.readCatalogue());

    it('has every declared table, column and index after creation, without warnings', async () => {
      const { applied, warnings } = await prepare('create');
      expect(applied).toEqual(ALL);
      expect(warnings).toEqual([]);
      const { tables } = await connection.readCatalogue();
      expect([...tables.keys()].sort()).toEqual(
        loadDeclaredTables(dialect)
          .map(({ name }) => name)
          .sort(),
      );
      await expect(prepare('validate')).resolves.toMatchObject({ applied: [], warnings: [] });
    });

    it('has the same tables after migrations as after schema.sql', async () => {
      await apply('schema.sql');
      const whole = await tablesOf();
      const other = await emptyDatabases[dialect]();
      const migrated = await openSchemaConnection(databaseOptions(other.url));
      await prepareSchema(migrated, { mode: 'migrate' });
      const stepwise = plain(await migrated.readCatalogue());
      await migrated.close();
      await other.drop();
      expect(stepwise).toEqual(withKeyTextOf(stepwise, whole));
    });

    it('is unchanged by a second migration and by repeated steps', async () => {
      await prepare('migrate');
      const before = await tablesOf();
      await expect(prepare('migrate')).resolves.toMatchObject({ applied: [] });
      await apply('migrations/0001_initial.sql').catch((error: unknown) => {
        // MySQL has no CREATE INDEX IF NOT EXISTS, so migrations use `unless index`.
        expect(String(error)).toMatch(/Duplicate key name/);
      });
      expect(await tablesOf()).toEqual(before);
    });

    it('is refused by validate with a list of everything that is missing, and is not changed', async () => {
      await expect(prepare('validate')).rejects.toMatchObject({
        code: 'SCHEMA_MISMATCH',
        message: expect.stringMatching(
          /QRTZ_JOB_DETAILS is missing[\s\S]*QRTZ_X_META is missing[\s\S]*quartz migrate --apply/,
        ),
      });
      await expect(prepare('never')).resolves.toMatchObject({ applied: [], warnings: [] });
      expect((await connection.readCatalogue()).tables.size).toBe(0);
    });

    it('is refused with the names of a missing index and column', async () => {
      await prepare('create');
      await connection.define(`DROP INDEX IDX_QRTZ_T_C${dialect === 'mysql' ? ' ON QRTZ_TRIGGERS' : ''}`);
      await connection.define('ALTER TABLE QRTZ_CRON_TRIGGERS DROP COLUMN TIME_ZONE_ID');
      await expect(prepare('validate')).rejects.toThrow(
        /QRTZ_TRIGGERS has no index IDX_QRTZ_T_C[\s\S]*QRTZ_CRON_TRIGGERS has no column TIME_ZONE_ID/,
      );
    });

    describe('with damaged tables', () => {
      let damaged: EmptyDatabase;
      let own: SchemaConnection;
      let whole: ReturnType<typeof plain>;
      const prepareOwn = (mode: SchemaMode) => prepareSchema(own, { mode });

      beforeAll(async () => {
        damaged = await emptyDatabases[dialect]();
        own = await openSchemaConnection(databaseOptions(damaged.url));
        await prepareOwn('create');
        whole = plain(await own.readCatalogue());
      });

      afterAll(async () => {
        await own.close();
        await damaged.drop();
      });

      it.each(
        DAMAGES[dialect],
      )('(%s) is repaired by the printed statements and by migrate', async (_, damage, problem) => {
        for (const mend of ['print', 'apply'] as const) {
          for (const statement of damage) await own.define(statement);
          await expect(prepareOwn('validate')).rejects.toThrow(problem);
          const { statements, problems } = await printMigration(own);
          expect({ statements: statements.length > 0, problems }).toEqual({ statements: true, problems: [] });
          if (mend === 'apply') expect((await prepareOwn('migrate')).applied.length).toBe(statements.length);
          else for (const statement of statements) await own.define(statement);
          expect(columnsAndIndexesOf(plain(await own.readCatalogue()))).toEqual(columnsAndIndexesOf(whole));
          await expect(prepareOwn('validate')).resolves.toMatchObject({ warnings: [] });
        }
      });
    });

    it('gets a deleted table again with the mode create', async () => {
      await prepare('create');
      await connection.define('DROP TABLE QRTZ_CALENDARS');
      await expect(prepare('create')).resolves.toMatchObject({ warnings: [] });
    });

    it('is refused with the name of a column that migrate cannot repair', async () => {
      await prepare('create');
      await connection.define('ALTER TABLE QRTZ_JOB_DETAILS DROP COLUMN IS_DURABLE');
      const { statements, problems } = await printMigration(connection);
      expect({ statements, problems }).toEqual({ statements: [], problems: [expect.stringContaining('IS_DURABLE')] });
      for (const mode of ['validate', 'create', 'migrate'] as const) {
        await expect(prepare(mode)).rejects.toThrow(/no column IS_DURABLE[\s\S]*cannot repair this/);
      }
    });

    it('uses the configured prefix for its tables and indexes, next to other tables', async () => {
      await prepare('create');
      const mine = await openSchemaConnection({ ...databaseOptions(database.url), tablePrefix: 'APP_QRTZ_' });
      await prepareSchema(mine, { mode: 'create' });
      const { tables } = await mine.readCatalogue();
      await mine.close();
      expect([...tables.keys()].every((name) => name.startsWith('APP_QRTZ_'))).toBe(true);
      expect([...(tables.get('APP_QRTZ_TRIGGERS')?.indexes.keys() ?? [])]).toContain('IDX_APP_QRTZ_T_NFT_ST');
    });

    it('refuses a table prefix that contains SQL', async () => {
      const options = { ...databaseOptions(database.url), tablePrefix: 'X`; DROP TABLE Y; -- ' };
      await expect(openSchemaConnection(options)).rejects.toMatchObject({ code: 'CONFIGURATION' });
    });

    it('is refused if a newer version has changed it', async () => {
      await prepare('create');
      await connection.define(
        "INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE) VALUES ('', 'migration.9999_later', 'x')",
      );
      for (const mode of ['validate', 'create', 'migrate'] as const) {
        await expect(prepare(mode)).rejects.toThrow('migration.9999_later was applied by a newer version of quartz-ts');
      }
    });

    describe('after a newer version has added a table and a column', () => {
      const { name: newest } = loadMigrations(dialect).at(-1) as Migration;
      const addLater = async (usableFrom: number) => {
        await prepare('create');
        await connection.define(
          `CREATE TABLE QRTZ_X_LATER (SCHED_NAME VARCHAR(120) NOT NULL PRIMARY KEY)${dialect === 'mysql' ? ' ENGINE = InnoDB' : ''}`,
        );
        await connection.define('ALTER TABLE QRTZ_TRIGGERS ADD COLUMN LATER TEXT NULL');
        const later = { name: '0099_later', checksum: 'c'.repeat(64), steps: [], usableFrom };
        await connection.define(applyTokens(recordOf(dialect, later), { tablePrefix: 'QRTZ_' }));
      };

      it.each([
        'validate',
        'create',
        'migrate',
      ] as const)('is accepted by %s with a warning if that version allows it', async (mode) => {
        await addLater(levelOf(newest));
        const { warnings, applied } = await prepare(mode);
        expect([warnings, applied]).toEqual([[expect.stringContaining('0099_later')], []]);
        const options = { ...databaseOptions(database.url), schema: mode };
        const { driver } = await openDatabase(options);
        const node = new StoreDriver(storeOn({ driver, close: () => driver.close() }));
        await node.open();
        await node.scheduleAll(once('due'));
        expect(namesOf(await node.fireDue())).toEqual(['due']);
        await driver.close();
      });

      it('needs no statements to migrate', async () => {
        await addLater(levelOf(newest));
        expect(await printMigration(connection)).toMatchObject({
          statements: [],
          problems: [],
        });
      });

      it('is refused if that version requires a later version', async () => {
        await addLater(levelOf(newest) + 1);
        await expect(prepare('migrate')).rejects.toThrow('0099_later was applied by a newer version of quartz-ts');
      });

      it('is refused if that version allows no older one, or if an earlier migration is missing', async () => {
        await addLater(99);
        await expect(prepare('validate')).rejects.toThrow('0099_later was applied by a newer version of quartz-ts');
        await connection.define(`DELETE FROM QRTZ_X_META WHERE META_KEY = 'migration.${newest}'`);
        await expect(prepare('validate')).rejects.toThrow(`${newest} has not been applied`);
      });
    });

    it('is refused if it was made by other statements under the same migration name', async () => {
      await prepare('create');
      await connection.define("UPDATE QRTZ_X_META SET META_VALUE = 'other' WHERE META_KEY = 'migration.0001_initial'");
      await expect(prepare('migrate')).rejects.toThrow('migration.0001_initial was applied with other statements');
    });

    it('can be created from the printed statements', async () => {
      const printed = await printMigration(connection);
      expect(await printMigration(connection)).toEqual(printed); // it ran nothing
      for (const statement of printed.statements) await connection.define(statement);
      await expect(prepare('validate')).resolves.toMatchObject({ warnings: [] });
      expect(await printMigration(connection)).toEqual({
        statements: [],
        exactKeys: [],
        migrations: [],
        problems: [],
      });
    });

    it('is created once, with its lock rows, by nodes that start together', async () => {
      const starting = Array.from({ length: 8 }, async () => {
        const { driver, applied } = await openDatabase({ ...databaseOptions(database.url), schema: 'create' });
        const transactions = transactionsOn(driver);
        await transactions.createLockRows();
        await transactions.run(['STATE_ACCESS', 'TRIGGER_ACCESS'], async () => undefined);
        await transactions.close();
        return applied;
      });
      expect((await Promise.all(starting)).flat()).toEqual(ALL);
    });
  });
}

/** Tables without the order of their columns, because a column that was added again is the last one. */
function columnsAndIndexesOf(tables: ReturnType<typeof plain>) {
  return tables.map((table) => ({
    ...table,
    columns: table.columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  }));
}

describeOnServer('the schema in tables made by Java', () => {
  async function javaDatabase(defaults: string) {
    const database = await createDatabase(await sharedServer(), defaults);
    for (const statement of JAVA_TABLES) await database.query(statement);
    return database;
  }

  it('matches every table, column, type, key and foreign key of Quartz', async () => {
    const java = await javaDatabase('utf8mb4');
    const ours = await createDatabase(await sharedServer());
    await (await openDatabase({ ...databaseOptions(ours.url), schema: 'create' })).driver.close();
    const describeColumns = (database: TestDatabase) =>
      database.query(
        `SELECT TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE,
                IS_NULLABLE, COLUMN_KEY = 'PRI' AS isKey
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME NOT LIKE 'QRTZ_X%' ORDER BY 1, 2`,
        [database.name],
      );
    const describeKeys = (database: TestDatabase) =>
      database.query(
        `SELECT TABLE_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME, ORDINAL_POSITION
         FROM information_schema.KEY_COLUMN_USAGE
         WHERE TABLE_SCHEMA = ? AND TABLE_NAME NOT LIKE 'QRTZ_X%' ORDER BY 1, CONSTRAINT_NAME, 5`,
        [database.name],
      );
    expect((await describeColumns(ours)).length).toBeGreaterThan(70);
    expect(await describeColumns(ours)).toEqual(await describeColumns(java));
    expect(await describeKeys(ours)).toEqual(await describeKeys(java));
    await java.drop();
    await ours.drop();
  });

  it('adopts the existing tables, adds its own, and warns about keys that ignore trailing blanks', async () => {
    const database = await javaDatabase('utf8mb4 COLLATE utf8mb4_bin');
    await database.query("INSERT INTO QRTZ_LOCKS VALUES ('fleet', 'TRIGGER_ACCESS')");
    const warnings: string[] = [];
    const before = await database.query('SHOW CREATE TABLE QRTZ_TRIGGERS');
    const { driver, applied } = await openDatabase({
      ...databaseOptions(database.url, (warning) => warnings.push(warning)),
      schema: 'create',
    });
    await driver.close();
    expect(applied).toEqual(ALL);
    expect(warnings.filter((warning) => warning.includes('key columns'))).toEqual([
      'The key columns have the collation utf8mb4_bin, which treats names that differ only in trailing spaces as equal.',
    ]);
    expect(await database.query('SHOW CREATE TABLE QRTZ_TRIGGERS')).toEqual(before);
    expect(await database.query('SELECT * FROM QRTZ_LOCKS')).toHaveLength(1);
    const [nodes] = await database.query<Record<string, string>>('SHOW CREATE TABLE QRTZ_X_NODES');
    expect(nodes?.['Create Table']).toContain('utf8mb4_bin'); // comparable with the keys beside it
    await database.drop();
  });

  it('adds the indexes that an older Quartz script did not create', async () => {
    const database = await createDatabase(await sharedServer());
    for (const statement of JAVA_TABLES.filter((text) => !text.startsWith('CREATE INDEX')))
      await database.query(statement);
    const { driver } = await openDatabase({ ...databaseOptions(database.url), schema: 'migrate' });
    await driver.close();
    const indexes = await database.query<{ Key_name: string }>('SHOW INDEX FROM QRTZ_TRIGGERS');
    expect(indexes.map(({ Key_name }) => Key_name)).toContain('IDX_QRTZ_T_NFT_ST');
    await database.drop();
  });

  describe.each([
    'utf8mb4 COLLATE utf8mb4_general_ci',
    'utf8mb4 COLLATE utf8mb4_unicode_ci',
    'latin1',
  ])('with keys in %s', (set) => {
    it('is refused, because different keys would be equal', async () => {
      const database = await javaDatabase(set);
      await expect(openDatabase({ ...databaseOptions(database.url), schema: 'create' })).rejects.toMatchObject({
        code: 'SCHEMA_MISMATCH',
        message: expect.stringMatching(
          /Expected the collation .*_bin for the keys of .*QRTZ_JOB_DETAILS, .* found (utf8mb4|latin1).*_ci/,
        ),
      });
      await database.drop();
    });

    it('is converted on request with everything that refers to its keys, and keeps the foreign keys', async () => {
      const database = await javaDatabase(set);
      const foreignKeys = () =>
        database.query<{ name: string }>(
          `SELECT TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME, UPDATE_RULE, DELETE_RULE
           FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? ORDER BY 1, 2`,
          [database.name],
        );
      const before = await foreignKeys();
      await database.query(
        "INSERT INTO QRTZ_JOB_DETAILS VALUES ('s', 'Solo', 'g', NULL, 'T', '0', '1', '0', '0', NULL)",
      );
      await database.query("INSERT INTO QRTZ_CALENDARS VALUES ('s', 'Holidays', '{}')");
      await database.query(
        "INSERT INTO QRTZ_TRIGGERS VALUES ('s', 't', 'g', 'SOLO', 'G', NULL, 1, 1, 5, 'WAITING', 'SIMPLE', 1, 0, 'HOLIDAYS', 0, NULL)",
      );
      await database.query("INSERT INTO QRTZ_SIMPLE_TRIGGERS VALUES ('s', 'T', 'G', 0, 0, 0)");
      const options = { ...databaseOptions(database.url), schema: 'migrate' } as const;
      const { driver, applied } = await openDatabase(options);
      await driver.close();
      expect(applied).toEqual(['exact-keys', ...ALL]);
      expect(before.length).toBeGreaterThan(4);
      expect(await foreignKeys()).toEqual(before);
      expect(await database.query('SELECT JOB_NAME, JOB_GROUP, CALENDAR_NAME FROM QRTZ_TRIGGERS')).toEqual([
        { JOB_NAME: 'Solo', JOB_GROUP: 'g', CALENDAR_NAME: 'Holidays' },
      ]);
      expect(await database.query('SELECT TRIGGER_NAME, TRIGGER_GROUP FROM QRTZ_SIMPLE_TRIGGERS')).toEqual([
        { TRIGGER_NAME: 't', TRIGGER_GROUP: 'g' },
      ]);
      await database.query(
        "INSERT INTO QRTZ_JOB_DETAILS VALUES ('s', 'SOLO', 'g', NULL, 'T', '0', '1', '0', '0', NULL)",
      );
      const again = await openDatabase(options);
      await again.driver.close();
      expect(again.applied).toEqual([]);
      await database.drop();
    });
  });

  it('is refused if tables have no transactions or keys have different collations', async () => {
    const database = await javaDatabase('utf8mb4 COLLATE utf8mb4_bin');
    await database.query('ALTER TABLE QRTZ_LOCKS ENGINE = MyISAM');
    const [exact] = await database.query<{ name: string }>(
      "SELECT COLLATION_NAME AS name FROM information_schema.COLLATIONS WHERE COLLATION_NAME IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')",
    ); // of MariaDB, of MySQL
    const other = exact?.name as string;
    await database.query(`ALTER TABLE QRTZ_FIRED_TRIGGERS CONVERT TO CHARACTER SET utf8mb4 COLLATE ${other}`);
    await expect(openDatabase({ ...databaseOptions(database.url), schema: 'create' })).rejects.toThrow(
      new RegExp(
        `engine InnoDB for QRTZ_LOCKS, found MyISAM[\\s\\S]*several collations, which cannot be compared: utf8mb4_bin and ${other}`,
      ),
    );
    await database.query('ALTER TABLE QRTZ_LOCKS ENGINE = InnoDB');
    const { driver, applied } = await openDatabase({ ...databaseOptions(database.url), schema: 'migrate' });
    await driver.close();
    expect(applied).toEqual(['exact-keys', ...ALL]); // the refused start has changed nothing
    await database.drop();
  });

  it('is accepted with a warning if columns are shorter than accepted values', async () => {
    const database = await javaDatabase('utf8mb4 COLLATE utf8mb4_bin');
    await database.query('ALTER TABLE QRTZ_CALENDARS MODIFY CALENDAR_NAME VARCHAR(80) NOT NULL');
    const warnings: string[] = [];
    const options = databaseOptions(database.url, (warning) => warnings.push(warning));
    await (await openDatabase({ ...options, schema: 'create' })).driver.close();
    expect(warnings).toContain(
      'QRTZ_CALENDARS.CALENDAR_NAME holds 80 characters, but quartz-ts accepts 190. Longer values would fail.',
    );
    await database.drop();
  });

  it('is refused if table names differ only in case, with a hint, on a case-sensitive server', async () => {
    const database = await createDatabase(await sharedServer());
    await database.query('CREATE TABLE QRTZ_locks (SCHED_NAME VARCHAR(120) NOT NULL PRIMARY KEY)');
    const connection = await openSchemaConnection(databaseOptions(database.url));
    await expect(prepareSchema(connection, { mode: 'validate' })).rejects.toThrow(
      'QRTZ_LOCKS is missing, but there is QRTZ_locks',
    );
    await connection.close();
    await database.drop();
  });

  it('is found in another database by a prefix with a dot', async () => {
    const here = await createDatabase(await sharedServer());
    const there = await createDatabase(await sharedServer());
    const options = { ...databaseOptions(here.url), tablePrefix: `${there.name}.QRTZ_` };
    const { driver } = await openDatabase({ ...options, schema: 'create' });
    await transactionsOn(driver).createLockRows();
    await driver.close();
    expect(await there.query('SELECT * FROM QRTZ_LOCKS')).toHaveLength(2);
    await here.drop();
    await there.drop();
  });
});

/** The catalogue as plain data that tests can compare. */
function plain({ tables }: Catalogue) {
  return [...tables.values()].map(({ name, engine, columns, indexes }) => ({
    name,
    engine,
    columns: [...columns.values()],
    indexes: Object.fromEntries([...indexes].sort()),
  }));
}

/** schema.sql names a collation that every server has; migrations use the exact collation of the server. */
function withKeyTextOf(model: ReturnType<typeof plain>, tables: ReturnType<typeof plain>): ReturnType<typeof plain> {
  const keyText = model[0]?.columns[0]?.keyText ?? null;
  return tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => (column.keyText === null ? column : { ...column, keyText })),
  }));
}
