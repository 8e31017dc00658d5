import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument, readDocument } from '../../../src/config/read-document';
import type { SourceDocument } from '../../../src/config/source-document';

const readProperties = (text: string) => parseDocument(text, 'x.properties');

describe('the reader of .properties files', () => {
  it('supports separators, comments, continued lines and escapes of Java', async () => {
    const text = '# comment\n! another\na.b = 1\nc:2\nd 3\ne = one \\\n    two\nf = \\u00e4\ng\\ h = x\nempty\n';
    expect((await readProperties(text)).data).toEqual({
      'a.b': '1',
      c: '2',
      d: '3',
      e: 'one two',
      f: 'ä',
      'g h': 'x',
      empty: '',
    });
  });

  it('returns the positions of keys and values', async () => {
    const document = await readProperties('\n  key  =  value\n');
    expect(document.position(['key'], 'key')).toEqual({ line: 2, column: 3 });
    expect(document.position(['key'])).toEqual({ line: 2, column: 11 });
    expect(document.position(['other'])).toEqual({ line: 1, column: 1 });
  });

  it('uses the last value of a repeated key, as Java does, with a warning', async () => {
    const read = (await readProperties('org.quartz.a=1\nb=1\norg.quartz.a=2\nb=2\n')) as SourceDocument;
    expect(read.data).toEqual({ 'org.quartz.a': '2', b: '2' });
    expect(read.position(['org.quartz.a'])).toEqual({ line: 3, column: 14 });
    expect(read.warnings).toEqual([
      "This key occurs more than once, and the last value counts, as in Java: 'org.quartz.a'.",
    ]);
  });

  it('trims blanks and control characters as Quartz does, even escaped ones, but no other white space', async () => {
    const text = 'a = x \t\nb = y\\ \nc = \\u0020z\\t\nd = \u00a0n\u00a0\ne = \\\r\n   v\r\nf =   \n';
    expect((await readProperties(text)).data).toEqual({
      a: 'x',
      b: 'y',
      c: 'z',
      d: '\u00a0n\u00a0',
      e: 'v',
      f: '',
    });
  });

  it.each([
    ['Windows line ends', 'a = 1\r\nb = 2\r\n', { a: '1', b: '2' }],
    ['old Mac line ends', 'a = 1\rb = 2', { a: '1', b: '2' }],
    ['a continued key and separator', 'a\\\r\n  b = \\\r\n  c\nd : \\\n\te', { ab: 'c', d: 'e' }],
    ['a comment within a value', 'a = 1 # one\nb = x \\\n  # y', { a: '1 # one', b: 'x # y' }],
    ['no continuation after an escaped backslash', 'a = C:\\\\\nb = 2', { a: 'C:\\', b: '2' }],
    ['unknown escapes', 'a = C:\\data\\q', { a: 'C:dataq' }],
    ['separators in values', 'a = b=c:d e\n\\= = 1', { a: 'b=c:d e', '=': '1' }],
    ['a last line without a line end', 'a = 1\\', { a: '1' }],
  ])('reads %s as Java does', async (_, text, expected) => {
    expect((await readProperties(text)).data).toEqual(expected);
  });

  it('returns null for a file without keys', async () => {
    expect((await readProperties('# only a comment\n\n')).data).toBeNull();
  });

  it('reads Latin-1 as Java does, and UTF-8 with a warning if Java would read another value', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'properties-'));
    const read = async (bytes: Buffer) => {
      const file = join(folder, 'a.properties');
      writeFileSync(file, bytes);
      const { data, warnings } = await readDocument(file);
      return { data, warnings };
    };
    const text = '# gr\u00fc\u00dfe\norg.quartz.name = M\u00fcller\n';
    const data = { 'org.quartz.name': 'M\u00fcller' };
    const warning = expect.stringMatching(/reads it as ISO-8859-1.*'org\.quartz\.name'\.$/);
    expect(await read(Buffer.from(text, 'latin1'))).toEqual({ data, warnings: [] });
    expect(await read(Buffer.from(text, 'utf8'))).toEqual({ data, warnings: [warning] });
    expect(await read(Buffer.from('# \u4e2d\norg.quartz.name = M\\u00fcller', 'utf8'))).toEqual({ data, warnings: [] });
    rmSync(folder, { recursive: true });
  });

  it('refuses the key __proto__', async () => {
    await expect(readProperties('__proto__ = 1')).rejects.toThrow(/x\.properties:1:1: .*found '__proto__'/);
  });

  it('refuses an invalid character escape, as Java does', async () => {
    await expect(readProperties('a = b\nc = \\\\u00e4 \\u00zz')).rejects.toThrow(
      /x\.properties:2:13: expected four hexadecimal digits after \\u, found other characters/,
    );
    expect((await readProperties('c = \\\\u00zz')).data).toEqual({ c: '\\u00zz' });
  });
});
