import { hashToken } from '../../../src/base/secret-hash';
import { readYaml } from '../../../src/config/read-yaml';
import { resolveDocument } from '../../../src/config/resolve-config';
import type { LoadedConfig } from '../../../src/config/scheduler-config';

const read = (text: string, env = {}): LoadedConfig => resolveDocument(readYaml(text, '/etc/quartz.yaml'), env);

function problemsIn(text: string): readonly string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

const HASH = hashToken('a token');

describe('the console section of the configuration', () => {
  it('opens no port and grants no access by default', () => {
    const { port, host, tokens, users, tls, sessionLifetimeMs } = read('{}').config.console;
    expect({ port, host, tokens, users, tls }).toEqual({
      ...{ port: null, host: '127.0.0.1' },
      ...{ tokens: {}, users: {}, tls: null },
    });
    expect(sessionLifetimeMs).toBe(12 * 3_600_000);
  });

  it('may be nested or dotted, may use variables, and accepts user names with dots', () => {
    const env = { HASH };
    const nested = read(`console: { tokens: { ann@example.com: 'admin \${HASH}' } }`, env).config;
    const dotted = read(`org.quartz.console.tokens.ann@example.com: 'admin \${HASH}'`, env).config;
    expect(nested.console.tokens).toEqual({ 'ann@example.com': `admin ${HASH}` });
    expect(dotted).toEqual({ ...nested, instanceId: dotted.instanceId });
  });

  it('resolves file paths relative to the configuration file', () => {
    const { tls } = read('console.tls: { cert: tls/cert.pem, key: /run/key.pem }').config.console;
    expect(tls).toEqual({ cert: '/etc/tls/cert.pem', key: '/run/key.pem' });
  });

  it.each([
    [
      'console.host: 0.0.0.0',
      /console\.host: expected 127\.0\.0\.1, or another address together with console\.tokens or console\.users, found '0\.0\.0\.0'/,
    ],
    ['console: { port: 65536 }', /console\.port: expected a number of at most 65535/],
    ['console: { tls: { cert: a.pem } }', /console\.tls\.key: expected a PEM file, because cert is set, found nothing/],
    [
      'console: { allowedHosts: [https://x] }',
      /console\.allowedHosts: expected host names without scheme, port or path, found 'https:/,
    ],
    ['console: { basePath: /a?b }', /console\.basePath: expected a path such as/],
    ['console: { sessionLifetime: 1s }', /console\.sessionLifetime: expected .*/],
    ['console: { prot: 1 }', /console\.prot: .*did you mean 'port'/],
    [`console: { tokens: { 'a:b': 'admin ${HASH}' } }`, /expected .*a name of 1 to 190 characters, without colons/],
    [
      `console: { tokens: { a: 'admin ${HASH}' }, users: { a: 'admin scrypt:2:1:1:saltsalt:${'0'.repeat(64)}' } }`,
      /console\.users\.a: expected a name that no token has, found 'a' in console\.tokens too/,
    ],
  ])('refuses %s', (text, message) => {
    expect(problemsIn(text)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    'console: { tokens: { a: hunter2 } }',
    'console: { tokens: hunter2 }',
    'console: { users: { a: admin hunter2 } }',
    'console: { users: { a: { role: admin, password: hunter2 } } }',
    'console: { users: [hunter2] }',
    'console.users: hunter2',
    `console: { users: { a: 'root ${HASH} hunter2' } }`,
  ])('hides the values in the errors for %s', (text) => {
    const problems = problemsIn(text);
    expect(problems.join('\n')).toContain('(hidden)');
    expect(problems.join('\n')).not.toContain('hunter2');
  });
});
