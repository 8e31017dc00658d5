import { createConnection } from 'mysql2/promise';
import { mysqlTables, sqliteTables, type Tables } from '../../cluster/support/tables';
import { type Flavour, type PrivateServer, startServer } from '../../support/database/test-database';
import type { SmallDisk } from './small-disk';

export type StoreKind = Flavour | 'sqlite';

/** The database of one run, with access for checks and faults. */
export interface World {
  readonly kind: StoreKind;
  readonly tables: Tables;
  /** File of the SQLite database; null for a server. */
  readonly path: string | null;
  /** File system of the file, if it can be filled. */
  readonly disk: SmallDisk | null;
  /** The server; throws on SQLite. */
  readonly server: PrivateServer;
  readonly port: number;
  /** URL for nodes, through another port. */
  urlAt(port: number): string;
  close(): Promise<void>;
}

/** Commits are on disk before the server responds, unlike in tests that do not kill a server. */
const SERVER_OPTIONS = [
  '--innodb-flush-log-at-trx-commit=1',
  '--innodb-buffer-pool-size=128M',
  '--max-connections=200',
];

/** A user with only the privileges of a node: it cannot connect to a full server, and cannot write to a read-only server. */
export const NODE_USER = 'node';

export async function sqliteWorld(path: string, disk: SmallDisk | null = null): Promise<World> {
  const none = () => {
    throw new Error('There is no server: the store is SQLite.');
  };
  return {
    kind: 'sqlite',
    tables: sqliteTables(path),
    path,
    disk,
    get server() {
      return none();
    },
    port: 0,
    urlAt: none,
    close: async () => disk?.close(),
  };
}

export async function serverWorld(flavour: Flavour, options: readonly string[] = []): Promise<World> {
  const server = await startServer([...SERVER_OPTIONS, ...options], flavour);
  const tables = await mysqlTables(server);
  const { dataSource } = tables.config as { readonly dataSource: { readonly d: { readonly URL: string } } };
  const url = new URL(dataSource.d.URL);
  const admin = await createConnection({ uri: server.url });
  const database = url.pathname.slice(1);
  await admin.query(`CREATE USER '${NODE_USER}'@'%' IDENTIFIED BY '${NODE_USER}'`);
  await admin.query(`GRANT ALL ON ${database}.* TO '${NODE_USER}'@'%'`);
  await admin.end();
  url.username = NODE_USER;
  url.password = NODE_USER;
  const urlAt = (port: number) => Object.assign(new URL(url.href), { port: String(port) }).href;
  const config = { ...tables.config, dataSource: { d: { URL: url.href } } };
  return {
    kind: flavour,
    tables: { ...tables, config },
    path: null,
    disk: null,
    server,
    port: Number(url.port),
    urlAt,
    close: () => server.stop(),
  };
}
