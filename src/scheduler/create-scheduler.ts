import type { Jobs, Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import type { Configuration } from '../config/configuration';
import { loadConfig } from '../config/load-config';
import type { LoadedConfig } from '../config/scheduler-config';
import { checkOptions } from '../domain/check-options';
import type { CreateSchedulerOptions } from './create-scheduler-options';
import { accessOf, withDatabaseOf } from './node/given-database';

const OPTIONS = {
  pool: true,
  password: true,
  jobs: true,
  logger: true,
  plugins: true,
  currentJobContext: true,
  unref: true,
  clock: true,
  random: true,
  env: true,
} as const;

/**
 * Creates a scheduler in standby mode; call `start` to start it. `config` is the path of a `.yaml`, `.json` or `.properties` file, or an object with
 * the same keys. If it is omitted, all settings have their defaults, and data is stored in memory only.
 *
 * Throws CONFIGURATION with all problems found, or INVALID_ARGUMENT for unknown options.
 */
export async function createScheduler<Registry extends Jobs = Jobs>(
  config?: string | Configuration,
  options: CreateSchedulerOptions<Registry> = {},
): Promise<Scheduler<Registry>> {
  refuseOptions(config);
  const { env } = checkOptions(options, OPTIONS);
  const access = accessOf(options);
  const loaded = withoutOwnConsole(await loadConfig(withDatabaseOf(access, config), env));
  const { assemble } = await import('./assemble'); // on demand: a program may import the package only for its cron expressions
  const { scheduler } = await assemble(loaded, { ...options, ...(access === undefined ? {} : { access }) });
  return scheduler as Scheduler as Scheduler<Registry>;
}

/** Adds a warning if the configuration sets a console port, because a scheduler never opens it: only the command `quartz run` does. */
function withoutOwnConsole({ config, warnings }: LoadedConfig): LoadedConfig {
  const { port } = config.console;
  if (port === null) return { config, warnings };
  const program = `createServer(createConsole(scheduler).listener).listen(${port})`;
  return {
    config,
    warnings: [...warnings, `Only the command quartz run opens console.port. In a program, call ${program}.`],
  };
}

/** Throws CONFIGURATION if options were passed in place of the configuration, a likely mistake. No configuration key has the name of an option. */
function refuseOptions(config: string | object | undefined): void {
  if (typeof config !== 'object' || config === null) return;
  const found = Object.keys(OPTIONS).filter((option) => Object.hasOwn(config, option));
  if (found.length === 0) return;
  const [verb, names] = [found.length === 1 ? 'belongs' : 'belong', found.join(' and ')];
  throw new SchedulerError(
    'CONFIGURATION',
    `${names} ${verb} in the second argument: createScheduler(config, { ${found.join(', ')} }). Without a configuration, ` +
      `createScheduler({}, { ${found.join(', ')} }).`,
  );
}
