import type { Jobs, Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import type { Configuration } from '../config/configuration';
import { loadConfig } from '../config/load-config';
import type { LoadedConfig } from '../config/scheduler-config';
import { checkOptions, refuseUndefined } from '../domain/check-options';
import type { CreateSchedulerOptions } from './create-scheduler-options';
import { accessOf, urlOfPool, withDatabaseOf } from './node/given-database';

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

/** Options whose absence changes where the data is, or who reads it. */
const OMITTED = { pool: 'the database of the configuration', password: 'the configured password' } as const;

/**
 * Creates a scheduler in standby mode; call `start` to start it. `config` is the path of a `.yaml`, `.json` or `.properties` file, or an object with
 * the same keys. If it is omitted, all settings have their defaults, and data is stored in memory only.
 *
 * Throws CONFIGURATION with all problems found, or INVALID_ARGUMENT for unknown options. A configuration, key, pool or password that is passed as
 * undefined is such a problem: it is usually an environment variable that is not set.
 */
export function createScheduler(): Promise<Scheduler>;
export function createScheduler<Registry extends Jobs = Jobs>(
  config: string | Configuration,
  options?: CreateSchedulerOptions<Registry>,
): Promise<Scheduler<Registry>>;
export async function createScheduler(
  ...given: readonly [config?: string | Configuration, options?: CreateSchedulerOptions]
): Promise<Scheduler> {
  const [config, options = {}] = given;
  refuseOptions(config);
  const { env } = checkOptions(options, OPTIONS);
  refuseUndefined(options, OMITTED);
  if (given.length > 0 && config === undefined) throw undefinedConfiguration();
  const access = accessOf(options);
  const suppliedDatabase = typeof config === 'string' ? urlOfPool(access) : null;
  const loaded = withoutOwnConsole(await loadConfig(withDatabaseOf(access, config), env, { suppliedDatabase }));
  const { assemble } = await import('./assemble'); // on demand: a program may import the package only for its cron expressions
  const { scheduler } = await assemble(loaded, { ...options, ...(access === undefined ? {} : { access }) });
  return scheduler;
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

function undefinedConfiguration(): SchedulerError {
  return new SchedulerError(
    'CONFIGURATION',
    'The configuration is undefined. Leave it out for memory (with options: createScheduler({}, { … })), or pass a file or an object.',
  );
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
