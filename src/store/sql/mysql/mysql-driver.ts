import { LaneDriver } from '../lane-driver';
import type { SqlDriver } from '../sql-driver';
import type { Statements } from '../statements';
import { type ConnectionOptions, connectFor } from './mysql-connections';
import { mysqlDialect } from './mysql-dialect';

/** Connections that only read: more would not be used by one scheduler. */
const READERS = 3;

/**
 * A driver over connections of its own: one that acquires and fires, one that completes, one that checks in, and a few that
 * read; each is made when first needed. `maxConnections` below six takes readers away, down to one.
 */
export function mysqlDriver(options: ConnectionOptions, statements: Statements, maxConnections: number): SqlDriver {
  const writers = (['scheduler', 'completions', 'checkIn'] as const).map((role) => ({
    roles: [role],
    connect: () => connectFor(role, options),
  }));
  const readers = Array.from({ length: Math.max(1, Math.min(READERS, maxConnections - writers.length)) }, () => ({
    roles: ['read'] as const,
    connect: () => connectFor('read', options),
  }));
  return new LaneDriver(mysqlDialect(options.flavour), statements, [...writers, ...readers]);
}
