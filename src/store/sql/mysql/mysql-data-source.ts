import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import type { Connection, ConnectionOptions } from 'mysql2';
import type { Clock } from '../../../base/clock';
import { SchedulerError, toError } from '../../../base/errors';
import { faultOfPackage, requireOutside } from '../../../base/outside-packages';
import { type ServerAddress, type ServerUrl, serverUrlOf, type TlsSettings } from '../../../base/server-url';
import { completesWithin } from '../../../base/sleep';
import { UrlError } from '../../../base/url-error';
import { type DatabaseAccess, requestPassword } from '../../database-access';
import type { DataSourceSettings } from '../engine/engine';
import { SqlError } from '../runtime/sql-driver';

type Driver = typeof import('mysql2');

/** A call that a bundler recognises, so that the driver is a part of the build for bundlers. */
const loadOwn = () => require('mysql2') as Driver;

/**
 * Loads the driver when it is first needed, because it takes a fourth of the processor time with which a scheduler on SQLite starts. A package that npx has
 * fetched resolves it from the started program or the working folder. Throws `CONFIGURATION` if it cannot be loaded.
 */
export function loadDriver(load: () => Driver = loadOwn, loadOutside = requireOutside): Driver {
  try {
    return load();
  } catch {
    try {
      return loadOutside('mysql2') as Driver;
    } catch (cause) {
      const fault = faultOfPackage('mysql2', cause);
      const found = fault === null ? 'found none' : `found one that cannot be loaded: ${fault}`;
      const message = `The mysql job store needs the package mysql2 >= 3.24.5, ${found}. Run: npm install mysql2@3.`;
      throw new SchedulerError('CONFIGURATION', message, { cause });
    }
  }
}

/** Server addresses and login for the driver. Contains the password, so never log it. */
export interface MysqlSettings extends Omit<ServerUrl, 'ignored'> {
  /** Access passed in code. Overrides the address and login above. */
  readonly access?: DatabaseAccess;
}

/** Returns warnings for URL parameters without effect. Throws `CONFIGURATION` for an invalid URL. */
export function readMysqlUrl(source: DataSourceSettings): { settings: MysqlSettings; warnings: readonly string[] } {
  try {
    // The configuration has refused unknown parameters, except in URLs of Java, whose prefix it has removed.
    const { ignored, ...url } = serverUrlOf(source.url.replace(/^jdbc:/, ''), { isJdbc: true });
    const login = { user: source.user ?? url.user, password: source.password ?? url.password };
    const passwordFile = source.passwordFile ?? url.passwordFile;
    return { settings: { ...url, ...login, passwordFile }, warnings: warningsOf(ignored, source) };
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new SchedulerError('CONFIGURATION', `dataSource.${source.name}.URL: ${error.message}.`);
  }
}

function warningsOf(ignored: readonly string[], source: DataSourceSettings): readonly string[] {
  if (ignored.length === 0) return [];
  return [
    `dataSource.${source.name}.URL: ${ignored.join(', ')} ${ignored.length === 1 ? 'has' : 'have'} no effect here.`,
  ];
}

/** Timeout for connecting and for the handshake, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Idle time after which TCP keep-alive checks the connection, in milliseconds. */
const KEEP_ALIVE_DELAY_MS = 5_000;

/** Maximum number of prepared statements per connection. With the driver's default, one client could exhaust the server's limit. */
const MAX_PREPARED_STATEMENTS = 256;

/**
 * Creates a connection object that is not connected yet. Disables driver features that a server or value could misuse. `runsTexts`: allows several
 * statements in one text; the connection must then send no text that contains values. Rejects with CONFIGURATION if a PEM file cannot be read or the
 * password is not a string, and with `SqlError` if the password cannot be obtained now.
 */
export async function openConnection(
  settings: MysqlSettings,
  address: ServerAddress,
  { clock, timeoutMs, runsTexts }: { readonly clock: Clock; readonly timeoutMs: number; readonly runsTexts: boolean },
): Promise<Connection> {
  return loadDriver().createConnection({
    ...(settings.access?.pool ?? targetOf(settings, address)),
    ...(await loginOf(settings, clock, timeoutMs)),
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: false, // integers become numbers; integers beyond the safe range are rounded, and rejected when read
    stringifyObjects: true,
    jsonStrings: true, // also for JSON_ARRAY, which MariaDB returns as JSON and SQLite as text
    multipleStatements: runsTexts,
    flags: ['-LOCAL_FILES'], // the server must not read files of this machine
    maxPreparedStatements: MAX_PREPARED_STATEMENTS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    connectAttributes: { program_name: 'quartz-ts' },
  });
}

function targetOf(settings: MysqlSettings, address: ServerAddress): ConnectionOptions {
  const { database, user, password, tls } = settings;
  return {
    ...addressOf(settings, address),
    ...{ database, user, password },
    ...(tls === null ? {} : { ssl: tlsOptions(tls) }),
  };
}

/** Requests the password. The driver may send it in plain text, as cloud providers require for tokens, only if the certificate is verified. */
async function loginOf(
  { access, passwordFile, tls }: MysqlSettings,
  clock: Clock,
  timeoutMs: number,
): Promise<ConnectionOptions> {
  if (access?.password === undefined) return passwordFile === null ? {} : { password: readPassword(passwordFile) };
  const requesting = requestPassword(access.password);
  if (!(await completesWithin(clock, timeoutMs, requesting)))
    throw noPassword(`the password callback failed: no answer within ${timeoutMs / 1000} s`);
  const password = await requesting.catch((error: unknown) => {
    throw error instanceof SchedulerError
      ? error
      : noPassword(`the password callback failed: ${toError(error).message}`);
  });
  return tls === null || tls.verify === 'nothing' ? { password } : { password, enableCleartextPlugin: true };
}

/** Reads the password for a new connection, so that a changed file needs no restart. A line break at the end does not belong to the password. */
function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw noPassword(`the passwordFile cannot be read: ${toError(cause).message}`);
  }
}

/** Returns the error for a missing password, of the same kind as for an unreachable database. */
function noPassword(message: string): SqlError {
  return new SqlError({ kind: 'connectionLost', databaseCode: 'PASSWORD', statement: null, message });
}

/**
 * Works around mysql2, which compares the certificate of a server addressed by IP with `localhost`. With a trailing dot, mysql2 uses the
 * address as a host name. Node removes the dot and compares the address with those in the certificate.
 */
function addressOf({ socketPath, tls }: MysqlSettings, { host, port }: ServerAddress): ConnectionOptions {
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

function tlsOptions({ verify, certificateAuthority, certificate, key }: TlsSettings) {
  return {
    rejectUnauthorized: verify !== 'nothing',
    verifyIdentity: verify === 'identity',
    ...(certificateAuthority === null ? {} : { ca: readPem(certificateAuthority, 'sslCa') }),
    ...(certificate === null ? {} : { cert: readPem(certificate, 'sslCert') }),
    ...(key === null ? {} : { key: readPem(key, 'sslKey') }),
  };
}

function readPem(file: string, parameter: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `Expected a readable PEM file as ${parameter} in the URL of the data source: ${toError(cause).message}.`;
    throw new SchedulerError('CONFIGURATION', message, { cause });
  }
}
