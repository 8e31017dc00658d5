import type { Plugin } from '../api/plugin';
import type { PluginConfig } from '../config/scheduler-config';
import type { ScheduleFileSettings } from '../plugins/schedule-file/schedule-file-plugin';

/** The plugin a configuration names. Its settings were checked by the configuration's schema; its code is loaded now. */
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
      const { scheduleFilePlugin } = await import('../plugins/schedule-file/schedule-file-plugin');
      return scheduleFilePlugin({ ...settings, name } as ScheduleFileSettings);
    }
    case 'shutdownHook': {
      const { shutdownHookPlugin } = await import('../plugins/shutdown-hook');
      return shutdownHookPlugin({ ...settings, name });
    }
  }
}
