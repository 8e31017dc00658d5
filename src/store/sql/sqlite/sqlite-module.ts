import { SchedulerError } from '../../../base/errors';
import { lookedForFrom } from '../../../base/outside-packages';

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
