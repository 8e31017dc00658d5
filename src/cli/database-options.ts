import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { DATABASE_URL_FORMS } from '../base/database-kinds';
import { loadConfig } from '../config/load-config';
import type { LoadedConfig } from '../config/scheduler-config';
import type { CommandContext } from './command';
import { CommandFailure } from './exit-codes';
import type { Output } from './output';

/** The options that name the database of a command. */
export interface DatabaseOptions {
  readonly config?: string;
  readonly url?: string;
  readonly json?: boolean;
}

/** The configuration of a folder, which `init` writes. */
export const OWN_CONFIG = 'quartz.yaml';

/** Variables that log in to a `--url`, so that no password has to be typed where everybody can read it. */
const USER = 'QUARTZ_DB_USER';
const PASSWORD = 'QUARTZ_DB_PASSWORD';

/** Adds `--config` and `--url`, of which one may be given. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file with a database job store')
    .option('--url <url>', `database: ${DATABASE_URL_FORMS}; user and password from ${USER} and ${PASSWORD}`);
}

/** These commands start no node, or, as `demo` does, nodes with ids of their own. */
const NO_NODE = { isForNode: false } as const;

/** The configuration that `--config` or `--url` stands for; null when neither is given. Throws CommandFailure. */
export async function databaseConfig(
  { config, url, json }: DatabaseOptions,
  { env, output }: CommandContext,
): Promise<LoadedConfig | null> {
  if (config !== undefined && url !== undefined)
    throw new CommandFailure('USAGE', 'expected --config or --url, found both.');
  if (config !== undefined) return loadConfig(config, env, NO_NODE);
  if (url === undefined) return null;
  if (hasPassword(url))
    warn(output, `Other users of this machine can read command lines. Put the password into ${PASSWORD}.`, json);
  return loadConfig(urlConfig(url, env), env);
}

/** The path of the folder's own configuration; null: it has none. */
export function ownConfig({ folder }: Pick<CommandContext, 'folder'>): string | null {
  const path = resolve(folder, OWN_CONFIG);
  return existsSync(path) ? path : null;
}

/** As `databaseConfig`; where neither is given, the folder's own. Throws CommandFailure where there is none. */
export async function databaseOrOwnConfig(options: DatabaseOptions, context: CommandContext): Promise<LoadedConfig> {
  const named = await databaseConfig(options, context);
  if (named !== null) return named;
  const own = ownConfig(context);
  if (own !== null) return loadConfig(own, context.env, NO_NODE);
  throw new CommandFailure(
    'USAGE',
    `expected --config <file> or --url <url>. The default, ${OWN_CONFIG} in this folder, does not exist.`,
  );
}

const hasPassword = (url: string) => /:\/\/[^/@]*:[^@]*@|[?&]password=/i.test(url);

/** A warning to standard error: words, or with `--json` a remark as JSON. */
export function warn(output: Output, warning: string, json = false): void {
  if (json) output.jsonNote({ note: warning });
  else output.note(`${output.noteStyle('yellow', 'warning:')} ${warning}`);
}

/** A configuration for the database of a URL, with Quartz's keys. */
export function urlConfig(url: string, env: CommandContext['env']): object {
  const login = { ...entry('user', env[USER]), ...entry('password', env[PASSWORD]) };
  return {
    jobStore: { class: 'sql', dataSource: 'url' },
    dataSource: { url: { URL: url, ...login } },
  };
}

function entry(key: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined || value === '' ? {} : { [key]: value };
}
