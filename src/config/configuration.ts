/*
 * Generated from src/config/config-schema.ts; a test compares. Write it anew: UPDATE_BASELINE=1 npx jest test/docs/configuration.test.ts
 */
import type { DurationLike, RetryOptions } from '../domain/retry-policy';

/** A value from somewhere else: `${NAME:-default}` is an environment variable, `$@other.key` another value. */
export type Reference = `$${string}`;

/** Our names, and those of Java classes that mean the same, with or without their package. */
type ClassName<Names extends string, Java extends string> = Names | Java | `org.quartz.${string}.${Java}`;

/** `scheduler` */
export interface SchedulerSection {
  /** Name of the scheduler; all nodes of a cluster share it. Default: `QuartzScheduler`. */
  readonly instanceName?: string | number;
  /** `AUTO`: made by the generator below. `SYS_PROP`: read from the environment. Anything else is taken as it is. Default: `NON_CLUSTERED` with the memory store, `AUTO` in a database. */
  readonly instanceId?: string | number;
  /** How an `instanceId` of `AUTO` is made. */
  readonly instanceIdGenerator?: {
    /** `simple`: host, process and ten random characters. `hostname`: the name of the machine. `environment`: a variable. Default: `simple`. */
    readonly class?:
      | ClassName<
          'simple' | 'hostname' | 'environment' | 'systemProperty',
          'SimpleInstanceIdGenerator' | 'HostnameInstanceIdGenerator' | 'SystemPropertyInstanceIdGenerator'
        >
      | Reference;
    /** Variable that `environment` and `SYS_PROP` read; also tried in capitals with `_` for every other character. Default: `org.quartz.scheduler.instanceId`. */
    readonly systemPropertyName?: string | number;
    /** Put in front of what `environment` found. */
    readonly prepend?: string | number;
    /** Put behind what `environment` found. */
    readonly postpend?: string | number;
  };
  /** Zone of triggers and calendars that name none. Default: the machine's. */
  readonly timeZone?: string;
  /** Handling of an edit by hand of a job, trigger or calendar that code or a schedule file declares. `override`: it stays until it is dropped. `codeWins`: the next declaration undoes it. `refuse`: it is refused. A set or a file may say otherwise. Default: `override`. */
  readonly onDeclaredEdit?: 'override' | 'codeWins' | 'refuse' | Reference;
  /** Version of the program, shown beside the jobs and triggers that it declares. */
  readonly programVersion?: string | number;
  /** Longest time between two looks into the store, in milliseconds. 1000 to 86400000. Default: `30000`. */
  readonly idleWaitTime?: number | `${number}` | Reference;
  /** Most triggers acquired at once; never more than there are free workers. 1 to 10000. Default: `100`. */
  readonly batchTriggerAcquisitionMaxCount?: number | `${number}` | Reference;
  /** How much later than the first of a batch the others may be due, in milliseconds: they share its transactions, and each waits in the node for its own time. More than 1,000 counts as 1,000. Default: 50, in memory 0. 0 to 86400000. */
  readonly batchTriggerAcquisitionFireAheadTimeWindow?: number | `${number}` | Reference;
  /** Longest pause of the trigger loop after the store failed, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly dbFailureRetryInterval?: number | `${number}` | Reference;
  /** Abort running jobs at a shutdown that does not wait for them. Default: `false`. */
  readonly interruptJobsOnShutdown?: boolean | 'true' | 'false' | Reference;
  /** Abort running jobs at a shutdown that waits for them. Default: `false`. */
  readonly interruptJobsOnShutdownWithWait?: boolean | 'true' | 'false' | Reference;
  /** How long a listener is waited for, in milliseconds. 1 to 86400000. Default: `5000`. */
  readonly listenerTimeout?: number | `${number}` | Reference;
  /** How long a shutdown waits for running jobs before it aborts them, in milliseconds. 0 to 86400000. Default: `30000`. */
  readonly shutdownDeadline?: number | `${number}` | Reference;
  /** How often one firing may ask to be run again at once. 0 to 1000000. Default: `100`. */
  readonly maxRefireCount?: number | `${number}` | Reference;
  /** What this node is or has, for jobs and triggers that name labels (`runsOn`, `prefers`): a list of at most 50 texts of 200 characters. Each node also has the label `node:<instanceId>`. Default: no other. */
  readonly labels?: string | readonly string[] | Reference;
  /** Only triggers of these priorities are fired by this node. */
  readonly priorities?: {
    /** Least priority. Default: any. -2147483648 to 2147483647. */
    readonly min?: number | `${number}` | Reference;
    /** Highest priority. Default: any. -2147483648 to 2147483647. */
    readonly max?: number | `${number}` | Reference;
  };
  /** How often, and after which pauses, a run that failed is tried again, where neither its trigger nor its job says it. Default: never. */
  readonly retry?: RetryOptions | Reference;
  /** Least level that is logged, when the scheduler makes its own logger. Plugins, such as the histories, log from `info` on even at `warn`. Default: `warn`. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | Reference;
  /** How the objects to execute are made. */
  readonly jobFactory?: {
    /** Jobs are made from the registry. Any other class is refused: set your factory in code by `setJobFactory`. Default: `registered`. */
    readonly class?:
      | ClassName<
          'registered',
          'PropertySettingJobFactory' | 'SimpleJobFactory' | 'AdaptableJobFactory' | 'SpringBeanJobFactory'
        >
      | Reference;
  };
}

/** `threadPool` */
export interface ThreadPoolSection {
  /** `async`: jobs run side by side on the event loop. `zeroSize`: this node only schedules, and runs nothing. Default: `async`. */
  readonly class?:
    | ClassName<'async' | 'zeroSize', 'SimpleThreadPool' | 'LocalTaskExecutorThreadPool' | 'ZeroSizeThreadPool'>
    | Reference;
  /** Most jobs that run at the same time. 1 to 10000. Default: `25`. */
  readonly threadCount?: number | `${number}` | Reference;
  /** Most threads in which jobs of files (`workerJob`) run at the same time; a run that finds none free waits. Threads are made when they are needed, and end after 10 s without work. Default: as `threadCount`. 1 to 1000. */
  readonly workerThreads?: number | `${number}` | Reference;
  /** How many runs of the jobs of a group may execute at once on this node, by the names of groups: `{ reports: 2 }`; `0`: none, they are for other nodes. Default: no group has a limit. */
  readonly groupLimits?: Readonly<Record<string, number | `${number}`>> | Reference;
}

/** `jobStore` */
export interface JobStoreSection {
  /** `memory`: lost when the process ends. `sqlite`: kept in a file, which several processes of one machine may share. `mysql`: kept in MySQL or MariaDB, shared by a cluster. `sql`: whichever the URL of the data source names. Default: `memory`. */
  readonly class?:
    | ClassName<
        'memory' | 'sqlite' | 'mysql' | 'sql' | 'mariadb',
        'RAMJobStore' | 'JobStoreTX' | 'JobStoreCMT' | 'LocalDataSourceJobStore'
      >
    | Reference;
  /** How late a trigger may fire before it has misfired, in milliseconds. 1 to 31536000000. Default: `60000`. */
  readonly misfireThreshold?: number | `${number}` | Reference;
  /** Most misfired triggers handled in one transaction. 1 to 100000. Default: `100`. */
  readonly maxMisfiresToHandleAtATime?: number | `${number}` | Reference;
  /** What decides which due trigger fires first: its fire time, and at equal times the priority (`time`), or its priority, which rises as it waits (`priority`). In a database the latter needs an index of its own, which is made at start where `jobStore.schema` allows it. Default: `time`. */
  readonly acquireOrder?: 'time' | 'priority' | Reference;
  /** With `jobStore.acquireOrder: priority`: after each such span of waiting a trigger counts as one priority higher, so that none waits for ever. Default: `PT1M`. */
  readonly priorityAgeing?: DurationLike | Reference;
  /** How many runs of the jobs of a group may execute at once in the whole cluster, by the names of groups: `{ reports: 5, mail: 20 }`. The same on all nodes. Default: no group has a limit. */
  readonly groupLimits?: Readonly<Record<string, number | `${number}`>> | Reference;
  /** Which runs are recorded, where neither their trigger nor their job says it: `all`, `failures` (those that did not succeed), or `none`. Default: `failures`. */
  readonly history?: 'all' | 'failures' | 'none' | boolean | Reference;
  /** The same for the jobs of single groups, by their names, before `jobStore.history`: `{ noisy: none, billing: all }`. */
  readonly historyGroups?: Readonly<Record<string, 'all' | 'failures' | 'none' | boolean>> | Reference;
  /** How long recorded runs are kept. Default: `P30D`. */
  readonly historyRetention?: DurationLike | Reference;
  /** The same for runs with single outcomes, before `jobStore.historyRetention`: `{ succeeded: P1D, skipped: PT1H }`. */
  readonly historyRetentionOf?:
    | {
        readonly succeeded?: number | string;
        readonly failed?: number | string;
        readonly timedOut?: number | string;
        readonly interrupted?: number | string;
        readonly skipped?: number | string;
        readonly vetoed?: number | string;
        readonly lost?: number | string;
        readonly misfired?: number | string;
      }
    | Reference;
  /** Most recorded runs that are kept, the newest ones; dead letters are not counted. 0 to 1000000000. Default: `1000000`. */
  readonly historyMaxCount?: number | `${number}` | Reference;
  /** How long a dead letter is kept: a run whose retries are used up, until it is run again or discarded. Default: `P365D`. */
  readonly deadLetterRetention?: DurationLike | Reference;
  /** How long the log of actions is kept: who did what from a command line, over HTTP or in the console. Default: `P90D`. */
  readonly actionRetention?: DurationLike | Reference;
  /** Which of the data sources below holds the tables. */
  readonly dataSource?: string | number;
  /** File of a `sqlite` store that names no data source, from the working directory. Default: `./quartz.db`. */
  readonly path?: string | number;
  /** What the names of the tables begin with. Default: `QRTZ_`. */
  readonly tablePrefix?: string;
  /** What may be done to the tables at start: nothing, check them, make them where there are none, or also bring older ones up to date. Nothing is ever dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`. */
  readonly schema?: 'never' | 'validate' | 'create' | 'migrate' | Reference;
  /** Store job data as Properties text, which Java nodes read; string values only. Default: `false`. */
  readonly useProperties?: boolean | 'true' | 'false' | Reference;
  /** Longest pause between two attempts to store completions or misfires, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly dbRetryInterval?: number | `${number}` | Reference;
  /** A store in a database is always clustered; `false` is accepted with a warning. */
  readonly isClustered?: boolean | 'true' | 'false' | Reference;
  /** How often a node says that it is alive, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly clusterCheckinInterval?: number | `${number}` | Reference;
  /** How late a check-in may be before the node counts as failed, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly clusterCheckinGrace?: number | `${number}` | Reference;
  /** How long each step of the start waits for a database that cannot be reached or that other nodes keep busy, in milliseconds: for containers that start together, and for a node that starts while a large change holds the lock. Nothing else that is wrong is waited for. 0 to 86400000. Default: `0`. */
  readonly startTimeout?: number | `${number}` | Reference;
  /** Run the store in a thread of its own, so that a job that blocks this one neither holds a lock nor misses a check-in. `false` for debuggers. Default: `true`. */
  readonly storeThread?: boolean | 'true' | 'false' | Reference;
  /** How long jobs may block the main thread, while non-concurrent ones run, before the node counts as hung and gives up its lease, in milliseconds; `0`: for ever. 0 to 86400000. Default: `30000`. */
  readonly maxMainStall?: number | `${number}` | Reference;
  /** A node whose main thread was blocked for longer than this, in milliseconds, leaves triggers to the other nodes for a while; `0`: never. 0 to 86400000. Default: `5000`. */
  readonly handOverAfterStall?: number | `${number}` | Reference;
  /** A node that could not check in in time aborts its jobs and joins again (`abort`), or ends its process. Default: `abort`; for `quartz run`, `exit-process`. */
  readonly onLeaseLost?: 'abort' | 'exit-process' | Reference;
  /** How often a firing is run again when node after node dies with it. 0 to 1000. Default: `3`. */
  readonly maxRecoveryAttempts?: number | `${number}` | Reference;
  /** Rows are always locked. Default: `true`. */
  readonly useDBLocks?: boolean | 'true' | 'false' | Reference;
  /** Rows are always locked. Default: `true`. */
  readonly lockOnInsert?: boolean | 'true' | 'false' | Reference;
  /** Triggers are always acquired under the lock. Default: `true`. */
  readonly acquireTriggersWithinLock?: boolean | 'true' | 'false' | Reference;
  /** Misfires are always looked for before the lock is taken. Default: `true`. */
  readonly doubleCheckLockMisfireHandler?: boolean | 'true' | 'false' | Reference;
  /** Rows are always read and written in sets. Default: `true`. */
  readonly useEnhancedStatements?: boolean | 'true' | 'false' | Reference;
}

/** `alerts` */
export interface AlertsSection {
  /** A run that begins later than this after its scheduled time is told of (`firingLate`). Default: none is. */
  readonly lateAfter?: DurationLike | Reference;
  /** A run that goes on for longer than this is told of once (`jobStuck`), by the node that runs it. Default: none is. */
  readonly stuckAfter?: DurationLike | Reference;
}

/** `console` */
export interface ConsoleSection {
  /** Port at which `quartz run` serves the console; `0`: any that is free. Before it comes `--http`. Default: it serves none. 0 to 65535. */
  readonly port?: number | `${number}` | Reference;
  /** Address of this machine at which `quartz run` serves it; before it comes `--http-host`. One that others reach (`0.0.0.0`: all of them) needs `console.tokens` or `console.users`. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Path below which requests arrive, such as `/admin/quartz`. Default: the root. Default: ``. */
  readonly basePath?: string | number;
  /** Whether nothing can be changed over HTTP, whatever the role of who asks. Default: `false`. */
  readonly readOnly?: boolean | 'true' | 'false' | Reference;
  /** Who may come in with a token, and what for: `{ deploy: "operator sha256:…" }`. The roles are `viewer`, `operator` and `admin`. Never shown. Without tokens and users, `quartz run` makes a token for its own time and prints it once. */
  readonly tokens?: Readonly<Record<string, string>> | Reference;
  /** The same with a name and a password: `{ ann: "admin scrypt:…" }`. */
  readonly users?: Readonly<Record<string, string>> | Reference;
  /** Names by which the console is asked for, besides `localhost`, addresses and `console.host`: what a browser shows, without port. Default: no other. */
  readonly allowedHosts?: string | readonly string[];
  /** How long somebody stays logged in; a minute or more. Default: `PT12H`. */
  readonly sessionLifetime?: DurationLike | Reference;
  readonly tls?: {
    /** File of the certificate, in PEM, with those that vouch for it; relative to the folder of the configuration. */
    readonly cert?: string | number;
    /** File of its private key, in PEM. Beside a certificate it is needed. */
    readonly key?: string | number;
  };
}

/** A database. */
export interface DataSourceConfiguration {
  /** `mysql://host:port/database`, `mariadb://…` or `sqlite:file`; `jdbc:` in front is dropped. */
  readonly URL: string;
  /** Name to log in with. */
  readonly user?: string | number;
  /** Never shown in a message. Better from the environment. */
  readonly password?: string | number;
  /** Most connections open at the same time: one that fires, one that completes, one that checks in, the others read. Each is opened when it is needed. Two for SQLite, whatever is written here. 4 to 1000. Default: `10`. */
  readonly maxConnections?: number | `${number}` | Reference;
}

/** A plugin and its settings; `class` says which. */
export type PluginConfiguration =
  | {
      /** Jobs, triggers and calendars from files, applied as one unit. */
      readonly class: ClassName<
        'scheduleFile',
        'XMLSchedulingDataProcessorPlugin' | 'JobInitializationPlugin' | 'JobInitializationPluginMultiple'
      >;
      /** The files, relative to the configuration's folder; a list, or with commas. */
      readonly fileNames: string | readonly string[];
      /** Seconds between two looks whether a file changed; 0 reads it once. 0 to 86400. Default: `0`. */
      readonly scanInterval?: number | `${number}` | Reference;
      /** Refuse to start when a file is not there. Default: `true`. */
      readonly failOnFileNotFound?: boolean | 'true' | 'false' | Reference;
    }
  | {
      /** Shuts the scheduler down when the process is asked to end. */
      readonly class: ClassName<'shutdownHook', 'ShutdownHookPlugin'>;
      /** Let running jobs finish. Default: `true`. */
      readonly cleanShutdown?: boolean | 'true' | 'false' | Reference;
    }
  | {
      /** Interrupts jobs whose data say `AutoInterruptable` after their `MaxRunTime`. */
      readonly class: ClassName<'jobInterruptMonitor', 'JobInterruptMonitorPlugin'>;
      /** How long a job that names no `MaxRunTime` may run, in milliseconds. 1 to 86400000. Default: `300000`. */
      readonly defaultMaxRunTime?: number | `${number}` | Reference;
    }
  | {
      /** Logs every execution of a job. */
      readonly class: ClassName<'loggingJobHistory', 'LoggingJobHistoryPlugin'>;
      /** Text before a job runs. */
      readonly jobToBeFiredMessage?: string | number;
      /** Text after a job ran. */
      readonly jobSuccessMessage?: string | number;
      /** Text after a job failed. */
      readonly jobFailedMessage?: string | number;
      /** Text when a listener vetoed a job. */
      readonly jobWasVetoedMessage?: string | number;
    }
  | {
      /** Logs every firing of a trigger. */
      readonly class: ClassName<'loggingTriggerHistory', 'LoggingTriggerHistoryPlugin'>;
      /** Text when a trigger fires. */
      readonly triggerFiredMessage?: string | number;
      /** Text when a trigger misfired. */
      readonly triggerMisfiredMessage?: string | number;
      /** Text when a firing is complete. */
      readonly triggerCompleteMessage?: string | number;
    }
  | {
      /** Sends events as signed webhooks. */
      readonly class: 'webhookAlerts';
      /** Receives each alert as a POST of JSON. Https, unless `allowHosts` names its host. */
      readonly url: string | number;
      /** What alerts are signed with: any text, or `whsec_` and base64. Without it they are not signed. Never shown in a message. Better from the environment. */
      readonly secret?: string | number;
      /** Types of the events that are sent; a list, or with commas. Without it: what somebody has to look at. */
      readonly events?: string | readonly string[];
      /** Hosts, `name` or `name:port`, that may be reached by http; with any named, redirects lead to them and to the host of the URL alone. */
      readonly allowHosts?: string | readonly string[];
      /** Whether the URL, or a redirect, may lead to an address of this machine or of a private network. Default: `false`. */
      readonly allowPrivateAddresses?: boolean | 'true' | 'false' | Reference;
      /** The most alerts of a minute. Those above are counted, and the next one says how many they were. 1 to 10000. Default: `30`. */
      readonly maxPerMinute?: number | `${number}` | Reference;
      /** How long one attempt may take, in milliseconds. 100 to 120000. Default: `10000`. */
      readonly timeout?: number | `${number}` | Reference;
    };

/** The sections, nested; `org.quartz` around them may be left out. */
export interface NestedConfiguration {
  /** The short form of a store in a database: `mysql://user:password@host:port/database`, `mariadb://…`, or the path of a SQLite file. Stands for `jobStore.class`, `jobStore.dataSource` and the data source; tables are made where there are none. */
  readonly database?: string;
  /** This scheduler. */
  readonly scheduler?: SchedulerSection;
  /** How many jobs run at once. */
  readonly threadPool?: ThreadPoolSection;
  /** Where jobs and triggers are kept. */
  readonly jobStore?: JobStoreSection;
  /** Databases, by the name that `jobStore.dataSource` gives. */
  readonly dataSource?: Readonly<Record<string, DataSourceConfiguration>>;
  /** `key`: values that jobs and listeners find, as text, in the scheduler's context. */
  readonly context?: { readonly key?: Readonly<Record<string, string | number | boolean>> };
  /** From when on runs are told of. */
  readonly alerts?: AlertsSection;
  /** How the scheduler is shown over HTTP, and to whom. */
  readonly console?: ConsoleSection;
  /** Plugins, by any name. */
  readonly plugin?: Readonly<Record<string, PluginConfiguration>>;
}

/** Each key by its whole name. */
interface DottedKeys {
  /** Name of the scheduler; all nodes of a cluster share it. Default: `QuartzScheduler`. */
  readonly 'scheduler.instanceName'?: Required<SchedulerSection>['instanceName'];
  /** `AUTO`: made by the generator below. `SYS_PROP`: read from the environment. Anything else is taken as it is. Default: `NON_CLUSTERED` with the memory store, `AUTO` in a database. */
  readonly 'scheduler.instanceId'?: Required<SchedulerSection>['instanceId'];
  /** `simple`: host, process and ten random characters. `hostname`: the name of the machine. `environment`: a variable. Default: `simple`. */
  readonly 'scheduler.instanceIdGenerator.class'?: Required<Required<SchedulerSection>['instanceIdGenerator']>['class'];
  /** Variable that `environment` and `SYS_PROP` read; also tried in capitals with `_` for every other character. Default: `org.quartz.scheduler.instanceId`. */
  readonly 'scheduler.instanceIdGenerator.systemPropertyName'?: Required<
    Required<SchedulerSection>['instanceIdGenerator']
  >['systemPropertyName'];
  /** Put in front of what `environment` found. */
  readonly 'scheduler.instanceIdGenerator.prepend'?: Required<
    Required<SchedulerSection>['instanceIdGenerator']
  >['prepend'];
  /** Put behind what `environment` found. */
  readonly 'scheduler.instanceIdGenerator.postpend'?: Required<
    Required<SchedulerSection>['instanceIdGenerator']
  >['postpend'];
  /** Zone of triggers and calendars that name none. Default: the machine's. */
  readonly 'scheduler.timeZone'?: Required<SchedulerSection>['timeZone'];
  /** Handling of an edit by hand of a job, trigger or calendar that code or a schedule file declares. `override`: it stays until it is dropped. `codeWins`: the next declaration undoes it. `refuse`: it is refused. A set or a file may say otherwise. Default: `override`. */
  readonly 'scheduler.onDeclaredEdit'?: Required<SchedulerSection>['onDeclaredEdit'];
  /** Version of the program, shown beside the jobs and triggers that it declares. */
  readonly 'scheduler.programVersion'?: Required<SchedulerSection>['programVersion'];
  /** Longest time between two looks into the store, in milliseconds. 1000 to 86400000. Default: `30000`. */
  readonly 'scheduler.idleWaitTime'?: Required<SchedulerSection>['idleWaitTime'];
  /** Most triggers acquired at once; never more than there are free workers. 1 to 10000. Default: `100`. */
  readonly 'scheduler.batchTriggerAcquisitionMaxCount'?: Required<SchedulerSection>['batchTriggerAcquisitionMaxCount'];
  /** How much later than the first of a batch the others may be due, in milliseconds: they share its transactions, and each waits in the node for its own time. More than 1,000 counts as 1,000. Default: 50, in memory 0. 0 to 86400000. */
  readonly 'scheduler.batchTriggerAcquisitionFireAheadTimeWindow'?: Required<SchedulerSection>['batchTriggerAcquisitionFireAheadTimeWindow'];
  /** Longest pause of the trigger loop after the store failed, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly 'scheduler.dbFailureRetryInterval'?: Required<SchedulerSection>['dbFailureRetryInterval'];
  /** Abort running jobs at a shutdown that does not wait for them. Default: `false`. */
  readonly 'scheduler.interruptJobsOnShutdown'?: Required<SchedulerSection>['interruptJobsOnShutdown'];
  /** Abort running jobs at a shutdown that waits for them. Default: `false`. */
  readonly 'scheduler.interruptJobsOnShutdownWithWait'?: Required<SchedulerSection>['interruptJobsOnShutdownWithWait'];
  /** How long a listener is waited for, in milliseconds. 1 to 86400000. Default: `5000`. */
  readonly 'scheduler.listenerTimeout'?: Required<SchedulerSection>['listenerTimeout'];
  /** How long a shutdown waits for running jobs before it aborts them, in milliseconds. 0 to 86400000. Default: `30000`. */
  readonly 'scheduler.shutdownDeadline'?: Required<SchedulerSection>['shutdownDeadline'];
  /** How often one firing may ask to be run again at once. 0 to 1000000. Default: `100`. */
  readonly 'scheduler.maxRefireCount'?: Required<SchedulerSection>['maxRefireCount'];
  /** What this node is or has, for jobs and triggers that name labels (`runsOn`, `prefers`): a list of at most 50 texts of 200 characters. Each node also has the label `node:<instanceId>`. Default: no other. */
  readonly 'scheduler.labels'?: Required<SchedulerSection>['labels'];
  /** Least priority. Default: any. -2147483648 to 2147483647. */
  readonly 'scheduler.priorities.min'?: Required<Required<SchedulerSection>['priorities']>['min'];
  /** Highest priority. Default: any. -2147483648 to 2147483647. */
  readonly 'scheduler.priorities.max'?: Required<Required<SchedulerSection>['priorities']>['max'];
  /** How often, and after which pauses, a run that failed is tried again, where neither its trigger nor its job says it. Default: never. */
  readonly 'scheduler.retry'?: Required<SchedulerSection>['retry'];
  /** Least level that is logged, when the scheduler makes its own logger. Plugins, such as the histories, log from `info` on even at `warn`. Default: `warn`. */
  readonly 'scheduler.logLevel'?: Required<SchedulerSection>['logLevel'];
  /** Jobs are made from the registry. Any other class is refused: set your factory in code by `setJobFactory`. Default: `registered`. */
  readonly 'scheduler.jobFactory.class'?: Required<Required<SchedulerSection>['jobFactory']>['class'];
  /** `async`: jobs run side by side on the event loop. `zeroSize`: this node only schedules, and runs nothing. Default: `async`. */
  readonly 'threadPool.class'?: Required<ThreadPoolSection>['class'];
  /** Most jobs that run at the same time. 1 to 10000. Default: `25`. */
  readonly 'threadPool.threadCount'?: Required<ThreadPoolSection>['threadCount'];
  /** Most threads in which jobs of files (`workerJob`) run at the same time; a run that finds none free waits. Threads are made when they are needed, and end after 10 s without work. Default: as `threadCount`. 1 to 1000. */
  readonly 'threadPool.workerThreads'?: Required<ThreadPoolSection>['workerThreads'];
  /** How many runs of the jobs of a group may execute at once on this node, by the names of groups: `{ reports: 2 }`; `0`: none, they are for other nodes. Default: no group has a limit. */
  readonly 'threadPool.groupLimits'?: Required<ThreadPoolSection>['groupLimits'];
  /** `memory`: lost when the process ends. `sqlite`: kept in a file, which several processes of one machine may share. `mysql`: kept in MySQL or MariaDB, shared by a cluster. `sql`: whichever the URL of the data source names. Default: `memory`. */
  readonly 'jobStore.class'?: Required<JobStoreSection>['class'];
  /** How late a trigger may fire before it has misfired, in milliseconds. 1 to 31536000000. Default: `60000`. */
  readonly 'jobStore.misfireThreshold'?: Required<JobStoreSection>['misfireThreshold'];
  /** Most misfired triggers handled in one transaction. 1 to 100000. Default: `100`. */
  readonly 'jobStore.maxMisfiresToHandleAtATime'?: Required<JobStoreSection>['maxMisfiresToHandleAtATime'];
  /** What decides which due trigger fires first: its fire time, and at equal times the priority (`time`), or its priority, which rises as it waits (`priority`). In a database the latter needs an index of its own, which is made at start where `jobStore.schema` allows it. Default: `time`. */
  readonly 'jobStore.acquireOrder'?: Required<JobStoreSection>['acquireOrder'];
  /** With `jobStore.acquireOrder: priority`: after each such span of waiting a trigger counts as one priority higher, so that none waits for ever. Default: `PT1M`. */
  readonly 'jobStore.priorityAgeing'?: Required<JobStoreSection>['priorityAgeing'];
  /** How many runs of the jobs of a group may execute at once in the whole cluster, by the names of groups: `{ reports: 5, mail: 20 }`. The same on all nodes. Default: no group has a limit. */
  readonly 'jobStore.groupLimits'?: Required<JobStoreSection>['groupLimits'];
  /** Which runs are recorded, where neither their trigger nor their job says it: `all`, `failures` (those that did not succeed), or `none`. Default: `failures`. */
  readonly 'jobStore.history'?: Required<JobStoreSection>['history'];
  /** The same for the jobs of single groups, by their names, before `jobStore.history`: `{ noisy: none, billing: all }`. */
  readonly 'jobStore.historyGroups'?: Required<JobStoreSection>['historyGroups'];
  /** How long recorded runs are kept. Default: `P30D`. */
  readonly 'jobStore.historyRetention'?: Required<JobStoreSection>['historyRetention'];
  /** The same for runs with single outcomes, before `jobStore.historyRetention`: `{ succeeded: P1D, skipped: PT1H }`. */
  readonly 'jobStore.historyRetentionOf'?: Required<JobStoreSection>['historyRetentionOf'];
  /** Most recorded runs that are kept, the newest ones; dead letters are not counted. 0 to 1000000000. Default: `1000000`. */
  readonly 'jobStore.historyMaxCount'?: Required<JobStoreSection>['historyMaxCount'];
  /** How long a dead letter is kept: a run whose retries are used up, until it is run again or discarded. Default: `P365D`. */
  readonly 'jobStore.deadLetterRetention'?: Required<JobStoreSection>['deadLetterRetention'];
  /** How long the log of actions is kept: who did what from a command line, over HTTP or in the console. Default: `P90D`. */
  readonly 'jobStore.actionRetention'?: Required<JobStoreSection>['actionRetention'];
  /** Which of the data sources below holds the tables. */
  readonly 'jobStore.dataSource'?: Required<JobStoreSection>['dataSource'];
  /** File of a `sqlite` store that names no data source, from the working directory. Default: `./quartz.db`. */
  readonly 'jobStore.path'?: Required<JobStoreSection>['path'];
  /** What the names of the tables begin with. Default: `QRTZ_`. */
  readonly 'jobStore.tablePrefix'?: Required<JobStoreSection>['tablePrefix'];
  /** What may be done to the tables at start: nothing, check them, make them where there are none, or also bring older ones up to date. Nothing is ever dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`. */
  readonly 'jobStore.schema'?: Required<JobStoreSection>['schema'];
  /** Store job data as Properties text, which Java nodes read; string values only. Default: `false`. */
  readonly 'jobStore.useProperties'?: Required<JobStoreSection>['useProperties'];
  /** Longest pause between two attempts to store completions or misfires, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly 'jobStore.dbRetryInterval'?: Required<JobStoreSection>['dbRetryInterval'];
  /** A store in a database is always clustered; `false` is accepted with a warning. */
  readonly 'jobStore.isClustered'?: Required<JobStoreSection>['isClustered'];
  /** How often a node says that it is alive, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly 'jobStore.clusterCheckinInterval'?: Required<JobStoreSection>['clusterCheckinInterval'];
  /** How late a check-in may be before the node counts as failed, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly 'jobStore.clusterCheckinGrace'?: Required<JobStoreSection>['clusterCheckinGrace'];
  /** How long each step of the start waits for a database that cannot be reached or that other nodes keep busy, in milliseconds: for containers that start together, and for a node that starts while a large change holds the lock. Nothing else that is wrong is waited for. 0 to 86400000. Default: `0`. */
  readonly 'jobStore.startTimeout'?: Required<JobStoreSection>['startTimeout'];
  /** Run the store in a thread of its own, so that a job that blocks this one neither holds a lock nor misses a check-in. `false` for debuggers. Default: `true`. */
  readonly 'jobStore.storeThread'?: Required<JobStoreSection>['storeThread'];
  /** How long jobs may block the main thread, while non-concurrent ones run, before the node counts as hung and gives up its lease, in milliseconds; `0`: for ever. 0 to 86400000. Default: `30000`. */
  readonly 'jobStore.maxMainStall'?: Required<JobStoreSection>['maxMainStall'];
  /** A node whose main thread was blocked for longer than this, in milliseconds, leaves triggers to the other nodes for a while; `0`: never. 0 to 86400000. Default: `5000`. */
  readonly 'jobStore.handOverAfterStall'?: Required<JobStoreSection>['handOverAfterStall'];
  /** A node that could not check in in time aborts its jobs and joins again (`abort`), or ends its process. Default: `abort`; for `quartz run`, `exit-process`. */
  readonly 'jobStore.onLeaseLost'?: Required<JobStoreSection>['onLeaseLost'];
  /** How often a firing is run again when node after node dies with it. 0 to 1000. Default: `3`. */
  readonly 'jobStore.maxRecoveryAttempts'?: Required<JobStoreSection>['maxRecoveryAttempts'];
  /** Rows are always locked. Default: `true`. */
  readonly 'jobStore.useDBLocks'?: Required<JobStoreSection>['useDBLocks'];
  /** Rows are always locked. Default: `true`. */
  readonly 'jobStore.lockOnInsert'?: Required<JobStoreSection>['lockOnInsert'];
  /** Triggers are always acquired under the lock. Default: `true`. */
  readonly 'jobStore.acquireTriggersWithinLock'?: Required<JobStoreSection>['acquireTriggersWithinLock'];
  /** Misfires are always looked for before the lock is taken. Default: `true`. */
  readonly 'jobStore.doubleCheckLockMisfireHandler'?: Required<JobStoreSection>['doubleCheckLockMisfireHandler'];
  /** Rows are always read and written in sets. Default: `true`. */
  readonly 'jobStore.useEnhancedStatements'?: Required<JobStoreSection>['useEnhancedStatements'];
  /** A run that begins later than this after its scheduled time is told of (`firingLate`). Default: none is. */
  readonly 'alerts.lateAfter'?: Required<AlertsSection>['lateAfter'];
  /** A run that goes on for longer than this is told of once (`jobStuck`), by the node that runs it. Default: none is. */
  readonly 'alerts.stuckAfter'?: Required<AlertsSection>['stuckAfter'];
  /** Port at which `quartz run` serves the console; `0`: any that is free. Before it comes `--http`. Default: it serves none. 0 to 65535. */
  readonly 'console.port'?: Required<ConsoleSection>['port'];
  /** Address of this machine at which `quartz run` serves it; before it comes `--http-host`. One that others reach (`0.0.0.0`: all of them) needs `console.tokens` or `console.users`. Default: `127.0.0.1`. */
  readonly 'console.host'?: Required<ConsoleSection>['host'];
  /** Path below which requests arrive, such as `/admin/quartz`. Default: the root. Default: ``. */
  readonly 'console.basePath'?: Required<ConsoleSection>['basePath'];
  /** Whether nothing can be changed over HTTP, whatever the role of who asks. Default: `false`. */
  readonly 'console.readOnly'?: Required<ConsoleSection>['readOnly'];
  /** Who may come in with a token, and what for: `{ deploy: "operator sha256:…" }`. The roles are `viewer`, `operator` and `admin`. Never shown. Without tokens and users, `quartz run` makes a token for its own time and prints it once. */
  readonly 'console.tokens'?: Required<ConsoleSection>['tokens'];
  /** The same with a name and a password: `{ ann: "admin scrypt:…" }`. */
  readonly 'console.users'?: Required<ConsoleSection>['users'];
  /** Names by which the console is asked for, besides `localhost`, addresses and `console.host`: what a browser shows, without port. Default: no other. */
  readonly 'console.allowedHosts'?: Required<ConsoleSection>['allowedHosts'];
  /** How long somebody stays logged in; a minute or more. Default: `PT12H`. */
  readonly 'console.sessionLifetime'?: Required<ConsoleSection>['sessionLifetime'];
  /** File of the certificate, in PEM, with those that vouch for it; relative to the folder of the configuration. */
  readonly 'console.tls.cert'?: Required<Required<ConsoleSection>['tls']>['cert'];
  /** File of its private key, in PEM. Beside a certificate it is needed. */
  readonly 'console.tls.key'?: Required<Required<ConsoleSection>['tls']>['key'];
}

/** The same with `org.quartz.` in front. */
type PrefixedKeys = {
  readonly [Key in 'database' | keyof DottedKeys as `org.quartz.${Key}`]?: Required<
    NestedConfiguration & DottedKeys
  >[Key];
};

/** The keys of a configuration, dotted. Below names that are free, only the form of the key is checked. */
export interface DottedConfiguration extends DottedKeys, PrefixedKeys {
  readonly [key: `dataSource.${string}`]: FreeDataSource;
  readonly [key: `org.quartz.dataSource.${string}`]: FreeDataSource;
  readonly [key: `plugin.${string}`]: FreePlugin;
  readonly [key: `org.quartz.plugin.${string}`]: FreePlugin;
  readonly [key: `jobStore.historyGroups.${string}`]: FreeHistory;
  readonly [key: `org.quartz.jobStore.historyGroups.${string}`]: FreeHistory;
  readonly [key: `jobStore.groupLimits.${string}`]: FreeLimit;
  readonly [key: `org.quartz.jobStore.groupLimits.${string}`]: FreeLimit;
  readonly [key: `threadPool.groupLimits.${string}`]: FreeLimit;
  readonly [key: `org.quartz.threadPool.groupLimits.${string}`]: FreeLimit;
  readonly [key: `console.tokens.${string}`]: string | undefined;
  readonly [key: `org.quartz.console.tokens.${string}`]: string | undefined;
  readonly [key: `console.users.${string}`]: string | undefined;
  readonly [key: `org.quartz.console.users.${string}`]: string | undefined;
  readonly [key: `context.key.${string}`]: FreeContext;
  readonly [key: `org.quartz.context.key.${string}`]: FreeContext;
}

type FreeDataSource = DataSourceConfiguration | string | number | undefined;
type FreePlugin = PluginConfiguration | string | number | boolean | readonly string[] | undefined;
type FreeHistory = 'all' | 'failures' | 'none' | boolean | Reference | undefined;
type FreeLimit = number | `${number}` | Reference | undefined;
type FreeContext = string | number | boolean | undefined;

/**
 * A configuration in code: nested, or with dotted keys such as `'threadPool.threadCount'`; `org.quartz.` in front of a dotted key
 * may be left out.
 */
export type Configuration = NestedConfiguration &
  DottedConfiguration & {
    /** `org.quartz` around the sections. */
    readonly org?: { readonly quartz?: NestedConfiguration };
  };
