import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sqlFolder } from '../../src/store/sql/runtime/sql-files';
import { type SqlText, splitSql } from '../../src/store/sql/runtime/sql-text';
import { STATEMENT_NAMES } from '../../src/store/sql/runtime/statement-names';

const NAMES_FILE = resolve(__dirname, '../../src/store/sql/runtime/statement-names.ts');

type Dialect = 'mysql' | 'sqlite';

const filesOf = (dialect: Dialect) => readdirSync(join(sqlFolder(dialect), 'queries')).sort();
const textsOf = (dialect: Dialect): SqlText[] =>
  filesOf(dialect).flatMap((file) => splitSql(readFileSync(join(sqlFolder(dialect), 'queries', file), 'utf8'), file));
const parametersOf = (texts: readonly SqlText[]) =>
  Object.fromEntries(texts.map(({ name, parameters }) => [name, [...new Set(parameters)].sort()]));

function writeNames(names: readonly string[]): void {
  const list = `[\n${names.map((name) => `  '${name}',\n`).join('')}] as const`;
  const source = readFileSync(NAMES_FILE, 'utf8').replace(
    /(STATEMENT_NAMES = )\[[^\]]*\] as const/,
    () => `STATEMENT_NAMES = ${list}`,
  );
  writeFileSync(NAMES_FILE, source);
}

describe('the statements of both dialects', () => {
  it('are in the same files, in the same order', () => {
    expect(filesOf('sqlite')).toEqual(filesOf('mysql'));
    const names = (dialect: Dialect) => textsOf(dialect).map(({ name }) => name);
    expect(names('sqlite')).toEqual(names('mysql'));
  });

  it('take the same parameters', () => {
    expect(parametersOf(textsOf('sqlite'))).toEqual(parametersOf(textsOf('mysql')));
  });

  it('are those that the code knows (UPDATE_BASELINE=1 writes the list)', () => {
    const names = textsOf('mysql').map(({ name }) => name);
    if (process.env.UPDATE_BASELINE === '1') writeNames(names);
    else expect([...STATEMENT_NAMES]).toEqual(names);
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
    expect(STATEMENT_NAMES.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  });

  it('do not let SQLite plan anew for every limit: it looks into a parameter that stands alone', () => {
    const bare = textsOf('sqlite').filter(({ text }) => /\b(?:LIMIT|OFFSET)\s+[?:]\w*\s*(?!\s*\+)/.test(text));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('spell out the collation of every text column of JSON_TABLE', () => {
    const loose = textsOf('mysql').filter(({ text }) => /(?:VARCHAR\(\d+\)|TEXT)\s+PATH/.test(text));
    expect(loose.map(({ name }) => name)).toEqual([]);
  });
});

/** What MariaDB takes and MySQL does not, found by running all tests on MySQL 8.0, 8.4 and 9.7: MariaDB alone would not notice. */
describe('the statements for MySQL and MariaDB', () => {
  const folder = sqlFolder('mysql');
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => splitSql(readFileSync(join(folder, file), 'utf8'), file));
  const namesWhere = (isWrong: (text: string) => boolean) =>
    all.filter(({ text }) => isWrong(text)).map(({ name }) => name);

  it('say which table FOR UPDATE locks beside JSON_TABLE, whose rows MySQL refuses to lock (3569)', () => {
    const OF = /FOR UPDATE (?!\/\*!80000 OF [a-z] \*\/)|FOR UPDATE$/m;
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
