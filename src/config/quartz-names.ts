import { DATABASE_KINDS, DATABASE_NAMES, type DatabaseName } from '../base/database-kinds';

/** Values of a `…class` key, each with its aliases: Java classes and older names. */
export type ClassAliases = Readonly<Record<string, readonly string[]>>;

const DATABASE_CLASSES = Object.fromEntries(
  DATABASE_NAMES.map((name) => [name, DATABASE_KINDS[name].otherNames]),
) as unknown as { readonly [Name in DatabaseName]: (typeof DATABASE_KINDS)[Name]['otherNames'] };

export const JOB_STORES = {
  memory: ['RAMJobStore'],
  ...DATABASE_CLASSES,
  /** Class names of any database store. The URL of the data source selects the database. */
  sql: ['JobStoreTX', 'JobStoreCMT', 'LocalDataSourceJobStore'],
} as const satisfies ClassAliases;

export const THREAD_POOLS = {
  async: ['SimpleThreadPool', 'LocalTaskExecutorThreadPool', 'SimpleThreadPoolTaskExecutor'],
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
  webhookAlerts: [],
} as const satisfies ClassAliases;

const ALIASES_OF_KEYS: readonly (readonly [RegExp, ClassAliases])[] = [
  [/^jobStore\.class$/, JOB_STORES],
  [/^threadPool\.class$/, THREAD_POOLS],
  [/^scheduler\.instanceIdGenerator\.class$/, INSTANCE_ID_GENERATORS],
  [/^scheduler\.jobFactory\.class$/, JOB_FACTORIES],
  [/^plugin\.[^.]+\.class$/, PLUGINS],
];

/** Returns the built-in name for a class name or alias, with or without its Java package. Returns any other value unchanged. */
export function canonicalClass(key: string, value: unknown): unknown {
  const aliases = ALIASES_OF_KEYS.find(([form]) => form.test(key))?.[1];
  if (aliases === undefined || typeof value !== 'string') return value;
  const simpleName = value.trim().split('.').at(-1)?.toLowerCase();
  const matches = (name: string) => name.toLowerCase() === simpleName;
  return Object.keys(aliases).find((name) => matches(name) || aliases[name]?.some(matches)) ?? value;
}

/** Quartz keys that have no effect here, each with the reason. `*` matches one part of a key or, at the end, all remaining parts. */
export const IGNORED_KEYS: Readonly<Record<string, string>> = {
  'scheduler.threadName': 'there is no scheduler thread',
  'scheduler.makeSchedulerThreadDaemon': 'there is no scheduler thread',
  'scheduler.threadsInheritContextClassLoaderOfInitializer': 'there are no class loaders',
  'scheduler.classLoadHelper.*': 'there are no class loaders',
  'scheduler.jobFactory.warnIfPropertyNotFound': 'jobs receive their data as an object, not through setters',
  'scheduler.jobFactory.throwIfPropertyNotFound': 'jobs receive their data as an object, not through setters',
  'scheduler.skipUpdateCheck': 'no update check is made over the network',
  'scheduler.userTransactionURL': 'there is no transaction manager',
  'scheduler.wrapJobExecutionInUserTransaction': 'there is no transaction manager',
  'scheduler.rmi.*': 'there is no remote method invocation',
  'scheduler.jmx.*': 'there is no JMX',
  'managementRESTService.*': 'the service was never finished in Quartz',
  'threadPool.threadPriority': 'jobs share one event loop',
  'threadPool.makeThreadsDaemons': 'jobs share one event loop',
  'threadPool.threadNamePrefix': 'jobs share one event loop',
  'threadPool.threadsInheritContextClassLoaderOfInitializingThread': 'there are no class loaders',
  'threadPool.threadsInheritGroupOfInitializingThread': 'jobs share one event loop',
  'threadExecutor.*': 'jobs share one event loop',
  'jobListener.*': 'add listeners in code: `scheduler.getListenerManager().addJobListener(…)`',
  'triggerListener.*': 'add listeners in code: `scheduler.getListenerManager().addTriggerListener(…)`',
  'jobStore.dontSetAutoCommitFalse': 'transactions are always explicit',
  'jobStore.dontSetNonManagedTXConnectionAutoCommitFalse': 'transactions are always explicit',
  'jobStore.nonManagedTXDataSource': 'there is no transaction manager',
  'jobStore.makeThreadsDaemons': 'the store has no configurable threads',
  'jobStore.threadsInheritInitializersClassLoadContext': 'there are no class loaders',
  'jobStore.txIsolationLevelSerializable': 'the isolation level is set and verified by the store',
  'jobStore.txIsolationLevelReadCommitted': 'the isolation level is set and verified by the store',
  'jobStore.selectWithLockSQL': 'statements are fixed',
  'jobStore.lockHandler.*': 'the store always uses locking that is safe in a cluster',
  'jobStore.driverDelegateClass': "the dialect follows from the data source's URL",
  'jobStore.driverDelegateInitString': "the dialect follows from the data source's URL",
  'dataSource.*.driver': 'the driver follows from the URL',
  'dataSource.*.provider': 'there is one connection pool',
  'dataSource.*.connectionProvider.*': 'there is one connection pool',
  'dataSource.*.jndiURL': 'there is no JNDI',
  'dataSource.*.jndiAlwaysLookup': 'there is no JNDI',
  'dataSource.*.java.*': 'there is no JNDI',
  'dataSource.*.validationQuery': 'the pool validates its connections itself',
  'dataSource.*.idleConnectionValidationSeconds': 'the pool validates its connections itself',
  'dataSource.*.validateOnCheckout': 'the pool validates its connections itself',
  'dataSource.*.maxIdleTime': 'the pool closes idle connections itself',
  'dataSource.*.discardIdleConnectionsSeconds': 'the pool closes idle connections itself',
  'dataSource.*.maxCachedStatementsPerConnection': 'the number of statements is small and fixed',
  'plugin.*.wrapInUserTransaction': 'there is no transaction manager',
};

const PATTERNS = Object.entries(IGNORED_KEYS).map(([pattern, reason]) => {
  const form = pattern.replaceAll('.', '\\.').replace(/\*$/, '.+').replaceAll('*', '[^.]+');
  return { form: new RegExp(`^${form}$`), reason };
});

/** Returns the reason why a Quartz key has no effect here, or null for any other key. */
export function ignoredBecause(key: string): string | null {
  return PATTERNS.find(({ form }) => form.test(key))?.reason ?? null;
}

/** Returns one warning that lists all keys without effect, grouped by reason; an empty array if there are none. */
export function ignoredKeysWarning(
  keys: readonly { readonly key: string; readonly reason: string }[],
): readonly string[] {
  if (keys.length === 0) return [];
  const byReason = new Map<string, string[]>();
  for (const { key, reason } of keys) byReason.set(reason, [...(byReason.get(reason) ?? []), key]);
  const groups = [...byReason].map(([reason, names]) => `${names.join(', ')} (${reason})`);
  const subject = keys.length === 1 ? 'This key has' : 'These keys have';
  return [`${subject} no effect here and can be removed: ${groups.join('; ')}.`];
}
