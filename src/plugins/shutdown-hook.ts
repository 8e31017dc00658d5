import type { Plugin, PluginHost } from '../api/plugin';
import { toError } from '../base/errors';
import { checkOptions } from '../domain/check-options';

/** The part of `process` that delivers and sends signals. */
export interface SignalSource {
  readonly pid: number;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  listenerCount(signal: NodeJS.Signals): number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** Settings of `shutdownHookPlugin`. */
export interface ShutdownHookOptions {
  /** Name of the plugin, for messages. Default: `shutdownHook`. */
  readonly name?: string;
  /** True if running jobs may finish, up to the shutdown deadline. Default: true. */
  readonly cleanShutdown?: boolean;
  /** Source of the signals. Default: this process. */
  readonly process?: SignalSource;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Number of shutdowns in progress by source. If a process has two schedulers, the last one to shut down ends it. */
const underWay = new WeakMap<SignalSource, number>();

/**
 * Shuts down the scheduler on SIGTERM or SIGINT. Afterwards, the signal ends the process, unless the program handles it
 * itself. A second signal ends the process immediately.
 */
export function shutdownHookPlugin(options: ShutdownHookOptions = {}): Plugin {
  const {
    name = 'shutdownHook',
    cleanShutdown = true,
    process: source = process,
  } = checkOptions(options, { name: true, cleanShutdown: true, process: true });
  const remove = () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
    listeners.clear();
  };
  const listeners = new Map<NodeJS.Signals, () => void>();

  async function shutDown(host: PluginHost, signal: NodeJS.Signals): Promise<void> {
    // Without the plugin's listeners, the next signal has its default effect.
    remove();
    underWay.set(source, (underWay.get(source) ?? 0) + 1);
    try {
      await host.scheduler.shutdown({ waitForJobs: cleanShutdown });
    } catch (error) {
      host.publish({
        type: 'schedulerError',
        at: host.clock.now(),
        during: `shutdown on ${signal}`,
        error: toError(error),
      });
    }
    const left = (underWay.get(source) ?? 1) - 1;
    underWay.set(source, left);
    // A signal with listeners does not end the process. No listener is left now, so sending it again does.
    if (left === 0 && source.listenerCount(signal) === 0) source.kill(source.pid, signal);
  }

  return {
    name,
    install(host) {
      for (const signal of SIGNALS) {
        const listener = () => void shutDown(host, signal);
        listeners.set(signal, listener);
        source.once(signal, listener);
      }
    },
    stop: remove,
  };
}
