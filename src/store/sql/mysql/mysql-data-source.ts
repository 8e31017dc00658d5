import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import type { Clock } from '../../../base/clock';
import { SchedulerError, toError } from '../../../base/errors';
import { isLoopback } from '../../../base/host';
import { withoutCredentials } from '../../../base/secrets';
import { completesWithin } from '../../../base/sleep';
import { type DatabaseAccess, requestPassword } from '../../database-access';
import type { DataSourceSettings } from '../engine/engine';
import { SqlError } from '../runtime/sql-driver';

/** Server address and login for the driver. Contains the password, so never log it. */
export interface MysqlSettings {
  readonly host: string;
  readonly port: number;
  /** Path of a socket file, used instead of host and port; null if none. */
  readonly socketPath: string | null;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: TlsSettings | null;
  /** Access passed in code. Overrides the address and login above. */
  readonly access?: DatabaseAccess;
}

/** Encryption settings of a connection. `certificateAuthority`: path of a PEM file, used instead of the system's authorities. */
export interface TlsSettings {
  readonly verify: 'identity' | 'authority' | 'nothing';
  readonly certificateAuthority: string | null;
}

const DEFAULT_PORT = 3306;

/** Returns warnings for URL parameters without effect. Throws `CONFIGURATION` for an invalid URL or `sslMode`, several hosts, or no database name. */
export function readMysqlUrl(source: DataSourceSettings): { settings: MysqlSettings; warnings: readonly string[] } {
  const url = parseUrl(source);
  const query = new Map([...url.searchParams].map(([key, value]) => [key, value]));
  const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const socketPath = query.get('socketPath') ?? query.get('localSocket') ?? null;
  const settings: MysqlSettings = {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    socketPath,
    database: databaseOf(url, source),
    user: source.user ?? query.get('user') ?? decodeURIComponent(url.username),
    password: source.password ?? query.get('password') ?? decodeURIComponent(url.password),
    tls: readTls(query, socketPath !== null || isLoopback(host), source),
  };
  return { settings, warnings: warningsOf(query, source) };
}

function parseUrl(source: DataSourceSettings): URL {
  const text = source.url.replace(/^jdbc:/, '');
  if (/^(mysql|mariadb):\/\//.test(text) && !hasSeveralHosts(text) && URL.canParse(text)) return new URL(text);
  throw unexpected(source, 'mysql://host:port/database with one host');
}

/** True for `host1,host2`. The store cannot know which host accepts writes. */
const hasSeveralHosts = (url: string) => /^[a-z]+:\/\/[^/]*,/.test(url);

function databaseOf(url: URL, source: DataSourceSettings): string {
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database !== '' && !database.includes('/')) return database;
  throw unexpected(source, 'a database name after the host');
}

/** URL parameters that have an effect. The names include those of JDBC drivers. */
const KNOWN_PARAMETER =
  /^(user|password|socketPath|localSocket|ssl|tls|useSSL|requireSSL|sslMode|(verify|trust)ServerCertificate|serverSslCert|sslCa)$/;

/** Verification for each `sslMode` of MySQL and MariaDB; null disables encryption. */
const SSL_MODES: ReadonlyMap<string, TlsSettings['verify'] | null> = new Map([
  ['DISABLED', null],
  ['DISABLE', null],
  ['REQUIRED', 'nothing'],
  ['PREFERRED', 'nothing'],
  ['TRUST', 'nothing'],
  ['VERIFY_CA', 'authority'],
  ['VERIFY_IDENTITY', 'identity'],
  ['VERIFY_FULL', 'identity'],
]);

function readTls(
  query: ReadonlyMap<string, string>,
  isLocalHost: boolean,
  source: DataSourceSettings,
): TlsSettings | null {
  const certificateAuthority = query.get('sslCa') ?? query.get('serverSslCert') ?? null;
  const mode = query.get('sslMode')?.toUpperCase().replace(/-/g, '_');
  if (mode !== undefined) {
    const verify = SSL_MODES.get(mode);
    if (verify === undefined)
      throw unexpected(source, 'DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY as sslMode', mode);
    return verify === null ? null : { verify, certificateAuthority };
  }
  const requested = query.get('ssl') ?? query.get('tls') ?? query.get('useSSL') ?? query.get('requireSSL');
  const isOn = requested === undefined ? !isLocalHost || certificateAuthority !== null : requested !== 'false';
  const trusts = query.get('verifyServerCertificate') === 'false' || query.get('trustServerCertificate') === 'true';
  return isOn ? { verify: trusts ? 'nothing' : 'identity', certificateAuthority } : null;
}

function warningsOf(query: ReadonlyMap<string, string>, source: DataSourceSettings): string[] {
  const ignored = [...query.keys()].filter((key) => !KNOWN_PARAMETER.test(key));
  if (ignored.length === 0) return [];
  return [
    `dataSource.${source.name}.URL: ${ignored.join(', ')} ${ignored.length === 1 ? 'has' : 'have'} no effect here.`,
  ];
}

function unexpected(source: DataSourceSettings, expected: string, found?: string): SchedulerError {
  const what = found ?? JSON.stringify(withoutCredentials(source.url));
  return new SchedulerError('CONFIGURATION', `dataSource.${source.name}.URL: expected ${expected}, found ${what}.`);
}

/** Timeout for connecting and for the handshake, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Idle time after which TCP keep-alive checks the connection, in milliseconds. */
const KEEP_ALIVE_DELAY_MS = 5_000;

/** Maximum number of prepared statements per connection. With the driver's default, one client could exhaust the server's limit. */
const MAX_PREPARED_STATEMENTS = 256;

/**
 * Creates a connection object that is not connected yet. Disables driver features that a server or value could misuse. Rejects with CONFIGURATION if
 * the PEM file cannot be read or the password is not a string, and with `SqlError` if the password callback fails.
 */
export async function openConnection(settings: MysqlSettings, clock: Clock, timeoutMs: number): Promise<Connection> {
  return createConnection({
    ...(settings.access?.pool ?? targetOf(settings)),
    ...(await loginOf(settings, clock, timeoutMs)),
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: false, // integers become numbers; integers beyond the safe range are rounded, and rejected when read
    stringifyObjects: true,
    jsonStrings: true, // also for JSON_ARRAY, which MariaDB returns as JSON and SQLite as text
    multipleStatements: false,
    flags: ['-LOCAL_FILES'], // the server must not read files of this machine
    maxPreparedStatements: MAX_PREPARED_STATEMENTS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    connectAttributes: { program_name: 'quartz-ts' },
  });
}

function targetOf(settings: MysqlSettings): ConnectionOptions {
  const { database, user, password, tls } = settings;
  return { ...addressOf(settings), database, user, password, ...(tls === null ? {} : { ssl: tlsOptions(tls) }) };
}

/** Requests the password. The driver may send it in plain text, as cloud providers require for tokens, only if the certificate is verified. */
async function loginOf({ access, tls }: MysqlSettings, clock: Clock, timeoutMs: number): Promise<ConnectionOptions> {
  if (access?.password === undefined) return {};
  const requesting = requestPassword(access.password);
  if (!(await completesWithin(clock, timeoutMs, requesting)))
    throw noPassword(`no answer within ${timeoutMs / 1000} s`);
  const password = await requesting.catch((error: unknown) => {
    throw error instanceof SchedulerError ? error : noPassword(toError(error).message);
  });
  return tls === null || tls.verify === 'nothing' ? { password } : { password, enableCleartextPlugin: true };
}

/** Returns the error for a failed password callback, of the same kind as for an unreachable database. */
function noPassword(reason: string): SqlError {
  const message = `the password callback failed: ${reason}`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'PASSWORD', statement: null, message });
}

/**
 * Works around mysql2, which compares the certificate of a server addressed by IP with `localhost`. With a trailing dot, mysql2 uses the
 * address as a host name. Node removes the dot and compares the address with those in the certificate.
 */
function addressOf({ host, port, socketPath, tls }: MysqlSettings): ConnectionOptions {
  if (socketPath !== null) return { socketPath };
  if (tls?.verify !== 'identity' || isIP(host) === 0) return { host, port };
  return { host: `${host}.`, port, stream: () => socketTo(host, port) };
}

/** Opens a socket with the same options as mysql2. */
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
    const message = `Expected a readable PEM file as sslCa in the URL of the data source: ${toError(cause).message}.`;
    throw new SchedulerError('CONFIGURATION', message, { cause });
  }
}
