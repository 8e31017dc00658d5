import type { PluginHost } from '../api/plugin';
import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { Gate } from '../base/gate';
import { systemRandom } from '../base/ids';
import { timeZoneDataVersion } from '../base/version';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { LoadedConfig, OnLeaseLost, SchedulerConfig } from '../config/scheduler-config';
import { LoadCounts } from '../domain/load-counts';
import { EventBus } from '../events/event-bus';
import { loggedTypes, logSubscriber } from '../events/log-subscriber';
import { AsyncWorkerPool, type WorkerPool, ZeroSizeWorkerPool } from '../workers/worker-pool';
import { agreeOnRules } from './agree-on-rules';
import { checkList } from './checked-input';
import type { CreateSchedulerOptions } from './create-scheduler-options';
import { givenLoggers, type Loggers } from './loggers';
import { schedulerHooks } from './node/node-hooks';
import { openStore, type StoreParts } from './node/open-store';
import type { StoreNode } from './node/store-node';
import { configPlugin, Plugins } from './plugins';
import type { SchedulerRuntime } from './wire-scheduler';

/** Options that only this package's own programs pass. */
export interface AssembleOptions extends CreateSchedulerOptions, Pick<StoreParts, 'access'> {
  /** True if no service starts automatically. The caller runs the engine step by step, as tests do. */
  readonly isDriven?: boolean;
  /** True if the scheduler is never started, as in commands that inspect or change a schedule. */
  readonly isObserver?: boolean;
  /** Action when this node loses its lease, unless the configuration sets one. Default: `abort`. */
  readonly onLeaseLost?: OnLeaseLost;
  readonly storeThreadEntry?: string;
  /** Version of the time zone data. Default: that of this process. */
  readonly timeZoneData?: string | null;
}

/** Builds, connects and opens all components of a scheduler. Closes the store if a step fails. */
export async function assemble(
  { config, warnings }: LoadedConfig,
  options: AssembleOptions,
): Promise<SchedulerRuntime> {
  const { jobs = {}, random = systemRandom, isDriven = false, isObserver = false } = options;
  const { currentJobContext: tracksCurrentJob = false, timeZoneData = timeZoneDataVersion() } = options;
  const given = options.logger === undefined ? null : givenLoggers(options.logger, config);
  const plugins = new Plugins();
  const bus = new EventBus();
  const gate = new Gate();
  const { hooks, connect } = schedulerHooks(bus, gate);
  const load = new LoadCounts();
  const [{ clock, node }, { wireScheduler }, loggers] = await Promise.all([
    openStore(config, { ...options, hooks, load, timeZoneData }),
    ...loadWhileOpening(given, config),
  ]);
  if (node.cluster === null) gate.open(); // without a cluster there is no lease to wait for
  const workers = workersOf(config, clock, bus);
  const acting = { node, gate, workers, load, bus, timeZoneData };
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
      const { applyDeclared } = await import('./declared-set');
      return (await applyDeclared({ store: node.store, writer, announce }, changes, declared)).outcomes;
    },
    publish: (event) => bus.publish(event),
  };
  try {
    await node.store.open((earliest) => engine.scheduleChanged(earliest));
    if (!isObserver) await agreeOnRules(node.store, config);
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

/** Loads this thread's modules while the thread of a database store loads its own. Yields first, because loading would delay the start of that thread. */
function loadWhileOpening(given: Loggers | null, config: SchedulerConfig) {
  const threadStarted = yieldToEventLoop();
  return [
    threadStarted.then(() => import('./wire-scheduler')),
    threadStarted.then(async () => given ?? (await import('./own-loggers')).ownLoggers(config)),
  ] as const;
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
