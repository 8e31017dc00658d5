/** A kind of database that configurations can name. */
interface DatabaseKind {
  /** Schemes of its URLs. */
  readonly schemes: readonly string[];
  /** Aliases for `jobStore.class`. */
  readonly otherNames: readonly string[];
  /** Forms of its URLs. */
  readonly urls: readonly string[];
  /** Description of where it stores data, for the documentation of `jobStore.class`. */
  readonly sentence: string;
  /** True if it is a file on this machine instead of a server. */
  readonly isFile: boolean;
  /** Action for its tables at start if the configuration does not set `jobStore.schema`. */
  readonly schema: 'migrate' | 'validate';
}

/**
 * Databases that a configuration can name. Each has an engine in `store/sql/engines.ts` and statements in a folder of
 * `sql/` with the same name.
 */
export const DATABASE_KINDS = {
  sqlite: {
    schemes: ['sqlite'],
    otherNames: [],
    urls: ['sqlite:file'],
    sentence: 'a file, shared by processes on one machine',
    isFile: true,
    schema: 'migrate',
  },
  mysql: {
    schemes: ['mysql', 'mariadb'],
    otherNames: ['mariadb'],
    urls: ['mysql://host:port/database', 'mariadb://host:port/database'],
    sentence: 'MySQL or MariaDB, shared by a cluster',
    isFile: false,
    schema: 'validate',
  },
} as const satisfies Readonly<Record<string, DatabaseKind>>;

export type DatabaseName = keyof typeof DATABASE_KINDS;

export const DATABASE_NAMES = Object.keys(DATABASE_KINDS) as readonly DatabaseName[];

const SCHEMES = new Map(
  DATABASE_NAMES.flatMap((name) => DATABASE_KINDS[name].schemes.map((scheme) => [scheme as string, name])),
);

const urlsOf = (isFile: boolean): readonly string[] =>
  DATABASE_NAMES.filter((name) => DATABASE_KINDS[name].isFile === isFile).flatMap((name) => DATABASE_KINDS[name].urls);

/** Forms of the URLs of servers, for messages and documentation. */
export const SERVER_URL_FORMS = urlsOf(false).join(', ');

/** Forms of all URLs. */
export const DATABASE_URL_FORMS = `${SERVER_URL_FORMS} or ${urlsOf(true).join(', ')}`;

/** Returns the URL schemes of servers or of files, as alternatives of a regular expression. */
export function schemesOf(isFile: boolean): string {
  return DATABASE_NAMES.filter((name) => DATABASE_KINDS[name].isFile === isFile)
    .flatMap((name) => DATABASE_KINDS[name].schemes)
    .join('|');
}

/** Returns the kind of database for a URL by its scheme; null for another scheme or a path. */
export function databaseOfUrl(url: string): DatabaseName | null {
  return SCHEMES.get(url.slice(0, url.indexOf(':'))) ?? null;
}
