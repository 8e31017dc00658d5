import { createHash } from 'node:crypto';
import { type Dialect, listMigrations, readSql } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';

/** One step from a version of the tables to the next. */
export interface Migration {
  /** Of its file: `0001_initial`. */
  readonly name: string;
  /** Of its statements without comments: a migration that was released never changes. */
  readonly checksum: string;
  readonly steps: readonly MigrationStep[];
  /**
   * The oldest level whose nodes may still use the tables after this migration: the number of the last migration that they know. It is its
   * own number unless a `-- usable from: NNNN` line of the file gives an earlier one.
   */
  readonly usableFrom: number;
}

/** One statement, and when it is not needed. */
export interface MigrationStep {
  readonly text: string;
  readonly unless: { readonly what: 'index' | 'column'; readonly name: string; readonly table: string } | null;
}

const MIGRATION = /^migrations\/(\d{4}_[a-z0-9-]+)\.sql$/;

/** The migrations of a dialect, oldest first. */
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

/** Number of a migration. */
export const levelOf = (name: string): number => Number(name.slice(0, 4));

/** The key of a migration in QRTZ_X_META. */
export const keyOf = ({ name }: Pick<Migration, 'name'>) => `migration.${name}`;

/** A migration as QRTZ_X_META has it, perhaps of a newer version. */
export interface RecordedMigration {
  readonly checksum: string;
  /** As `Migration.usableFrom`; null: only the versions that know the migration can use the tables. */
  readonly usableFrom: number | null;
}

/** Reads the value of a migration in QRTZ_X_META: the checksum, and `from NNNN` if older nodes may use the tables. */
export function toRecorded(value: string): RecordedMigration {
  const [, checksum = value, level] = /^(\S+) from (\d{4})$/.exec(value) ?? [];
  return { checksum, usableFrom: level === undefined ? null : Number(level) };
}

function recordedValue({ name, checksum, usableFrom }: Migration): string {
  return usableFrom < levelOf(name) ? `${checksum} from ${String(usableFrom).padStart(4, '0')}` : checksum;
}

/** The statement that remembers it, with the values in the text so that it can be printed and run by anyone. */
export function recordOf(dialect: Dialect, migration: Migration): string {
  const values = [keyOf(migration), recordedValue(migration)];
  return catalogueText(dialect, 'insertMigration').replace(/\?/g, () => `'${values.shift()}'`);
}

/** What says that the tables are being made for the first time, and what says that this is over. */
export function creationMark(dialect: Dialect): { readonly begin: string; readonly end: string } {
  return { begin: catalogueText(dialect, 'insertCreation'), end: catalogueText(dialect, 'deleteCreation') };
}

function catalogueText(dialect: Dialect, statement: string): string {
  return readSql(dialect, 'catalogue.sql').find(({ name }) => name === statement)?.text ?? '';
}

/** A table as `schema.sql` declares it, names as they stand there. */
export interface DeclaredTable {
  readonly name: string;
  /** The statement that makes it, its inline indexes included. */
  readonly text: string;
  readonly columns: readonly DeclaredColumn[];
  readonly primaryKey: readonly string[];
  /** The statement that adds it; null: the dialect has none. */
  readonly primaryKeyText: string | null;
  readonly indexes: readonly DeclaredIndex[];
}

/** A column as `schema.sql` declares it. */
export interface DeclaredColumn {
  readonly name: string;
  /** `VARCHAR`. */
  readonly dataType: string;
  readonly textLength: number | null;
  /** `JOB_DATA BLOB NULL`. */
  readonly definition: string;
  /** The statement that adds it. */
  readonly text: string;
}

/** An index as `schema.sql` declares it. */
export interface DeclaredIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** The statement that makes it by itself. */
  readonly text: string;
  /** Made with the table. */
  readonly isInline: boolean;
}

const TABLE = /^CREATE TABLE IF NOT EXISTS ([A-Z0-9_]+)/;
const COLUMN = /^ {2}(?!PRIMARY KEY|FOREIGN KEY|KEY)([A-Z0-9_]+) ([A-Z]+)(?:\((\d+)[^)]*\))?.*?(?=,?$)/gm;
const PRIMARY_KEY = /^ {2}PRIMARY KEY \(([^)]*)\)/m;
const INLINE_INDEX = /^ {2}KEY ([A-Z0-9_]+) \(([^)]*)\)/gm;
const INDEX = /^CREATE INDEX (?:IF NOT EXISTS )?([A-Z0-9_]+) ON ([A-Z0-9_]+) \(([^)]*)\)/;

/** The tables of `schema.sql`, which is the one place that describes them. */
export function loadDeclaredTables(dialect: Dialect): readonly DeclaredTable[] {
  const repairs = new Map(readSql(dialect, 'repair.sql').map(({ name, text }) => [name, text]));
  /** A statement of `repair.sql`; null where the dialect has none. */
  const repair = (statement: string, words: Readonly<Record<string, string>>) =>
    repairs.get(statement)?.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '') ?? null;
  const texts = readSql(dialect, 'schema.sql').map(({ text }) => text);
  return texts.flatMap((text) => {
    const name = TABLE.exec(text)?.[1];
    if (name === undefined) return [];
    const columns = [...text.matchAll(COLUMN)].map(([line, column = '', dataType = '', length]) => {
      const definition = line.trim();
      const textLength = dataType === 'VARCHAR' ? Number(length) : null;
      return {
        name: column,
        dataType,
        textLength,
        definition,
        text: repair('addColumn', { table: name, definition }) ?? '',
      };
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

/** The index that only the order by priority needs. */
export function loadPriorityIndex(dialect: Dialect): {
  readonly name: string;
  readonly table: string;
  readonly text: string;
} {
  const { text = '' } = readSql(dialect, 'repair.sql').find(({ name }) => name === 'createPriorityIndex') ?? {};
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
