import type { Command } from 'commander';
import type { OutputOf } from '../../operations/operations';
import type { Request } from '../../operations/perform';
import { type DatabaseOptions, withDatabaseOptions } from '../database-options';

/** The options that say which scheduler is meant, and where it is. */
export interface TargetOptions extends DatabaseOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly scheduler?: string;
  /** The tables of the store need not be as they must be. */
  readonly looksAtBroken?: boolean;
}

/** What is told of a run that goes on. `gap`: so many lines are not to be had any more. `progress`: perhaps what is known already. */
export type Said =
  | { readonly type: 'line'; readonly line: FollowedLine }
  | { readonly type: 'progress'; readonly progress: FollowedProgress }
  | { readonly type: 'gap'; readonly lines: number };

/** A line of a run; times are ISO-8601 texts. */
export type FollowedLine = OutputOf<'runs.show'>['lines'][number];

/** How far a run is, as its job said it. */
export type FollowedProgress = NonNullable<OutputOf<'firings.list'>['items'][number]['progress']>;

export interface Followed {
  /** It was followed to its end. */
  readonly isWhole: boolean;
  /** How many lines the run had logged when the last one was told. */
  readonly lines: number;
}

/** A scheduler that operations are asked of. */
export interface Target {
  /** Rejects with a `Problem`, or with what was not foreseen. */
  perform(request: Request): Promise<unknown>;
  /** Tells of the lines of a run, and of how far it is, until it has ended or `signal` aborts. Never rejects: what cannot be followed any more is not whole. */
  followLines(runId: string, tell: (said: Said) => void, signal: AbortSignal): Promise<Followed>;
  /** Resolves when something may have changed, or after a while; for whoever would look again and again otherwise. */
  untilChange(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Where a server is, for all commands of a shell. */
export const SERVER = 'QUARTZ_SERVER';

/** Adds what says where a scheduler is. */
export function withTargetOptions(command: Command): Command {
  return withDatabaseOptions(command)
    .option('--server <url>', `address of a console, https://host/path (default: ${SERVER})`)
    .option('--token-file <file>', 'file with the token for the server (default: the token in QUARTZ_TOKEN)')
    .option('--scheduler <name>', 'name of the scheduler, if it differs from the configuration');
}
