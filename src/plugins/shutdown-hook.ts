import type { Plugin, PluginHost } from '../api/plugin';
import { toError } from '../base/errors';
import { checkOptions } from '../domain/check-options';

/** The part of `process` that signals come from and go to. */
export interface SignalSource {
  readonly pid: number;
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  listenerCount(signal: NodeJS.Signals): number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** How the process ends. */
export interface ShutdownHookOptions {
  /** Of the plugin, for messages. Default: its kind. */
  readonly name?: string;
  /** Let running jobs finish, until the shutdown deadline (default true). */
  readonly cleanShutdown?: boolean;
  /** Default: this process. */
  readonly process?: SignalSource;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Shutdowns under way, by source: with two schedulers in one process, the last one to end lets it go. */
const underWay = new WeakMap<SignalSource, number>();

/**
 * Shuts the scheduler down on SIGTERM or SIGINT, then lets the signal end the process, unless the program handles it
 * itself. A second signal ends the process at once.
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
    // Without listeners of ours, the next signal does what signals do.
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
    // Listening to a signal keeps it from ending the process; nobody listens any more, so it may now.
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
