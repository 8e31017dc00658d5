import type { ConfigEntry } from './config-entries';
import { dataSourceSchema } from './data-source-section';
import type { ProblemInput } from './problem';
import { canonicalClass, ignoredBecause, JOB_STORES, type PLUGINS } from './quartz-names';
import { quoted } from './source-document';

/* Settings that a configuration of Quartz may omit: Quartz has a default, or Spring or a container supplies them. */

interface Ignored {
  readonly key: string;
  readonly reason: string;
}

interface Completed {
  readonly entries: readonly ConfigEntry[];
  readonly ignored: readonly Ignored[];
  readonly warnings: readonly string[];
}

/** Files that Quartz's plugins read if `fileNames` is missing. */
const DEFAULT_FILES: Readonly<Record<string, string>> = {
  XMLSchedulingDataProcessorPlugin: 'quartz_data.xml',
  JobInitializationPlugin: 'quartz_jobs.xml',
  JobInitializationPluginMultiple: 'quartz_jobs.xml',
} satisfies Record<(typeof PLUGINS.scheduleFile)[number], string>;

/** Adds Quartz's default file to each schedule plugin that has a Java class and no `fileNames`. */
export function withDefaultFiles(entries: readonly ConfigEntry[]): Completed {
  const keys = new Set(entries.map(({ key }) => key));
  const added = entries.flatMap((entry) => {
    const [, plugin = ''] = /^(plugin\.[^.]+)\.class$/.exec(entry.key) ?? [];
    const file = typeof entry.value === 'string' ? DEFAULT_FILES[simpleName(entry.value)] : undefined;
    const key = `${plugin}.fileNames`;
    return plugin === '' || file === undefined || keys.has(key) ? [] : [{ ...entry, key, value: file }];
  });
  const warnings = added.map(
    ({ key, value }) =>
      `${key} is missing, so the plugin reads Quartz's default, ${value}. Convert that file to YAML and set ${key} to its new name.`,
  );
  return { entries: [...entries, ...added], ignored: [], warnings };
}

function simpleName(javaClass: string): string {
  return javaClass.split('.').at(-1) ?? '';
}

const OWN_PROVIDER = /^dataSource\.([^.]+)\.connectionProvider\.class$/;

/** Names that connection providers give to the keys of a data source. */
const NAMES_OF_PROVIDERS: Readonly<Record<string, string>> = {
  url: 'URL',
  jdbcurl: 'URL',
  user: 'user',
  username: 'user',
  password: 'password',
};

/** Settings of C3P0 and HikariCP, which Quartz's own providers pass on to them. */
const OF_POOLS =
  /^(acquire\w+|auto(Commit|CommitOnClose)|break\w+|checkoutTimeout|connection(InitSql|TestQuery|Timeout)|idle\w+|initialPoolSize|initializationFailTimeout|leakDetectionThreshold|max(AdministrativeTaskTime|ConnectionAge|IdleTimeExcessConnections|Lifetime|PoolSize|Statements|StatementsPerConnection|imumPoolSize)|min(PoolSize|imumIdle)|numHelperThreads|poolName|preferredTestQuery|registerMbeans|testConnectionOn\w+|unreturnedConnectionTimeout|validationTimeout)$/;

/** Reads the address and the login of data sources with a connection provider of their own. Other settings of pools have no effect here. */
export function withoutProviders(entries: readonly ConfigEntry[]): Completed {
  const names = entries.flatMap(({ key }) => OWN_PROVIDER.exec(key)?.[1] ?? []);
  const ignored: Ignored[] = [];
  const kept = entries.flatMap((entry) => {
    const [, name = '', setting = ''] = /^dataSource\.([^.]+)\.([^.]+)$/.exec(entry.key) ?? [];
    const isOfPool = names.includes(name) || OF_POOLS.test(setting);
    if (!isOfPool || Object.hasOwn(dataSourceSchema.shape, setting) || ignoredBecause(entry.key) !== null)
      return [entry];
    const known = names.includes(name) ? NAMES_OF_PROVIDERS[setting.toLowerCase()] : undefined;
    const key = `dataSource.${name}.${known}`;
    if (known !== undefined && !entries.some((each) => each.key === key)) return [{ ...entry, key }];
    ignored.push({ key: entry.key, reason: 'there is one connection pool' });
    return [];
  });
  return { entries: kept, ignored, warnings: [] };
}

/** Name of the data source of a job store that has none of its own. */
const SUPPLIED = 'supplied';

/** Adds the database that the program supplies, as Spring does for Quartz, to a configuration that names none. */
export function withSuppliedDatabase(entries: readonly ConfigEntry[], url: string): readonly ConfigEntry[] {
  const value = (key: string) => entries.find((entry) => entry.key === key)?.value;
  const add = (key: string, text: string): ConfigEntry => ({ key, value: text, path: [], secret: false });
  if (value('database') !== undefined) return entries;
  const written = value('jobStore.class');
  const name = value('jobStore.dataSource');
  if (written === undefined && name === undefined) return [...entries, add('database', url)];
  if (!isInDatabase(written) || value(`dataSource.${String(name)}.URL`) !== undefined) return entries;
  if (typeof name === 'string') return [...entries, add(`dataSource.${name}.URL`, url)];
  return [...entries, add('jobStore.dataSource', SUPPLIED), add(`dataSource.${SUPPLIED}.URL`, url)];
}

function isInDatabase(written: unknown): boolean {
  const name = canonicalClass('jobStore.class', written);
  return name === 'sql' || name === 'mysql';
}

/** Returns the problem of a database store without the URL of a database; null for any other store. `entries` includes keys without effect. */
export function missingDatabase(entries: readonly ConfigEntry[]): ProblemInput | null {
  const value = (key: string) => entries.find((entry) => entry.key === key)?.value;
  if (!isInDatabase(value('jobStore.class')) || value('database') !== undefined) return null;
  const name = value('jobStore.dataSource');
  const ofSource = `dataSource.${typeof name === 'string' ? name : ''}.`;
  const declared = entries.filter(({ key }) => key.startsWith(ofSource));
  const hasEffect = declared.some(({ key }) => ignoredBecause(key) === null);
  const isAnyDeclared = entries.some(({ key }) => /^dataSource\..+\.URL$/.test(key));
  // If another data source has a URL, the name is probably misspelt.
  if (value(`${ofSource}URL`) !== undefined || (isAnyDeclared && declared.length === 0)) return null;
  // Does not repeat a value that cannot be the name of a data source: it may be a misplaced login.
  const target = typeof name === 'string' && /^[\w-]+$/.test(name) ? name : 'main';
  const prefix = entries.some(({ path }) => path.join('.').startsWith('org.quartz.')) ? 'org.quartz.' : '';
  const also = typeof name === 'string' ? '' : ` and ${prefix}jobStore.dataSource = ${target}`;
  return {
    path: hasEffect ? ['dataSource', target, 'URL'] : ['jobStore', 'dataSource'],
    at: 'key',
    message:
      `expected the URL of a database, found none${supplierOf(value, ofSource)}. Write ${prefix}dataSource.${target}.URL = ` +
      `mysql://host:port/database${also}, or pass a pool to createScheduler(config, { pool })`,
  };
}

/** Returns who connects to the database in Java; an empty text if the store has no Java class. */
function supplierOf(value: (key: string) => unknown, ofSource: string): string {
  if (value(`${ofSource}jndiURL`) !== undefined) return `: in Java, the container supplies it (${ofSource}jndiURL)`;
  const provider = value(`${ofSource}connectionProvider.class`);
  if (typeof provider === 'string') return `: in Java, the class ${quoted(provider)} connects to it`;
  return Object.hasOwn(JOB_STORES, String(value('jobStore.class')))
    ? ''
    : ': in Java, Spring or the container supplies it';
}
