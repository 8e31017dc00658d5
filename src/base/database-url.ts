import { DATABASE_URL_FORMS, databaseOfUrl } from './database-kinds';
import { nearestName } from './nearest-name';
import { withoutCredentials } from './secrets';
import { type ServerUrl, serverUrlOf } from './server-url';
import { shownUrl, UrlError, type UrlProblem } from './url-error';

/* The only check of database URLs: the configuration, `quartz validate` and the drivers all use it. */

/** A URL that passed the check. `file`: path of a SQLite file. */
type DatabaseUrl =
  | { readonly kind: 'sqlite'; readonly url: string; readonly file: string }
  | { readonly kind: 'mysql'; readonly url: string; readonly server: ServerUrl };

/** Reads a database URL, with or without the prefix `jdbc:`. Throws `UrlError`. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const wrapped = wrappingOf(text);
  if (wrapped !== null) throw new UrlError(wrapped, shownUrl(text));
  const isJdbc = /^jdbc:/i.test(text);
  // Files of Java contain URLs that were copied from XML.
  const plain = isJdbc ? text.replace(/^jdbc:/i, '').replaceAll('&amp;', '&') : text;
  const url = withLowerCaseScheme(plain);
  const kind = databaseOfUrl(url);
  if (kind === null) throw new UrlError(expectedFor(url), shownUrl(text));
  if (kind === 'sqlite') {
    const file = fileOf(url.slice('sqlite:'.length), text);
    return { kind, url: `sqlite:${file}`, file };
  }
  const server = serverUrlOf(url, { isJdbc });
  return { kind, url: withoutParameters(url, server.ignored), server };
}

/** Returns the problem of a database URL, or null for a valid one. */
export function problemOfUrl(text: string): UrlProblem | null {
  return problemOf(() => readDatabaseUrl(text));
}

function problemOf(read: () => unknown): UrlProblem | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof UrlError) return error;
    throw error;
  }
}

/** Returns the problem of a value that is a database URL or the path of a SQLite file, or null for a valid one. */
export function problemOfUrlOrPath(text: string): UrlProblem | null {
  if (!isPath(text)) return problemOfUrl(text);
  const wrapped = wrappingOf(text);
  if (wrapped !== null) return { expected: wrapped, found: shownUrl(text) };
  return problemOf(() => fileOf(text, text));
}

/** Converts a valid URL or path to a URL without the prefix `jdbc:`. */
export function urlOfUrlOrPath(text: string): string {
  // A URL with two slashes would be relative.
  return isPath(text) ? `sqlite:${text.replace(/^\/{2,}/, '/')}` : readDatabaseUrl(text).url;
}

/** Removes parameters that have no effect here. Without the prefix `jdbc:`, some of them would be refused. */
function withoutParameters(url: string, names: readonly string[]): string {
  const [address = '', ...parameters] = url.split(/[?&]/);
  const kept = parameters.filter((each) => !names.includes(new URLSearchParams(each).keys().next().value ?? ''));
  return kept.length === 0 ? address : `${address}?${kept.join('&')}`;
}

const SCHEME = /^(?:jdbc:)?([a-z][a-z0-9+.-]*):/i;

/** True for text that cannot be meant as a URL. A login or a password must never count as a path, because messages show paths. */
function isPath(text: string): boolean {
  if (/^[a-z]:[\\/](?![\\/])/i.test(text)) return !isLogin(text.slice(2)); // a drive of Windows
  const inner = text.replace(LEADING, '');
  if (/^jdbc:|:\/\/|^[\w.-]+:\d+\//i.test(inner) || isLogin(inner) || hasSecret(inner)) return false;
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*)(:|\/\/)/i.exec(inner) ?? [];
  if (scheme === '' || inner.startsWith('.')) return true;
  const isKnown = databaseOfUrl(`${scheme.toLowerCase()}:`) !== null || FOREIGN.test(scheme) || /^file$/i.test(scheme);
  return !isKnown && nearestName(scheme, ['mysql', 'mariadb', 'sqlite']) === null;
}

/** Quotes, and the name of a variable, before a URL. */
const LEADING = /^\s*(?:(?:export\s+)?[A-Za-z_][\w.-]{0,80}\s{0,3}=\s{0,3}|["'`])*/;

/** True if the text may contain a login, such as `app:password@host`. */
function isLogin(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && text.slice(0, at).includes(':');
}

const hasSecret = (text: string) => withoutCredentials(text) !== text;

/** Returns the expected form of a URL that is inside of other characters; null for a URL without them. */
function wrappingOf(text: string): string | null {
  if (/^\s|\s$/.test(text)) return 'a URL without blanks or line breaks around it';
  if (/^["'`]/.test(text)) return 'a URL without quotes around it (docker --env-file, for example, keeps quotes)';
  if (/^(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*["'`]?(?:jdbc:)?[a-z][a-z0-9+.-]*:/i.test(text))
    return "the URL alone, without the name of its variable and '=' before it";
  return null;
}

function withLowerCaseScheme(url: string): string {
  const [scheme = ''] = SCHEME.exec(url) ?? [];
  return scheme.toLowerCase() + url.slice(scheme.length);
}

/** Schemes of databases that this library does not support. */
const FOREIGN =
  /^(postgres(ql)?|pgsql|cockroachdb|sqlserver|mssql|oracle|mongodb(\+srv)?|rediss?|libsql|db2|h2|hsqldb|derby)$/i;

const NAMES: ReadonlyMap<string, string> = new Map([
  ...['postgres', 'postgresql', 'pgsql'].map((scheme) => [scheme, 'PostgreSQL'] as const),
  ...['sqlserver', 'mssql'].map((scheme) => [scheme, 'SQL Server'] as const),
  ...['mongodb', 'mongodb+srv'].map((scheme) => [scheme, 'MongoDB'] as const),
  ['oracle', 'Oracle'],
]);

/** Converts `file:./quartz.db` or `file:///data/quartz.db` to a URL of SQLite. */
function pathOfFileUrl(url: string): string {
  const path = url
    .replace(/^file:/i, '')
    .replace(/^\/\/(?=\/)/, '')
    .replace(/[?#].*$/s, '');
  return /^\/*$/.test(path) ? 'sqlite:./quartz.db' : `sqlite:${path}`;
}

function expectedFor(url: string): string {
  const [, scheme = ''] = SCHEME.exec(url) ?? /^([a-z][a-z0-9+.-]*)\/\//i.exec(url) ?? [];
  if (/^file$/i.test(scheme)) return `sqlite:FILE, such as '${pathOfFileUrl(url)}'`;
  const foreign = FOREIGN.exec(scheme)?.[0];
  if (foreign !== undefined)
    return `${DATABASE_URL_FORMS}, because ${NAMES.get(foreign.toLowerCase()) ?? foreign} is not supported`;
  const near = scheme === '' ? null : nearestName(scheme, ['mysql', 'mariadb', 'sqlite']);
  const hint = near === null ? '' : ` (did you mean '${near}${near === 'sqlite' ? ':' : '://'}…'?)`;
  return `${DATABASE_URL_FORMS}${hint}`;
}

/**
 * Returns the file of a `sqlite:` URL without its scheme. `sqlite://data/q.db` has no host, so its path is relative; with three slashes it is absolute.
 * Throws `UrlError` if the URL names no file.
 */
function fileOf(path: string, url: string): string {
  if (/(^|[\\/])(file:)?:memory:|[?&]mode=memory\b/i.test(path))
    throw new UrlError(
      "sqlite:FILE; to store nothing, leave out the database (jobStore.class 'memory')",
      shownUrl(url),
    );
  if (/^\/*$/.test(path)) throw new UrlError("sqlite:FILE, such as 'sqlite:./quartz.db'", shownUrl(url));
  if (/^file:/i.test(path))
    throw new UrlError(`sqlite:FILE without file:, such as '${pathOfFileUrl(path)}'`, shownUrl(url));
  if (/\?[\w-]+=/.test(path)) throw new UrlError('sqlite:FILE without parameters', shownUrl(url));
  const local = path.replace(/^\/\/(?!\/)/, '').replace(/^\/{2,}(?=\/)/, '');
  return local.replace(/^\/(?=[a-z]:[\\/])/i, '');
}
