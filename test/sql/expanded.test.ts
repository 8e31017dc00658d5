import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Dialect, readQueries, sqlFolder } from '../../src/store/sql/runtime/sql-files';
import { type SqlText, splitSql } from '../../src/store/sql/runtime/sql-text';
import { STATEMENT_NAMES } from '../../src/store/sql/runtime/statement-names';

const SCRIPT = resolve(__dirname, '../../scripts/expand-sql.mjs');

const parametersOf = (texts: readonly SqlText[]) =>
  Object.fromEntries(texts.map(({ name, parameters }) => [name, [...new Set(parameters)].sort()]));
const tablesOf = (text: string) => new Set(text.match(/(?<=CREATE TABLE IF NOT EXISTS )QRTZ_\w+/g));

describe('the SQL statements of both dialects', () => {
  it('match the templates in sql/queries, as do their names in the code (node scripts/expand-sql.mjs)', () => {
    execFileSync('node', [SCRIPT, '--check']);
  });

  it('take the same parameters', () => {
    expect(parametersOf(readQueries('sqlite'))).toEqual(parametersOf(readQueries('mysql')));
  });

  it('contain no unexpanded marker', () => {
    const left = (['mysql', 'sqlite'] as const).flatMap(readQueries).filter(({ text }) => /@[a-z]/.test(text));
    expect(left.map(({ name }) => name)).toEqual([]);
  });

  it.each<Dialect>(['mysql', 'sqlite'])('delete every row of every table of a scheduler (%s)', (dialect) => {
    const tables = tablesOf(readFileSync(join(sqlFolder(dialect), 'schema.sql'), 'utf8'));
    const deleted = readQueries(dialect)
      .filter(({ name }) => name.startsWith('deleteAll'))
      .map(({ text }) => /QRTZ_\w+/.exec(text)?.[0]);
    expect(new Set(deleted)).toEqual(tables);
  });

  it('have unique names', () => {
    expect(new Set(STATEMENT_NAMES).size).toBe(STATEMENT_NAMES.length);
  });

  it('are all used', () => {
    const folder = resolve(__dirname, '../../src');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('statement-names.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    expect(STATEMENT_NAMES.filter((name) => !name.startsWith('deleteAll') && !sources.includes(`'${name}'`))).toEqual(
      [],
    );
  });

  it('have no bare parameter as LIMIT, for which SQLite would prepare the statement again', () => {
    const bare = readQueries('sqlite').filter(({ text }) => /\b(?:LIMIT|OFFSET)\s+[?:]\w*\s*(?!\s*\+)/.test(text));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('skip locked rows if they find triggers by their job', () => {
    const locking = readQueries('mysql').filter(
      ({ text }) =>
        text.includes('FORCE INDEX (IDX_QRTZ_T_J)') && /^\s*(?:UPDATE|DELETE)|FOR UPDATE|FOR SHARE/m.test(text),
    );
    const waiting = locking.filter(({ text }) => !text.includes('SKIP LOCKED')).map(({ name }) => name);
    expect(locking.length).toBeGreaterThan(waiting.length);
    // A job is an orphan only if no open transaction gives it a trigger. Firings deferred by a rate limit have triggers of this scheduler alone.
    expect(waiting.sort()).toEqual(['deleteOrphanJobs', 'recallTurns']);
  });

  it('set the collation of every text column of JSON_TABLE', () => {
    const loose = readQueries('mysql').filter(({ text }) => /(?:VARCHAR\(\d+\)|TEXT)\s+PATH/.test(text));
    expect(loose.map(({ name }) => name)).toEqual([]);
  });
});

/** Differences between MySQL and MariaDB, found by running all tests on MySQL 8.0, 8.4 and 9.7. Tests on MariaDB alone would not detect them. */
describe('the statements for MySQL and MariaDB', () => {
  const folder = sqlFolder('mysql');
  const others = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => splitSql(readFileSync(join(folder, file), 'utf8'), file));
  const all = [...readQueries('mysql'), ...others];
  const namesWhere = (isWrong: (text: string) => boolean) =>
    all.filter(({ text }) => isWrong(text)).map(({ name }) => name);

  it('name the tables to lock FOR UPDATE next to JSON_TABLE, whose rows MySQL refuses to lock (3569)', () => {
    const OF = /FOR UPDATE (?!\/\*!80000 OF [a-z](?:, [a-z])* \*\/)|FOR UPDATE$/m;
    expect(namesWhere((text) => text.includes('JSON_TABLE') && OF.test(text))).toEqual([]);
  });

  it('name the job in upserts of existing triggers, because MySQL 9 checks foreign keys first (1452)', () => {
    const upsert = /INSERT INTO QRTZ_TRIGGERS[\s\S]*ON DUPLICATE KEY/;
    expect(namesWhere((text) => upsert.test(text) && !text.includes('t.JOB_NAME, t.JOB_GROUP'))).toEqual([]);
  });

  it('use no function that MySQL 9 has removed', () => {
    expect(namesWhere((text) => /\b(SHA1?|MD5|PASSWORD|ENCRYPT|DES_\w+)\s*\(/.test(text))).toEqual([]);
  });
});
