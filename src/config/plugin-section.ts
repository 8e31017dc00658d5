import { z } from 'zod';
import { DAY_MS } from '../base/clock';
import { given } from '../base/given';
import { type ConfigEntry, entriesOf } from './config-entries';
import { canonicalClass, PLUGINS } from './quartz-names';
import type { PluginConfig } from './scheduler-config';
import { flag, splitAtCommas, text, textList, wholeNumber } from './schema-values';
import { resolvedFrom, type SourceDocument } from './source-document';

const message = (description: string) => z.string().min(1).max(4_096).optional().describe(description);

export const pluginSchema = z.discriminatedUnion('class', [
  z.strictObject({
    class: z
      .literal('scheduleFile')
      .describe(
        'Applies jobs, triggers and calendars from schedule files. A file with problems is not applied at all.',
      ),
    fileNames: textList().describe(
      'Schedule files, as a list or separated by commas. Paths are relative to the configuration file.',
    ),
    scanInterval: wholeNumber(0, 86_400)
      .default(0)
      .describe('Interval of the checks for changed files, in seconds. `0`: files are read once.'),
    failOnFileNotFound: flag().default(true).describe('Refuse to start if a file is missing.'),
  }),
  z.strictObject({
    class: z.literal('shutdownHook').describe('Shuts the scheduler down on SIGTERM and SIGINT.'),
    cleanShutdown: flag().default(true).describe('Wait for running jobs to finish.'),
  }),
  z.strictObject({
    class: z
      .literal('jobInterruptMonitor')
      .describe(
        'Interrupts jobs that run longer than their `MaxRunTime`, if their data contains `AutoInterruptable: true`.',
      ),
    defaultMaxRunTime: wholeNumber(1, DAY_MS)
      .default(300_000)
      .describe('Maximum run time of jobs without `MaxRunTime`, in milliseconds.'),
  }),
  z.strictObject({
    class: z.literal('loggingJobHistory').describe('Logs every execution of a job.'),
    jobToBeFiredMessage: message('Log message before a job runs.'),
    jobSuccessMessage: message('Log message after a job ran.'),
    jobFailedMessage: message('Log message after a job failed.'),
    jobWasVetoedMessage: message('Log message when a listener vetoed a job.'),
  }),
  z.strictObject({
    class: z.literal('loggingTriggerHistory').describe('Logs every firing of a trigger.'),
    triggerFiredMessage: message('Log message when a trigger fires.'),
    triggerMisfiredMessage: message('Log message when a trigger misfired.'),
    triggerCompleteMessage: message('Log message when a firing has completed.'),
  }),
  z.strictObject({
    class: z.literal('webhookAlerts').describe('Sends events as signed webhooks.'),
    url: text(4_096).describe(
      'URL that receives each alert as a JSON POST request. Must be https, unless `allowHosts` contains its host.',
    ),
    secret: text(4_096)
      .optional()
      .describe(
        'Secret that signs the alerts: any text, or `whsec_` followed by base64. Default: alerts are not signed. Never shown in messages. Prefer an environment variable.',
      ),
    events: textList()
      .optional()
      .describe(
        'Types of the events that are sent, as a list or separated by commas. Default: events that need attention.',
      ),
    allowHosts: textList()
      .optional()
      .describe(
        'Hosts, as `name` or `name:port`, that may be reached over http. If set, redirects may only lead to these hosts and to the host of the URL.',
      ),
    allowPrivateAddresses: flag()
      .default(false)
      .describe('Allow the URL and its redirects to lead to addresses of this machine or of private networks.'),
    maxPerMinute: wholeNumber(1, 10_000)
      .default(30)
      .describe(
        'Maximum number of alerts per minute. Further alerts are counted, and the next alert reports their number.',
      ),
    timeout: wholeNumber(100, 120_000).default(10_000).describe('Timeout of one attempt, in milliseconds.'),
  }),
]);

/** Resolves the plugins, in the order of the configuration. Relative file paths refer to the folder of the configuration file. */
export function resolvePlugins(
  plugins: Readonly<Record<string, z.output<typeof pluginSchema>>>,
  configFile: string,
): readonly PluginConfig[] {
  return Object.entries(plugins).map(([name, plugin]) => {
    const { class: kind, ...settings } = plugin;
    const files = plugin.class === 'scheduleFile' && {
      fileNames: plugin.fileNames.map((file) => resolvedFrom(configFile, file)),
    };
    return { name, kind, settings: { ...given(settings), ...files } as PluginConfig['settings'] };
  });
}

const CLASS_OF_PLUGIN = /^(plugin\.[^.]+)\.class$/;

/** Returns names of plugins (`plugin.<name>`) with a custom Java class: one with a package, whose name no built-in plugin has. */
export function foreignPlugins(entries: readonly ConfigEntry[]): readonly string[] {
  return entries.flatMap(({ key, value }) => {
    const [, plugin] = CLASS_OF_PLUGIN.exec(key) ?? [];
    const isForeign =
      typeof value === 'string' && value.includes('.') && !Object.hasOwn(PLUGINS, String(canonicalClass(key, value)));
    return plugin !== undefined && isForeign ? [plugin] : [];
  });
}

/** Returns the schedule files that a configuration names. If the configuration is invalid, returns the files found in its readable part. */
export function namedScheduleFiles(document: SourceDocument): readonly string[] {
  const entries = entriesOf(document, []);
  const plugins = entries.flatMap(({ key, value }) => {
    const [, plugin] = CLASS_OF_PLUGIN.exec(key) ?? [];
    return plugin !== undefined && canonicalClass(key, value) === 'scheduleFile' ? [plugin] : [];
  });
  const values = entries.filter(({ key }) => plugins.some((plugin) => key === `${plugin}.fileNames`));
  return values
    .flatMap(({ value }) => splitAtCommas(value))
    .filter((file): file is string => typeof file === 'string' && file !== '' && !file.includes('$'))
    .map((file) => resolvedFrom(document.file, file));
}
