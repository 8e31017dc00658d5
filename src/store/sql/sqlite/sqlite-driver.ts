import { LaneDriver } from '../lane-driver';
import type { SqlDriver } from '../sql-driver';
import type { Statements } from '../statements';
import { sqliteDialect } from './sqlite-dialect';
import { type SqliteOptions, SqliteSession } from './sqlite-session';

/** A driver over two connections: one that writes, because the file has one writer at a time, and one that reads beside it. */
export function sqliteDriver(options: SqliteOptions, statements: Statements): SqlDriver {
  return new LaneDriver(sqliteDialect, statements, [
    { roles: ['scheduler', 'completions', 'checkIn'], connect: () => SqliteSession.open(options, 'write') },
    { roles: ['read'], connect: () => SqliteSession.open(options, 'read') },
  ]);
}
