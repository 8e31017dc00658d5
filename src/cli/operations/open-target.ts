import type { CommandContext } from '../command';
import { OWN_CONFIG, ownConfig } from '../database-options';
import { usageError } from '../exit-codes';
import { SERVER, type Target, type TargetOptions } from './target';

/** Opens the selected scheduler, by default the one of QUARTZ_SERVER or `quartz.yaml`. Rejects with CommandFailure or the error of opening it. */
export async function openTarget(options: TargetOptions, context: CommandContext): Promise<Target> {
  const chosen = { ...options, ...(isChosen(options) ? {} : chosenByPlace(context)) };
  const { server, config, url } = chosen;
  if (server === undefined) return (await import('./store-target')).openStoreTarget(chosen, context);
  if (config === undefined && url === undefined)
    return (await import('./server-target')).openServerTarget({ ...chosen, server }, context);
  throw usageError('expected one of --server, --config and --url, found several.');
}

/** True if the command addresses a server: by `--server`, or by the environment variable if no option selects a scheduler. */
export function isOnServer(options: TargetOptions, { env }: CommandContext): boolean {
  return options.server !== undefined || (!isChosen(options) && (env[SERVER] ?? '') !== '');
}

function isChosen({ server, config, url }: TargetOptions): boolean {
  return server !== undefined || config !== undefined || url !== undefined;
}

/** Returns the server in QUARTZ_SERVER, or else the configuration in the current folder. Throws CommandFailure without either. */
function chosenByPlace(context: CommandContext): TargetOptions {
  const server = context.env[SERVER];
  if (server !== undefined && server !== '') return { server };
  const config = ownConfig(context);
  if (config !== null) return { config };
  throw usageError(
    `expected --config <file>, --url <url> or --server <url>. There is no default: ${SERVER} is not set, and this folder has no ${OWN_CONFIG}.`,
  );
}
