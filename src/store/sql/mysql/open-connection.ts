import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import type { Clock } from '../../../base/clock';
import { SchedulerError, toError } from '../../../base/errors';
import { settlesWithin } from '../../../base/sleep';
import { askPassword } from '../../database-access';
import { SqlError } from '../runtime/sql-driver';
import type { MysqlSettings, TlsSettings } from './mysql-settings';

/** For the network and the handshake. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Silence before the network is asked whether the server is still there. */
const KEEP_ALIVE_DELAY_MS = 5_000;

/** Prepared statements kept by a connection. The driver's default would let one client use up the server's. */
const MAX_PREPARED_STATEMENTS = 256;

/** Begins to connect, with everything switched off that a server or a value could misuse. Rejects with CONFIGURATION. */
export async function openConnection(settings: MysqlSettings, clock: Clock, timeoutMs: number): Promise<Connection> {
  return createConnection({
    ...(settings.access?.pool ?? wayOf(settings)),
    ...(await loginOf(settings, clock, timeoutMs)),
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: false, // every integer is a number; one that no number holds is rounded, and refused where it is read
    stringifyObjects: true,
    jsonStrings: true, // also of JSON_ARRAY, which MariaDB tells from other text and SQLite does not
    multipleStatements: false,
    flags: ['-LOCAL_FILES'], // no server may ask for a file of this machine
    maxPreparedStatements: MAX_PREPARED_STATEMENTS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    connectAttributes: { program_name: 'quartz-ts' },
  });
}

/** Where the server is and who we are, as the data source says. */
function wayOf(settings: MysqlSettings): ConnectionOptions {
  const { database, user, password, tls } = settings;
  return { ...addressOf(settings), database, user, password, ...(tls === null ? {} : { ssl: tlsOptions(tls) }) };
}

/** A password that is asked for. A token of a cloud is sent as it is, so only to a server whose certificate was checked. */
async function loginOf({ access, tls }: MysqlSettings, clock: Clock, timeoutMs: number): Promise<ConnectionOptions> {
  if (access?.password === undefined) return {};
  const asking = askPassword(access.password);
  if (!(await settlesWithin(clock, timeoutMs, asking))) throw noPassword(`no answer within ${timeoutMs / 1000} s`);
  const password = await asking.catch((error: unknown) => {
    throw error instanceof SchedulerError ? error : noPassword(toError(error).message);
  });
  return tls === null || tls.verify === 'nothing' ? { password } : { password, enableCleartextPlugin: true };
}

/** A callback that fails is a database that cannot be reached now. */
function noPassword(reason: string): SqlError {
  const message = `the password callback failed: ${reason}`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'PASSWORD', statement: null, message });
}

/**
 * mysql2 compares the certificate of a server that is named by its address with `localhost`. With a dot behind it the address
 * counts as a name there; Node takes the dot off and compares it with the addresses of the certificate.
 */
function addressOf({ host, port, socketPath, tls }: MysqlSettings): ConnectionOptions {
  if (socketPath !== null) return { socketPath };
  if (tls?.verify !== 'identity' || isIP(host) === 0) return { host, port };
  return { host: `${host}.`, port, stream: () => socketTo(host, port) };
}

/** As mysql2 makes its own. */
function socketTo(host: string, port: number): Socket {
  const socket = connect(port, host);
  socket.once('connect', () => socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS));
  return socket.setNoDelay(true);
}

function tlsOptions({ verify, certificateAuthority }: TlsSettings) {
  return {
    rejectUnauthorized: verify !== 'nothing',
    verifyIdentity: verify === 'identity',
    ...(certificateAuthority === null ? {} : { ca: readAuthority(certificateAuthority) }),
  };
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `expected a readable PEM file as sslCa in the URL of the data source: ${toError(cause).message}.`;
    throw new SchedulerError('CONFIGURATION', message, { cause });
  }
}
