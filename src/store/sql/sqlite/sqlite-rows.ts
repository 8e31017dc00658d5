import { toError } from '../../../base/errors';
import { argumentsOf } from '../../../base/lists';
import type { TimeSlice } from '../../../base/yield-to-event-loop';
import type { SqliteStatement } from './sqlite-module';

/*
 * The rows that a statement answers. The module refuses a result with an integer that no number holds exactly; such a one is rounded then, as the
 * other database's driver does, so that one strange row does not take the others with it.
 */

type Row = Readonly<Record<string, unknown>>;

/** All rows at once. */
export function readAtOnce(prepared: SqliteStatement, bound: readonly unknown[]): unknown[] {
  try {
    return prepared.all(...argumentsOf(bound));
  } catch (error) {
    throwUnlessTooLarge(error);
  }
  prepared.setReadBigInts(true);
  try {
    return prepared.all(...argumentsOf(bound)).map(withNumbers);
  } finally {
    prepared.setReadBigInts(false);
  }
}

/** All rows; the thread does other work when a slice of time is over. The statement must not be run again meanwhile. */
export async function readInSlices(
  prepared: SqliteStatement,
  bound: readonly unknown[],
  slice: TimeSlice,
): Promise<unknown[]> {
  try {
    return await collect(prepared.iterate(...argumentsOf(bound)), slice);
  } catch (error) {
    throwUnlessTooLarge(error);
  }
  prepared.setReadBigInts(true);
  try {
    return (await collect(prepared.iterate(...argumentsOf(bound)), slice)).map(withNumbers);
  } finally {
    prepared.setReadBigInts(false);
  }
}

async function collect(rows: Iterable<unknown>, slice: TimeSlice): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const row of rows) {
    found.push(row);
    if (slice.isOver()) await slice.rest();
  }
  return found;
}

const TOO_LARGE = /too large to be represented as a JavaScript number/;

function throwUnlessTooLarge(error: unknown): void {
  if (!TOO_LARGE.test(toError(error).message)) throw error;
}

function withNumbers(row: unknown): Row {
  const entries = Object.entries(row as Row);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]));
}
