import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { DATABASE_NAMES, DATABASE_URL_FORMS } from '../base/database-kinds';
import { loadConfig } from '../config/load-config';
import type { LoadedConfig, SqlStoreConfig } from '../config/scheduler-config';
import type { CommandContext } from './command';
import { CommandFailure, usageError } from './exit-codes';
import type { Output } from './output';

export interface DatabaseOptions {
  readonly config?: string;
  readonly url?: string;
  readonly json?: boolean;
}

/** Name of the configuration file that `init` writes. Commands use it by default. */
export const OWN_CONFIG = 'quartz.yaml';

/** Environment variables with the user and password for `--url`. On the command line, other users could read a password. */
const USER = 'QUARTZ_DB_USER';
const PASSWORD = 'QUARTZ_DB_PASSWORD';

/** Adds the options `--config` and `--url`. A command accepts only one of them. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file with a database job store')
    .option('--url <url>', `database: ${DATABASE_URL_FORMS}; user and password from ${USER} and ${PASSWORD}`);
}

/** Needs no valid instance id, because commands with database options start no node, except `demo`, whose nodes have their own ids. */
const NO_NODE = { isForNode: false } as const;

/** Loads the configuration of `--config` or `--url`; null for neither. Rejects with CommandFailure for both, or with the error of loading it. */
export async function databaseConfig(
  { config, url, json }: DatabaseOptions,
  { env, output }: CommandContext,
): Promise<LoadedConfig | null> {
  if (config !== undefined && url !== undefined) throw usageError('expected --config or --url, found both.');
  if (config !== undefined) return loadConfig(config, env, NO_NODE);
  if (url === undefined) return null;
  if (hasPassword(url))
    warn(output, `Other users of this machine can read command lines. Put the password into ${PASSWORD}.`, json);
  const login = { ...entry('user', env[USER]), ...entry('password', env[PASSWORD]) };
  return loadConfig(
    { jobStore: { class: 'sql', dataSource: 'url' }, dataSource: { url: { URL: url, ...login } } },
    env,
  );
}

/** Returns the path of `quartz.yaml` in the current folder, or null if the file does not exist. */
export function ownConfig({ folder }: Pick<CommandContext, 'folder'>): string | null {
  const path = resolve(folder, OWN_CONFIG);
  return existsSync(path) ? path : null;
}

/** Same as `databaseConfig`, but defaults to `quartz.yaml` in the current folder. Rejects with CommandFailure without that file. */
export async function databaseOrOwnConfig(options: DatabaseOptions, context: CommandContext): Promise<LoadedConfig> {
  const named = await databaseConfig(options, context);
  if (named !== null) return named;
  const own = ownConfig(context);
  if (own !== null) return loadConfig(own, context.env, NO_NODE);
  throw usageError(
    `expected --config <file> or --url <url>. The default, ${OWN_CONFIG} in this folder, does not exist.`,
  );
}

/** Returns the database of the job store. Throws CommandFailure for the memory store; `drawback` says why the command cannot use it. */
export function databaseOf(
  { config: { jobStore } }: LoadedConfig,
  { config: file = OWN_CONFIG }: DatabaseOptions,
  drawback: string,
): SqlStoreConfig {
  if (jobStore.sql !== undefined) return jobStore.sql;
  throw new CommandFailure(
    'CONFIGURATION',
    `expected a job store in a database (${DATABASE_NAMES.join(', ')}) in ${file}, found memory, ${drawback}.`,
  );
}

const hasPassword = (url: string) => /:\/\/[^/@]*:[^@]*@|[?&]password=/i.test(url);

export function warn(output: Output, warning: string, json = false): void {
  if (json) output.jsonNote({ note: warning });
  else output.note(`${output.noteStyle('yellow', 'warning:')} ${warning}`);
}

function entry(key: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined || value === '' ? {} : { [key]: value };
}
