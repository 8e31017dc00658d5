import { ConfigurationError } from '../../../src/config/problem';
import { parseDocument } from '../../../src/config/read-document';

const readProperties = (text: string) => parseDocument(text, 'x.properties');

describe('.properties', () => {
  it("reads Java's syntax: separators, comments, continued lines, escapes", async () => {
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

  it('knows where keys and values stand', async () => {
    const document = await readProperties('\n  key  =  value\n');
    expect(document.position(['key'], 'key')).toEqual({ line: 2, column: 3 });
    expect(document.position(['key'])).toEqual({ line: 2, column: 11 });
    expect(document.position(['other'])).toEqual({ line: 1, column: 1 });
  });

  it('reports every key given twice, instead of taking the last', async () => {
    const read = readProperties('a=1\nb=1\na=2\nb=2\n');
    await expect(read).rejects.toThrow(ConfigurationError);
    await expect(read).rejects.toThrow(
      /^2 problems:\nx\.properties:3:1: expected each key once, found 'a' again\nx\.properties:4:1: .*'b'/,
    );
  });

  it('refuses the key __proto__', async () => {
    await expect(readProperties('__proto__ = 1')).rejects.toThrow(/x\.properties:1:1: .*found '__proto__'/);
  });

  it('refuses an escape of a character that is none, as Java does', async () => {
    await expect(readProperties('a = b\nc = \\\\u00e4 \\u00zz')).rejects.toThrow(
      /x\.properties:2:13: expected four hexadecimal digits after \\u, found other characters/,
    );
    expect((await readProperties('c = \\\\u00zz')).data).toEqual({ c: '\\u00zz' });
  });
});
