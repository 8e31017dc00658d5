import { filledIn, splitSql } from '../../../../src/store/sql/runtime/sql-text';

describe('splitSql', () => {
  it('returns name, text without comments, and ordered parameters of each block', () => {
    const [first, second] = splitSql(
      `-- A file.

-- name: selectThings
-- For the reader: a colon, an apostrophe's, a ?.
SELECT a -- the :first
FROM t   /* keep; this */
WHERE b = :second AND c = :first AND d = :second;

-- name: deleteThings
DELETE FROM t;
`,
      'file.sql',
    );
    expect(first).toEqual({
      name: 'selectThings',
      notes: {},
      text: 'SELECT a\nFROM t   /* keep; this */\nWHERE b = ? AND c = ? AND d = ?',
      parameters: ['second', 'first', 'second'],
    });
    expect(second).toMatchObject({ name: 'deleteThings', text: 'DELETE FROM t', parameters: [] });
  });

  it('does not change string literals and quoted names', () => {
    const [block] = splitSql(
      "-- name: x\nSELECT 'it''s :no -- ;' AS \"a:b\", `c:d`, '$.path', t::x FROM t WHERE a = :yes;",
      'f',
    );
    expect(block?.text).toBe("SELECT 'it''s :no -- ;' AS \"a:b\", `c:d`, '$.path', t::x FROM t WHERE a = ?");
    expect(block?.parameters).toEqual(['yes']);
  });

  it('keeps the semicolons of a compound statement', () => {
    const source = "-- name: x\nBEGIN\n  DELETE FROM t WHERE a = :a; -- the first; step\n  DO ';';\nEND;";
    const [block] = splitSql(source, 'f');
    expect(block?.text).toBe("BEGIN\n  DELETE FROM t WHERE a = ?;\n  DO ';';\nEND");
    expect(block?.parameters).toEqual(['a']);
  });

  it('returns the notes of a step', () => {
    const [block] = splitSql('-- name: x\n-- unless index: A on B\nCREATE INDEX A ON B (c);', 'f');
    expect(block?.notes).toEqual({ 'unless index': 'A on B' });
  });

  it.each([
    ['SELECT 1;', "begins with 'SELECT 1;'"],
    ['-- name: x\nSELECT 1', 'must be one statement'],
    ['-- name: x\nSELECT 1; SELECT 2;', 'must be one statement'],
    ['-- name: x\nSELECT ?;', "contains '?'"],
    ['-- name: x\nSELECT 1;\n-- name: x\nSELECT 2;', "defines 'x' twice"],
  ])('refuses %j', (source, message) => {
    expect(() => splitSql(source, 'f')).toThrow(message);
  });
});

describe('filledIn', () => {
  it('replaces known names, and inserts their texts literally', () => {
    const text = 'SELECT {what} FROM {table} WHERE a = {what} AND b = {other}';
    expect(filledIn(text, { what: "'$&{table}'", table: 't' })).toBe(
      "SELECT '$&{table}' FROM t WHERE a = '$&{table}' AND b = {other}",
    );
  });
});
