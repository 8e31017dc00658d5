import { isLoopback } from './host';
import { nearestName } from './nearest-name';
import { shownUrl, UrlError } from './url-error';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** A server URL, taken apart. Contains the password, so never log it. */
export interface ServerUrl {
  /** Hosts in the order in which they are tried. At least one. */
  readonly hosts: readonly ServerAddress[];
  /** Path of a socket file, used instead of the hosts; null if none. */
  readonly socketPath: string | null;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** File with the password, read for each new connection; null if none. */
  readonly passwordFile: string | null;
  readonly tls: TlsSettings | null;
  /** Parameters of other drivers, which change nothing here. */
  readonly ignored: readonly string[];
}

/** Encryption settings of a connection. The files are in the PEM format; null: the system's authorities, or no client certificate. */
export interface TlsSettings {
  readonly verify: 'identity' | 'authority' | 'nothing';
  readonly certificateAuthority: string | null;
  readonly certificate: string | null;
  readonly key: string | null;
}

const DEFAULT_PORT = 3306;

const FORM = 'mysql://host:port/database';

/** Reads a URL with one of the schemes of MySQL. `isJdbc`: a URL of Java, whose further parameters are ignored. Throws `UrlError`. */
export function serverUrlOf(text: string, { isJdbc }: { readonly isJdbc: boolean }): ServerUrl {
  const { login, hosts, rest } = partsOf(text);
  const { pathname, searchParams } = new URL(`mysql://host${rest}`);
  const { parameters, ignored } = readParameters(searchParams, isJdbc);
  const socketPath = parameters.get('socketPath') ?? null;
  const [user = '', ...password] = login.split(':');
  return {
    hosts,
    socketPath,
    database: databaseOf(pathname, text),
    user: parameters.get('user') ?? decoded(user, text),
    password: parameters.get('password') ?? decoded(password.join(':'), text),
    passwordFile: parameters.get('passwordFile') ?? null,
    tls: readTls(parameters, socketPath !== null || hosts.every(({ host }) => isLoopback(host))),
    ignored,
  };
}

/** Splits a URL by hand, because `URL` accepts only one host. */
function partsOf(text: string) {
  const [, authority, rest = ''] = /^[a-z]+:\/\/([^/?#]*)([\s\S]*)$/.exec(text) ?? [];
  if (authority === undefined) throw new UrlError(FORM, shownUrl(text));
  const [pathAndLogin = ''] = /^[^?#]*/.exec(rest) ?? [];
  const isIncomplete = rest.includes('#') || pathAndLogin.includes('@');
  if (isIncomplete)
    throw new UrlError(
      `${FORM}, with special characters of the login encoded (%2F for /, %23 for #, %3F for ?)`,
      shownUrl(text),
    );
  if (/\s/.test(authority)) throw new UrlError(`${FORM} without blanks`, shownUrl(text));
  const at = authority.lastIndexOf('@');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .map((each) => addressOf(each, text));
  return { login: authority.slice(0, Math.max(0, at)), hosts, rest };
}

function addressOf(text: string, url: string): ServerAddress {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.%]+)\]|([^:[\]()]*))(?::(.*))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || (host === '' && url.includes(',')))
    throw new UrlError(`${FORM}, or several hosts as host1:port,host2:port`, shownUrl(url));
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw new UrlError(`a port from 1 to 65535 after the host (${FORM})`, shownUrl(url));
  return {
    host: host === '' ? 'localhost' : decoded(host, url),
    port: port === undefined ? DEFAULT_PORT : Number(port),
  };
}

function databaseOf(pathname: string, url: string): string {
  const database = decoded(pathname.replace(/^\//, ''), url);
  if (database !== '' && !database.includes('/')) return database;
  throw new UrlError('a database name after the host, such as mysql://host:port/quartz', shownUrl(url));
}

function decoded(text: string, url: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UrlError('%25 for each % that is a character of the URL', shownUrl(url));
  }
}

/** Parameters by their names without capitals, `-` and `_`: those of MySQL's clients (`ssl-mode`), of JDBC drivers and of mysql2. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ...['user', 'password', 'sslMode', 'sslCa', 'sslCert', 'sslKey', 'passwordFile', 'socketPath', 'ssl'].map(
    (name) => [name.toLowerCase(), name] as const,
  ),
  ['username', 'user'],
  ['localsocket', 'socketPath'],
  ['socket', 'socketPath'],
  ['serversslcert', 'sslCa'],
  ['tls', 'ssl'],
  ['usessl', 'ssl'],
  ['requiressl', 'ssl'],
  ['verifyservercertificate', 'verifyServerCertificate'],
  ['trustservercertificate', 'trustServerCertificate'],
]);

/** Names to write, for suggestions and messages. */
const NAMES = ['sslMode', 'sslCa', 'sslCert', 'sslKey', 'socketPath', 'user', 'password', 'passwordFile'];

/** Frequent parameters of other drivers about text, time, pools and statements, which this library sets itself. */
const OF_OTHER_DRIVERS =
  /^(useunicode|characterencoding|charset|characterset|connectioncollation|collation|servertimezone|connectiontimezone|timezone|uselegacydatetimecode|usejdbccomplianttimezoneshift|zerodatetimebehavior|allowpublickeyretrieval|getserverpublickey|autoreconnect|failoverreadonly|maxreconnects|initialtimeout|connecttimeout|connectiontimeout|sockettimeout|readtimeout|writetimeout|tcpkeepalive|tcpnodelay|rewritebatchedstatements|cacheprepstmts|prepstmtcachesize|prepstmtcachesqllimit|useserverprepstmts|uselocalsessionstate|uselocaltransactionstate|cacheresultsetmetadata|cacheserverconfiguration|elidesetautocommits|maintaintimestats|useaffectedrows|allowmultiqueries|multiplestatements|tinyint1isbit|nullcatalogmeanscurrent|usecursorfetch|defaultfetchsize|useinformationschema|logger|profilesql|usecompression|compress|connectionlimit|pool|poolsize|pooltimeout|minpoolsize|maxpoolsize|maxidletime|waitforconnections|queuelimit|usesslmode|parsetime|loc|nullnamepatternmatchesall|applicationname|connectionattributes|supportbignumbers|bignumberstrings|datestrings|decimalnumbers|debug|trace)$/;

function readParameters(found: URLSearchParams, isJdbc: boolean) {
  const parameters = new Map<string, string>();
  const ignored: string[] = [];
  for (const [name, value] of found) {
    const plain = name.toLowerCase().replace(/[-_]/g, '');
    const known = PARAMETERS.get(plain);
    if (known === undefined) {
      if (!isJdbc && !OF_OTHER_DRIVERS.test(plain)) throw unknownParameter(name);
      ignored.push(name);
    } else if ((parameters.get(known) ?? value) !== value) {
      throw new UrlError(`one value for the URL parameter ${known}`, 'two different ones');
    } else parameters.set(known, value);
  }
  return { parameters, ignored };
}

function unknownParameter(name: string): UrlError {
  const near = nearestName(name, NAMES);
  const hint = near === null ? '' : `; did you mean ${near}`;
  return new UrlError(`one of the URL parameters ${NAMES.join(', ')}${hint}`, shownUrl(name));
}

/** Verification for each `sslMode` of MySQL, MariaDB and PostgreSQL's names for them; null disables encryption. */
const SSL_MODES: ReadonlyMap<string, TlsSettings['verify'] | null> = new Map([
  ['DISABLED', null],
  ['DISABLE', null],
  ['REQUIRED', 'nothing'],
  ['REQUIRE', 'nothing'],
  ['PREFERRED', 'nothing'],
  ['PREFER', 'nothing'],
  ['TRUST', 'nothing'],
  ['VERIFY_CA', 'authority'],
  ['VERIFY_IDENTITY', 'identity'],
  ['VERIFY_FULL', 'identity'],
]);

function readTls(parameters: ReadonlyMap<string, string>, isLocal: boolean): TlsSettings | null {
  const files = {
    certificateAuthority: parameters.get('sslCa') ?? null,
    certificate: parameters.get('sslCert') ?? null,
    key: parameters.get('sslKey') ?? null,
  };
  if ((files.certificate === null) !== (files.key === null))
    throw new UrlError('sslCert and sslKey together', files.key === null ? 'sslCert alone' : 'sslKey alone');
  const mode = parameters.get('sslMode');
  if (mode !== undefined) {
    const verify = SSL_MODES.get(mode.toUpperCase().replace(/-/g, '_'));
    if (verify === undefined)
      throw new UrlError('DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY as sslMode', shownUrl(mode));
    return verify === null ? null : { verify, ...files };
  }
  const requested = flagOf(parameters, 'ssl');
  const isNamed = files.certificateAuthority !== null || files.certificate !== null;
  const isOn = requested ?? (!isLocal || isNamed);
  const trusts =
    flagOf(parameters, 'verifyServerCertificate') === false || flagOf(parameters, 'trustServerCertificate') === true;
  return isOn ? { verify: trusts ? 'nothing' : 'identity', ...files } : null;
}

function flagOf(parameters: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  if (/^(true|1|on|yes)?$/i.test(value)) return true;
  if (/^(false|0|off|no)$/i.test(value)) return false;
  throw new UrlError(`true or false as ${name}; for more, use sslMode, sslCa, sslCert and sslKey`, shownUrl(value));
}
