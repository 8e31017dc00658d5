/*
 * Generated from src/config/config-schema.ts; a test compares. Write it anew: UPDATE_BASELINE=1 npx jest test/docs/configuration.test.ts
 */

import type { DataSourceConfiguration, PluginConfiguration, Reference } from './configuration';

/** The keys of a configuration, dotted. */
export interface DottedConfiguration {
  /** The short form of a store in a database: `mysql://user:password@host:port/database`, `mariadb://…`, or the path of a SQLite file. Stands for `jobStore.class`, `jobStore.dataSource` and the data source; tables are made where there are none. */
  readonly 'org.quartz.database'?: string | number;
  /** Name of the scheduler; all nodes of a cluster share it. Default: `QuartzScheduler`. */
  readonly 'scheduler.instanceName'?: string | number;
  /** Name of the scheduler; all nodes of a cluster share it. Default: `QuartzScheduler`. */
  readonly 'org.quartz.scheduler.instanceName'?: string | number;
  /** `AUTO`: made by the generator below. `SYS_PROP`: read from the environment. Anything else is taken as it is. Default: `NON_CLUSTERED` with the memory store, `AUTO` in a database. */
  readonly 'scheduler.instanceId'?: string | number;
  /** `AUTO`: made by the generator below. `SYS_PROP`: read from the environment. Anything else is taken as it is. Default: `NON_CLUSTERED` with the memory store, `AUTO` in a database. */
  readonly 'org.quartz.scheduler.instanceId'?: string | number;
  /** `simple`: host, process and ten random characters. `hostname`: the name of the machine. `environment`: a variable. Default: `simple`. */
  readonly 'scheduler.instanceIdGenerator.class'?:
    | 'simple'
    | 'hostname'
    | 'environment'
    | 'SimpleInstanceIdGenerator'
    | 'HostnameInstanceIdGenerator'
    | 'SystemPropertyInstanceIdGenerator'
    | 'systemProperty'
    | `org.quartz.${string}.SimpleInstanceIdGenerator`
    | `org.quartz.${string}.HostnameInstanceIdGenerator`
    | `org.quartz.${string}.SystemPropertyInstanceIdGenerator`
    | Reference;
  /** `simple`: host, process and ten random characters. `hostname`: the name of the machine. `environment`: a variable. Default: `simple`. */
  readonly 'org.quartz.scheduler.instanceIdGenerator.class'?:
    | 'simple'
    | 'hostname'
    | 'environment'
    | 'SimpleInstanceIdGenerator'
    | 'HostnameInstanceIdGenerator'
    | 'SystemPropertyInstanceIdGenerator'
    | 'systemProperty'
    | `org.quartz.${string}.SimpleInstanceIdGenerator`
    | `org.quartz.${string}.HostnameInstanceIdGenerator`
    | `org.quartz.${string}.SystemPropertyInstanceIdGenerator`
    | Reference;
  /** Variable that `environment` and `SYS_PROP` read; also tried in capitals with `_` for every other character. Default: `org.quartz.scheduler.instanceId`. */
  readonly 'scheduler.instanceIdGenerator.systemPropertyName'?: string | number;
  /** Variable that `environment` and `SYS_PROP` read; also tried in capitals with `_` for every other character. Default: `org.quartz.scheduler.instanceId`. */
  readonly 'org.quartz.scheduler.instanceIdGenerator.systemPropertyName'?: string | number;
  /** Put in front of what `environment` found. */
  readonly 'scheduler.instanceIdGenerator.prepend'?: string | number;
  /** Put in front of what `environment` found. */
  readonly 'org.quartz.scheduler.instanceIdGenerator.prepend'?: string | number;
  /** Put behind what `environment` found. */
  readonly 'scheduler.instanceIdGenerator.postpend'?: string | number;
  /** Put behind what `environment` found. */
  readonly 'org.quartz.scheduler.instanceIdGenerator.postpend'?: string | number;
  /** Zone of triggers and calendars that name none. Default: the machine's. */
  readonly 'scheduler.timeZone'?: string;
  /** Zone of triggers and calendars that name none. Default: the machine's. */
  readonly 'org.quartz.scheduler.timeZone'?: string;
  /** Longest time between two looks into the store, in milliseconds. 1000 to 86400000. Default: `30000`. */
  readonly 'scheduler.idleWaitTime'?: number | `${number}` | Reference;
  /** Longest time between two looks into the store, in milliseconds. 1000 to 86400000. Default: `30000`. */
  readonly 'org.quartz.scheduler.idleWaitTime'?: number | `${number}` | Reference;
  /** Most triggers acquired at once; never more than there are free workers. 1 to 10000. Default: `100`. */
  readonly 'scheduler.batchTriggerAcquisitionMaxCount'?: number | `${number}` | Reference;
  /** Most triggers acquired at once; never more than there are free workers. 1 to 10000. Default: `100`. */
  readonly 'org.quartz.scheduler.batchTriggerAcquisitionMaxCount'?: number | `${number}` | Reference;
  /** How much later than the first of a batch the others may be due, in milliseconds: they share its transactions, and each waits in the node for its own time. More than 1,000 counts as 1,000. Default: 50, in memory 0. 0 to 86400000. */
  readonly 'scheduler.batchTriggerAcquisitionFireAheadTimeWindow'?: number | `${number}` | Reference;
  /** How much later than the first of a batch the others may be due, in milliseconds: they share its transactions, and each waits in the node for its own time. More than 1,000 counts as 1,000. Default: 50, in memory 0. 0 to 86400000. */
  readonly 'org.quartz.scheduler.batchTriggerAcquisitionFireAheadTimeWindow'?: number | `${number}` | Reference;
  /** Longest pause of the trigger loop after the store failed, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly 'scheduler.dbFailureRetryInterval'?: number | `${number}` | Reference;
  /** Longest pause of the trigger loop after the store failed, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly 'org.quartz.scheduler.dbFailureRetryInterval'?: number | `${number}` | Reference;
  /** Abort running jobs at a shutdown that does not wait for them. Default: `false`. */
  readonly 'scheduler.interruptJobsOnShutdown'?: boolean | 'true' | 'false' | Reference;
  /** Abort running jobs at a shutdown that does not wait for them. Default: `false`. */
  readonly 'org.quartz.scheduler.interruptJobsOnShutdown'?: boolean | 'true' | 'false' | Reference;
  /** Abort running jobs at a shutdown that waits for them. Default: `false`. */
  readonly 'scheduler.interruptJobsOnShutdownWithWait'?: boolean | 'true' | 'false' | Reference;
  /** Abort running jobs at a shutdown that waits for them. Default: `false`. */
  readonly 'org.quartz.scheduler.interruptJobsOnShutdownWithWait'?: boolean | 'true' | 'false' | Reference;
  /** How long a listener is waited for, in milliseconds. 1 to 86400000. Default: `5000`. */
  readonly 'scheduler.listenerTimeout'?: number | `${number}` | Reference;
  /** How long a listener is waited for, in milliseconds. 1 to 86400000. Default: `5000`. */
  readonly 'org.quartz.scheduler.listenerTimeout'?: number | `${number}` | Reference;
  /** How long a shutdown waits for running jobs before it aborts them, in milliseconds. 0 to 86400000. Default: `30000`. */
  readonly 'scheduler.shutdownDeadline'?: number | `${number}` | Reference;
  /** How long a shutdown waits for running jobs before it aborts them, in milliseconds. 0 to 86400000. Default: `30000`. */
  readonly 'org.quartz.scheduler.shutdownDeadline'?: number | `${number}` | Reference;
  /** How often one firing may ask to be run again at once. 0 to 1000000. Default: `100`. */
  readonly 'scheduler.maxRefireCount'?: number | `${number}` | Reference;
  /** How often one firing may ask to be run again at once. 0 to 1000000. Default: `100`. */
  readonly 'org.quartz.scheduler.maxRefireCount'?: number | `${number}` | Reference;
  /** Least level that is logged, when the scheduler makes its own logger. Plugins, such as the histories, log from `info` on even at `warn`. Default: `warn`. */
  readonly 'scheduler.logLevel'?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | Reference;
  /** Least level that is logged, when the scheduler makes its own logger. Plugins, such as the histories, log from `info` on even at `warn`. Default: `warn`. */
  readonly 'org.quartz.scheduler.logLevel'?:
    | 'trace'
    | 'debug'
    | 'info'
    | 'warn'
    | 'error'
    | 'fatal'
    | 'silent'
    | Reference;
  /** Jobs are made from the registry. Any other class is refused: set your factory in code by `setJobFactory`. Default: `registered`. */
  readonly 'scheduler.jobFactory.class'?:
    | 'registered'
    | 'PropertySettingJobFactory'
    | 'SimpleJobFactory'
    | 'AdaptableJobFactory'
    | 'SpringBeanJobFactory'
    | `org.quartz.${string}.PropertySettingJobFactory`
    | `org.quartz.${string}.SimpleJobFactory`
    | `org.quartz.${string}.AdaptableJobFactory`
    | `org.quartz.${string}.SpringBeanJobFactory`
    | Reference;
  /** Jobs are made from the registry. Any other class is refused: set your factory in code by `setJobFactory`. Default: `registered`. */
  readonly 'org.quartz.scheduler.jobFactory.class'?:
    | 'registered'
    | 'PropertySettingJobFactory'
    | 'SimpleJobFactory'
    | 'AdaptableJobFactory'
    | 'SpringBeanJobFactory'
    | `org.quartz.${string}.PropertySettingJobFactory`
    | `org.quartz.${string}.SimpleJobFactory`
    | `org.quartz.${string}.AdaptableJobFactory`
    | `org.quartz.${string}.SpringBeanJobFactory`
    | Reference;
  /** `async`: jobs run side by side on the event loop. `zeroSize`: this node only schedules, and runs nothing. Default: `async`. */
  readonly 'threadPool.class'?:
    | 'async'
    | 'zeroSize'
    | 'SimpleThreadPool'
    | 'LocalTaskExecutorThreadPool'
    | 'ZeroSizeThreadPool'
    | `org.quartz.${string}.SimpleThreadPool`
    | `org.quartz.${string}.LocalTaskExecutorThreadPool`
    | `org.quartz.${string}.ZeroSizeThreadPool`
    | Reference;
  /** `async`: jobs run side by side on the event loop. `zeroSize`: this node only schedules, and runs nothing. Default: `async`. */
  readonly 'org.quartz.threadPool.class'?:
    | 'async'
    | 'zeroSize'
    | 'SimpleThreadPool'
    | 'LocalTaskExecutorThreadPool'
    | 'ZeroSizeThreadPool'
    | `org.quartz.${string}.SimpleThreadPool`
    | `org.quartz.${string}.LocalTaskExecutorThreadPool`
    | `org.quartz.${string}.ZeroSizeThreadPool`
    | Reference;
  /** Most jobs that run at the same time. 1 to 10000. Default: `25`. */
  readonly 'threadPool.threadCount'?: number | `${number}` | Reference;
  /** Most jobs that run at the same time. 1 to 10000. Default: `25`. */
  readonly 'org.quartz.threadPool.threadCount'?: number | `${number}` | Reference;
  /** `memory`: lost when the process ends. `sqlite`: kept in a file, which several processes of one machine may share. `mysql`: kept in MySQL or MariaDB, shared by a cluster. `sql`: whichever the URL of the data source names. Default: `memory`. */
  readonly 'jobStore.class'?:
    | 'memory'
    | 'sqlite'
    | 'mysql'
    | 'sql'
    | 'RAMJobStore'
    | 'mariadb'
    | 'JobStoreTX'
    | 'JobStoreCMT'
    | 'LocalDataSourceJobStore'
    | `org.quartz.${string}.RAMJobStore`
    | `org.quartz.${string}.JobStoreTX`
    | `org.quartz.${string}.JobStoreCMT`
    | `org.quartz.${string}.LocalDataSourceJobStore`
    | Reference;
  /** `memory`: lost when the process ends. `sqlite`: kept in a file, which several processes of one machine may share. `mysql`: kept in MySQL or MariaDB, shared by a cluster. `sql`: whichever the URL of the data source names. Default: `memory`. */
  readonly 'org.quartz.jobStore.class'?:
    | 'memory'
    | 'sqlite'
    | 'mysql'
    | 'sql'
    | 'RAMJobStore'
    | 'mariadb'
    | 'JobStoreTX'
    | 'JobStoreCMT'
    | 'LocalDataSourceJobStore'
    | `org.quartz.${string}.RAMJobStore`
    | `org.quartz.${string}.JobStoreTX`
    | `org.quartz.${string}.JobStoreCMT`
    | `org.quartz.${string}.LocalDataSourceJobStore`
    | Reference;
  /** How late a trigger may fire before it has misfired, in milliseconds. 1 to 31536000000. Default: `60000`. */
  readonly 'jobStore.misfireThreshold'?: number | `${number}` | Reference;
  /** How late a trigger may fire before it has misfired, in milliseconds. 1 to 31536000000. Default: `60000`. */
  readonly 'org.quartz.jobStore.misfireThreshold'?: number | `${number}` | Reference;
  /** Most misfired triggers handled in one transaction. 1 to 100000. Default: `100`. */
  readonly 'jobStore.maxMisfiresToHandleAtATime'?: number | `${number}` | Reference;
  /** Most misfired triggers handled in one transaction. 1 to 100000. Default: `100`. */
  readonly 'org.quartz.jobStore.maxMisfiresToHandleAtATime'?: number | `${number}` | Reference;
  /** Which of the data sources below holds the tables. */
  readonly 'jobStore.dataSource'?: string | number;
  /** Which of the data sources below holds the tables. */
  readonly 'org.quartz.jobStore.dataSource'?: string | number;
  /** File of a `sqlite` store that names no data source, from the working directory. Default: `./quartz.db`. */
  readonly 'jobStore.path'?: string | number;
  /** File of a `sqlite` store that names no data source, from the working directory. Default: `./quartz.db`. */
  readonly 'org.quartz.jobStore.path'?: string | number;
  /** What the names of the tables begin with. Default: `QRTZ_`. */
  readonly 'jobStore.tablePrefix'?: string;
  /** What the names of the tables begin with. Default: `QRTZ_`. */
  readonly 'org.quartz.jobStore.tablePrefix'?: string;
  /** What may be done to the tables at start: nothing, check them, make them where there are none, or also bring older ones up to date. Nothing is ever dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`. */
  readonly 'jobStore.schema'?: 'never' | 'validate' | 'create' | 'migrate' | Reference;
  /** What may be done to the tables at start: nothing, check them, make them where there are none, or also bring older ones up to date. Nothing is ever dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`. */
  readonly 'org.quartz.jobStore.schema'?: 'never' | 'validate' | 'create' | 'migrate' | Reference;
  /** Store job data as Properties text, which Java nodes read; string values only. Default: `false`. */
  readonly 'jobStore.useProperties'?: boolean | 'true' | 'false' | Reference;
  /** Store job data as Properties text, which Java nodes read; string values only. Default: `false`. */
  readonly 'org.quartz.jobStore.useProperties'?: boolean | 'true' | 'false' | Reference;
  /** Longest pause between two attempts to store completions or misfires, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly 'jobStore.dbRetryInterval'?: number | `${number}` | Reference;
  /** Longest pause between two attempts to store completions or misfires, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly 'org.quartz.jobStore.dbRetryInterval'?: number | `${number}` | Reference;
  /** A store in a database is always clustered; `false` is accepted with a warning. */
  readonly 'jobStore.isClustered'?: boolean | 'true' | 'false' | Reference;
  /** A store in a database is always clustered; `false` is accepted with a warning. */
  readonly 'org.quartz.jobStore.isClustered'?: boolean | 'true' | 'false' | Reference;
  /** How often a node says that it is alive, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly 'jobStore.clusterCheckinInterval'?: number | `${number}` | Reference;
  /** How often a node says that it is alive, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly 'org.quartz.jobStore.clusterCheckinInterval'?: number | `${number}` | Reference;
  /** How late a check-in may be before the node counts as failed, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly 'jobStore.clusterCheckinGrace'?: number | `${number}` | Reference;
  /** How late a check-in may be before the node counts as failed, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly 'org.quartz.jobStore.clusterCheckinGrace'?: number | `${number}` | Reference;
  /** How long a database that cannot be reached is waited for when the scheduler is created, in milliseconds: for containers that start together. Nothing else that is wrong is waited for. 0 to 86400000. Default: `0`. */
  readonly 'jobStore.startTimeout'?: number | `${number}` | Reference;
  /** How long a database that cannot be reached is waited for when the scheduler is created, in milliseconds: for containers that start together. Nothing else that is wrong is waited for. 0 to 86400000. Default: `0`. */
  readonly 'org.quartz.jobStore.startTimeout'?: number | `${number}` | Reference;
  /** Run the store in a thread of its own, so that a job that blocks this one neither holds a lock nor misses a check-in. `false` for debuggers. Default: `true`. */
  readonly 'jobStore.storeThread'?: boolean | 'true' | 'false' | Reference;
  /** Run the store in a thread of its own, so that a job that blocks this one neither holds a lock nor misses a check-in. `false` for debuggers. Default: `true`. */
  readonly 'org.quartz.jobStore.storeThread'?: boolean | 'true' | 'false' | Reference;
  /** How long jobs may block the main thread, while non-concurrent ones run, before the node counts as hung and gives up its lease, in milliseconds; `0`: for ever. 0 to 86400000. Default: `30000`. */
  readonly 'jobStore.maxMainStall'?: number | `${number}` | Reference;
  /** How long jobs may block the main thread, while non-concurrent ones run, before the node counts as hung and gives up its lease, in milliseconds; `0`: for ever. 0 to 86400000. Default: `30000`. */
  readonly 'org.quartz.jobStore.maxMainStall'?: number | `${number}` | Reference;
  /** A node that could not check in in time aborts its jobs and joins again (`abort`), or ends its process. Default: `abort`; for `quartz run`, `exit-process`. */
  readonly 'jobStore.onLeaseLost'?: 'abort' | 'exit-process' | Reference;
  /** A node that could not check in in time aborts its jobs and joins again (`abort`), or ends its process. Default: `abort`; for `quartz run`, `exit-process`. */
  readonly 'org.quartz.jobStore.onLeaseLost'?: 'abort' | 'exit-process' | Reference;
  /** How often a firing is run again when node after node dies with it. 0 to 1000. Default: `3`. */
  readonly 'jobStore.maxRecoveryAttempts'?: number | `${number}` | Reference;
  /** How often a firing is run again when node after node dies with it. 0 to 1000. Default: `3`. */
  readonly 'org.quartz.jobStore.maxRecoveryAttempts'?: number | `${number}` | Reference;
  /** Rows are always locked. Default: `true`. */
  readonly 'jobStore.useDBLocks'?: boolean | 'true' | 'false' | Reference;
  /** Rows are always locked. Default: `true`. */
  readonly 'org.quartz.jobStore.useDBLocks'?: boolean | 'true' | 'false' | Reference;
  /** Rows are always locked. Default: `true`. */
  readonly 'jobStore.lockOnInsert'?: boolean | 'true' | 'false' | Reference;
  /** Rows are always locked. Default: `true`. */
  readonly 'org.quartz.jobStore.lockOnInsert'?: boolean | 'true' | 'false' | Reference;
  /** Triggers are always acquired under the lock. Default: `true`. */
  readonly 'jobStore.acquireTriggersWithinLock'?: boolean | 'true' | 'false' | Reference;
  /** Triggers are always acquired under the lock. Default: `true`. */
  readonly 'org.quartz.jobStore.acquireTriggersWithinLock'?: boolean | 'true' | 'false' | Reference;
  /** Misfires are always looked for before the lock is taken. Default: `true`. */
  readonly 'jobStore.doubleCheckLockMisfireHandler'?: boolean | 'true' | 'false' | Reference;
  /** Misfires are always looked for before the lock is taken. Default: `true`. */
  readonly 'org.quartz.jobStore.doubleCheckLockMisfireHandler'?: boolean | 'true' | 'false' | Reference;
  /** Rows are always read and written in sets. Default: `true`. */
  readonly 'jobStore.useEnhancedStatements'?: boolean | 'true' | 'false' | Reference;
  /** Rows are always read and written in sets. Default: `true`. */
  readonly 'org.quartz.jobStore.useEnhancedStatements'?: boolean | 'true' | 'false' | Reference;
  readonly [key: `dataSource.${string}`]: DataSourceConfiguration | string | number | undefined;
  readonly [key: `org.quartz.dataSource.${string}`]: DataSourceConfiguration | string | number | undefined;
  readonly [key: `plugin.${string}`]: PluginConfiguration | string | number | boolean | readonly string[] | undefined;
  readonly [key: `org.quartz.plugin.${string}`]:
    | PluginConfiguration
    | string
    | number
    | boolean
    | readonly string[]
    | undefined;
  readonly [key: `context.key.${string}`]: string | number | boolean | undefined;
  readonly [key: `org.quartz.context.key.${string}`]: string | number | boolean | undefined;
}
