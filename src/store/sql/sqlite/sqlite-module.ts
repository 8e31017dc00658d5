import { SchedulerError, toError } from '../../../base/errors';
import { argumentsOf } from '../../../base/lists';
import { resolutionRoots } from '../../../base/outside-packages';
import type { TimeSlice } from '../../../base/yield-to-event-loop';

/** Members of `node:sqlite` that are used here. The package has the same interface. */
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

/** First Node version with a stable built-in SQLite. In earlier versions, SQLite is missing, needs a flag, or prints a warning. */
const FIRST_BUILT_IN = 24;

const PACKAGE = '@photostructure/sqlite';

/**
 * Loads SQLite: the built-in module from Node 24, otherwise the package. A process must not use both, because POSIX locks belong to the process: when
 * one build closes the file, the other build loses its locks. Throws `CONFIGURATION` if SQLite cannot be loaded.
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

/** Advice for a package that cannot be loaded. If it is installed, its binary is missing or for another machine: installing again does not help. */
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
  // Not an import, because a bundler would try to bundle the package.
  const { createRequire } = process.getBuiltinModule('node:module');
  const [first, ...others] = resolutionRoots();
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

/* The module rejects integers that a number cannot represent exactly. They are rounded, as in mysql2, so that other rows stay readable. */

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

/** Reads all rows. Yields to the event loop when a time slice is used up. The statement must not run again until the promise has settled. */
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

function withNumbers(row: unknown): unknown {
  const entries = Object.entries(row as object);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]));
}
