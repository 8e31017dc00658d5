import { beginning, MAX_INPUT, recordedInput, secretsOf, withoutSecrets } from '../../../src/domain/recorded-input';

describe('the recorded input of an action', () => {
  const recorded = (input: Record<string, unknown>) => JSON.parse(recordedInput(input));

  it('has secret values replaced at any depth, and credentials in addresses removed', () => {
    expect(
      recorded({
        name: 'nightly',
        data: {
          user: 'ann',
          password: 'hunter22',
          list: [{ apiKey: { id: 1 } }, { name: 'token', value: 'abc' }, { key: 'DB_PASSWORD', value: 'abc' }],
          url: 'mysql://ann:hunter22@db/x',
        },
      }),
    ).toEqual({
      name: 'nightly',
      data: {
        user: 'ann',
        password: '***',
        list: [{ apiKey: '***' }, { name: 'token', value: '***' }, { key: 'DB_PASSWORD', value: '***' }],
        url: 'mysql://***@db/x',
      },
    });
  });

  it('keeps short values unchanged, whatever their names', () => {
    const input = JSON.parse('{"__proto__":{"a":1},"constructor":"x","n":1e300,"nothing":null,"text":"<b> ü \\u0000"}');
    expect(recordedInput(input)).toBe(JSON.stringify(input));
    expect(recorded({ at: new Date(0), big: 12n, none: undefined })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      big: '12',
    });
  });

  it('is truncated when it is long: first long texts, then everything but the field names', () => {
    const long = { text: 'ü'.repeat(100_000), list: Array.from({ length: 1_000 }, (_, at) => at), short: 'short' };
    expect(recorded(long)).toEqual({
      text: `${'ü'.repeat(199)}…`,
      list: Array.from({ length: 50 }, (_, at) => at),
      short: 'short',
    });
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`${at}${'x'.repeat(500)}`, 'y'.repeat(500)]),
    );
    const { tooLong, fields } = recorded(many);
    expect({ tooLong, count: fields.length }).toEqual({ tooLong: true, count: 50 });
    for (const input of [long, many]) expect(recordedInput(input).length).toBeLessThanOrEqual(MAX_INPUT);
  });

  it('is truncated at excessive depth', () => {
    let deep: unknown = 'end';
    for (let depth = 0; depth < 5_000; depth++) deep = [deep];
    expect(recordedInput({ deep })).toContain('["…"]');
    expect(secretsOf({ deep })).toEqual([]);
  });
});

describe('the secrets of an input', () => {
  it('are replaced in a text, longest first', () => {
    const secrets = secretsOf({ password: 'abcd', nested: { token: ['abcdef', 12345, 'abc'] }, name: 'shown' });
    expect(secrets).toEqual(['abcd', 'abcdef', '12345']);
    expect(withoutSecrets('shown abcdef abcd 12345 abc', secrets)).toBe('shown *** *** *** abc');
  });
});

describe('a truncated text', () => {
  it('does not end with an unpaired surrogate', () => {
    expect(beginning('ab👷cd', 4)).toBe('ab…');
    expect(beginning('abcd', 4)).toBe('abcd');
  });
});
