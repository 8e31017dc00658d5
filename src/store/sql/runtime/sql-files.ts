import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseName } from '../../../base/database-kinds';
import { type SqlText, splitSql } from './sql-text';

/* The only module that knows the location of sql/. The build for bundlers (scripts/build-for-bundlers.mjs) replaces it with the SQL texts. */

/** A SQL dialect. Each one has a folder of the same name in sql/. */
export type Dialect = DatabaseName;

/** Returns the folder with a dialect's SQL files, in the repository or in the installed package. */
export function sqlFolder(dialect: Dialect): string {
  return resolve(__dirname, '../../../../sql', dialect);
}

/** Reads the statements of a file, for example `readSql('mysql', 'session.sql')`. */
export function readSql(dialect: Dialect, file: string): readonly SqlText[] {
  return splitSql(readFileSync(join(sqlFolder(dialect), file), 'utf8'), `${dialect}/${file}`);
}

/** Reads the store's statements in a dialect, from `sql/expanded/<dialect>.sql`. */
export function readQueries(dialect: Dialect): readonly SqlText[] {
  const file = `expanded/${dialect}.sql`;
  return splitSql(readFileSync(join(sqlFolder(dialect), '..', file), 'utf8'), file);
}

/** Lists the migrations of a dialect in order, for example `migrations/0001_initial.sql`. */
export function listMigrations(dialect: Dialect): readonly string[] {
  const names = readdirSync(join(sqlFolder(dialect), 'migrations')).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => `migrations/${name}`);
}
