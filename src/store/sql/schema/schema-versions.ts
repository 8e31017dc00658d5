import type { Dialect } from '../runtime/sql-files';
import { keyOf, levelOf, loadMigrations, type RecordedMigration } from './schema-files';

/** Returns problems with the recorded migrations that prevent this version from using the tables: unknown, missing and changed migrations. */
export function versionProblems(dialect: Dialect, recorded: ReadonlyMap<string, RecordedMigration>): string[] {
  const known = new Map(loadMigrations(dialect).map((migration) => [keyOf(migration), migration.checksum]));
  const level = levelOfVersion(dialect);
  const newer = newerMigrations(dialect, recorded).filter(
    ([, { usableFrom }]) => usableFrom === null || usableFrom > level,
  );
  const missing = [...known.keys()].filter((name) => !recorded.has(name));
  const changed = [...recorded].filter(([name, { checksum }]) => known.has(name) && known.get(name) !== checksum);
  return [
    ...newer.map(([name]) => `${name} was applied by a newer version of quartz-ts. Use that version.`),
    ...missing.map((name) => `${name} has not been applied.`),
    ...changed.map(([name]) => `${name} was applied with other statements than those of this version.`),
  ];
}

/** Returns a warning for operators if a newer version has changed the tables but this version can still use them. */
export function newerWarnings(dialect: Dialect, recorded: ReadonlyMap<string, RecordedMigration>): string[] {
  const names = newerMigrations(dialect, recorded).map(([key]) => key.replace('migration.', ''));
  if (names.length === 0) return [];
  return [
    `A newer version of quartz-ts has changed the tables (${names.join(', ')}). This version can use them. Complete the upgrade or the rollback.`,
  ];
}

function newerMigrations(dialect: Dialect, recorded: ReadonlyMap<string, RecordedMigration>) {
  const known = new Set(loadMigrations(dialect).map(keyOf));
  return [...recorded].filter(([key]) => !known.has(key));
}

function levelOfVersion(dialect: Dialect): number {
  const newest = loadMigrations(dialect).at(-1);
  return newest === undefined ? 0 : levelOf(newest.name);
}
