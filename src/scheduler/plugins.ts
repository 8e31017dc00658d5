import type { Plugin, PluginHost } from '../api/plugin';
import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { completesWithin } from '../base/sleep';
import type { PluginConfig } from '../config/scheduler-config';
import { invalidArgument } from '../domain/check-text';
import type { ScheduleFileSettings } from '../plugins/schedule-file-plugin';
import type { WebhookAlertsOptions } from '../plugins/webhook-alerts';

/** Minimum time that a plugin gets to stop, in milliseconds. */
const MIN_STOP_TIMEOUT_MS = 250;

/** Plugins of one scheduler. Installs and starts them in the given order, and stops them in reverse order. */
export class Plugins {
  readonly #installed: Plugin[] = [];
  readonly #started = new Set<Plugin>();

  /** Installs the plugins. Rejects with INVALID_ARGUMENT for other values, or with CONFIGURATION, which names the plugin, if a plugin fails. */
  async install(plugins: readonly Plugin[], host: PluginHost): Promise<void> {
    for (const plugin of plugins.map(checkPlugin)) {
      await named(plugin, 'installed', () => plugin.install(host));
      this.#installed.push(plugin);
    }
  }

  /** Starts the plugins that are not yet started. If a plugin fails, the next call begins with that plugin. */
  async start(): Promise<void> {
    for (const plugin of this.#installed) {
      if (this.#started.has(plugin)) continue;
      await named(plugin, 'started', () => plugin.start?.());
      this.#started.add(plugin);
    }
  }

  /** Stops all plugins. Each plugin gets `timeoutMs`, but at least 250 ms. Calls `onError` for each plugin that throws or exceeds this time. */
  async stop(clock: Clock, timeoutMs: number, onError: (error: Error) => void): Promise<void> {
    const limitMs = Math.max(MIN_STOP_TIMEOUT_MS, timeoutMs);
    for (const plugin of this.#installed.splice(0).reverse()) {
      const stopped = named(plugin, 'stopped', () => plugin.stop?.()).catch(onError);
      if (await completesWithin(clock, limitMs, stopped)) continue;
      const message = `Plugin '${plugin.name}' did not stop within ${limitMs} ms. Shutdown continues without it.`;
      onError(new SchedulerError('CONFIGURATION', message));
    }
  }
}

function checkPlugin(plugin: Plugin): Plugin {
  if (typeof plugin?.install === 'function') return plugin;
  throw invalidArgument('a plugin with a name and an install method', plugin);
}

async function named(plugin: Plugin, verb: string, step: () => unknown): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    // A SchedulerError already describes its problem, for example in a schedule file, and is rethrown unchanged.
    if (thrown instanceof SchedulerError) throw thrown;
    const cause = toError(thrown);
    const message = `Plugin '${plugin.name}' could not be ${verb}: ${cause.message}`;
    throw new SchedulerError('CONFIGURATION', message, { cause });
  }
}

/** Creates a plugin from its configured settings, which were checked with the configuration. Imports the plugin's code on demand. */
export async function configPlugin({ name, kind, settings }: PluginConfig): Promise<Plugin> {
  switch (kind) {
    case 'jobInterruptMonitor': {
      const { jobInterruptMonitorPlugin } = await import('../plugins/job-interrupt-monitor');
      return jobInterruptMonitorPlugin({ ...settings, name });
    }
    case 'loggingJobHistory': {
      const { loggingJobHistoryPlugin } = await import('../plugins/logging-history');
      return loggingJobHistoryPlugin({ ...settings, name });
    }
    case 'loggingTriggerHistory': {
      const { loggingTriggerHistoryPlugin } = await import('../plugins/logging-history');
      return loggingTriggerHistoryPlugin({ ...settings, name });
    }
    case 'scheduleFile': {
      const { scheduleFilePlugin } = await import('../plugins/schedule-file-plugin');
      return scheduleFilePlugin({ ...settings, name } as ScheduleFileSettings);
    }
    case 'shutdownHook': {
      const { shutdownHookPlugin } = await import('../plugins/shutdown-hook');
      return shutdownHookPlugin({ ...settings, name });
    }
    case 'webhookAlerts': {
      const { webhookAlertsPlugin } = await import('../plugins/webhook-alerts');
      return webhookAlertsPlugin({ ...settings, name } as WebhookAlertsOptions);
    }
  }
}
