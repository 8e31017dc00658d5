import { isIP } from 'node:net';
import { SchedulerError } from '../../../base/errors';
import { withoutCredentials } from '../../../base/secrets';
import type { DatabaseAccess } from '../../database-access';

/** Where the server is, and who we are. */
export interface DataSourceSettings {
  /** For messages. */
  readonly name: string;
  /** `mysql://host:port/database?…` or `mariadb://…`, as JDBC writes them too. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
}

/** The same, ready for the driver. The password is in here: never log it. */
export interface MysqlSettings {
  readonly host: string;
  readonly port: number;
  /** A socket file, instead of host and port. */
  readonly socketPath: string | null;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: TlsSettings | null;
  /** What was given in code, and comes before all of the above. */
  readonly access?: DatabaseAccess;
}

/** How the connection is encrypted; `certificateAuthority`: a PEM file, instead of the system's authorities. */
export interface TlsSettings {
  readonly verify: 'identity' | 'authority' | 'nothing';
  readonly certificateAuthority: string | null;
}

const DEFAULT_PORT = 3306;

/** The settings in a URL, and what it asks for that has no effect. Throws `CONFIGURATION` for one that names no database. */
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
    tls: readTls(query, socketPath !== null || isLocal(host), source),
  };
  return { settings, warnings: warningsOf(query, source) };
}

function parseUrl(source: DataSourceSettings): URL {
  const text = source.url.replace(/^jdbc:/, '');
  if (/^(mysql|mariadb):\/\//.test(text) && !hasSeveralHosts(text) && URL.canParse(text)) return new URL(text);
  throw problem(
    source,
    `expected mysql://host:port/database with one host, found ${JSON.stringify(withoutCredentials(source.url))}`,
  );
}

/** `host1,host2`: which of them accepts writes is not ours to guess. */
const hasSeveralHosts = (url: string) => /^[a-z]+:\/\/[^/]*,/.test(url);

function databaseOf(url: URL, source: DataSourceSettings): string {
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database !== '' && !database.includes('/')) return database;
  throw problem(
    source,
    `expected the name of a database after the host, found ${JSON.stringify(withoutCredentials(source.url))}`,
  );
}

/** Parameters of the URL that mean something here, by the names that JDBC drivers use too. */
const KNOWN_PARAMETER =
  /^(user|password|socketPath|localSocket|ssl|tls|useSSL|requireSSL|sslMode|(verify|trust)ServerCertificate|serverSslCert|sslCa)$/;

/** What each sslMode verifies, by the names of MySQL and MariaDB; null: no encryption. */
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
      throw problem(source, `expected DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY as sslMode, found ${mode}`);
    return verify === null ? null : { verify, certificateAuthority };
  }
  const asked = query.get('ssl') ?? query.get('tls') ?? query.get('useSSL') ?? query.get('requireSSL');
  const isOn = asked === undefined ? !isLocalHost || certificateAuthority !== null : asked !== 'false';
  const trusts = query.get('verifyServerCertificate') === 'false' || query.get('trustServerCertificate') === 'true';
  return isOn ? { verify: trusts ? 'nothing' : 'identity', certificateAuthority } : null;
}

/** Hosts that are reached without a network that anyone else could listen on. */
function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function warningsOf(query: ReadonlyMap<string, string>, source: DataSourceSettings): string[] {
  const ignored = [...query.keys()].filter((key) => !KNOWN_PARAMETER.test(key));
  if (ignored.length === 0) return [];
  return [
    `dataSource.${source.name}.URL: ${ignored.join(', ')} ${ignored.length === 1 ? 'has' : 'have'} no effect here.`,
  ];
}

function problem(source: DataSourceSettings, text: string): SchedulerError {
  return new SchedulerError('CONFIGURATION', `dataSource.${source.name}.URL: ${text}.`);
}
