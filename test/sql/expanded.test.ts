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

describe('the statements of both dialects', () => {
  it('are what sql/queries makes, as are their names in the code (node scripts/expand-sql.mjs)', () => {
    execFileSync('node', [SCRIPT, '--check']);
  });

  it('take the same parameters', () => {
    expect(parametersOf(readQueries('sqlite'))).toEqual(parametersOf(readQueries('mysql')));
  });

  it('are translated whole: no marker is left', () => {
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

  it('have names of their own', () => {
    expect(new Set(STATEMENT_NAMES).size).toBe(STATEMENT_NAMES.length);
  });

  it('are used', () => {
    const folder = resolve(__dirname, '../../src');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('statement-names.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    expect(STATEMENT_NAMES.filter((name) => !name.startsWith('deleteAll') && !sources.includes(`'${name}'`))).toEqual(
      [],
    );
  });

  it('do not let SQLite plan anew for every limit: it looks into a parameter that stands alone', () => {
    const bare = readQueries('sqlite').filter(({ text }) => /\b(?:LIMIT|OFFSET)\s+[?:]\w*\s*(?!\s*\+)/.test(text));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('wait for no trigger of a job that another session has locked: they find it by its job, and hold TRIGGER_ACCESS', () => {
    const locking = readQueries('mysql').filter(
      ({ text }) =>
        text.includes('FORCE INDEX (IDX_QRTZ_T_J)') && /^\s*(?:UPDATE|DELETE)|FOR UPDATE|FOR SHARE/m.test(text),
    );
    const waiting = locking.filter(({ text }) => !text.includes('SKIP LOCKED')).map(({ name }) => name);
    expect(locking.length).toBeGreaterThan(waiting.length);
    // A job is an orphan only if no open transaction gives it a trigger; firings that a rate limit has deferred have triggers of this scheduler alone.
    expect(waiting.sort()).toEqual(['deleteOrphanJobs', 'recallTurns']);
  });

  it('spell out the collation of every text column of JSON_TABLE', () => {
    const loose = readQueries('mysql').filter(({ text }) => /(?:VARCHAR\(\d+\)|TEXT)\s+PATH/.test(text));
    expect(loose.map(({ name }) => name)).toEqual([]);
  });
});

/** What MariaDB takes and MySQL does not, found by running all tests on MySQL 8.0, 8.4 and 9.7: MariaDB alone would not notice. */
describe('the statements for MySQL and MariaDB', () => {
  const folder = sqlFolder('mysql');
  const others = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => splitSql(readFileSync(join(folder, file), 'utf8'), file));
  const all = [...readQueries('mysql'), ...others];
  const namesWhere = (isWrong: (text: string) => boolean) =>
    all.filter(({ text }) => isWrong(text)).map(({ name }) => name);

  it('say which table FOR UPDATE locks beside JSON_TABLE, whose rows MySQL refuses to lock (3569)', () => {
    const OF = /FOR UPDATE (?!\/\*!80000 OF [a-z](?:, [a-z])* \*\/)|FOR UPDATE$/m;
    expect(namesWhere((text) => text.includes('JSON_TABLE') && OF.test(text))).toEqual([]);
  });

  it('name the job in inserts that only meet triggers that exist: MySQL 9 checks foreign keys first (1452)', () => {
    const upsert = /INSERT INTO QRTZ_TRIGGERS[\s\S]*ON DUPLICATE KEY/;
    expect(namesWhere((text) => upsert.test(text) && !text.includes('t.JOB_NAME, t.JOB_GROUP'))).toEqual([]);
  });

  it('use no function that MySQL 9 has no more', () => {
    expect(namesWhere((text) => /\b(SHA1?|MD5|PASSWORD|ENCRYPT|DES_\w+)\s*\(/.test(text))).toEqual([]);
  });
});
