import { createHash } from 'node:crypto';
import { type Dialect, listMigrations, readSql } from '../runtime/sql-files';
import { filledIn, type SqlText } from '../runtime/sql-text';
import { namedTexts } from '../runtime/statements';

/** One migration, from one version of the tables to the next. */
export interface Migration {
  /** Name of the file, for example `0001_initial`. */
  readonly name: string;
  /** Checksum of the statements without comments. A released migration never changes. */
  readonly checksum: string;
  readonly steps: readonly MigrationStep[];
  /**
   * Lowest level of nodes that can still use the tables after this migration. The level of a version is the number of the last migration
   * that it contains. Default: the migration's own number. A line `-- usable from: NNNN` in the file sets a lower level.
   */
  readonly usableFrom: number;
}

/** One statement of a migration. `unless`: index or column that makes the statement unnecessary if it exists; null if there is none. */
export interface MigrationStep {
  readonly text: string;
  readonly unless: { readonly what: 'index' | 'column'; readonly name: string; readonly table: string } | null;
}

const MIGRATION = /^migrations\/(\d{4}_[a-z0-9-]+)\.sql$/;

/** Loads the migrations of a dialect, oldest first. */
export function loadMigrations(dialect: Dialect): readonly Migration[] {
  return listMigrations(dialect).flatMap((file) => {
    const name = MIGRATION.exec(file)?.[1];
    if (name === undefined) return [];
    const texts = readSql(dialect, file);
    const usableFrom = texts.map(({ notes }) => notes['usable from']).find((level) => level !== undefined);
    return [
      { name, checksum: checksumOf(texts), steps: texts.map(toStep), usableFrom: Number(usableFrom ?? levelOf(name)) },
    ];
  });
}

function checksumOf(texts: readonly SqlText[]): string {
  const hash = createHash('sha256');
  for (const { text } of texts) hash.update(`${text};\n`);
  return hash.digest('hex');
}

function toStep({ name, text, notes }: SqlText): MigrationStep {
  const what = notes['unless index'] === undefined ? 'column' : 'index';
  const unless = notes[`unless ${what}`];
  if (unless === undefined) return { text, unless: null };
  const [part, table] = unless.split(' on ');
  if (part === undefined || table === undefined)
    throw new TypeError(`${name}: expected '-- unless ${what}: NAME on TABLE'.`);
  return { text, unless: { what, name: part, table } };
}

export const levelOf = (name: string): number => Number(name.slice(0, 4));

export const keyOf = ({ name }: Pick<Migration, 'name'>) => `migration.${name}`;

/** A migration that is recorded in QRTZ_X_META, perhaps by a newer version. */
export interface RecordedMigration {
  readonly checksum: string;
  /** See `Migration.usableFrom`. Null if only versions that contain the migration can use the tables. */
  readonly usableFrom: number | null;
}

/** Recorded migrations, by key. */
export type RecordedMigrations = ReadonlyMap<string, RecordedMigration>;

/** Parses the value of a migration in QRTZ_X_META: the checksum, followed by ` from NNNN` if older nodes can use the tables. */
export function toRecorded(value: string): RecordedMigration {
  const [, checksum = value, level] = /^(\S+) from (\d{4})$/.exec(value) ?? [];
  return { checksum, usableFrom: level === undefined ? null : Number(level) };
}

/** Returns the statement that records a migration. It contains the values, so that it can be printed and run manually. */
export function recordOf(dialect: Dialect, { name, checksum, usableFrom }: Migration): string {
  const value = usableFrom < levelOf(name) ? `${checksum} from ${String(usableFrom).padStart(4, '0')}` : checksum;
  const values = [keyOf({ name }), value];
  const { text } = namedTexts(dialect, 'catalogue.sql')('insertMigration');
  return text.replace(/\?/g, () => `'${values.shift()}'`);
}

/** Returns the statements that store and delete the mark of an unfinished creation of the tables. */
export function creationMark(dialect: Dialect): { readonly begin: string; readonly end: string } {
  const textOf = namedTexts(dialect, 'catalogue.sql');
  return { begin: textOf('insertCreation').text, end: textOf('deleteCreation').text };
}

/** Returns problems with the recorded migrations that prevent this version from using the tables: unknown, missing and changed migrations. */
export function versionProblems(dialect: Dialect, recorded: RecordedMigrations): string[] {
  const migrations = loadMigrations(dialect);
  const known = new Map(migrations.map((migration) => [keyOf(migration), migration.checksum]));
  const level = levelOf(migrations.at(-1)?.name ?? '');
  const newer = [...recorded].filter(
    ([name, { usableFrom }]) => !known.has(name) && (usableFrom === null || usableFrom > level),
  );
  const missing = [...known.keys()].filter((name) => !recorded.has(name));
  const changed = [...recorded].filter(([name, { checksum }]) => known.has(name) && known.get(name) !== checksum);
  return [
    ...newer.map(([name]) => `${name} was applied by a newer version of quartz-ts. Use that version.`),
    ...missing.map((name) => `${name} has not been applied.`),
    ...changed.map(([name]) => `${name} was applied with other statements than those of this version.`),
  ];
}

/** Returns a warning for operators if a newer version has changed the tables but this version can still use them. */
export function newerWarnings(dialect: Dialect, recorded: RecordedMigrations): string[] {
  const known = new Set(loadMigrations(dialect).map(keyOf));
  const newer = [...recorded.keys()].filter((key) => !known.has(key));
  if (newer.length === 0) return [];
  const names = newer.map((key) => key.replace('migration.', ''));
  return [
    `A newer version of quartz-ts has changed the tables (${names.join(', ')}). This version can use them. Complete the upgrade or the rollback.`,
  ];
}

/** A table as declared in `schema.sql`, with unprefixed names. */
export interface DeclaredTable {
  readonly name: string;
  /** Statement that creates the table, including its inline indexes. */
  readonly text: string;
  readonly columns: readonly DeclaredColumn[];
  readonly primaryKey: readonly string[];
  /** Statement that adds the primary key; null if the dialect has none. */
  readonly primaryKeyText: string | null;
  readonly indexes: readonly DeclaredIndex[];
}

export interface DeclaredColumn {
  readonly name: string;
  /** Type in upper case, for example `VARCHAR`. */
  readonly dataType: string;
  readonly textLength: number | null;
  /** Definition, for example `JOB_DATA BLOB NULL`. */
  readonly definition: string;
  readonly text: string;
}

interface DeclaredIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** Statement that creates the index separately. */
  readonly text: string;
  /** True if the statement of the table also creates the index. */
  readonly isInline: boolean;
}

const TABLE = /^CREATE TABLE IF NOT EXISTS ([A-Z0-9_]+)/;
const COLUMN = /^ {2}(?!PRIMARY KEY|FOREIGN KEY|KEY)([A-Z0-9_]+) ([A-Z]+)(?:\((\d+)[^)]*\))?.*?(?=,?$)/gm;
const PRIMARY_KEY = /^ {2}PRIMARY KEY \(([^)]*)\)/m;
const INLINE_INDEX = /^ {2}KEY ([A-Z0-9_]+) \(([^)]*)\)/gm;
const INDEX = /^CREATE INDEX (?:IF NOT EXISTS )?([A-Z0-9_]+) ON ([A-Z0-9_]+) \(([^)]*)\)/;

/** Loads the tables declared in `schema.sql`, which is the only place that describes them. */
export function loadDeclaredTables(dialect: Dialect): readonly DeclaredTable[] {
  const repairs = new Map(readSql(dialect, 'repair.sql').map(({ name, text }) => [name, text]));
  /** Returns a statement of `repair.sql`; null if the dialect has none. */
  const repair = (statement: string, texts: Readonly<Record<string, string>>) => {
    const text = repairs.get(statement);
    return text === undefined ? null : filledIn(text, texts);
  };
  const texts = readSql(dialect, 'schema.sql').map(({ text }) => text);
  return texts.flatMap((text) => {
    const name = TABLE.exec(text)?.[1];
    if (name === undefined) return [];
    const columns = [...text.matchAll(COLUMN)].map(([line, column = '', dataType = '', length]) => {
      const definition = line.trim();
      const textLength = dataType === 'VARCHAR' ? Number(length) : null;
      const made = repair('addColumn', { table: name, definition }) ?? '';
      return { name: column, dataType, textLength, definition, text: made };
    });
    const primaryKey = PRIMARY_KEY.exec(text)?.[1] ?? '';
    const inline = [...text.matchAll(INLINE_INDEX)].map(([, index = '', listed = '']) => {
      const made = repair('createIndex', { index, table: name, columns: listed }) ?? '';
      return { name: index, columns: namesIn(listed), text: made, isInline: true };
    });
    const primaryKeyText = repair('addPrimaryKey', { table: name, columns: primaryKey });
    const indexes = [...inline, ...separateIndexes(texts, name)];
    return [{ name, text, columns, primaryKey: namesIn(primaryKey), primaryKeyText, indexes }];
  });
}

export function loadPriorityIndex(dialect: Dialect) {
  const { text } = namedTexts(dialect, 'repair.sql')('createPriorityIndex');
  const [, name = '', table = ''] = INDEX.exec(text) ?? [];
  return { name, table, text };
}

function separateIndexes(texts: readonly string[], table: string): readonly DeclaredIndex[] {
  return texts.flatMap((text) => {
    const [, name = '', on, columns = ''] = INDEX.exec(text) ?? [];
    return on === table ? [{ name, columns: namesIn(columns), text, isInline: false }] : [];
  });
}

const namesIn = (list: string) => list.split(',').map((part) => part.trim().replace(/ DESC$/, ''));
