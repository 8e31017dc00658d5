import { StaleRead } from './retry-rules';
import type { SqlParams, SqlTransaction } from './sql-driver';
import type { StatementName } from './statement-names';

/**
 * One row of a set that travels as JSON: a single text; columns by name, of which null is left out, which reads as NULL; or
 * columns in the order of the statement, key first, which a server reads in two thirds of the time.
 */
export type RowOfSet = NamedColumns | readonly ListedValue[] | string;

type NamedColumns = Readonly<Record<string, string | number | null>>;

/** One column of a row whose columns come in order. */
export type ListedValue = string | number | OptionalValue;

/** A column that may be NULL, as a list of one value or none: what JSON's null becomes, servers do not agree on. */
export type OptionalValue = readonly [] | readonly [string | number];

const ABSENT: OptionalValue = [];

/** The value, as a column that may be NULL. */
export function optional(value: string | number | null): OptionalValue {
  return value === null ? ABSENT : [value];
}

/** A set of more bytes is sent in parts, well below the 16 MiB that a server takes by default; one that takes less says so. */
const LARGEST_PART = 4 * 1024 * 1024;

/** A call for each row would take three times as long. */
const ROWS_AT_ONCE = 100;

/** Parts that are sent before the first of them is answered: all that a batch of firings writes; more would only be held in memory. */
const MOST_UNDER_WAY = 6;

/** The columns that rows are written in the order of: always the same order of locks, so fewer deadlocks. */
const ORDERED_BY = ['triggerName', 'triggerGroup', 'jobName', 'jobGroup', 'entryId'] as const;

/** Writes a set of rows with one statement; how many rows it changed. Nothing is sent for an empty set. */
export async function writeRows(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<number> {
  const send = ({ json }: Part) => tx.run(statement, { ...params, rows: json });
  return (await sendAll(partsOf(inKeyOrder(rows), tx.longestSet), send)).reduce((sum, { changes }) => sum + changes, 0);
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
export interface RowBatch {
  readonly statement: StatementName;
  readonly rows: readonly RowOfSet[];
  /** What the statement takes besides what all of them take. */
  readonly params?: SqlParams;
  /** It changes whatever rows it finds, none of which was read. */
  readonly isSweeping?: true;
}

/**
 * Writes sets one after the other, as `writeEveryRow` each that is not sweeping. While the database stores one the next is put together, as far
 * as `sets` is lazy: of new triggers, that hides a tenth of the time.
 */
export async function writeAll(tx: SqlTransaction, params: SqlParams, sets: Iterable<RowBatch>): Promise<void> {
  await sendAll(statementsOf(sets, tx.longestSet), (part) => writePart(tx, params, part));
}

/** Sends parts as they are put together, without waiting for the answers to those before; the answers, in that order. */
async function sendAll<SomePart, Answer>(
  parts: Iterable<SomePart>,
  send: (part: SomePart) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Promise<Answer>[] = [];
  try {
    for (const part of parts) {
      answers.push(send(part));
      if (answers.length >= MOST_UNDER_WAY) await answers[answers.length - MOST_UNDER_WAY];
    }
  } finally {
    await Promise.allSettled(answers); // what is under way is waited for, whatever became of the rest
  }
  return Promise.all(answers);
}

async function writePart(tx: SqlTransaction, params: SqlParams, part: SetPart) {
  const { statement, json, count, params: own, isSweeping = false } = part;
  const { changes } = await tx.run(statement, { ...params, ...own, rows: json });
  if (!isSweeping && changes !== count) throw new StaleRead(statement);
}

type SetPart = Part & Omit<RowBatch, 'rows'>;

function* statementsOf(sets: Iterable<RowBatch>, longest?: number): Generator<SetPart> {
  for (const { rows, ...set } of sets) {
    for (const part of partsOf(inKeyOrder(rows), longest)) yield { ...set, ...part };
  }
}

/** What a statement finds for a set of rows. Nothing is asked for an empty set. */
export async function selectByRows<Row>(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const { json } of partsOf(rows, tx.longestSet)) {
    // One by one: a call takes no more than some hundred thousand arguments.
    for (const row of await tx.all<Row>(statement, { ...params, rows: json })) found.push(row);
  }
  return found;
}

/** As `selectByRows`, for statements that tell by POSITION which row of the set each row belongs to: one for each, in that order. */
export async function selectOrdered<Row extends { readonly POSITION: number }>(
  tx: SqlTransaction,
  statement: StatementName,
  params: SqlParams,
  rows: readonly RowOfSet[],
): Promise<readonly Row[]> {
  const found = new Array<Row>(rows.length);
  for (const { json, first } of partsOf(rows, tx.longestSet)) {
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

/** A set as texts that are small enough to be sent, `longest` bytes at most unless a single row has more; none for an empty one. */
export function* partsOf(rows: readonly RowOfSet[], longest = LARGEST_PART): Generator<Part> {
  const limit = Math.min(longest, LARGEST_PART);
  let texts: string[] = [];
  let size = 0;
  let first = 0;
  let count = 0;
  for (const piece of piecesOf(rows, limit)) {
    if (count > 0 && size + piece.size > limit) {
      yield { json: `[${texts.join(',')}]`, first, count };
      first += count;
      [texts, size, count] = [[], 0, 0];
    }
    texts.push(piece.text);
    size += piece.size + 1;
    count += piece.count;
  }
  if (count > 0) yield { json: `[${texts.join(',')}]`, first, count };
}

interface Piece {
  readonly text: string;
  readonly size: number;
  readonly count: number;
}

/** Rows without the brackets around them: as many as are quickly written at once, one by one where they are very long. */
function* piecesOf(rows: readonly RowOfSet[], limit: number): Generator<Piece> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.length <= ROWS_AT_ONCE ? rows : rows.slice(start, start + ROWS_AT_ONCE);
    const piece = pieceOf(some);
    if (piece.size <= limit) yield piece;
    else for (const row of some) yield pieceOf([row]);
  }
}

function pieceOf(rows: readonly RowOfSet[]): Piece {
  const text = toJson(rows);
  return { text, size: Buffer.byteLength(text), count: rows.length };
}

function toJson(rows: readonly RowOfSet[]): string {
  const [first] = rows;
  const isSimple = typeof first === 'string' || (first !== undefined && isListed(first));
  return JSON.stringify(isSimple ? rows : rows.map(withoutNulls)).slice(1, -1);
}

function withoutNulls(row: RowOfSet): RowOfSet {
  if (typeof row === 'string' || isListed(row)) return row;
  const present: Record<string, string | number> = {};
  for (const column in row) {
    const value = row[column];
    if (value !== null && value !== undefined) present[column] = value;
  }
  return present;
}

function inKeyOrder(rows: readonly RowOfSet[]): readonly RowOfSet[] {
  const [first] = rows;
  if (first === undefined || rows.length === 1) return rows;
  if (typeof first === 'string') return [...rows].sort();
  if (isListed(first)) return [...(rows as readonly (readonly ListedValue[])[])].sort(compareListed);
  return [...(rows as readonly NamedColumns[])].sort(compareNamed);
}

function compareNamed(a: NamedColumns, b: NamedColumns): number {
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

function compare(a: ListedValue, b: ListedValue): number {
  return a < b ? -1 : a === b ? 0 : 1;
}

function isListed(row: RowOfSet): row is readonly ListedValue[] {
  return Array.isArray(row);
}
