import { type Logger, pino } from 'pino';
import type { Jobs } from '../api/job';
import type { Plugin, PluginHost } from '../api/plugin';
import type { Scheduler } from '../api/scheduler';
import { type Clock, SystemClock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { fireInstanceIds, type RandomSource, systemRandom } from '../base/ids';
import { loadConfig } from '../config/load-config';
import type { Environment, LoadedConfig, SchedulerConfig } from '../config/scheduler-config';
import { EventBus } from '../events/event-bus';
import { loggedTypes, logSubscriber } from '../events/log-subscriber';
import type { JobStore } from '../store/job-store';
import { MemoryJobStore } from '../store/memory/memory-job-store';
import { AsyncWorkerPool } from '../workers/async-worker-pool';
import type { WorkerPool } from '../workers/worker-pool';
import { ZeroSizeWorkerPool } from '../workers/zero-size-worker-pool';
import { checkList, checkOptions } from './checked-input';
import { configPlugin } from './config-plugins';
import { type Assembly, connectParts } from './connect-parts';
import { Plugins } from './plugin-host';

export interface CreateSchedulerOptions {
  /** The job types that can run here. More can be added with `registerJob`. */
  readonly jobs?: Jobs;
  /** Default: a pino logger on standard error, at the configured level. */
  readonly logger?: Logger;
  /** Installed after those of the configuration. */
  readonly plugins?: readonly Plugin[];
  /** Do not keep the process alive for this scheduler alone (default false). Has no effect on a `clock` of your own. */
  readonly unref?: boolean;
  readonly clock?: Clock;
  readonly random?: RandomSource;
  /** Environment variables for the configuration (default: those of the process). */
  readonly env?: Environment;
}

const OPTIONS = { jobs: true, logger: true, plugins: true, unref: true, clock: true, random: true, env: true } as const;

/**
 * Creates a scheduler, in standby until `start`. `config` is the path of a `.yaml`, `.json` or `.properties` file, or an
 * object with the same keys; without it, everything has its default and is kept in memory. Throws CONFIGURATION with
 * every problem found, INVALID_ARGUMENT for options that are none.
 */
export async function createScheduler(
  config?: string | object,
  options: CreateSchedulerOptions = {},
): Promise<Scheduler> {
  const loaded = await loadConfig(config, checkOptions(options, OPTIONS).env);
  return (await assemble(loaded, options)).scheduler;
}

/** Builds, connects and opens all parts. `isDriven`: nothing runs by itself, somebody else tells the engine when to fire. */
export async function assemble(
  { config, warnings }: LoadedConfig,
  options: CreateSchedulerOptions & { readonly isDriven?: boolean },
): Promise<Assembly> {
  const { jobs = {}, random = systemRandom, unref = false, isDriven = false } = options;
  const { clock = new SystemClock({ keepsAlive: !unref }) } = options;
  const plugins = new Plugins();
  const store = storeOf(config, random);
  const bus = new EventBus();
  const workers = workersOf(config, clock, bus);
  const assembly = connectParts({ config, clock, random, store, workers, bus, jobs, plugins, isDriven });
  const { engine, lifecycle, writer, scheduler, announce } = assembly;
  const logger = options.logger ?? defaultLogger(config);
  bus.subscribe(logSubscriber(logger), loggedTypes(logger));
  await store.open((earliest) => engine.scheduleChanged(earliest));
  const host: PluginHost = {
    scheduler,
    logger,
    clock,
    timeZone: config.timeZone,
    applySchedule: (changes) => writer.apply(changes),
    publish: (event) => bus.publish(event),
  };
  try {
    const configured = await Promise.all(config.plugins.map(configPlugin));
    await plugins.install([...configured, ...checkList(options.plugins ?? [], 'plugins')], host);
  } catch (error) {
    await lifecycle.shutdown({ waitForJobs: false, deadline: config.shutdownDeadline });
    throw error;
  }
  lifecycle.opened();
  for (const message of warnings) announce({ type: 'configurationWarning', message });
  return assembly;
}

function storeOf({ jobStore }: SchedulerConfig, random: RandomSource): JobStore {
  if (jobStore.kind === 'memory') return new MemoryJobStore(fireInstanceIds(random));
  throw new SchedulerError(
    'CONFIGURATION',
    `Expected jobStore.class to be memory, found ${jobStore.kind}. This version keeps its schedule in memory only.`,
  );
}

function workersOf({ threadPool }: SchedulerConfig, clock: Clock, bus: EventBus): WorkerPool {
  if (threadPool.kind === 'zeroSize') return new ZeroSizeWorkerPool();
  const onError = (error: unknown) =>
    bus.publish({ type: 'schedulerError', at: clock.now(), during: 'running a job', error: toError(error) });
  return new AsyncWorkerPool({ clock, size: threadPool.threadCount, onError });
}

/** On standard error: standard output belongs to the program. */
function defaultLogger(config: SchedulerConfig): Logger {
  return pino({ name: config.instanceName, level: config.logLevel }, pino.destination(2));
}
