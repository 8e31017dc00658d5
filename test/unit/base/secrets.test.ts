import { isSecretName, withoutCredentials } from '../../../src/base/secrets';

describe('secrets', () => {
  it.each([
    'password',
    'dbPassword',
    'PWD',
    'client_secret',
    'apiKey',
    'access-token',
    'QUARTZ_DB_PASSWORD',
  ])('include values of %s', (name) => expect(isSecretName(name)).toBe(true));

  it.each(['user', 'URL', 'keyColumns', 'monkey'])('do not include values of %s', (name) =>
    expect(isSecretName(name)).toBe(false));

  it.each([
    ['mysql://app:hidden@db/q', 'mysql://***@db/q'],
    ['mysql://app:hid/den@db/q', 'mysql://***@db/q'],
    ['mysql://app:hid@den@db/q', 'mysql://***@db/q'],
    ['mysql://app:hid den@db/q', 'mysql://***@db/q'],
    ['mysql://app:hid\nden@db/q', 'mysql://***@db/q'],
    ['jdbc:mysql://db/q?user=a&password=hidden&x=1', 'jdbc:mysql://db/q?user=a&password=***'],
    ['mysql://db/q?password=hid&den', 'mysql://db/q?password=***'],
    ['mysql://db/q?sslMode=NONE&sslKeyPassword=hidden', 'mysql://db/q?sslMode=NONE&sslKeyPassword=***'],
    ['mysql://db/q?user=a&useSSL=true', 'mysql://db/q?user=a&useSSL=true'],
    ['mysql://db/q?password=hid den', 'mysql://db/q?password=***'],
    ['mysql://db/q?PWD=hidden;token=hidden', 'mysql://db/q?PWD=***'],
    ['//no@one', '//***@one'],
    ['root:hidden@db/q', '***@db/q'],
    ['mysql:root:hid@den@db/q', 'mysql:***@db/q'],
    ['jdbc:mysql:hid://den@db/q', 'jdbc:mysql:***@db/q'],
    ['mail@example.com', 'mail@example.com'],
    ['plain text', 'plain text'],
  ])('in the login of a URL are hidden: %j', (text, shown) => {
    expect(withoutCredentials(text)).toBe(shown);
  });

  it('are found in linear time', () => {
    const slashes = `//${'/'.repeat(4_000_000)}`;
    expect(withoutCredentials(slashes)).toBe(slashes);
    const separators = `a${'?a&a'.repeat(1_000_000)}`;
    expect(withoutCredentials(separators)).toBe(separators);
  });
});
