import type { Plugin, PluginHost } from '../api/plugin';
import { toError } from '../base/errors';
import { checkOptions } from '../domain/check-options';

/** Members of `process` that receive and send signals. */
export interface SignalSource {
  readonly pid: number;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  listenerCount(signal: NodeJS.Signals): number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** Options of `shutdownHookPlugin`. */
export interface ShutdownHookOptions {
  /** Name of the plugin, used in messages. Default: `shutdownHook`. */
  readonly name?: string;
  /** Waits for running jobs to end, at most until the shutdown deadline. Default: true. */
  readonly cleanShutdown?: boolean;
  /** Process that receives the signals. Default: this process. */
  readonly process?: SignalSource;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Number of shutdowns in progress, by process. If several schedulers shut down, the last one to finish ends the process. */
const underWay = new WeakMap<SignalSource, number>();

/**
 * Creates a plugin that shuts the scheduler down on SIGTERM or SIGINT. The signal then ends the process, unless the program also listens for the
 * signal. A second signal ends the process immediately.
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
    // Removes the listener, so that a second signal ends the process.
    remove();
    underWay.set(source, (underWay.get(source) ?? 0) + 1);
    try {
      await host.scheduler.shutdown({ waitForJobs: cleanShutdown });
    } catch (error) {
      host.publish({
        type: 'schedulerError',
        at: host.clock.now(),
        during: `shutting down on ${signal}`,
        error: toError(error),
      });
    }
    const left = (underWay.get(source) ?? 1) - 1;
    underWay.set(source, left);
    // A signal ends the process only if no listener is registered. Now that none is, the plugin sends the signal again.
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
