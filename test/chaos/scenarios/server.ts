import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';
import { NODE_USER, type World } from '../world/database';

/*
 * Faults of a server, and actions of other users on it.
 */

const COMMON = { stores: ['server'] } as const;
const LAST_FAULT = 8_000;

/** A connection of another user with all privileges, which the limits of the nodes do not affect. */
function stranger({ server, tables }: World): Promise<Connection> {
  const { dataSource } = tables.config as { readonly dataSource: { readonly d: { readonly URL: string } } };
  const url = new URL(server.url);
  url.pathname = new URL(dataSource.d.URL).pathname;
  return createConnection({ uri: url.href, supportBigNumbers: true });
}

async function withStranger<T>(world: World, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await stranger(world);
  connection.on('error', () => undefined);
  try {
    return await work(connection);
  } finally {
    connection.destroy();
  }
}

/** Connections of the nodes; with `isBusy`, only those that execute a statement. */
async function nodeConnections(connection: Connection, isBusy = false): Promise<readonly number[]> {
  const busy = isBusy ? "AND COMMAND <> 'Sleep'" : '';
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = '${NODE_USER}' ${busy}`,
  );
  return rows.map(({ id }) => Number(id));
}

/** Runs a KILL. A connection that has already ended is no error. */
const killQuietly = (connection: Connection, what: string) => connection.query(what).catch(() => undefined);

/**
 * MariaDB: killing a query while it opens a table for the first time may leave the trigger of the audit unreadable ("an error in its body: 'Query was
 * empty'"). Every write to the table then fails until it is opened again. Only this suite has a trigger on the table.
 */
async function mendAudit(connection: Connection): Promise<void> {
  try {
    await connection.query("DELETE FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = 'nobody'");
  } catch {
    await killQuietly(connection, 'FLUSH TABLES QRTZ_FIRED_TRIGGERS');
  }
}

/** Repeats `act` during the load. */
async function keep(
  { world, left }: Stage,
  every: number,
  act: (connection: Connection) => Promise<void>,
): Promise<void> {
  await withStranger(world, async (connection) => {
    while (left() > 1_000) {
      await pause(every);
      await act(connection);
    }
  });
}

async function killServer({ fleet, world, random, left }: Stage): Promise<void> {
  while (left() > LAST_FAULT + 6_000) {
    await pause(random.between(4_000, 9_000));
    await fleet.during('outage', 'server kill -9', async () => {
      await world.server.kill();
      await pause(random.pick([0, 0, 500, 2_000, 6_000]));
      await world.server.restart();
    });
  }
}

async function stopServer({ fleet, world, left }: Stage): Promise<void> {
  for (const length of [1_000, 2_500, 5_000, 15_000]) {
    if (left() < length + LAST_FAULT) return;
    await pause(5_000);
    await fleet.during('outage', 'server SIGSTOP', async () => {
      await world.server.pause();
      await pause(length);
      await world.server.resume();
    });
  }
}

async function readOnly({ fleet, world, left }: Stage): Promise<void> {
  await withStranger(world, async (connection) => {
    while (left() > 10_000 + LAST_FAULT) {
      await pause(5_000);
      await fleet.during('outage', 'read-only', async () => {
        await connection.query('SET GLOBAL read_only = 1');
        await pause(10_000);
        await connection.query('SET GLOBAL read_only = 0');
      });
    }
  });
}

/** Opens all possible connections, and kills connections of the nodes. */
async function exhaustConnections({ fleet, world, left }: Stage): Promise<void> {
  await withStranger(world, async (admin) => {
    while (left() > LAST_FAULT) {
      await pause(3_000);
      await fleet.during('outage', 'no connection left', async () => {
        await admin.query('SET GLOBAL max_connections = 40');
        const tries = await Promise.all(Array.from({ length: 40 }, () => stranger(world).catch(() => null)));
        for (const id of (await nodeConnections(admin)).slice(0, 12)) await killQuietly(admin, `KILL ${id}`);
        await pause(3_000);
        for (const each of tries) each?.destroy();
        await admin.query('SET GLOBAL max_connections = 200');
      });
    }
  });
}

async function exhaustStatements({ fleet, world, left }: Stage): Promise<void> {
  await withStranger(world, async (admin) => {
    while (left() > LAST_FAULT + 5_000) {
      await pause(5_000);
      await fleet.during('outage', 'no prepared statement left', async () => {
        await admin.query('SET GLOBAL max_prepared_stmt_count = 30');
        for (const id of await nodeConnections(admin)) await killQuietly(admin, `KILL ${id}`);
        await pause(5_000);
        await admin.query('SET GLOBAL max_prepared_stmt_count = 16382');
      });
    }
  });
}

export const SERVER_SCENARIOS: readonly LoadScenario[] = [
  {
    ...COMMON,
    name: 'server-kill',
    about: 'kill -9 of the server, which restarts after 0 to 6 s',
    disturb: killServer,
  },
  { ...COMMON, name: 'server-stop', about: 'SIGSTOP of the server for 1 to 15 s', disturb: stopServer },
  { ...COMMON, name: 'read-only', about: 'the server is read-only for 10 s', disturb: readOnly },
  { ...COMMON, name: 'connections', about: 'the server accepts no connections for 3 s', disturb: exhaustConnections },
  {
    ...COMMON,
    name: 'prepared-statements',
    about: 'the server prepares no statements for 5 s',
    disturb: exhaustStatements,
  },
  {
    ...COMMON,
    name: 'kill-connections',
    about: 'KILL of a connection every 200 ms',
    interferes: true,
    disturb: (stage) =>
      keep(stage, 200, async (connection) => {
        const ids = await nodeConnections(connection);
        if (ids.length > 0) await killQuietly(connection, `KILL ${stage.random.pick(ids)}`);
      }),
  },
  {
    ...COMMON,
    name: 'kill-queries',
    about: 'KILL QUERY of all running statements, every 60 ms',
    interferes: true,
    disturb: (stage) =>
      keep(stage, 60, async (connection) => {
        for (const id of await nodeConnections(connection, true)) await killQuietly(connection, `KILL QUERY ${id}`);
        await mendAudit(connection);
      }),
  },
  {
    ...COMMON,
    name: 'snapshot-isolation',
    about: 'kill -9, with innodb_snapshot_isolation',
    serverOptions: ['--loose-innodb-snapshot-isolation=1'],
    disturb: async ({ fleet, random, left }) => {
      while (left() > LAST_FAULT) {
        await pause(random.between(3_000, 6_000));
        const member = random.pick(fleet.living);
        await fleet.kill(member);
        await fleet.start(member);
      }
    },
  },
];

export { killQuietly, nodeConnections, stranger, withStranger };
