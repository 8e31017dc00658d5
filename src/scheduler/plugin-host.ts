import type { Plugin, PluginHost } from '../api/plugin';
import { SchedulerError, toError } from '../base/errors';

/** The plugins of one scheduler: installed and started in order, stopped in the opposite one. */
export class Plugins {
  readonly #installed: Plugin[] = [];
  readonly #started = new Set<Plugin>();

  /** Throws CONFIGURATION, naming the plugin that could not be installed. */
  async install(plugins: readonly Plugin[], host: PluginHost): Promise<void> {
    for (const plugin of plugins) {
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

  /** Stops all, whatever one of them throws; `onError` hears of it. */
  async stop(onError: (error: Error) => void): Promise<void> {
    for (const plugin of this.#installed.splice(0).reverse()) {
      await named(plugin, 'stopped', () => plugin.stop?.()).catch(onError);
    }
  }
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
