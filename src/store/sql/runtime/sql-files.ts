import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type SqlText, splitSql } from './sql-text';

/*
 * The one file that knows where sql/ stands. In the build for bundlers another module takes its place, which holds the texts
 * themselves: scripts/build-for-bundlers.mjs.
 */

export type Dialect = 'mysql' | 'sqlite';

/** The folder that holds one dialect's SQL, in the repository and in the installed package alike. */
export function sqlFolder(dialect: Dialect): string {
  return resolve(__dirname, '../../../../sql', dialect);
}

/** The statements of a file: `readSql('mysql', 'queries/fire.sql')`. */
export function readSql(dialect: Dialect, file: string): readonly SqlText[] {
  return splitSql(readFileSync(join(sqlFolder(dialect), file), 'utf8'), `${dialect}/${file}`);
}

/** The files of a folder of sql/<dialect>, in order: `queries/acquire.sql` … */
export function listSql(dialect: Dialect, folder: 'queries' | 'migrations'): readonly string[] {
  const names = readdirSync(join(sqlFolder(dialect), folder)).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => `${folder}/${name}`);
}
