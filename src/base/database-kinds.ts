interface DatabaseKind {
  readonly schemes: readonly string[];
  /** Aliases in `jobStore.class`. */
  readonly otherNames: readonly string[];
  readonly urls: readonly string[];
  /** Description for the documentation of `jobStore.class`. */
  readonly sentence: string;
  readonly isFile: boolean;
  /** Default of `jobStore.schema`: the action for the tables at start. */
  readonly schema: 'migrate' | 'validate';
}

/** Each kind has an engine in `store/sql/engines.ts`, and its statements in the folder of the same name in `sql/`. */
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

export const SERVER_URL_FORMS = urlsOf(false).join(', ');

export const DATABASE_URL_FORMS = `${SERVER_URL_FORMS} or ${urlsOf(true).join(', ')}`;

/** Returns the URL schemes as alternatives in a regular expression. */
export function schemesOf(isFile: boolean): string {
  return DATABASE_NAMES.filter((name) => DATABASE_KINDS[name].isFile === isFile)
    .flatMap((name) => DATABASE_KINDS[name].schemes)
    .join('|');
}

/** Returns null for URLs of other schemes and for paths. */
export function databaseOfUrl(url: string): DatabaseName | null {
  return SCHEMES.get(url.slice(0, url.indexOf(':'))) ?? null;
}
