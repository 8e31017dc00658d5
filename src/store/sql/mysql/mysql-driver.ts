import { ConnectionQueue } from '../runtime/connection-queue';
import { QueuedDriver } from '../runtime/queued-driver';
import type { ConnectionRole, SqlDriver } from '../runtime/sql-driver';
import type { Statements } from '../runtime/statements';
import { type ConnectionOptions, connectFor, readProcesses } from './mysql-connections';
import { mysqlDialect } from './mysql-dialect';
import type { MysqlSession } from './mysql-session';
import { OpenSessions } from './open-sessions';

/** Milliseconds, where nothing says how soon a node must be heard of. */
const CHECK_IN_PATIENCE = 5_000;

/**
 * A driver over connections of its own: one that acquires and fires, one that completes, one that checks in, and those that
 * read; each is made when first needed. `maxConnections`, at least four, says how many read. What waits for as long as a check-in may is
 * asked for on the connection of the check-in: that one never waits for a lock for long.
 */
export function mysqlDriver(options: ConnectionOptions, statements: Statements, maxConnections: number): SqlDriver {
  const { checkInPatience = CHECK_IN_PATIENCE } = options;
  const among: OpenSessions = new OpenSessions(() => checkIn.use(readProcesses));
  const checkIn = new ConnectionQueue(checkInConnector(options, among));
  const laneOf = (role: ConnectionRole) => {
    const connect = () => connectFor(role, options, { among, longWait: checkInPatience });
    return { role, queue: new ConnectionQueue(connect) };
  };
  const writers = [laneOf('scheduler'), laneOf('completions')];
  const readers = Array.from({ length: Math.max(1, maxConnections - writers.length - 1) }, () => laneOf('read'));
  return new QueuedDriver(mysqlDialect(options.flavour), statements, {
    queues: [...writers, { role: 'checkIn', queue: checkIn }, ...readers],
    dropSilent: () => among.dropSilent(),
  });
}

/**
 * The connection that is used most regularly, and whose answers are waited for the least, is the one that shows that the network
 * has forgotten it: when the next one gets an answer, the others are looked at.
 */
function checkInConnector(options: ConnectionOptions, among: OpenSessions): () => Promise<MysqlSession> {
  const { checkInPatience: patience = CHECK_IN_PATIENCE } = options;
  let fellSilent = false;
  const onSilence = () => {
    fellSilent = true;
  };
  return async () => {
    const session = await connectFor('checkIn', options, { patience, onSilence });
    if (fellSilent) among.dropSilent();
    fellSilent = false;
    return session;
  };
}
