import { StaleRead } from './retry-rules';
import type { SqlParams, SqlTransaction } from './sql-driver';
import type { StatementName } from './statement-names';

/**
 * One row of a set that is sent as JSON, in one of three forms: a single string, columns by name, or an ordered list of columns. Columns by name omit
 * nulls, and the server reads missing columns as NULL. An ordered list follows the order of the statement, keys first. A server reads an ordered list
 * in two thirds of the time.
 */
export type RowOfSet = NamedColumns | readonly ListedValue[] | string;

type NamedColumns = Readonly<Record<string, string | number | null>>;

export type ListedValue = string | number | OptionalValue;

/** A column that may be NULL: a list with one value or none. JSON's null is not used, because servers convert it differently. */
type OptionalValue = readonly [] | readonly [string | number];

const ABSENT: OptionalValue = [];

export function optional(value: string | number | null): OptionalValue {
  return value === null ? ABSENT : [value];
}

/** Maximum size of one JSON string in bytes, well below the servers' default limit of 16 MiB. If a server accepts less, `maxSetBytes` applies. */
const MAX_PART_BYTES = 4 * 1024 * 1024;

/** Number of rows above which a set is split without measuring its size. */
const MAX_PART_ROWS = 10_000;

/** Columns by which rows are sorted before they are written. Locking rows in a constant order reduces deadlocks. */
const KEY_COLUMNS = ['triggerName', 'triggerGroup', 'jobName', 'jobGroup', 'entryId'] as const;

/** Writes a set of rows, sorted by key, in several statements if it is large, in none if it is empty. Returns the number of changed rows. */
export function writeRows(
  tx: SqlTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
  params?: SqlParams,
): Promise<number> {
  return write(tx, statement, rows, { params, requiresAll: false });
}

async function write(
  tx: SqlTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
  { params, requiresAll }: { readonly params: SqlParams | undefined; readonly requiresAll: boolean },
): Promise<number> {
  if (rows.length === 0) return 0;
  const inKeyOrder = rows.length < 2 ? rows : [...rows].sort(compareKeys);
  const parts = partsOf(inKeyOrder, tx.maxSetBytes);
  const run = ({ json, count }: Part) => tx.run(statement, { ...params, rows: json }, requiresAll ? count : undefined);
  const answers = await Promise.all(parts.map(run));
  return answers.reduce((sum, { changes }) => sum + changes, 0);
}

/** Writes a set of rows. Throws `StaleRead` unless every row was changed. */
export async function writeEveryRow(
  tx: SqlTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
  params?: SqlParams,
): Promise<void> {
  const changes = await write(tx, statement, rows, { params, requiresAll: true });
  if (changes !== rows.length) throw new StaleRead(statement);
}

/** Statements that insert rows of the same columns. */
export interface ColumnsInsert {
  readonly statement: StatementName;
  /** The same statement with the common columns as parameters. */
  readonly commonStatement: StatementName;
  /** The same statement for one row. Its parameters are `schedName` and all columns, in order. */
  readonly oneStatement: StatementName;
  /** Number of the first columns, which may differ between rows. */
  readonly own: number;
  /** Parameter names of the other columns, in order. */
  readonly common: readonly string[];
}

/** Inserts rows. Sends columns with the same value in all rows once: parsing them from JSON would take most of the server's time for the insert. */
export async function insertRows(
  tx: SqlTransaction,
  { statement, commonStatement, oneStatement, own, common }: ColumnsInsert,
  rows: readonly (readonly ListedValue[])[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  if (rows.length === 1) {
    const { changes } = await tx.run(oneStatement, first.map(toParameter), 1);
    if (changes !== 1) throw new StaleRead(oneStatement);
    return;
  }
  const values = first.slice(own).map(toParameter);
  const agree = (row: readonly ListedValue[]) => values.every((value, at) => toParameter(row[own + at]) === value);
  if (!rows.every(agree)) return writeEveryRow(tx, statement, rows);
  const shared = Object.fromEntries(common.map((name, at) => [name, values[at] ?? null]));
  const ownColumns = rows.map((row) => row.slice(0, own));
  return writeEveryRow(tx, commonStatement, ownColumns, shared);
}

function toParameter(value: ListedValue | undefined): string | number | null {
  return typeof value === 'object' ? (value[0] ?? null) : (value ?? null);
}

/** Returns the rows that a statement finds for a set of rows. Sends nothing for an empty set. */
export async function selectByRows<Row>(
  tx: SqlTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
  params?: SqlParams,
): Promise<readonly Row[]> {
  const parts = partsOf(rows, tx.maxSetBytes);
  return (await Promise.all(parts.map(({ json }) => tx.all<Row>(statement, { ...params, rows: json })))).flat();
}

/** Like `selectByRows`, for statements that return one row with its POSITION for each row of the set. Returns the rows in the order of the set. */
export async function selectOrdered<Row extends { readonly POSITION: number }>(
  tx: SqlTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
  params?: SqlParams,
): Promise<readonly Row[]> {
  const found = new Array<Row>(rows.length);
  const select = async ({ json, first }: Part) => {
    for (const row of await tx.all<Row>(statement, { ...params, rows: json })) found[first + row.POSITION] = row;
  };
  await Promise.all(partsOf(rows, tx.maxSetBytes).map(select));
  return found;
}

/** A set, or a piece of a set that is small enough for one statement. */
interface Part {
  readonly json: string;
  /** Position of the piece's first row in the set. */
  readonly first: number;
  readonly count: number;
}

/** Splits a set into JSON strings of at most `maxBytes` bytes each. A single row may be longer. Returns an empty array for an empty set. */
export function partsOf(rows: readonly RowOfSet[], maxBytes = MAX_PART_BYTES, first = 0): readonly Part[] {
  const count = rows.length;
  if (count === 0) return [];
  if (count <= MAX_PART_ROWS) {
    const json = JSON.stringify(rows.some(isNamed) ? rows.map(withoutNulls) : rows);
    const isSmall = Buffer.byteLength(json) <= Math.min(maxBytes, MAX_PART_BYTES);
    if (isSmall || count === 1) return [{ json, first, count }];
  }
  const middle = Math.ceil(count / 2);
  const rest = partsOf(rows.slice(middle), maxBytes, first + middle);
  return [...partsOf(rows.slice(0, middle), maxBytes, first), ...rest];
}

function withoutNulls(row: RowOfSet): RowOfSet {
  if (!isNamed(row)) return row;
  const present: Record<string, string | number> = {};
  for (const column in row) {
    const value = row[column];
    if (value !== null && value !== undefined) present[column] = value;
  }
  return present;
}

function isNamed(row: RowOfSet): row is NamedColumns {
  return typeof row === 'object' && !Array.isArray(row);
}

function compareKeys(a: RowOfSet, b: RowOfSet): number {
  if (typeof a === 'string' || typeof b === 'string') return compare(a, b);
  if (isNamed(a) && isNamed(b)) {
    const column = KEY_COLUMNS.find((name) => a[name] !== b[name]);
    return column === undefined ? 0 : compare(a[column] ?? '', b[column] ?? '');
  }
  const [name = '', group = ''] = a as readonly ListedValue[];
  const [otherName = '', otherGroup = ''] = b as readonly ListedValue[];
  return compare(name, otherName) || compare(group, otherGroup);
}

function compare<Value>(a: Value, b: Value): number {
  return a < b ? -1 : a === b ? 0 : 1;
}
