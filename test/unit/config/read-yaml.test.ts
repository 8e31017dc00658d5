import { ConfigurationError } from '../../../src/config/problem';
import { readYaml } from '../../../src/config/read-yaml';

/** Message of the error for a text that must be refused. */
function failure(text: string): string {
  try {
    readYaml(text, 'x.yaml');
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown.message;
    throw thrown;
  }
  throw new Error(`expected a ConfigurationError for ${JSON.stringify(text.slice(0, 80))}`);
}

describe('readYaml', () => {
  it('returns plain data and the position of each value and key', () => {
    const document = readYaml('a:\n  b: [1, two, true, null]\n  "c d": 2026-01-01\n', 'x.yaml');
    expect(document.data).toEqual({ a: { b: [1, 'two', true, null], 'c d': '2026-01-01' } });
    expect(document.position(['a', 'b', 1])).toEqual({ line: 2, column: 10 });
    expect(document.position(['a', 'c d'], 'key')).toEqual({ line: 3, column: 3 });
  });

  it('returns the position of the nearest parent for a missing path', () => {
    const document = readYaml('a:\n  b: 1\n', 'x.yaml');
    expect(document.position(['a', 'missing', 'x'], 'key')).toEqual({ line: 2, column: 3 });
  });

  it('returns null for an empty file or one with only comments', () => {
    expect(readYaml('', 'x.yaml').data).toBeNull();
    expect(readYaml('# nothing here\n', 'x.yaml').data).toBeNull();
  });

  it('keeps yes and on as text and ignores leading zeros, as YAML 1.2 does', () => {
    expect(readYaml('a: yes\nb: on\nc: 0x10\nd: 1e3\ne: 010', 'x.yaml').data).toEqual({
      a: 'yes',
      b: 'on',
      c: 16,
      d: 1000,
      e: 10,
    });
  });

  it('keeps numbers that JavaScript can represent, and quoted values as text', () => {
    const text = 'a: 9007199254740991\nb: -0.1\nc: "12345678901234567890"\nd: 1.50\ne: .inf\n"<<": 1';
    const data = {
      a: 9007199254740991,
      b: -0.1,
      c: '12345678901234567890',
      d: 1.5,
      e: Number.POSITIVE_INFINITY,
      '<<': 1,
    };
    expect(readYaml(text, 'x.yaml').data).toEqual(data);
  });

  it('copies the value of an alias', () => {
    const document = readYaml('a: &shared {x: 1}\nb: *shared\nc: *shared\n', 'x.yaml');
    expect(document.data).toEqual({ a: { x: 1 }, b: { x: 1 }, c: { x: 1 } });
  });

  it('keeps numeric and boolean keys as text', () => {
    expect(readYaml('1: a\ntrue: b\n', 'x.yaml').data).toEqual({ '1': 'a', true: 'b' });
  });
});

describe('readYaml with invalid input', () => {
  it.each([
    ['a tab as indentation', 'a:\n\tb: 1', /^x\.yaml:2:1: expected spaces as indentation, found a tab/],
    ['a duplicate key', 'a: 1\nb: 2\na: 3', /^x\.yaml:3:1: expected each key once, found 'a' again$/],
    ['an unclosed quote', 'a: "b', /^x\.yaml:1:6: expected a closing quote/],
    ['an unclosed bracket', 'a: [1, 2', /^x\.yaml:1:9: expected .*a closed bracket/],
    ['two keys on one line', 'a: b: c', /^x\.yaml:1:4: expected one `key: value` per line/],
    ['an unknown tag', 'a: !!js/function x', /^x\.yaml:1:4: expected a plain value, found an unknown tag/],
    ['an alias without an anchor', 'a: *nothing', /^x\.yaml:1:4 a: expected an anchor before its alias/],
    ['a second document', 'a: 1\n---\nb: 2', /^x\.yaml:2:1: expected one document/],
    ['a list as key', '? [a]\n: b', /^x\.yaml:1:3: expected a string as key/],
    ['null as key', '~: b', /^x\.yaml:1:1: expected a string as key, found another value$/],
    ['an empty string as key', '"": b', /^x\.yaml:1:1: expected a string as key, found an empty one$/],
    ['a merge key', 'a: &a {b: 1}\nc:\n  <<: *a', /^x\.yaml:3:3 c: expected keys, found the merge key `<<`/],
    [
      'a number that would be rounded',
      'a: [1, 9007199254740993]',
      /^x\.yaml:1:8 a\[1\]: expected a number that JavaScript can represent exactly/,
    ],
    [
      'a long hexadecimal number',
      'a: 0x1FFFFFFFFFFFFFE0',
      /^x\.yaml:1:4 a: expected a number that JavaScript can represent/,
    ],
    ['a number out of range', 'a: 1e400', /^x\.yaml:1:4 a: expected a number that JavaScript can represent exactly/],
    ['a date tag', 'a: !!timestamp 2026-01-01', /^x\.yaml:1:16 a: expected a plain value, found a tag/],
    ['a binary tag', 'a: !!binary aGVsbG8=', /^x\.yaml:1:13 a: expected a plain value, found a tag/],
    [
      'an older YAML version',
      '%YAML 1.1\n---\na: yes',
      /^x\.yaml:1:1: expected YAML 1\.2, found a directive for another version/,
    ],
    [
      'the key __proto__',
      'a:\n  __proto__: {x: 1}',
      /^x\.yaml:2:3 a: expected another key, found '__proto__', which is reserved; rename the key$/,
    ],
    ['an alias of itself', 'a: &x [*x]', /x\.yaml:1:8 .*expected at most 64 nested levels/],
    ['a reserved character', 'a: @b', /^x\.yaml:1:4: expected a value, found a character YAML reserves/],
  ])('refuses %s', (_, text, message) => {
    expect(failure(text)).toMatch(message);
  });

  it('refuses an alias bomb before it is expanded', () => {
    const levels = 'bcdefghi'.split('').map((name, i) => `${name}: [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`);
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', ...levels.map((line) => line.replace(': ', `: &${line[0]} `))].join(
      '\n',
    );
    expect(failure(bomb)).toMatch(/expected aliases that add at most 10000 values/);
  });

  it.each([
    ['flow lists', '['.repeat(200_000)],
    ['flow maps', '{a: '.repeat(100_000)],
    ['block maps', Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['compact lists', `${'- '.repeat(100_000)}x`],
  ])('refuses a hundred thousand nested %s', (_, text) => {
    expect(failure(text)).toMatch(/expected at most 64 nested levels, found more/);
  });

  it('reports duplicate keys in several places together', () => {
    expect(failure('a: 1\na: 2\nb: 1\nb: 2\n')).toMatch(
      /^2 problems:\nx\.yaml:2:1: .*'a' again\nx\.yaml:4:1: .*'b' again$/,
    );
  });

  it('reads and refuses large files in linear time, and reports at most a hundred problems', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `key${i}: ${i}`);
    expect(readYaml(lines.join('\n'), 'x.yaml').position(['key19999'], 'key')).toEqual({ line: 20_000, column: 1 });
    const message = failure([...lines, ...lines].join('\n'));
    expect(message).toMatch(/^1000 problems:\nx\.yaml:20001:1: expected each key once, found 'key0' again\n/);
    expect(message).toMatch(/\n\(and 900 more\)$/);
  });

  it.each([
    ['aliases', `a: &a 1\nb: [${'*a ,'.repeat(20_000)}]`, /at most 10000 aliases, anchors, tags and directives/],
    ['tags', `b: [${'!!str ,'.repeat(20_000)}]`, /at most 10000 aliases, anchors, tags and directives/],
    ['directives', '%A\n'.repeat(20_000), /at most 10000 aliases, anchors, tags and directives/],
    ['documents', '---\n'.repeat(1_000_000), /expected one document/],
    ['values', `[${'1,'.repeat(600_000)}]`, /at most 1000000 keys, values and separators/],
    ['escape errors', `a: "${'\\q'.repeat(500_000)}"`, /expected a known escape/],
  ])('refuses huge numbers of %s before they fill the memory', (_, text, message) => {
    const before = process.memoryUsage().heapUsed;
    expect(failure(text)).toMatch(message);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400e6);
  });

  it('never quotes the text around a syntax error, which may be a password', () => {
    expect(failure('password: hunter2 "hunter2"]: }hunter2 [')).not.toMatch(/hunter2/);
    expect(failure("password: 'x' hunter2")).not.toMatch(/hunter2/);
    expect(failure('password: *hunter2')).not.toMatch(/hunter2/);
  });
});
