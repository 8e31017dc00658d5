import { StaleRead } from './restart-rules';
import type { SqlParams, SqlTransaction } from './sql-driver';
import type { StatementName } from './statement-names';

/**
 * One row of a set that travels as JSON: a single text; columns by name, of which null is left out, which reads as NULL; or
 * columns in the order of the statement, key first, which a server reads in two thirds of the time.
 */
export type RowOfSet = Readonly<Record<string, string | number | null>> | readonly ListedValue[] | string;

/** One column of a row whose columns come in order. */
export type ListedValue = string | number | OptionalValue;

/** A column that may be NULL, as a list of one value or none: what JSON's null becomes, servers do not agree on. */
export type OptionalValue = readonly [] | readonly [string | number];

const ABSENT: OptionalValue = [];

/** The value, as a column that may be NULL. */
export function optional(value: string | number | null): OptionalValue {
  return value === null ? ABSENT : [value];
}

/** A set larger than this is sent in parts, well below the 16 MiB that a server takes by default. */
const LARGEST_PART = 4 * 1024 * 1024;

/** The columns that rows are written in the order of: always the same order of locks, so fewer deadlocks. */
const ORDERED_BY = ['triggerName', 'triggerGroup', 'jobName', 'jobGroup', 'entryId'] as const;

/** Writes a set of rows with one statement; how many rows it changed. Nothing is sent for an empty set. */
export async function writeRows(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<number> {
  let changes = 0;
  for (const part of partsOf(inKeyOrder(rows)))
    changes += (await tx.run(statement, { ...params, rows: part.json })).changes;
  return changes;
}

/** Writes a set of rows and throws `StaleRead` unless every one of them met its condition. */
export async function writeEveryRow(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<void> {
  const changes = await writeRows(tx, statement, params, rows);
  if (changes !== rows.length) throw new StaleRead(statement);
}

/** A set of rows, and the statement that writes it. */
export interface RowSet {
  readonly statement: StatementName;
  readonly rows: readonly RowOfSet[];
}

/**
 * Writes sets one after the other, as `writeEveryRow` each. While the database stores one the next is put together, as far
 * as `sets` is lazy: of new triggers, that hides a tenth of the time.
 */
export async function writeInTurn(tx: SqlTransaction, params: SqlParams, sets: Iterable<RowSet>): Promise<void> {
  const parts = partsInTurn(sets);
  let part = parts.next();
  while (!part.done) {
    const { statement, json, count } = part.value;
    const writing = tx.run(statement, { ...params, rows: json });
    let changes: number;
    try {
      part = parts.next();
    } finally {
      ({ changes } = await writing); // a statement that is under way is waited for, whatever became of the next
    }
    if (changes !== count) throw new StaleRead(statement);
  }
}

function* partsInTurn(sets: Iterable<RowSet>): Generator<Part & { readonly statement: StatementName }> {
  for (const { statement, rows } of sets) for (const part of partsOf(inKeyOrder(rows))) yield { statement, ...part };
}

/** What a statement finds for a set of rows. Nothing is asked for an empty set. */
export async function selectByRows<Row>(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const { json } of partsOf(rows)) {
    // One by one: a call takes no more than some hundred thousand arguments.
    for (const row of await tx.all<Row>(statement, { ...params, rows: json })) found.push(row);
  }
  return found;
}

/** As `selectByRows`, for statements that tell by POSITION which row of the set each row belongs to: one for each, in that order. */
export async function selectInOrder<Row extends { readonly POSITION: number }>(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<readonly Row[]> {
  const found = new Array<Row>(rows.length);
  for (const { json, first } of partsOf(rows)) {
    for (const row of await tx.all<Row>(statement, { ...params, rows: json })) found[first + row.POSITION] = row;
  }
  return found;
}

/** A set, or as much of it as may be sent at once. */
interface Part {
  readonly json: string;
  /** The place of its first row in the set. */
  readonly first: number;
  readonly count: number;
}

/** A set as texts that are small enough to be sent; none for an empty one. */
export function* partsOf(rows: readonly RowOfSet[]): Generator<Part> {
  let texts: string[] = [];
  let size = 0;
  let first = 0;
  for (const row of rows) {
    const text = toJson(row);
    if (size + text.length > LARGEST_PART && texts.length > 0) {
      yield { json: `[${texts.join(',')}]`, first, count: texts.length };
      first += texts.length;
      texts = [];
      size = 0;
    }
    texts.push(text);
    size += text.length + 1;
  }
  if (texts.length > 0) yield { json: `[${texts.join(',')}]`, first, count: texts.length };
}

function toJson(row: RowOfSet): string {
  if (typeof row === 'string' || isListed(row)) return JSON.stringify(row);
  const present: Record<string, string | number> = {};
  for (const column in row) {
    const value = row[column];
    if (value !== null && value !== undefined) present[column] = value;
  }
  return JSON.stringify(present);
}

function inKeyOrder(rows: readonly RowOfSet[]): readonly RowOfSet[] {
  return rows.length < 2 ? rows : [...rows].sort(compareRows);
}

function compareRows(a: RowOfSet, b: RowOfSet): number {
  if (typeof a === 'string' || typeof b === 'string') return compare(a, b);
  if (isListed(a) || isListed(b)) return compareListed(a as readonly ListedValue[], b as readonly ListedValue[]);
  for (const column of ORDERED_BY) {
    const order = compare(a[column] ?? '', b[column] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** By name and group, which are the first columns of every such row. */
function compareListed([name = '', group = '']: readonly ListedValue[], other: readonly ListedValue[]): number {
  return compare(name, other[0] ?? '') || compare(group, other[1] ?? '');
}

function compare<T extends RowOfSet | ListedValue>(a: T, b: T): number {
  return a < b ? -1 : a === b ? 0 : 1;
}

function isListed(row: RowOfSet): row is readonly ListedValue[] {
  return Array.isArray(row);
}
