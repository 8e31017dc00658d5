import { createHash } from 'node:crypto';
import { listSql, readSql } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';

/** One step from a version of the tables to the next. */
export interface Migration {
  /** Of its file: `0001_initial`. */
  readonly name: string;
  /** Of its statements without comments: a migration that was released never changes. */
  readonly checksum: string;
  readonly steps: readonly MigrationStep[];
}

/** One statement, and when it is not needed. */
export interface MigrationStep {
  readonly text: string;
  readonly unless: { readonly what: 'index' | 'column'; readonly name: string; readonly table: string } | null;
}

const MIGRATION = /^migrations\/(\d{4}_[a-z0-9-]+)\.sql$/;

/** The migrations of a dialect, oldest first. */
export function loadMigrations(dialect: 'mysql' | 'sqlite'): readonly Migration[] {
  return listSql(dialect, 'migrations').flatMap((file) => {
    const name = MIGRATION.exec(file)?.[1];
    if (name === undefined) return [];
    const texts = readSql(dialect, file);
    return [{ name, checksum: checksumOf(texts), steps: texts.map(toStep) }];
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

/** Under which key QRTZ_X_META remembers it. */
export const keyOf = ({ name }: Migration) => `migration.${name}`;

/** The statement that remembers it, with the values in the text so that it can be printed and run by anyone. */
export function recordOf(dialect: 'mysql' | 'sqlite', migration: Migration): string {
  const insert = readSql(dialect, 'catalogue.sql').find(({ name }) => name === 'insertMigration');
  const values = [keyOf(migration), migration.checksum];
  return insert?.text.replace(/\?/g, () => `'${values.shift()}'`) ?? '';
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
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  /** Statements that make an index, by its name. */
  readonly indexTexts: ReadonlyMap<string, string>;
}

/** A column as `schema.sql` declares it. */
export interface DeclaredColumn {
  readonly name: string;
  readonly textLength: number | null;
  /** `JOB_DATA BLOB NULL`. */
  readonly definition: string;
  /** The statement that adds it. */
  readonly text: string;
}

const COLUMN = /^ {2}([A-Z0-9_]+) (?:VARCHAR\((\d+)\)|[A-Z]+)/;
const PRIMARY_KEY = /^ {2}PRIMARY KEY \(([^)]*)\)/;
const INLINE_INDEX = /^ {2}KEY ([A-Z0-9_]+) \(([^)]*)\)/;
const INDEX = /^CREATE INDEX (?:IF NOT EXISTS )?([A-Z0-9_]+) ON ([A-Z0-9_]+) \(([^)]*)\)/;
const NOT_A_COLUMN = /^ {2}(PRIMARY KEY|FOREIGN KEY|KEY) /;

/** The tables of `schema.sql`, which is the one place that describes them. */
export function loadDeclaredTables(dialect: 'mysql' | 'sqlite'): readonly DeclaredTable[] {
  const texts = readSql(dialect, 'schema.sql');
  const repair = repairsOf(dialect);
  const separate = texts.flatMap(({ text }) => {
    const [, index, table, columns] = INDEX.exec(text) ?? [];
    return index && table && columns ? [{ index, table, columns, text }] : [];
  });
  return texts.flatMap(({ text }) => {
    const name = /^CREATE TABLE IF NOT EXISTS ([A-Z0-9_]+)/.exec(text)?.[1];
    if (name === undefined) return [];
    return [
      readTable(
        { name, text },
        separate.filter(({ table }) => table === name),
        repair,
      ),
    ];
  });
}

interface DeclaredIndex {
  readonly index: string;
  /** As they are written: `SCHED_NAME, PRIORITY DESC`. */
  readonly columns: string;
  /** The statement that makes it by itself. */
  readonly text: string;
}

/** Makes a statement of `repair.sql`: its name, and what stands for the words in braces; null where the dialect has none. */
type Repairs = (name: string, words: Readonly<Record<string, string>>) => string | null;

function repairsOf(dialect: 'mysql' | 'sqlite'): Repairs {
  const texts = new Map(readSql(dialect, 'repair.sql').map(({ name, text }) => [name, text]));
  return (name, words) => texts.get(name)?.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '') ?? null;
}

function readTable(
  { name, text }: { readonly name: string; readonly text: string },
  separate: readonly DeclaredIndex[],
  repair: Repairs,
): DeclaredTable {
  const lines = text.split('\n');
  const columns = lines
    .filter((line) => !NOT_A_COLUMN.test(line))
    .map((line) => COLUMN.exec(line))
    .filter((match) => match !== null)
    .map(({ 1: column = '', 2: length, input }) => {
      const definition = input.trim().replace(/,$/, '');
      const textLength = length === undefined ? null : Number(length);
      return { name: column, textLength, definition, text: repair('addColumn', { table: name, definition }) ?? '' };
    });
  const primaryKey = lines.map((line) => PRIMARY_KEY.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  const inline = lines
    .map((line) => INLINE_INDEX.exec(line))
    .filter((match) => match !== null)
    .map(([, index = '', listed = '']) => ({
      index,
      columns: listed,
      text: repair('createIndex', { index, table: name, columns: listed }) ?? '',
    }));
  const indexes = [...inline, ...separate];
  return {
    name,
    text,
    columns,
    primaryKey: namesIn(primaryKey),
    primaryKeyText: repair('addPrimaryKey', { table: name, columns: primaryKey }),
    indexes: new Map(indexes.map((each) => [each.index, namesIn(each.columns)])),
    indexTexts: new Map(indexes.map((each) => [each.index, each.text])),
  };
}

const namesIn = (list: string) => list.split(',').map((part) => part.trim().replace(/ DESC$/, ''));
