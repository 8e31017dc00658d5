import type { Command } from 'commander';
import type { Scheduler } from '../../api/scheduler';
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

/** A scheduler that operations are asked of. */
export interface Target {
  /** Rejects with a `Problem`, or with what was not foreseen. */
  perform(request: Request): Promise<unknown>;
  /** A scheduler on the same store that is never started; null: it is behind a server. */
  readonly scheduler: Scheduler | null;
  close(): Promise<void>;
}

/** Where a server is, for all commands of a shell. */
export const SERVER = 'QUARTZ_SERVER';

/** Adds what says where a scheduler is. */
export function withTargetOptions(command: Command): Command {
  return withDatabaseOptions(command)
    .option('--server <url>', `where a console answers: https://host/path; default: ${SERVER}`)
    .option('--token-file <file>', 'file with the token for the server; default: the token in QUARTZ_TOKEN')
    .option('--scheduler <name>', 'name of the scheduler, where it is not the one of the configuration');
}
