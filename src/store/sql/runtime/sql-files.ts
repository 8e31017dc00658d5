import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseName } from '../../../base/database-kinds';
import { type SqlText, splitSql } from './sql-text';

/*
 * The only file that knows the location of sql/. The build for bundlers (scripts/build-for-bundlers.mjs) replaces it with a module that
 * contains the texts.
 */

/** A SQL dialect. Each database has a folder with its name in sql/. */
export type Dialect = DatabaseName;

/** Returns the folder of one dialect's SQL, in the repository and in the installed package. */
export function sqlFolder(dialect: Dialect): string {
  return resolve(__dirname, '../../../../sql', dialect);
}

/** Reads the statements of a file: `readSql('mysql', 'session.sql')`. */
export function readSql(dialect: Dialect, file: string): readonly SqlText[] {
  return splitSql(readFileSync(join(sqlFolder(dialect), file), 'utf8'), `${dialect}/${file}`);
}

/** Reads the store's statements in this dialect: `sql/expanded/<dialect>.sql`. */
export function readQueries(dialect: Dialect): readonly SqlText[] {
  const file = `expanded/${dialect}.sql`;
  return splitSql(readFileSync(join(sqlFolder(dialect), '..', file), 'utf8'), file);
}

/** Lists the migrations of a dialect in order: `migrations/0001_initial.sql` … */
export function listMigrations(dialect: Dialect): readonly string[] {
  const names = readdirSync(join(sqlFolder(dialect), 'migrations')).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => `migrations/${name}`);
}
