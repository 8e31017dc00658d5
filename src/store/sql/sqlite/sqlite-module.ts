import { SchedulerError, toError } from '../../../base/errors';
import { argumentsOf } from '../../../base/lists';
import { lookedForFrom } from '../../../base/outside-packages';
import type { TimeSlice } from '../../../base/yield-to-event-loop';

/** The part of `node:sqlite` that is used here; the package has the same. */
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

/** From this version on Node's own SQLite is stable; before, it is missing, behind a flag, or warns. */
const FIRST_BUILT_IN = 24;

const PACKAGE = '@photostructure/sqlite';

/**
 * SQLite: Node's own from 24 on, else the package. One of them for the whole process, because POSIX locks belong to the
 * process: a second build that closes the file would drop the first one's. Throws `CONFIGURATION` when there is none.
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

/** Installing again would not mend a package that is there: its binary is missing, or not for this machine. */
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
  // Not imported: a bundler would try to follow its calls.
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
