import { dirname, isAbsolute, join } from 'node:path';
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

const defaults = DEFAULT_CONFIG.console;

/** Roles and hashes by name. What is wrong with one is said without quoting it. */
function accounts(kind: AccountKind, command: string) {
  const expected = `a role and a hash, such as \`${ACCOUNT_EXAMPLES[kind]}\`; \`${command}\` makes the hash`;
  const isOne = (value: string) => readAccountText(kind, value) !== null;
  const name = z.string().refine(isAccountName, { error: `a name ${ACCOUNT_NAMES}` });
  return z
    .record(name, z.string({ error: expected }).refine(isOne, { error: expected }), { error: `by name, ${expected}` })
    .default({})
    .meta({ expected: `by name, ${expected}`, typescript: 'Readonly<Record<string, string>>' });
}

const hosts = textList()
  .refine((names) => names.every((name) => HOST_NAME.test(name)), {
    error: 'names of hosts, without scheme, port or path',
  })
  .optional();

const tls = z
  .strictObject({
    cert: text(4_096)
      .optional()
      .describe(
        'File of the certificate, in PEM, with those that vouch for it; relative to the folder of the configuration.',
      ),
    key: text(4_096).optional().describe('File of its private key, in PEM. Beside a certificate it is needed.'),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), { error: 'cert and key, or none of them' });

/** The keys of `console`. */
export const consoleSchema = z
  .strictObject({
    port: wholeNumber(0, 65_535)
      .optional()
      .describe(
        'Port at which `quartz run` serves the console; `0`: any that is free. Before it comes `--http`. Default: it serves none.',
      ),
    host: textLike(/^[a-z0-9.:_-]{1,253}$/i, 'an address of this machine, such as 127.0.0.1, or a name')
      .default(defaults.host)
      .describe(
        'Address of this machine at which `quartz run` serves it; before it comes `--http-host`. One that others reach (`0.0.0.0`: all of them) needs ' +
          '`console.tokens` or `console.users`.',
      ),
    basePath: textLike(BASE_PATH, 'a path such as /admin/quartz')
      .max(1_000)
      .default(defaults.basePath)
      .describe('Path below which requests arrive, such as `/admin/quartz`. Default: the root.'),
    readOnly: flag()
      .default(defaults.readOnly)
      .describe('Whether nothing can be changed over HTTP, whatever the role of who asks.'),
    tokens: accounts('token', 'quartz console token').describe(
      'Who may come in with a token, and what for: `{ deploy: "operator sha256:…" }`. The roles are `viewer`, `operator` and `admin`. ' +
        'Never shown. Without tokens and users, `quartz run` makes a token for its own time and prints it once.',
    ),
    users: accounts('user', 'quartz console password').describe(
      'The same with a name and a password: `{ ann: "admin scrypt:…" }`.',
    ),
    allowedHosts: hosts.describe(
      'Names by which the console is asked for, besides `localhost`, addresses and `console.host`: what a browser shows, without port. Default: no other.',
    ),
    sessionLifetime: duration('30d', 60_000)
      .prefault('PT12H')
      .describe('How long somebody stays logged in; a minute or more.'),
    tls: tls.prefault({}),
  })
  .superRefine((written, context) => {
    const accountNames = Object.keys(written.tokens);
    const twice = Object.keys(written.users).find((name) => accountNames.includes(name));
    if (twice !== undefined)
      context.addIssue({ code: 'custom', path: ['users', twice], message: 'one token or user of each name' });
    if (isLoopback(written.host) || accountNames.length + Object.keys(written.users).length > 0) return;
    const message = 'console.tokens or console.users beside an address that others reach, or 127.0.0.1';
    context.addIssue({ code: 'custom', path: ['host'], message });
  });

/** The section as it is used. Relative paths of files begin at the configuration's folder. */
export function resolveConsole(section: z.output<typeof consoleSchema>, configFile: string): ConsoleConfig {
  const { port = null, allowedHosts = [], sessionLifetime, tls: files, ...same } = section;
  const { cert, key } = files;
  const beside = (file: string) => (isAbsolute(file) ? file : join(dirname(configFile), file));
  const isSecure = cert !== undefined && key !== undefined;
  return {
    ...same,
    port,
    allowedHosts,
    sessionLifetimeMs: sessionLifetime,
    tls: isSecure ? { cert: beside(cert), key: beside(key) } : null,
  };
}
