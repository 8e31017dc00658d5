/** The names a `…class` key may have here, and the Java classes and older words that mean the same. */
export type ClassAliases = Readonly<Record<string, readonly string[]>>;

export const JOB_STORES = {
  memory: ['RAMJobStore'],
  sqlite: [],
  mysql: ['mariadb'],
  /** A store in a database; which one, its data source's URL tells. */
  sql: ['JobStoreTX', 'JobStoreCMT', 'LocalDataSourceJobStore'],
} as const satisfies ClassAliases;

export const THREAD_POOLS = {
  async: ['SimpleThreadPool', 'LocalTaskExecutorThreadPool'],
  zeroSize: ['ZeroSizeThreadPool'],
} as const satisfies ClassAliases;

export const INSTANCE_ID_GENERATORS = {
  simple: ['SimpleInstanceIdGenerator'],
  hostname: ['HostnameInstanceIdGenerator'],
  environment: ['SystemPropertyInstanceIdGenerator', 'systemProperty'],
} as const satisfies ClassAliases;

export const JOB_FACTORIES = {
  registered: ['PropertySettingJobFactory', 'SimpleJobFactory', 'AdaptableJobFactory', 'SpringBeanJobFactory'],
} as const satisfies ClassAliases;

export const PLUGINS = {
  jobInterruptMonitor: ['JobInterruptMonitorPlugin'],
  loggingJobHistory: ['LoggingJobHistoryPlugin'],
  loggingTriggerHistory: ['LoggingTriggerHistoryPlugin'],
  scheduleFile: ['XMLSchedulingDataProcessorPlugin', 'JobInitializationPlugin', 'JobInitializationPluginMultiple'],
  shutdownHook: ['ShutdownHookPlugin'],
} as const satisfies ClassAliases;

/** Which aliases a key's value is read with, by the form of the key. */
const ALIASES_OF_KEYS: readonly (readonly [RegExp, ClassAliases])[] = [
  [/^jobStore\.class$/, JOB_STORES],
  [/^threadPool\.class$/, THREAD_POOLS],
  [/^scheduler\.instanceIdGenerator\.class$/, INSTANCE_ID_GENERATORS],
  [/^scheduler\.jobFactory\.class$/, JOB_FACTORIES],
  [/^plugin\.[^.]+\.class$/, PLUGINS],
];

/** Our name for a class, whichever of its names was given (a Java package in front does not matter); anything else unchanged. */
export function canonicalClass(key: string, value: unknown): unknown {
  const aliases = ALIASES_OF_KEYS.find(([form]) => form.test(key))?.[1];
  if (aliases === undefined || typeof value !== 'string') return value;
  const simpleName = value.trim().split('.').at(-1)?.toLowerCase();
  const matches = (name: string) => name.toLowerCase() === simpleName;
  return Object.keys(aliases).find((name) => matches(name) || aliases[name]?.some(matches)) ?? value;
}
