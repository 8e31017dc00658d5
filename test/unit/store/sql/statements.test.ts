import { splitSql } from '../../../../src/store/sql/runtime/sql-text';
import type { StatementName } from '../../../../src/store/sql/runtime/statement-names';
import {
  applyTokens,
  bindByPosition,
  loadStatements,
  Statements,
  toStatement,
} from '../../../../src/store/sql/runtime/statements';

const statement = (text: string) => {
  const [block] = splitSql(`-- name: test\n${text};`, 'test');
  return toStatement(block!, { tablePrefix: 'QRTZ_' });
};

describe('SQL statements', () => {
  it('are loaded at run time for both dialects', () => {
    for (const dialect of ['mysql', 'sqlite'] as const) {
      const { text } = loadStatements(dialect, { tablePrefix: 'APP_' }).get('selectLock');
      expect(text).toMatch(/FROM APP_LOCKS/);
    }
  });

  it('refuse a name that no file defines', () => {
    expect(() => new Statements([]).get('nobody' as StatementName)).toThrow(
      "No file of sql/ defines the statement 'nobody'.",
    );
  });

  it('replace the prefix of table and index names, but not of similar names', () => {
    const text = 'SELECT MY_QRTZ_X FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_J) JOIN QRTZ_X_NODES';
    expect(applyTokens(text, { tablePrefix: 'APP_' })).toBe(
      'SELECT MY_QRTZ_X FROM APP_TRIGGERS AS t FORCE INDEX (IDX_APP_T_J) JOIN APP_X_NODES',
    );
    expect(applyTokens(text, { tablePrefix: 'db.$1_' })).toBe(
      'SELECT MY_QRTZ_X FROM db.$1_TRIGGERS AS t FORCE INDEX (IDX_$1_T_J) JOIN db.$1_X_NODES',
    );
    expect(applyTokens('QRTZ_LOCKS', { tablePrefix: '' })).toBe('LOCKS');
  });

  it.each(['a b', 'a;', "a'", 'a.b.c', 'x'.repeat(31), 'ä', 'a`', '.a'])('refuse the prefix %j', (tablePrefix) => {
    expect(() => applyTokens('', { tablePrefix })).toThrow(/tablePrefix: expected letters/);
  });

  it('use the collation of the key columns in JSON_TABLE', () => {
    const text = 'n VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH';
    const keyText = { characterSet: 'utf8mb4', collation: 'utf8mb4_general_ci' };
    expect(applyTokens(text, { tablePrefix: '', keyText })).toBe(
      'n VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PATH',
    );
    const odd = { characterSet: 'utf8mb4', collation: 'x; DROP' };
    expect(() => applyTokens(text, { tablePrefix: '', keyText: odd })).toThrow('Not the name of a character set');
  });

  it('bind named values by position, as often as the text uses them', () => {
    const bytes = new Uint8Array([1]);
    const values = bindByPosition(statement('SELECT :a, :b, :a, :c, :d'), { a: 'x', b: null, c: bytes, d: 1.5 });
    expect(values).toEqual(['x', null, 'x', bytes, 1.5]);
  });

  it('refuse missing and unknown values', () => {
    expect(() => bindByPosition(statement('SELECT :a'), {})).toThrow('test was not given :a');
    expect(() => bindByPosition(statement('SELECT :toString'), {})).toThrow('test was not given :toString');
    expect(() => bindByPosition(statement('SELECT :a'), { a: 1, b: 2 })).toThrow('test has no parameter :b');
  });

  it.each<[string, unknown]>([
    ['an array', [1, 2]],
    ['object', { password: 1 }],
    ['undefined', undefined],
    ['boolean', true],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['9007199254740992', 2 ** 53],
    ['bigint', 1n],
    ['text that is not valid Unicode', '\ud800'],
    ['function', () => 1],
    ['object', new Date(0)],
  ])('refuse %s as a value', (found, value) => {
    expect(() => bindByPosition(statement('SELECT :a'), { a: value as string })).toThrow(
      `parameter :a must be text, an exact number, bytes or null; found ${found}.`,
    );
  });
});
