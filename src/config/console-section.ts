import { z } from 'zod';
import {
  ACCOUNT_EXAMPLES,
  ACCOUNT_NAMES,
  type AccountKind,
  isAccountName,
  readAccountText,
} from '../base/account-text';
import { BASE_PATH, HOST_NAME, isLoopback } from '../base/host';
import { DEFAULT_CONFIG } from './default-config';
import type { ConsoleConfig } from './scheduler-config';
import { duration, flag, text, textLike, textList, wholeNumber } from './schema-values';
import { quoted, resolvedFrom } from './source-document';

const defaults = DEFAULT_CONFIG.console;

/** Returns the schema of accounts: a role and a hash for each name. Its error messages never quote the value. */
function accounts(kind: AccountKind, command: string) {
  const expected = `a role and a hash, such as \`${ACCOUNT_EXAMPLES[kind]}\` (\`${command}\` creates the hash)`;
  const isOne = (value: string) => readAccountText(kind, value) !== null;
  const name = z.string().refine(isAccountName, { error: `a name ${ACCOUNT_NAMES}` });
  return z
    .record(name, z.string({ error: expected }).refine(isOne, { error: expected }), {
      error: `a map of names, each with ${expected}`,
    })
    .default({})
    .meta({ expected: `a map of names, each with ${expected}`, typescript: 'Readonly<Record<string, string>>' });
}

const hosts = textList()
  .superRefine((names, context) => {
    const wrong = names.find((name) => !HOST_NAME.test(name));
    if (wrong === undefined) return;
    const message = 'host names without scheme, port or path';
    context.addIssue({ code: 'custom', message, params: { found: quoted(wrong) } });
  })
  .optional();

const tls = z
  .strictObject({
    cert: text(4_096)
      .optional()
      .describe('PEM file of the certificate and its chain, relative to the configuration file.'),
    key: text(4_096).optional().describe('PEM file of the private key. Required with `cert`.'),
  })
  .superRefine(({ cert, key }, context) => {
    if ((cert === undefined) === (key === undefined)) return;
    const [missing, given] = cert === undefined ? ['cert', 'key'] : ['key', 'cert'];
    context.addIssue({ code: 'custom', path: [missing], message: `a PEM file, because ${given} is set` });
  });

export const consoleSchema = z
  .strictObject({
    port: wholeNumber(0, 65_535)
      .optional()
      .describe(
        'Port of the console that `quartz run` serves; `0`: any free port. `--http` overrides it. Default: no console.',
      ),
    host: textLike(/^[a-z0-9.:_-]{1,253}$/i, 'an IP address or a host name of this machine, such as 127.0.0.1')
      .default(defaults.host)
      .describe(
        'Address on which `quartz run` serves the console. `--http-host` overrides it. An address that other machines can reach (such as `0.0.0.0`) requires ' +
          '`console.tokens` or `console.users`.',
      ),
    basePath: textLike(BASE_PATH, 'a path such as /admin/quartz')
      .max(1_000)
      .default(defaults.basePath)
      .describe('Path under which the console is served, such as `/admin/quartz`. Empty: the root.'),
    readOnly: flag().default(defaults.readOnly).describe('Make the HTTP API read-only for every role.'),
    tokens: accounts('token', 'quartz console token').describe(
      'Access tokens by name, each with a role and a hash: `{ deploy: "operator sha256:…" }`. The roles are `viewer`, `operator` and `admin`. ' +
        'Never shown. Without tokens and users, `quartz run` creates a token that is valid until it stops, and prints it once.',
    ),
    users: accounts('user', 'quartz console password').describe(
      'Users who log in with a password, by name, each with a role and a hash: `{ ann: "admin scrypt:…" }`.',
    ),
    allowedHosts: hosts.describe(
      'Host names under which browsers may reach the console, without port, in addition to `localhost`, IP addresses and `console.host`. Default: no others.',
    ),
    sessionLifetime: duration('30d', 60_000)
      .prefault('PT12H')
      .describe('Lifetime of a login session, at least a minute.'),
    keepAliveTimeout: duration('1h', 1_000)
      .prefault('PT75S')
      .describe(
        'Time for which `quartz run` keeps an idle connection of the console open, at least a second. Must be longer than the idle timeout of a load ' +
          'balancer in front of it (AWS: 60 s), which otherwise answers some requests with 502.',
      ),
    tls: tls.prefault({}),
  })
  .superRefine((written, context) => {
    const accountNames = Object.keys(written.tokens);
    const twice = Object.keys(written.users).find((name) => accountNames.includes(name));
    if (twice !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['users', twice],
        message: 'a name that no token has',
        params: { foundName: `${quoted(twice)} in console.tokens too` },
      });
    if (isLoopback(written.host) || accountNames.length + Object.keys(written.users).length > 0) return;
    const message = '127.0.0.1, or another address together with console.tokens or console.users';
    context.addIssue({ code: 'custom', path: ['host'], message });
  });

/** Resolves the section `console`. Relative file paths refer to the folder of the configuration file. */
export function resolveConsole(section: z.output<typeof consoleSchema>, configFile: string): ConsoleConfig {
  const { port = null, allowedHosts = [], sessionLifetime, keepAliveTimeout, tls: files, ...same } = section;
  const { cert, key } = files;
  const isSecure = cert !== undefined && key !== undefined;
  return {
    ...same,
    port,
    allowedHosts,
    sessionLifetimeMs: sessionLifetime,
    keepAliveTimeoutMs: keepAliveTimeout,
    tls: isSecure ? { cert: resolvedFrom(configFile, cert), key: resolvedFrom(configFile, key) } : null,
  };
}
