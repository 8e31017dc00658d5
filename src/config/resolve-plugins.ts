import { dirname, isAbsolute, join } from 'node:path';
import type { ConfigTree } from './config-schema';
import type { PluginConfig } from './scheduler-config';

/** The plugins of a configuration, in its order. The files they name lie beside the configuration, unless their path is absolute. */
export function resolvePlugins(plugins: ConfigTree['plugin'], configFile: string): readonly PluginConfig[] {
  const beside = (file: string) => (isAbsolute(file) ? file : join(dirname(configFile), file));
  return Object.entries(plugins).map(([name, plugin]) => {
    const { class: kind, ...settings } = plugin;
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    if (plugin.class === 'scheduleFile') given.fileNames = plugin.fileNames.map(beside);
    return { name, kind, settings: given as PluginConfig['settings'] };
  });
}
