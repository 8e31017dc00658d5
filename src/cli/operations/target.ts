import type { Command } from 'commander';
import type { OutputOf } from '../../operations/operations';
import type { Request } from '../../operations/perform';
import { type DatabaseOptions, withDatabaseOptions } from '../database-options';

export interface TargetOptions extends DatabaseOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly scheduler?: string | undefined;
  /** True if the command must also work with damaged or outdated tables. */
  readonly allowsDamagedTables?: boolean;
}

/** `gap`: log lines that are no longer available. `progress`: may repeat the last progress. */
export type RunUpdate =
  | { readonly type: 'line'; readonly line: FollowedLine }
  | { readonly type: 'progress'; readonly progress: FollowedProgress }
  | { readonly type: 'gap'; readonly lines: number };

/** A log line of a run. Times are ISO-8601 strings. */
export type FollowedLine = OutputOf<'runs.show'>['lines'][number];

export type FollowedProgress = NonNullable<OutputOf<'firings.list'>['items'][number]['progress']>;

export interface Followed {
  /** True if the lines were reported until the run ended. */
  readonly isWhole: boolean;
  /** Number of lines logged up to the last reported one, including lines that are no longer available. */
  readonly lines: number;
}

export interface Target {
  /** Performs an operation. Rejects with a `Problem`, or with an unexpected error. */
  perform(request: Request): Promise<unknown>;
  /** Reports log lines and progress until the run ends or `signal` aborts. Never rejects: after an error, resolves with `isWhole` false. */
  followLines(runId: string, report: (update: RunUpdate) => void, signal: AbortSignal): Promise<Followed>;
  /** Resolves when the scheduler may have changed, after a timeout, or when `signal` aborts. */
  untilChange(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Environment variable with the URL of the default server for all commands. */
export const SERVER = 'QUARTZ_SERVER';

export function withTargetOptions(command: Command): Command {
  return withDatabaseOptions(command)
    .option('--server <url>', `address of a console, https://host/path (default: ${SERVER})`)
    .option('--token-file <file>', 'file with the token for the server (default: the token in QUARTZ_TOKEN)')
    .option('--scheduler <name>', 'name of the scheduler, if it differs from the configuration');
}
