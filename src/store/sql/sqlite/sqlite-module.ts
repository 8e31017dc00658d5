import { SchedulerError, toError } from '../../../base/errors';
import { argumentsOf } from '../../../base/lists';
import { lookedForFrom } from '../../../base/outside-packages';
import type { TimeSlice } from '../../../base/yield-to-event-loop';

/** The part of `node:sqlite` that is used here. The package has the same interface. */
export interface SqliteDatabase {
  prepare(text: string): SqliteStatement;
  exec(text: string): void;
  close(): void;
}

export interface SqliteStatement {
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): Iterable<unknown>;
  run(...values: unknown[]): { readonly changes: number | bigint };
  setReadBigInts(isOn: boolean): void;
}

export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

/** First Node version whose built-in SQLite is stable. In earlier versions it is missing, behind a flag, or prints a warning. */
const FIRST_BUILT_IN = 24;

const PACKAGE = '@photostructure/sqlite';

/**
 * Loads SQLite: Node's own from version 24, otherwise the package. A process uses only one of them, because POSIX locks belong to the
 * process. A second build that closes the file would drop the locks of the first. Throws `CONFIGURATION` if there is none.
 */
export function loadSqlite(
  nodeVersion: string = process.versions.node,
  load: (name: string) => unknown = loadModule,
): SqliteModule {
  const isBuiltIn = Number.parseInt(nodeVersion, 10) >= FIRST_BUILT_IN;
  try {
    return load(isBuiltIn ? 'node:sqlite' : PACKAGE) as SqliteModule;
  } catch (error) {
    throw new SchedulerError('CONFIGURATION', isBuiltIn ? builtWithout(nodeVersion) : howToMend(error, nodeVersion), {
      cause: error,
    });
  }
}

const builtWithout = (nodeVersion: string) =>
  `This Node (${nodeVersion}) was built without SQLite. Use an official build of Node, or another job store.`;

/**
 * Returns the advice for a package that cannot be loaded. If it is installed, reinstalling does not help: its binary is missing, or built
 * for another machine.
 */
function howToMend(error: unknown, nodeVersion: string): string {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const [found, command] =
    reason === `Cannot find module '${PACKAGE}'`
      ? ['found none', `npm install ${PACKAGE}@~1.2.1`]
      : [`found one that cannot be loaded: ${reason}`, `npm rebuild ${PACKAGE}`];
  const remedy = `Run: ${command} (or use Node ${FIRST_BUILT_IN} or later).`;
  return `The sqlite job store needs the package ${PACKAGE} on Node ${nodeVersion}, ${found}. ${remedy}`;
}

function loadModule(name: string): unknown {
  if (name !== PACKAGE) return process.getBuiltinModule(name);
  // Not imported, because a bundler would try to follow its calls.
  const { createRequire } = process.getBuiltinModule('node:module');
  const [first, ...others] = lookedForFrom();
  try {
    return createRequire(first)(PACKAGE);
  } catch (error) {
    const found = others.find((place) => canResolve(createRequire(place)));
    if (found === undefined) throw error;
    return createRequire(found)(PACKAGE);
  }
}

function canResolve({ resolve }: NodeJS.Require): boolean {
  try {
    return resolve(PACKAGE) !== '';
  } catch {
    return false;
  }
}

/*
 * Rows that a statement returns. The module rejects a result with an integer that a number cannot hold exactly. Such integers are then
 * rounded, as mysql2 does, so that one unusual row does not make the others unreadable.
 */

type Row = Readonly<Record<string, unknown>>;

/** Reads all rows at once. */
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

/** Reads all rows, and lets the thread do other work when a time slice is used up. The statement must not be run again until then. */
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
