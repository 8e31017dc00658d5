import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { type ConfigEntry, entriesOf } from './config-entries';
import { canonicalClass, PLUGINS } from './quartz-names';
import type { PluginConfig } from './scheduler-config';
import { DAY_MS, flag, text, textList, wholeNumber } from './schema-values';
import type { SourceDocument } from './source-document';

const message = (description: string) => z.string().min(1).max(4_096).optional().describe(description);

/** The settings of a plugin, by its `class`. */
export const pluginSchema = z.discriminatedUnion('class', [
  z.strictObject({
    class: z.literal('scheduleFile').describe('Jobs, triggers and calendars from files, applied as one unit.'),
    fileNames: textList().describe("The files, relative to the configuration's folder; a list, or with commas."),
    scanInterval: wholeNumber(0, 86_400)
      .default(0)
      .describe('Seconds between two looks whether a file changed; 0 reads it once.'),
    failOnFileNotFound: flag().default(true).describe('Refuse to start when a file is not there.'),
  }),
  z.strictObject({
    class: z.literal('shutdownHook').describe('Shuts the scheduler down when the process is asked to end.'),
    cleanShutdown: flag().default(true).describe('Let running jobs finish.'),
  }),
  z.strictObject({
    class: z
      .literal('jobInterruptMonitor')
      .describe('Interrupts jobs whose data say `AutoInterruptable` after their `MaxRunTime`.'),
    defaultMaxRunTime: wholeNumber(1, DAY_MS)
      .default(300_000)
      .describe('How long a job that names no `MaxRunTime` may run, in milliseconds.'),
  }),
  z.strictObject({
    class: z.literal('loggingJobHistory').describe('Logs every execution of a job.'),
    jobToBeFiredMessage: message('Text before a job runs.'),
    jobSuccessMessage: message('Text after a job ran.'),
    jobFailedMessage: message('Text after a job failed.'),
    jobWasVetoedMessage: message('Text when a listener vetoed a job.'),
  }),
  z.strictObject({
    class: z.literal('loggingTriggerHistory').describe('Logs every firing of a trigger.'),
    triggerFiredMessage: message('Text when a trigger fires.'),
    triggerMisfiredMessage: message('Text when a trigger misfired.'),
    triggerCompleteMessage: message('Text when a firing is complete.'),
  }),
  z.strictObject({
    class: z.literal('webhookAlerts').describe('Sends events as signed webhooks.'),
    url: text(4_096).describe('Receives each alert as a POST of JSON. Https, unless `allowHosts` names its host.'),
    secret: text(4_096)
      .optional()
      .describe(
        'What alerts are signed with: any text, or `whsec_` and base64. Without it they are not signed. Never shown in a message. Better from the environment.',
      ),
    events: textList()
      .optional()
      .describe('Types of the events that are sent; a list, or with commas. Without it: what somebody has to look at.'),
    allowHosts: textList()
      .optional()
      .describe(
        'Hosts, `name` or `name:port`, that may be reached by http; with any named, redirects lead to them and to the host of the URL alone.',
      ),
    allowPrivateAddresses: flag()
      .default(false)
      .describe('Whether the URL, or a redirect, may lead to an address of this machine or of a private network.'),
    maxPerMinute: wholeNumber(1, 10_000)
      .default(30)
      .describe('The most alerts of a minute. Those above are counted, and the next one says how many they were.'),
    timeout: wholeNumber(100, 120_000).default(10_000).describe('How long one attempt may take, in milliseconds.'),
  }),
]);

/** The plugins of a configuration, in its order. Relative paths of files begin at the configuration's folder. */
export function resolvePlugins(
  plugins: Readonly<Record<string, z.output<typeof pluginSchema>>>,
  configFile: string,
): readonly PluginConfig[] {
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
