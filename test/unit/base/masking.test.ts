import { isSecretName, maskText, maskValue } from '../../../src/base/secrets';

describe('maskText', () => {
  it.each([
    ['connect mysql://root:hunter2@db/x failed', 'connect mysql://***@db/x failed'],
    ['mysql://root:hun/ter2@db/x', 'mysql://***@db/x'],
    ['mysql://root:hu@n/ter2@db/x', 'mysql://***@db/x'],
    ['smtps://u:hunter2@mail and https://me:hunter2@h/x', 'smtps://***@mail and https://***@h/x'],
    ['https://hunter2@github.com/x', 'https://***@github.com/x'],
    ['root:hunter2@tcp(db)/x', '***@tcp(db)/x'],
    ['root:hunter2@db:3306', '***@db:3306'],
    ['https://h/x?token=hunter2', 'https://h/x?token=***'],
    ['https://h/x?a=1&sig=hunter2&b=2', 'https://h/x?a=1&sig=***&b=2'],
    ['Server=x;Password=hunter2;Timeout=5', 'Server=x;Password=***;Timeout=5'],
    ['password=hunter2', 'password=***'],
    ["password='hunter 2' next", "password='***' next"],
    ['{"password":"hunter2","a":1}', '{"password":"***","a":1}'],
    ['{"credentials":{"a":"hunter2"}}', '{"credentials":***}'],
    ['password: hunter2', 'password: ***'],
    ['Authorization: Bearer hunter2', 'Authorization: ***'],
    ['sent Bearer hunter2-x to it', 'sent Bearer *** to it'],
    ['cookie: sid=hunter2', 'cookie: ***'],
    ['jwt eyJhbGciOiJI.eyJzdWIiOiIx.hunter2', 'jwt ***'],
    ['-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----\nx', '***\nx'],
  ])('hides the secrets in %j', (text, shown) => expect(maskText(text)).toBe(shown));

  it.each([
    'data.password: expected a string, found none',
    'mail to:ann@example.com at 12:30',
    '{"to":"ann@example.com"}',
    'https://registry.npmjs.org/@babel/core',
    'http://localhost:3000/x@y',
    'at run (/app/node_modules/@scope/pkg/index.js:10:5)',
    'file:///app/node_modules/@scope/pkg/index.js:10:5',
    'Basic authentication is needed',
    '0 0 6 ? * MON-FRI',
    'a=1; passed=5',
    'see https://example.org/a?b=c#d',
  ])('does not change %j', (text) => expect(maskText(text)).toBe(text));

  it('takes linear time', () => {
    const parts = [
      '://',
      'a:b@',
      'eyJ-',
      'password=',
      '-----BEGIN PRIVATE KEY-----',
      'Bearer ',
      '"a":',
      "'",
      '{',
      '@',
      'a.b-',
    ];
    for (const part of parts) {
      const text = part.repeat(Math.ceil(400_000 / part.length));
      const begin = performance.now();
      maskText(text);
      expect([part, performance.now() - begin < 2_000]).toEqual([part, true]);
    }
  });
});

describe('maskValue', () => {
  it('hides secrets by name at any depth, in name-value pairs and in texts', () => {
    const data = {
      password: 'x',
      nested: [{ apiKey: 5, deeper: { credentials: { a: 'x' } } }],
      headers: [
        { name: 'Authorization', value: 'x' },
        { key: 'x-api-key', value: 'x' },
      ],
      pairs: [
        ['cookie', 'x'],
        ['accept', 'y'],
      ],
      url: 'mysql://u:x@h/d',
      'https://u:x@h/': 1,
      hasPassword: true,
      token: null,
      plain: 'plain',
    };
    expect(maskValue(data)).toEqual({
      password: '***',
      nested: [{ apiKey: '***', deeper: { credentials: '***' } }],
      headers: [
        { name: 'Authorization', value: '***' },
        { key: 'x-api-key', value: '***' },
      ],
      pairs: [
        ['cookie', '***'],
        ['accept', 'y'],
      ],
      url: 'mysql://***@h/d',
      'https://***@h/': 1,
      hasPassword: true,
      token: null,
      plain: 'plain',
    });
  });

  it('returns the same object if it contains no secret', () => {
    const data = { a: [1, 'x', { b: null }], key: 'k' };
    expect(maskValue(data)).toBe(data);
  });

  it.each([
    'dsn',
    'auth',
    'basicAuth',
    'Cookie',
    'x-api-key',
    'api key',
    'APIKEY',
    'apiKeyId',
    'accessKeyId',
    'licenseKey',
    'sshKey',
    'passphrase',
    'connectionString',
    'pin',
    'jwt',
    'sas',
    'signature',
    'bearer',
    'smtpPass',
    'USERPASS',
    'tokens',
    'secretKey',
    'encryptionKey',
  ])('hides the value of the key %s', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'passed',
    'pinned',
    'signal',
    'author',
    'bypass',
    'key',
    'keys',
    'primaryKey',
    'side',
    'compass',
    'summary',
    'asset',
    'group',
    'hasMoreAttempts',
  ])('does not hide the value of the key %s', (name) => expect(isSecretName(name)).toBe(false));
});
