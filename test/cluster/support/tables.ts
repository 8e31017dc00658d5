import { existsSync } from 'node:fs';
import { createPool } from 'mysql2/promise';
import { loadSqlite } from '../../../src/store/sql/sqlite/sqlite-module';
import { createDatabase, type DatabaseServer } from '../../support/database/test-database';

/** The tables of a database, with access for tests. */
export interface Tables {
  readonly kind: 'mysql' | 'sqlite';
  /** Configuration of a node for these tables. */
  readonly config: object;
  query<Row>(text: string): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Tables in a new database of a server. */
export async function mysqlTables(server: DatabaseServer): Promise<Tables> {
  const database = await createDatabase(server);
  // One permanent connection, because the tests poll.
  const pool = createPool({ uri: database.url, charset: 'utf8mb4', connectionLimit: 1 });
  return {
    kind: 'mysql',
    config: { jobStore: { class: 'mysql', dataSource: 'd' }, dataSource: { d: { URL: database.url } } },
    query: async <Row>(text: string) => (await pool.query(text))[0] as Row[],
    async drop() {
      await pool.end();
      await database.drop();
    },
  };
}

/** Tables in a file. */
export function sqliteTables(path: string): Tables {
  const open = () => {
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 5000');
    return database;
  };
  return {
    kind: 'sqlite',
    config: { jobStore: { class: 'sqlite', path } },
    async query<Row>(text: string) {
      const database = open();
      try {
        if (/^\s*SELECT/i.test(text)) return database.prepare(text).all() as Row[];
        database.exec(text);
        return [];
      } finally {
        database.close();
      }
    },
    async drop() {
      if (existsSync(path)) await this.query('PRAGMA wal_checkpoint(TRUNCATE)');
    },
  };
}

/** One change of a fired row, in the order of the commits. */
export interface AuditRow {
  readonly op: 'I' | 'U' | 'D';
  readonly entryId: string;
  readonly instanceName: string;
  readonly triggerName: string;
  readonly schedTime: number;
  readonly state: 'ACQUIRED' | 'EXECUTING';
}

const COLUMNS = 'ENTRY_ID, INSTANCE_NAME, TRIGGER_NAME, SCHED_TIME, STATE';
const VALUES = (row: 'NEW' | 'OLD') =>
  COLUMNS.split(', ')
    .map((column) => `${row}.${column}`)
    .join(', ');

/** Creates database triggers that record all committed changes of fired rows. */
export async function installAudit({ kind, query }: Tables): Promise<void> {
  const id = kind === 'mysql' ? 'BIGINT AUTO_INCREMENT PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
  await query(
    `CREATE TABLE AUDIT (ID ${id}, OP CHAR(1), ENTRY_ID VARCHAR(95), INSTANCE_NAME VARCHAR(190), TRIGGER_NAME VARCHAR(190), SCHED_TIME BIGINT, STATE VARCHAR(16))`,
  );
  const events = [
    ['I', 'INSERT', 'NEW'],
    ['U', 'UPDATE', 'NEW'],
    ['D', 'DELETE', 'OLD'],
  ] as const;
  for (const [op, event, row] of events) {
    const insert = `INSERT INTO AUDIT (OP, ${COLUMNS}) VALUES ('${op}', ${VALUES(row)})`;
    const body = kind === 'mysql' ? insert : `BEGIN ${insert}; END`;
    await query(`CREATE TRIGGER AUDIT_${event} AFTER ${event} ON QRTZ_FIRED_TRIGGERS FOR EACH ROW ${body}`);
  }
}

export function readAudit({ query }: Tables): Promise<AuditRow[]> {
  return query<AuditRow>(
    'SELECT OP AS op, ENTRY_ID AS entryId, INSTANCE_NAME AS instanceName, TRIGGER_NAME AS triggerName, SCHED_TIME AS schedTime, STATE AS state FROM AUDIT ORDER BY ID',
  );
}

/** Run ids of dead letters. */
export async function readDeadLetters({ query }: Tables): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>("SELECT RUN_ID AS id FROM QRTZ_X_RUNS WHERE IS_DEAD_LETTER = '1'");
  return new Set(rows.map(({ id }) => id));
}

/** Stored state of a scheduler, for a check after all runs have ended. */
export interface RestState {
  readonly firedRows: number;
  /** Number of triggers by state. */
  readonly states: Readonly<Record<string, number>>;
  readonly nodes: readonly string[];
  readonly locks: number;
}

export async function readRestState({ query }: Tables, schedName: string): Promise<RestState> {
  const where = `WHERE SCHED_NAME = '${schedName}'`;
  const [fired] = await query<{ count: number }>(`SELECT COUNT(*) AS count FROM QRTZ_FIRED_TRIGGERS ${where}`);
  const states = await query<{ state: string; count: number }>(
    `SELECT TRIGGER_STATE AS state, COUNT(*) AS count FROM QRTZ_TRIGGERS ${where} GROUP BY TRIGGER_STATE`,
  );
  const nodes = await query<{ name: string }>(`SELECT INSTANCE_NAME AS name FROM QRTZ_SCHEDULER_STATE ${where}`);
  const [locks] = await query<{ count: number }>(`SELECT COUNT(*) AS count FROM QRTZ_LOCKS ${where}`);
  return {
    firedRows: Number(fired?.count),
    states: Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
    nodes: nodes.map(({ name }) => name).sort(),
    locks: Number(locks?.count),
  };
}
