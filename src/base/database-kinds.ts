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

/** Each kind has an engine, listed in `store/sql/open-database.ts`, and its statements in the folder of the same name in `sql/`. */
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

const kindsOf = (isFile: boolean): readonly DatabaseKind[] =>
  Object.values(DATABASE_KINDS).filter((kind) => kind.isFile === isFile);

export const SERVER_URL_FORMS = kindsOf(false)
  .flatMap(({ urls }) => urls)
  .join(', ');

export const DATABASE_URL_FORMS = `${SERVER_URL_FORMS} or ${kindsOf(true)
  .flatMap(({ urls }) => urls)
  .join(', ')}`;

/** Returns the URL schemes as alternatives in a regular expression. */
export function schemesOf(isFile: boolean): string {
  return kindsOf(isFile)
    .flatMap(({ schemes }) => schemes)
    .join('|');
}

/** Returns null for URLs of other schemes and for paths. */
export function databaseOfUrl(url: string): DatabaseName | null {
  return SCHEMES.get(url.slice(0, url.indexOf(':'))) ?? null;
}
