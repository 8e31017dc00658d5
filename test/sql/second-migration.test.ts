import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSchemaConnection } from '../../src/store/sql/open-database';
import type * as SqlFiles from '../../src/store/sql/runtime/sql-files';
import { splitSql } from '../../src/store/sql/runtime/sql-text';
import { applyTokens } from '../../src/store/sql/runtime/statements';
import { prepareSchema, type SchemaMode } from '../../src/store/sql/schema/migrate';
import type { SchemaConnection } from '../../src/store/sql/schema/schema-connection';
import { loadMigrations } from '../../src/store/sql/schema/schema-files';
import { databaseOptions } from '../support/database/sql-fixture';
import { createDatabase, describeOnAnyServer, sharedServer } from '../support/database/test-database';

/*
 * Migration to a made-up second version: a new table, a new column, and a rule for older nodes.
 */

const tableOf = (dialect: string) => `-- name: createLater
CREATE TABLE IF NOT EXISTS QRTZ_X_LATER (
  SCHED_NAME ${dialect === 'mysql' ? 'VARCHAR(120)' : 'TEXT'} NOT NULL,
  PRIMARY KEY (SCHED_NAME)
)${dialect === 'mysql' ? ' ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''};
`;

const secondOf = (dialect: string) => `${tableOf(dialect)}
-- name: addColumn
-- usable from: 0001
-- unless column: MADE_UP on QRTZ_X_NODES
ALTER TABLE QRTZ_X_NODES ADD COLUMN MADE_UP TEXT NULL;
`;

/** Version that reads the files: 1, or 2 with the second migration. In the environment, because the mock is loaded before this file's variables. */
const setVersion = (version: 1 | 2): void => {
  process.env.QUARTZ_TEST_VERSION = String(version);
};

jest.mock('../../src/store/sql/runtime/sql-files', () => {
  const actual = jest.requireActual<typeof SqlFiles>('../../src/store/sql/runtime/sql-files');
  const readSql: typeof SqlFiles.readSql = (dialect, file) => {
    if (file === 'migrations/0002_made-up.sql') return splitSql(secondOf(dialect), file);
    const texts = actual.readSql(dialect, file);
    if (process.env.QUARTZ_TEST_VERSION !== '2' || file !== 'schema.sql') return texts;
    const withColumn = texts.map((text) => ({
      ...text,
      text:
        text.name === 'createNodes'
          ? text.text.replace(/^ {2}PRIMARY KEY/m, '  MADE_UP TEXT NULL,\n  PRIMARY KEY')
          : text.text,
    }));
    return [...withColumn, ...splitSql(tableOf(dialect), file)];
  };
  const listMigrations: typeof SqlFiles.listMigrations = (dialect) => [
    ...actual.listMigrations(dialect),
    ...(process.env.QUARTZ_TEST_VERSION === '2' ? ['migrations/0002_made-up.sql'] : []),
  ];
  return { ...actual, readSql, listMigrations };
});

async function emptyDatabase(dialect: 'mysql' | 'sqlite') {
  if (dialect === 'mysql') return createDatabase(await sharedServer(), 'utf8mb4 COLLATE utf8mb4_bin');
  const folder = mkdtempSync(join(tmpdir(), 'quartz-second-'));
  return { url: `sqlite:${join(folder, 'quartz.db')}`, drop: () => rmSync(folder, { recursive: true }) };
}

for (const dialect of ['mysql', 'sqlite'] as const) {
  (dialect === 'mysql' ? describeOnAnyServer : describe)(`a second migration on ${dialect}`, () => {
    let database: { readonly url: string; drop(): unknown };
    let connection: SchemaConnection;

    beforeEach(async () => {
      setVersion(1);
      database = await emptyDatabase(dialect);
      connection = await openSchemaConnection(databaseOptions(database.url));
      await prepare('create');
      setVersion(2);
    });

    afterEach(async () => {
      await connection.close();
      await database.drop();
    });

    const prepare = (mode: SchemaMode) => prepareSchema(connection, { mode });

    it('updates tables of the first version', async () => {
      await expect(prepare('validate')).rejects.toThrow('0002_made-up has not been applied');
      await expect(prepare('validate')).rejects.toThrow('QRTZ_X_NODES has no column MADE_UP');
      await expect(prepare('migrate')).resolves.toMatchObject({ applied: ['0002_made-up'], warnings: [] });
      await expect(prepare('validate')).resolves.toMatchObject({ applied: [], warnings: [] });
    });

    it('continues after a node has died in the middle of it', async () => {
      const { exactKeyText } = await connection.readCatalogue();
      const tokens = { tablePrefix: 'QRTZ_', ...(exactKeyText === null ? {} : { keyText: exactKeyText }) };
      await connection.define(applyTokens(loadMigrations(dialect)[1]?.steps[0]?.text ?? '', tokens));
      await expect(prepare('migrate')).resolves.toMatchObject({ applied: ['0002_made-up'] });
      await expect(prepare('validate')).resolves.toMatchObject({ warnings: [] });
    });

    it('is not applied by a node with the mode create', async () => {
      await expect(prepare('create')).rejects.toThrow('0002_made-up has not been applied');
      expect([...(await connection.readMigrations()).keys()]).toEqual(['migration.0001_initial']);
    });

    it('is applied together with the first one in an empty database', async () => {
      const other = await emptyDatabase(dialect);
      const fresh = await openSchemaConnection(databaseOptions(other.url));
      const { applied } = await prepareSchema(fresh, { mode: 'create' });
      expect(applied).toEqual(['0001_initial', '0002_made-up']);
      await fresh.close();
      await other.drop();
    });

    it('lets nodes of the first version continue, with a warning', async () => {
      await prepare('migrate');
      setVersion(1);
      const { applied, warnings } = await prepare('validate');
      expect([applied, warnings]).toEqual([[], [expect.stringContaining('0002_made-up')]]);
    });
  });
}
