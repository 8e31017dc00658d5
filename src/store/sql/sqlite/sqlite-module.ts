import { SchedulerError, toError } from '../../../base/errors';
import { argumentsOf } from '../../../base/lists';
import { faultOfPackage, requireOutside } from '../../../base/outside-packages';
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

/** First Node version whose built-in SQLite needs no flag: 22.13. 23.0 to 23.3 need one. */
const FIRST_BUILT_IN = [22, 13] as const;
const FLAGGED_AGAIN = 23;
const FIRST_UNFLAGGED_AGAIN = 4;

const PACKAGE = '@photostructure/sqlite';
const VERSION = '~1.2.1';

/**
 * Loads SQLite: the built-in module from Node 22.13, otherwise the package. The version of Node alone decides, because a process must not use both: POSIX
 * locks belong to the process, and when one build closes the file, the other build loses its locks. Throws `CONFIGURATION` if SQLite cannot be loaded.
 */
export function loadSqlite(
  nodeVersion: string = process.versions.node,
  load: (name: string) => unknown = loadModule,
): SqliteModule {
  const isBuiltIn = hasSqlite(nodeVersion);
  try {
    const found = load(isBuiltIn ? 'node:sqlite' : PACKAGE);
    if (found !== undefined) return found as SqliteModule;
  } catch (error) {
    throw new SchedulerError('CONFIGURATION', isBuiltIn ? builtWithout(nodeVersion) : howToMend(error, nodeVersion), {
      cause: error,
    });
  }
  throw new SchedulerError('CONFIGURATION', builtWithout(nodeVersion));
}

function hasSqlite(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major === FLAGGED_AGAIN) return minor >= FIRST_UNFLAGGED_AGAIN;
  return major > FIRST_BUILT_IN[0] || (major === FIRST_BUILT_IN[0] && minor >= FIRST_BUILT_IN[1]);
}

const builtWithout = (nodeVersion: string) =>
  `The sqlite job store needs the module node:sqlite of Node ${nodeVersion}, found none. ` +
  'Use an official build of Node, without --no-experimental-sqlite, or another job store.';

/** Advice for a package that cannot be loaded. If it is installed, its binary is missing or for another machine: installing again does not help. */
function howToMend(error: unknown, nodeVersion: string): string {
  const fault = faultOfPackage(PACKAGE, error);
  const [found, command] =
    fault === null
      ? ['found none', `npm install ${PACKAGE}@${VERSION}`]
      : [`found one that cannot be loaded: ${fault}`, `npm rebuild ${PACKAGE}`];
  const remedy = `Run: ${command} (or use Node ${FIRST_BUILT_IN.join('.')} or later).`;
  return `The sqlite job store needs the package ${PACKAGE} on Node ${nodeVersion}, ${found}. ${remedy}`;
}

const loadModule = (name: string) =>
  name === PACKAGE ? requireOutside(PACKAGE) : withoutItsWarning(() => process.getBuiltinModule(name));

const WARNING = /^SQLite is an experimental feature/;

/** Loads the built-in module without the warning of Node 22 that it is experimental. Every other warning is printed. */
export function withoutItsWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (...args: readonly unknown[]) => {
    if (args[1] === 'ExperimentalWarning' && WARNING.test(String(args[0]))) return;
    Reflect.apply(emitWarning, process, args);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
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
