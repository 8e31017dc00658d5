import { SystemClock } from '../../../src/base/clock';
import { systemRandom } from '../../../src/base/ids';
import { MysqlSchemaConnection } from '../../../src/store/sql/mysql/mysql-connections';
import { readMysqlUrl } from '../../../src/store/sql/mysql/mysql-data-source';
import { MysqlDriver } from '../../../src/store/sql/mysql/mysql-driver';
import { openDatabase, openSchemaConnection } from '../../../src/store/sql/open-database';
import type { IsolationLevel, SqlDriver } from '../../../src/store/sql/runtime/sql-driver';
import { splitSql } from '../../../src/store/sql/runtime/sql-text';
import type { StatementName } from '../../../src/store/sql/runtime/statement-names';
import { loadStatements, Statements, toStatement } from '../../../src/store/sql/runtime/statements';
import { Transactions } from '../../../src/store/sql/runtime/transactions';
import { SqliteDriver } from '../../../src/store/sql/sqlite/sqlite-driver';

/** Statements that only tests use, on a table of counters. */
const COUNTER_STATEMENTS = `
-- name: selectCounter
SELECT COUNT_VALUE AS count FROM TEST_COUNTERS WHERE NAME = :name;

-- name: addToCounter
UPDATE TEST_COUNTERS SET COUNT_VALUE = COUNT_VALUE + :amount WHERE NAME = :name;

-- name: insertCounter
INSERT INTO TEST_COUNTERS (NAME, COUNT_VALUE) VALUES (:name, :amount);

-- name: insertOrphan
INSERT INTO QRTZ_CRON_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, CRON_EXPRESSION) VALUES ('test', 'x', 'y', '* * * * * ?');
`;

const MYSQL_STATEMENTS = `
-- name: selectSession
SELECT CONNECTION_ID() AS id, @@autocommit AS autocommit, @@time_zone AS timeZone,
       @@innodb_lock_wait_timeout AS lockWait;

-- name: spoilIsolation
SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE;

-- name: spoilSettings
SET SESSION sql_mode = '', innodb_lock_wait_timeout = 50;

-- name: showIsolation
SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation');
`;

export const CREATE_COUNTERS =
  'CREATE TABLE TEST_COUNTERS (NAME VARCHAR(50) NOT NULL PRIMARY KEY, COUNT_VALUE BIGINT NOT NULL)';

/** The name of a statement of a test. */
export const named = (name: string) => name as StatementName;

export const clock = new SystemClock();

export interface FixtureOptions {
  readonly checkInTimeoutMs?: number;
  readonly isolation?: IsolationLevel;
  readonly onWarning?: (warning: string) => void;
}

const dataSource = (url: string) => ({ name: 'test', url, user: null, password: null, maxConnections: 10 });

/** Options of a database for `openDatabase` and `openSchemaConnection`. */
export function databaseOptions(url: string, onWarning: (warning: string) => void = () => undefined) {
  return { dataSource: dataSource(url), tablePrefix: 'QRTZ_', clock, random: systemRandom, onWarning } as const;
}

/** Quartz's tables and the table of counters. */
export async function createTables(url: string): Promise<void> {
  const { driver } = await openDatabase({ ...databaseOptions(url), schema: 'create' });
  await driver.close();
  const connection = await openSchemaConnection(databaseOptions(url));
  await connection.define(CREATE_COUNTERS);
  await connection.close();
}

function withTestStatements(dialect: 'mysql' | 'sqlite'): Statements {
  const own = loadStatements(dialect, { tablePrefix: 'QRTZ_' });
  const extra = splitSql(COUNTER_STATEMENTS + (dialect === 'mysql' ? MYSQL_STATEMENTS : ''), 'test');
  return new Statements([
    ...own.names.map((name) => own.get(name)),
    ...extra.map((text) => toStatement(text, { tablePrefix: 'QRTZ_' })),
  ]);
}

/** A driver with the statements of the tests, on existing tables. */
export async function openDriver(
  url: string,
  { isolation, checkInTimeoutMs = 5_000, onWarning = () => undefined }: FixtureOptions = {},
): Promise<SqlDriver> {
  if (url.startsWith('sqlite:')) {
    return new SqliteDriver({ path: url.slice(7), clock, random: systemRandom }, withTestStatements('sqlite'));
  }
  const { settings } = readMysqlUrl(dataSource(url));
  const schema = await MysqlSchemaConnection.open(settings, 'QRTZ_', clock);
  const { flavour } = schema;
  await schema.close();
  const options = {
    settings,
    flavour,
    clock,
    checkInTimeoutMs,
    onWarning,
    ...(isolation === undefined ? {} : { isolation }),
  };
  return new MysqlDriver(options, withTestStatements('mysql'), 10);
}

/** Transactions on a driver; closing them closes it. */
export function transactionsOn(driver: SqlDriver, schedName = 'test'): Transactions {
  return new Transactions(driver, { schedName, clock, random: systemRandom });
}
