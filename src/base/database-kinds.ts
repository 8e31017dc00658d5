/** Kind of database that a configuration can select. */
interface DatabaseKind {
  /** URL schemes of the database. */
  readonly schemes: readonly string[];
  /** Aliases in `jobStore.class`. */
  readonly otherNames: readonly string[];
  /** Examples of URLs. */
  readonly urls: readonly string[];
  /** Description for the documentation of `jobStore.class`. */
  readonly sentence: string;
  /** True if the database is a file on this machine. False if it is a server. */
  readonly isFile: boolean;
  /** Default of `jobStore.schema`: the action for the tables at start. */
  readonly schema: 'migrate' | 'validate';
}

/**
 * Databases that a configuration can select. Each has an engine in `store/sql/engines.ts`, and its statements in the folder of the same name in
 * `sql/`.
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

/** Examples of database server URLs, for messages and documentation. */
export const SERVER_URL_FORMS = urlsOf(false).join(', ');

/** Examples of database URLs, for messages and documentation. */
export const DATABASE_URL_FORMS = `${SERVER_URL_FORMS} or ${urlsOf(true).join(', ')}`;

/** Returns the URL schemes of file databases (true) or of servers (false), as alternatives in a regular expression. */
export function schemesOf(isFile: boolean): string {
  return DATABASE_NAMES.filter((name) => DATABASE_KINDS[name].isFile === isFile)
    .flatMap((name) => DATABASE_KINDS[name].schemes)
    .join('|');
}

/** Returns the database that a URL selects by its scheme. Returns null for other schemes and for paths. */
export function databaseOfUrl(url: string): DatabaseName | null {
  return SCHEMES.get(url.slice(0, url.indexOf(':'))) ?? null;
}
