import type { Command } from 'commander';
import type { OutputOf } from '../../operations/operations';
import type { Request } from '../../operations/perform';
import { type DatabaseOptions, withDatabaseOptions } from '../database-options';

/** Options that select a scheduler. */
export interface TargetOptions extends DatabaseOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly scheduler?: string;
  /** True if the tables of the store may be damaged or outdated. */
  readonly looksAtBroken?: boolean;
}

/** News of a running run. `gap`: a number of lines is no longer available. `progress`: may repeat the last one. */
export type Said =
  | { readonly type: 'line'; readonly line: FollowedLine }
  | { readonly type: 'progress'; readonly progress: FollowedProgress }
  | { readonly type: 'gap'; readonly lines: number };

/** A line of a run. Times are ISO-8601 texts. */
export type FollowedLine = OutputOf<'runs.show'>['lines'][number];

/** Progress that a job reported. */
export type FollowedProgress = NonNullable<OutputOf<'firings.list'>['items'][number]['progress']>;

export interface Followed {
  /** True if the run was followed to its end. */
  readonly isWhole: boolean;
  /** Number of lines that the run had logged when the last one was reported. */
  readonly lines: number;
}

/** A scheduler on which operations are performed. */
export interface Target {
  /** Performs an operation. Rejects with a `Problem`, or with an unexpected error. */
  perform(request: Request): Promise<unknown>;
  /**
   * Reports the lines and progress of a run until it has ended or `signal` aborts. Never rejects: if the run cannot be followed any longer,
   * `isWhole` is false.
   */
  followLines(runId: string, tell: (said: Said) => void, signal: AbortSignal): Promise<Followed>;
  /** Resolves when something may have changed, or after a timeout. Used instead of polling at a fixed interval. */
  untilChange(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Environment variable with the URL of a server, for all commands of a shell. */
export const SERVER = 'QUARTZ_SERVER';

/** Adds the options that select a scheduler. */
export function withTargetOptions(command: Command): Command {
  return withDatabaseOptions(command)
    .option('--server <url>', `address of a console, https://host/path (default: ${SERVER})`)
    .option('--token-file <file>', 'file with the token for the server (default: the token in QUARTZ_TOKEN)')
    .option('--scheduler <name>', 'name of the scheduler, if it differs from the configuration');
}
