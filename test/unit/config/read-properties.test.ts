import { ConfigurationError } from '../../../src/config/problem';
import { readProperties } from '../../../src/config/read-properties';

describe('readProperties', () => {
  it("reads Java's syntax: separators, comments, continued lines, escapes", () => {
    const text = '# comment\n! another\na.b = 1\nc:2\nd 3\ne = one \\\n    two\nf = \\u00e4\ng\\ h = x\nempty\n';
    expect(readProperties(text, 'x.properties').data).toEqual({
      'a.b': '1',
      c: '2',
      d: '3',
      e: 'one two',
      f: 'ä',
      'g h': 'x',
      empty: '',
    });
  });

  it('knows where keys and values stand', () => {
    const document = readProperties('\n  key  =  value\n', 'x.properties');
    expect(document.position(['key'], 'key')).toEqual({ line: 2, column: 3 });
    expect(document.position(['key'])).toEqual({ line: 2, column: 11 });
    expect(document.position(['other'])).toEqual({ line: 1, column: 1 });
  });

  it('reports every key given twice, instead of taking the last', () => {
    const read = () => readProperties('a=1\nb=1\na=2\nb=2\n', 'x.properties');
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(
      /^2 problems:\nx\.properties:3:1: expected each key once, found 'a' again\nx\.properties:4:1: .*'b'/,
    );
  });

  it('refuses the key __proto__', () => {
    expect(() => readProperties('__proto__ = 1', 'x.properties')).toThrow(/x\.properties:1:1: .*found '__proto__'/);
  });

  it('refuses an escape of a character that is none, as Java does', () => {
    expect(() => readProperties('a = b\nc = \\\\u00e4 \\u00zz', 'x.properties')).toThrow(
      /x\.properties:2:13: expected four hexadecimal digits after \\u, found something else/,
    );
    expect(readProperties('c = \\\\u00zz', 'x.properties').data).toEqual({ c: '\\u00zz' });
  });
});
