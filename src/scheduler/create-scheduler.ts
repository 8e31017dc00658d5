import { pino, stdSerializers } from 'pino';
import { type Logger, type StructuredLogger, structuredLogger } from '../api/logger';
import type { Plugin, PluginHost } from '../api/plugin';
import type { Jobs, Scheduler } from '../api/scheduler';
import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { Gate } from '../base/gate';
import { type RandomSource, systemRandom } from '../base/ids';
import { maskValue } from '../base/secrets';
import type { Configuration } from '../config/configuration';
import { loadConfig } from '../config/load-config';
import type { Environment, LoadedConfig, OnLeaseLost, SchedulerConfig } from '../config/scheduler-config';
import { checkOptions } from '../domain/check-options';
import { LoadCounts } from '../domain/load-counts';
import { EventBus } from '../events/event-bus';
import { loggedTypes, logSubscriber } from '../events/log-subscriber';
import { AsyncWorkerPool, type WorkerPool, ZeroSizeWorkerPool } from '../workers/worker-pool';
import { checkList } from './checked-input';
import { applyDeclared } from './declared-set';
import { schedulerHooks } from './node/node-hooks';
import { accessOf, type MysqlPool, openStore, type StoreParts, withDatabaseOf } from './node/open-store';
import type { StoreNode } from './node/store-node';
import { configPlugin, Plugins } from './plugins';
import { type SchedulerRuntime, wireScheduler } from './wire-scheduler';

/** Options that only a program can pass, because the configuration cannot express them. */
export interface CreateSchedulerOptions<Registry extends Jobs = Jobs> {
  /**
   * Job types that this process can run. The compiler checks the names and data passed to `schedule`, `enqueue`, `declare` and `sync` against them.
   *
   * If the program also calls `registerJob`, declare its scheduler as type `Scheduler`, which accepts any name.
   */
  readonly jobs?: Registry;
  /**
   * Logger: pino, winston, Nest's `Logger`, `console`, or any object with their methods. Default: a pino logger on standard error. The configured
   * level limits that logger, and any logger without `isLevelEnabled`.
   */
  readonly logger?: Logger;
  /** Plugins to install after the configured plugins. */
  readonly plugins?: readonly Plugin[];
  /**
   * True to let `currentJobContext()` return the context of the running job in all code that the job calls. Default: false. Within middleware, the
   * function works without this option. Before Node 24, the option slows down every promise of the process.
   */
  readonly currentJobContext?: boolean;
  /** True to let the process exit while this scheduler is running. Default: false. Has no effect if you pass `clock`. */
  readonly unref?: boolean;
  /**
   * An existing mysql2 pool, with callbacks or promises. The scheduler copies the pool's settings (address, login, TLS, stream) but opens its own
   * connections, because it changes their session settings and never releases them.
   *
   * If the configuration names no database, the scheduler uses the pool's database. The store then runs in this thread, because a pool cannot be
   * passed to another thread.
   */
  readonly pool?: MysqlPool;
  /**
   * Returns the database password. Called for each new connection, so it may return a short-lived token. Takes precedence over the configured
   * password. While it fails, the database counts as unreachable. The password is never logged.
   */
  readonly password?: () => string | Promise<string>;
  /** Clock to use instead of the system's. If you pass `clock` or `random`, a database store runs in this thread. */
  readonly clock?: Clock;
  /** Source of random ids. Default: the system's. */
  readonly random?: RandomSource;
  /** Environment variables that the configuration can refer to. Default: `process.env`. */
  readonly env?: Environment;
}

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

/** Options that only this package's own programs pass. */
export interface AssembleOptions extends CreateSchedulerOptions, Pick<StoreParts, 'access'> {
  /** True if no service starts automatically. The caller runs the engine step by step, as tests do. */
  readonly isDriven?: boolean;
  /** True if the scheduler is never started, as in commands that inspect or change a schedule. */
  readonly isObserver?: boolean;
  /** Action when this node loses its lease, unless the configuration sets one. Default: `abort`. */
  readonly onLeaseLost?: OnLeaseLost;
  readonly storeThreadEntry?: string;
}

/** Builds, connects and opens all components of a scheduler. Closes the store if a step fails. */
export async function assemble(
  { config, warnings }: LoadedConfig,
  options: AssembleOptions,
): Promise<SchedulerRuntime> {
  const { jobs = {}, random = systemRandom, isDriven = false, isObserver = false } = options;
  const { currentJobContext: tracksCurrentJob = false } = options;
  const loggers = loggersOf(options.logger, config);
  const plugins = new Plugins();
  const bus = new EventBus();
  const gate = new Gate();
  const { hooks, connect } = schedulerHooks(bus, gate);
  const load = new LoadCounts();
  const { clock, node } = await openStore(config, { ...options, hooks, load });
  if (node.cluster === null) gate.open(); // without a cluster there is no lease to wait for
  const workers = workersOf(config, clock, bus);
  const acting = { node, gate, workers, load, bus };
  const dependencies = { config, clock, random, ...acting, jobs, plugins, isDriven, isObserver, tracksCurrentJob };
  const runtime = await orClose(node, () => wireScheduler(dependencies));
  const { engine, lifecycle, writer, scheduler, announce } = runtime;
  bus.subscribe(logSubscriber(loggers.events), loggedTypes(loggers.events));
  const host: PluginHost = {
    scheduler,
    logger: loggers.plugins,
    clock,
    timeZone: config.timeZone,
    timeZoneDefaulted: config.timeZoneDefaulted,
    async applySchedule(changes, declared) {
      if (declared === undefined) return writer.apply(changes);
      return (await applyDeclared({ store: node.store, writer, announce }, changes, declared)).outcomes;
    },
    publish: (event) => bus.publish(event),
  };
  try {
    await node.store.open((earliest) => engine.scheduleChanged(earliest));
    const configured = await Promise.all(config.plugins.map(configPlugin));
    await plugins.install([...configured, ...checkList(options.plugins ?? [], 'plugins')], host);
  } catch (error) {
    await lifecycle.shutdown({ waitForJobs: false, deadline: config.shutdownDeadline });
    throw error;
  }
  lifecycle.opened();
  for (const message of warnings) announce({ type: 'configurationWarning', message });
  connect(engine, runtime.draining);
  return runtime;
}

interface Loggers {
  readonly events: StructuredLogger;
  /** Logger of plugins. Also writes lines at `info` if the level is `warn`, because a program that installs a history plugin expects its lines. */
  readonly plugins: StructuredLogger;
}

/** Returns the given logger, or one that writes to standard error, because standard output belongs to the program. Throws INVALID_ARGUMENT. */
function loggersOf(given: Logger | undefined, { instanceName, logLevel }: SchedulerConfig): Loggers {
  const levelOfPlugins = logLevel === 'warn' ? 'info' : logLevel;
  if (given !== undefined) {
    return { events: structuredLogger(given, logLevel), plugins: structuredLogger(given, levelOfPlugins) };
  }
  const own = pino({ name: instanceName, level: logLevel, serializers: { err: errorFields } }, pino.destination(2));
  return { events: own, plugins: own.child({}, { level: levelOfPlugins }) };
}

async function orClose<T>({ store }: StoreNode, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    await store.close();
    throw error;
  }
}

function workersOf({ threadPool }: SchedulerConfig, clock: Clock, bus: EventBus): WorkerPool {
  if (threadPool.kind === 'zeroSize') return new ZeroSizeWorkerPool();
  const onError = (error: unknown) =>
    bus.publish({ type: 'schedulerError', at: clock.now(), during: 'running a job', error: toError(error) });
  return new AsyncWorkerPool({ clock, size: threadPool.threadCount, onError });
}

/** Converts an error to the fields of a log line, with secrets masked. Adds the message of a cause only if it is not part of the error's message. */
export function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return maskValue({ ...stdSerializers.err(error), message: messageOf(error) });
}

function messageOf(error: Error): string {
  let text = error.message;
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (!text.includes(cause.message)) text += `: ${cause.message}`;
  }
  return text;
}
