import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseName } from '../../../base/database-kinds';
import { type SqlText, splitSql } from './sql-text';

/*
 * The one file that knows where sql/ stands. In the build for bundlers another module takes its place, which holds the texts
 * themselves: scripts/build-for-bundlers.mjs.
 */

/** Each database has a folder of its name in sql/. */
export type Dialect = DatabaseName;

/** The folder that holds one dialect's SQL, in the repository and in the installed package alike. */
export function sqlFolder(dialect: Dialect): string {
  return resolve(__dirname, '../../../../sql', dialect);
}

/** The statements of a file: `readSql('mysql', 'session.sql')`. */
export function readSql(dialect: Dialect, file: string): readonly SqlText[] {
  return splitSql(readFileSync(join(sqlFolder(dialect), file), 'utf8'), `${dialect}/${file}`);
}

/** The statements of the store in this dialect: `sql/expanded/<dialect>.sql`. */
export function readQueries(dialect: Dialect): readonly SqlText[] {
  const file = `expanded/${dialect}.sql`;
  return splitSql(readFileSync(join(sqlFolder(dialect), '..', file), 'utf8'), file);
}

/** The migrations of a dialect, in order: `migrations/0001_initial.sql` … */
export function listMigrations(dialect: Dialect): readonly string[] {
  const names = readdirSync(join(sqlFolder(dialect), 'migrations')).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => `migrations/${name}`);
}
