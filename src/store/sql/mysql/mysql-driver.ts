import { LaneDriver } from '../lane-driver';
import type { SqlDriver } from '../sql-driver';
import type { Statements } from '../statements';
import { type ConnectionOptions, connectFor } from './mysql-connections';
import { mysqlDialect } from './mysql-dialect';

/**
 * A driver over connections of its own: one that acquires and fires, one that completes, one that checks in, and those that
 * read; each is made when first needed. `maxConnections`, at least four, says how many read.
 */
export function mysqlDriver(options: ConnectionOptions, statements: Statements, maxConnections: number): SqlDriver {
  const writers = (['scheduler', 'completions', 'checkIn'] as const).map((role) => ({
    roles: [role],
    connect: () => connectFor(role, options),
  }));
  const readers = Array.from({ length: Math.max(1, maxConnections - writers.length) }, () => ({
    roles: ['read'] as const,
    connect: () => connectFor('read', options),
  }));
  return new LaneDriver(mysqlDialect(options.flavour), statements, [...writers, ...readers]);
}
