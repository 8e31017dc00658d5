import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type SqlText, splitSql } from '../../src/store/sql/sql-text';
import { STATEMENT_NAMES } from '../../src/store/sql/statement-names';
import { sqlFolder } from '../../src/store/sql/statements';

const NAMES_FILE = resolve(__dirname, '../../src/store/sql/statement-names.ts');

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

  it('spell out the collation of every text column of JSON_TABLE', () => {
    const loose = textsOf('mysql').filter(({ text }) => /(?:VARCHAR\(\d+\)|TEXT)\s+PATH/.test(text));
    expect(loose.map(({ name }) => name)).toEqual([]);
  });
});
