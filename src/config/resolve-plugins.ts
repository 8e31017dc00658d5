import { dirname, isAbsolute, join } from 'node:path';
import { canonicalClass, PLUGINS } from './class-names';
import type { ConfigTree } from './config-schema';
import { type ConfigEntry, entriesOf } from './dotted-keys';
import type { PluginConfig } from './scheduler-config';
import type { SourceDocument } from './source-document';

/** The plugins of a configuration, in its order. The files they name lie beside the configuration, unless their path is absolute. */
export function resolvePlugins(plugins: ConfigTree['plugin'], configFile: string): readonly PluginConfig[] {
  return Object.entries(plugins).map(([name, plugin]) => {
    const { class: kind, ...settings } = plugin;
    const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
    if (plugin.class === 'scheduleFile')
      given.fileNames = plugin.fileNames.map((file) => besideConfig(configFile, file));
    return { name, kind, settings: given as PluginConfig['settings'] };
  });
}

const CLASS_OF_PLUGIN = /^(plugin\.[^.]+)\.class$/;

/** Plugins (`plugin.<name>`) whose class is a Java class of the user's own: it has a package, and none of our names. */
export function foreignPlugins(entries: readonly ConfigEntry[]): readonly string[] {
  return entries.flatMap(({ key, value }) => {
    const [, plugin] = CLASS_OF_PLUGIN.exec(key) ?? [];
    const isForeign = typeof value === 'string' && value.includes('.') && !Object.hasOwn(PLUGINS, value);
    return plugin !== undefined && isForeign ? [plugin] : [];
  });
}

/** The schedule files that a configuration names, as far as one that is faulty can be read. */
export function namedScheduleFiles(document: SourceDocument): readonly string[] {
  const entries = entriesOf(document, []);
  const plugins = entries.flatMap(({ key, value }) => {
    const [, plugin] = CLASS_OF_PLUGIN.exec(key) ?? [];
    return plugin !== undefined && canonicalClass(key, value) === 'scheduleFile' ? [plugin] : [];
  });
  const values = entries.filter(({ key }) => plugins.some((plugin) => key === `${plugin}.fileNames`));
  return values
    .flatMap(({ value }) => (typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value))
    .filter((file): file is string => typeof file === 'string' && file !== '' && !file.includes('$'))
    .map((file) => besideConfig(document.file, file));
}

function besideConfig(configFile: string, file: string): string {
  return isAbsolute(file) ? file : join(dirname(configFile), file);
}
