import type { Connection, RowDataPacket } from 'mysql2/promise';
import { SCHED_NAME } from '../../cluster/support/cluster';
import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';
import { killQuietly, nodeConnections, withStranger } from './server';

/*
 * Other sessions lock rows and tables: reports, backups, schema changes, database clients.
 */

const COMMON = { stores: ['server'] } as const;
const TABLES = [
  'TRIGGERS',
  'TRIGGERS',
  'FIRED_TRIGGERS',
  'JOB_DETAILS',
  'SCHEDULER_STATE',
  'LOCKS',
  'SIMPLE_TRIGGERS',
  'X_NODES',
];

/** Runs a statement of another session. Its errors do not matter for the test. */
const trySql = (connection: Connection, sql: string) => connection.query(sql).catch(() => undefined);

/** Locks rows by their full keys, because a locking search would lock every row that it reads under the default isolation level. */
async function lockSome(connection: Connection, table: string, count: number): Promise<void> {
  const [keys] = await connection.query<RowDataPacket[]>(`SHOW KEYS FROM ${table} WHERE Key_name = 'PRIMARY'`);
  const columns = keys.map(({ Column_name }) => Column_name as string);
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT ${columns} FROM ${table} ORDER BY RAND() LIMIT ${count}`,
  );
  for (const row of rows) {
    const where = columns.map((column) => `${column} = ?`).join(' AND ');
    await connection.query(`SELECT 1 FROM ${table} WHERE ${where} FOR UPDATE`, Object.values(row));
  }
}

/** Locks random rows, and sometimes the lock of the cluster, for up to 5 s. */
async function holdRows({ fleet, world, random, left }: Stage): Promise<void> {
  const holder = () =>
    withStranger(world, async (connection) => {
      while (left() > 8_000) {
        await pause(random.between(200, 1_500));
        await fleet.during('outage', 'rows held', async () => {
          await trySql(connection, 'BEGIN');
          await lockSome(connection, `QRTZ_${random.pick(TABLES)}`, 4).catch(() => undefined);
          await pause(random.between(500, 5_000));
          await trySql(connection, 'ROLLBACK');
        });
      }
    });
  await Promise.all([holder(), holder(), holder()]);
}

/** Locks rows in the wrong order, so that the server must abort a transaction. */
async function deadlock({ fleet, world, random, left }: Stage): Promise<void> {
  const rival = () =>
    withStranger(world, async (connection) => {
      while (left() > 2_000) {
        fleet.count('wrong order');
        await trySql(connection, 'BEGIN');
        const table = random.pick(['FIRED_TRIGGERS', 'SIMPLE_TRIGGERS', 'JOB_DETAILS']);
        await trySql(connection, `SELECT * FROM QRTZ_${table} ORDER BY RAND() LIMIT 30 FOR UPDATE`);
        await pause(random.between(5, 60));
        await trySql(connection, 'SELECT * FROM QRTZ_TRIGGERS ORDER BY TRIGGER_NAME DESC LIMIT 200 FOR UPDATE');
        await trySql(connection, 'ROLLBACK');
        await pause(random.between(20, 200));
      }
    });
  await Promise.all([rival(), rival(), rival(), rival()]);
}

const HELD_JOB = 'cron-3';

/** Locks the row of one trigger for 25 s, which must not affect other triggers. */
async function holdOneRow({ fleet, world, left }: Stage): Promise<void> {
  await pause(5_000);
  const length = Math.min(25_000, Math.max(1_000, left() - 8_000));
  fleet.count('row held');
  await withStranger(world, async (connection) => {
    await connection.query('BEGIN');
    const key = [SCHED_NAME, 'DEFAULT', `${HELD_JOB}.0`];
    const row = 'SCHED_NAME = ? AND TRIGGER_GROUP = ? AND TRIGGER_NAME = ?';
    await connection.query(`SELECT 1 FROM QRTZ_TRIGGERS WHERE ${row} FOR UPDATE`, key);
    await pause(length);
    await connection.query('ROLLBACK');
  });
}

interface Step {
  readonly sql: string;
  readonly lasts?: number;
  readonly undo?: string;
  /** True if the connections of nodes are killed, so that they must prepare their statements again. */
  readonly cuts?: boolean;
}

const OPERATOR: readonly Step[] = [
  { sql: 'OPTIMIZE TABLE QRTZ_TRIGGERS' },
  { sql: 'ALTER TABLE QRTZ_TRIGGERS ADD COLUMN CHAOS_EXTRA INT NULL' },
  { sql: 'FLUSH TABLES WITH READ LOCK', lasts: 4_000, undo: 'UNLOCK TABLES' },
  { sql: 'ALTER TABLE QRTZ_FIRED_TRIGGERS FORCE' },
  { sql: 'ANALYZE TABLE QRTZ_TRIGGERS' },
  { sql: 'LOCK TABLES QRTZ_JOB_DETAILS WRITE', lasts: 3_000, undo: 'UNLOCK TABLES' },
  { sql: 'FLUSH TABLES', cuts: true },
  { sql: 'ALTER TABLE QRTZ_TRIGGERS DROP COLUMN CHAOS_EXTRA' },
  { sql: 'CREATE INDEX CHAOS_INDEX ON QRTZ_TRIGGERS (DESCRIPTION)' },
];

async function operate({ fleet, world, left }: Stage): Promise<void> {
  await withStranger(world, async (connection) => {
    for (const { sql, lasts = 0, undo, cuts = false } of OPERATOR) {
      await pause(3_000);
      if (left() < lasts + 8_000) return;
      await fleet.during('outage', sql, async () => {
        await connection.query(sql);
        if (cuts) for (const id of await nodeConnections(connection)) await killQuietly(connection, `KILL ${id}`);
        await pause(lasts);
        if (undo !== undefined) await connection.query(undo);
      });
    }
  });
}

export const LOCK_SCENARIOS: readonly LoadScenario[] = [
  {
    ...COMMON,
    name: 'row-locks',
    about: 'other sessions lock rows for up to 5 s, including the cluster-wide lock',
    isLate: true, // firings wait for the locked rows
    disturb: holdRows,
  },
  {
    ...COMMON,
    name: 'deadlocks',
    about: 'other sessions lock rows in the wrong order',
    interferes: true,
    disturb: deadlock,
  },
  {
    ...COMMON,
    name: 'one-row',
    about: 'one trigger is locked for 25 s',
    interferes: true,
    lateJob: HELD_JOB,
    disturb: holdOneRow,
  },
  { ...COMMON, name: 'operator', about: 'a backup, schema changes, table locks', disturb: operate },
];
