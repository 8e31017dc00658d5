import type { Plugin, PluginHost } from '../api/plugin';
import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { settlesWithin } from '../base/sleep';
import { describeValue } from '../domain/check-text';

/** The shortest time a plugin is given to stop, in milliseconds. */
const LEAST_PATIENCE = 250;

export interface StopOptions {
  readonly clock: Clock;
  /** How long each plugin is waited for, in milliseconds. */
  readonly patience: number;
  readonly onError: (error: Error) => void;
}

/** The plugins of one scheduler: installed and started in order, stopped in the opposite one. */
export class Plugins {
  readonly #installed: Plugin[] = [];
  readonly #started = new Set<Plugin>();

  /** Throws CONFIGURATION, naming the plugin that could not be installed. */
  async install(plugins: readonly Plugin[], host: PluginHost): Promise<void> {
    for (const plugin of plugins.map(checkPlugin)) {
      await named(plugin, 'installed', () => plugin.install(host));
      this.#installed.push(plugin);
    }
  }

  /** Starts those not started yet: a start that failed half-way can be tried again. */
  async start(): Promise<void> {
    for (const plugin of this.#installed) {
      if (this.#started.has(plugin)) continue;
      await named(plugin, 'started', () => plugin.start?.());
      this.#started.add(plugin);
    }
  }

  /** Stops all, whether one of them throws or hangs; `onError` hears of it. */
  async stop({ clock, patience, onError }: StopOptions): Promise<void> {
    const limit = Math.max(LEAST_PATIENCE, patience);
    for (const plugin of this.#installed.splice(0).reverse()) {
      const stopped = named(plugin, 'stopped', () => plugin.stop?.()).catch(onError);
      if (!(await settlesWithin(clock, limit, stopped))) onError(notStopped(plugin, limit));
    }
  }
}

function checkPlugin(plugin: Plugin): Plugin {
  if (typeof plugin?.install === 'function') return plugin;
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a plugin with a name and an install method, found ${describeValue(plugin)}.`,
  );
}

async function named(plugin: Plugin, verb: string, step: () => unknown): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    // What names its problem already, as a schedule file does with all of its lines, is passed on.
    if (thrown instanceof SchedulerError) throw thrown;
    const cause = toError(thrown);
    throw new SchedulerError('CONFIGURATION', `Plugin '${plugin.name}' could not be ${verb}: ${cause.message}`, {
      cause,
    });
  }
}

function notStopped({ name }: Plugin, limit: number): SchedulerError {
  return new SchedulerError('CONFIGURATION', `Plugin '${name}' did not stop within ${limit} ms; going on without it.`);
}
