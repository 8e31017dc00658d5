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
  /** Name of the scheduler. All nodes of a cluster use the same name. Default: `QuartzScheduler`. */
  readonly instanceName?: string | number;
  /** `AUTO`: generated, see `instanceIdGenerator`. `SYS_PROP`: read from the environment. Any other text is the id itself. Default: `NON_CLUSTERED` with the memory store, `AUTO` with a database. */
  readonly instanceId?: string | number;
  /** Generator of the instance id, if `instanceId` is `AUTO`. */
  readonly instanceIdGenerator?: {
    /** `simple`: host name, process id and ten random characters. `hostname`: the host name. `environment`: an environment variable. Default: `simple`. */
    readonly class?:
      | ClassName<
          'simple' | 'hostname' | 'environment' | 'systemProperty',
          'SimpleInstanceIdGenerator' | 'HostnameInstanceIdGenerator' | 'SystemPropertyInstanceIdGenerator'
        >
      | Reference;
    /** Environment variable for `environment` and `SYS_PROP`. Also tried in capitals, with `_` for each character that is not a letter or digit. Default: `org.quartz.scheduler.instanceId`. */
    readonly systemPropertyName?: string | number;
    /** Prefix of the id from `environment`. */
    readonly prepend?: string | number;
    /** Suffix of the id from `environment`. */
    readonly postpend?: string | number;
  };
  /** Time zone of triggers and calendars without one. Default: the time zone of the machine. */
  readonly timeZone?: string;
  /** `safe`: nothing fires after its end, at an excluded time, or for a time before its schedule was stored or changed, unless a user requests it. `quartz`: fire times and misfires exactly as in Quartz 2.3, for clusters with Java nodes. The first node stores the value in the database, and a node with another is refused; `quartz rules set` changes it. Default: `safe`. */
  readonly rules?: 'safe' | 'quartz' | Reference;
  /** Clock changes of cron triggers that are stored without their own `clockChanges`. `quartz`: as in Quartz. `natural`: fixed hours run once, after the gap or first; hours with `*` or `/` run through. The first node stores the value, as for `scheduler.rules`. Stored triggers keep theirs until they are declared or changed again. Default: `quartz`. */
  readonly clockChanges?: 'quartz' | 'natural' | Reference;
  /** Handling of a manual edit of a job, trigger or calendar that code or a schedule file declares. `override`: the edit is kept until someone drops it. `codeWins`: the next declaration reverts it. `refuse`: the edit is rejected. A set or a file can override this setting. Default: `override`. */
  readonly onDeclaredEdit?: 'override' | 'codeWins' | 'refuse' | Reference;
  /** Version of your program, shown with the jobs and triggers that it declares. */
  readonly programVersion?: string | number;
  /** Longest interval between two polls of the store, in milliseconds. 1000 to 86400000. Default: `30000`. */
  readonly idleWaitTime?: number | `${number}` | Reference;
  /** Maximum number of triggers acquired at once, limited by the number of free workers. 1 to 10000. Default: `100`. */
  readonly batchTriggerAcquisitionMaxCount?: number | `${number}` | Reference;
  /** Batch window in milliseconds: triggers due within this time after the first of a batch share its transactions, and each still fires at its own time. At most 1,000; larger values count as 1,000. Default: 50, with the memory store 0. 0 to 86400000. */
  readonly batchTriggerAcquisitionFireAheadTimeWindow?: number | `${number}` | Reference;
  /** Longest pause of the trigger loop after a store failure, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly dbFailureRetryInterval?: number | `${number}` | Reference;
  /** Abort running jobs on a shutdown that does not wait for them. Default: `false`. */
  readonly interruptJobsOnShutdown?: boolean | 'true' | 'false' | Reference;
  /** Abort running jobs on a shutdown that waits for them. Default: `false`. */
  readonly interruptJobsOnShutdownWithWait?: boolean | 'true' | 'false' | Reference;
  /** Timeout of a listener call, in milliseconds. 1 to 86400000. Default: `5000`. */
  readonly listenerTimeout?: number | `${number}` | Reference;
  /** Maximum time that a shutdown waits for running jobs before it aborts them, in milliseconds. 0 to 86400000. Default: `30000`. */
  readonly shutdownDeadline?: number | `${number}` | Reference;
  /** Number of times that job factories, on any nodes, may refuse an attempt until it has failed. 1 to 1000000. Default: `5`. */
  readonly maxFactoryRefusals?: number | `${number}` | Reference;
  /** Maximum number of hand-overs of one attempt without a new checkpoint, when shutdowns cut its runs short. 0 to 1000000. Default: `10`. */
  readonly maxHandOvers?: number | `${number}` | Reference;
  /** Maximum number of immediate refires of one firing. 0 to 1000000. Default: `100`. */
  readonly maxRefireCount?: number | `${number}` | Reference;
  /** Labels of this node, which jobs and triggers refer to in `runsOn` and `prefers`: a list of at most 50 texts of up to 200 characters. Each node also has the label `node:<instanceId>`. Default: no other labels. */
  readonly labels?: string | readonly string[] | Reference;
  /** This node fires only triggers with these priorities. */
  readonly priorities?: {
    /** Lowest priority. Default: any. -2147483648 to 2147483647. */
    readonly min?: number | `${number}` | Reference;
    /** Highest priority. Default: any. -2147483648 to 2147483647. */
    readonly max?: number | `${number}` | Reference;
  };
  /** Retry policy of failed runs whose trigger and job have none: the number of retries and the delays between them. Default: no retries. */
  readonly retry?: RetryOptions | Reference;
  /** Lowest level that is logged, if you pass no logger. Plugins such as the logging histories log from `info` on, even at `warn`. Default: `warn`. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | Reference;
  /** Creation of job objects. */
  readonly jobFactory?: {
    /** `registered`: jobs are created from the registered job types. Other values are rejected: set your own factory in code with `setJobFactory`. Default: `registered`. */
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
  /** `async`: jobs run concurrently on the event loop. `zeroSize`: this node schedules but runs no jobs. Default: `async`. */
  readonly class?:
    | ClassName<
        'async' | 'zeroSize',
        'SimpleThreadPool' | 'LocalTaskExecutorThreadPool' | 'SimpleThreadPoolTaskExecutor' | 'ZeroSizeThreadPool'
      >
    | Reference;
  /** Maximum number of jobs that run at the same time. 1 to 10000. Default: `25`. */
  readonly threadCount?: number | `${number}` | Reference;
  /** Maximum number of threads for jobs in files (`workerJob`); a run waits if no thread is free. Threads are started when they are needed, and end after 10 s without work. Default: `threadCount`. 1 to 1000. */
  readonly workerThreads?: number | `${number}` | Reference;
  /** Maximum number of concurrent runs per job group on this node, such as `{ reports: 2 }`. `0`: this node runs no jobs of the group. Default: no limits. */
  readonly groupLimits?: Readonly<Record<string, number | `${number}`>> | Reference;
}

/** `jobStore` */
export interface JobStoreSection {
  /** `memory`: data is lost when the process ends. `sqlite`: a file, shared by processes on one machine. `mysql`: MySQL or MariaDB, shared by a cluster. `sql`: the database that the URL of the data source names. Default: `memory`. */
  readonly class?:
    | ClassName<
        'memory' | 'sqlite' | 'mysql' | 'sql' | 'mariadb',
        'RAMJobStore' | 'JobStoreTX' | 'JobStoreCMT' | 'LocalDataSourceJobStore'
      >
    | Reference;
  /** Lateness after which a trigger counts as misfired, in milliseconds. 1 to 31536000000. Default: `60000`. */
  readonly misfireThreshold?: number | `${number}` | Reference;
  /** Maximum number of misfired triggers handled in one transaction. 1 to 100000. Default: `100`. */
  readonly maxMisfiresToHandleAtATime?: number | `${number}` | Reference;
  /** Order in which due triggers fire. `time`: by fire time, then by priority. `priority`: by priority, which rises while a trigger waits. In a database `priority` needs an additional index, which is created at start if `jobStore.schema` allows it. Default: `time`. */
  readonly acquireOrder?: 'time' | 'priority' | Reference;
  /** With `jobStore.acquireOrder: priority`: waiting time after which the priority of a trigger rises by one, so that every trigger fires eventually. Default: `PT1M`. */
  readonly priorityAgeing?: DurationLike | Reference;
  /** Maximum number of concurrent runs per job group in the whole cluster, such as `{ reports: 5, mail: 20 }`. Must be the same on all nodes. Default: no limits. */
  readonly groupLimits?: Readonly<Record<string, number | `${number}`>> | Reference;
  /** Runs to record, unless their trigger or job sets it: `all`, `failures` (runs that did not succeed), or `none`. Default: `failures`. */
  readonly history?: 'all' | 'failures' | 'none' | boolean | Reference;
  /** Runs to record per job group. Overrides `jobStore.history`: `{ noisy: none, billing: all }`. */
  readonly historyGroups?: Readonly<Record<string, 'all' | 'failures' | 'none' | boolean>> | Reference;
  /** Retention of recorded runs. Default: `P30D`. */
  readonly historyRetention?: DurationLike | Reference;
  /** Retention of recorded runs per outcome. Overrides `jobStore.historyRetention`: `{ succeeded: P1D, skipped: PT1H }`. */
  readonly historyRetentionOf?:
    | {
        readonly succeeded?: number | string;
        readonly failed?: number | string;
        readonly timedOut?: number | string;
        readonly interrupted?: number | string;
        readonly handedOver?: number | string;
        readonly skipped?: number | string;
        readonly vetoed?: number | string;
        readonly lost?: number | string;
        readonly misfired?: number | string;
      }
    | Reference;
  /** Maximum number of recorded runs to keep; the oldest are deleted first. Dead letters do not count. 0 to 1000000000. Default: `1000000`. */
  readonly historyMaxCount?: number | `${number}` | Reference;
  /** Memory store: approximate number of bytes that recorded runs use, dead letters included. The oldest are dropped first, dead letters last; a warning reports it once. 1048576 to 1099511627776. Default: `33554432`. */
  readonly historyMaxBytes?: number | `${number}` | Reference;
  /** Retention of dead letters (runs that exhausted their retries) that are neither rerun nor discarded. Default: `P365D`. */
  readonly deadLetterRetention?: DurationLike | Reference;
  /** Retention of the action log (who did what on the command line, over HTTP or in the console). Default: `P90D`. */
  readonly actionRetention?: DurationLike | Reference;
  /** Name of the data source that contains the tables, a key of `dataSource`. */
  readonly dataSource?: string | number;
  /** File of a `sqlite` store without a data source, relative to the working directory. Default: `./quartz.db`. */
  readonly path?: string | number;
  /** Prefix of the table names. Default: `QRTZ_`. */
  readonly tablePrefix?: string;
  /** Handling of the tables at start. `never`: they are neither checked nor changed. `validate`: they are checked. `create`: missing tables are created. `migrate`: older tables are also updated. Tables are never dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`. */
  readonly schema?: 'never' | 'validate' | 'create' | 'migrate' | Reference;
  /** Store job data as Java Properties text. String values only. Must be the same on all nodes, including those of Java. Default: `false`. */
  readonly useProperties?: boolean | 'true' | 'false' | Reference;
  /** Longest pause between two attempts to store completions or misfires, in milliseconds. 100 to 86400000. Default: `15000`. */
  readonly dbRetryInterval?: number | `${number}` | Reference;
  /** A store in a database is always clustered; `false` is accepted with a warning. */
  readonly isClustered?: boolean | 'true' | 'false' | Reference;
  /** Interval of the check-ins with which a node shows that it is alive, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly clusterCheckinInterval?: number | `${number}` | Reference;
  /** Delay of a check-in after which the node counts as failed, in milliseconds. 500 to 86400000. Default: `7500`. */
  readonly clusterCheckinGrace?: number | `${number}` | Reference;
  /** Maximum time that each step of the start waits for a database that is unreachable or locked by other nodes, in milliseconds, for example when containers start together. Other errors end the start immediately. 0 to 86400000. Default: `0`. */
  readonly startTimeout?: number | `${number}` | Reference;
  /** Run the store in its own thread, so that a job that blocks the main thread neither holds a lock nor misses a check-in. Use `false` for debuggers. Default: `true`. */
  readonly storeThread?: boolean | 'true' | 'false' | Reference;
  /** How long jobs may block the main thread, while non-concurrent jobs run, before the node counts as hung and loses its lease, in milliseconds. `0`: no limit. 0 to 86400000. Default: `30000`. */
  readonly maxMainStall?: number | `${number}` | Reference;
  /** A node whose main thread was blocked for longer than this, in milliseconds, leaves triggers to the other nodes for a while. `0`: never. 0 to 86400000. Default: `5000`. */
  readonly yieldAfterStall?: number | `${number}` | Reference;
  /** Action of a node that could not check in in time. `abort`: aborts its jobs and rejoins the cluster. `exit-process`: ends its process. Default: `abort`; for `quartz run`, `exit-process`. */
  readonly onLeaseLost?: 'abort' | 'exit-process' | Reference;
  /** Servers of a database cluster (Galera, group replication) to which nodes write. `one`: all nodes use the same server. `several`: nodes may use different servers; each transaction of the schedule then also changes a row of its lock. Must be the same on all nodes. Default: `one`. */
  readonly writers?: 'one' | 'several' | Reference;
  /** Maximum number of recoveries of one firing if each node that runs it dies. 0 to 1000. Default: `3`. */
  readonly maxRecoveryAttempts?: number | `${number}` | Reference;
  /** Quartz switch without effect: rows are always locked. Default: `true`. */
  readonly useDBLocks?: boolean | 'true' | 'false' | Reference;
  /** Quartz switch without effect: rows are always locked. Default: `true`. */
  readonly lockOnInsert?: boolean | 'true' | 'false' | Reference;
  /** Quartz switch without effect: triggers are always acquired under the lock. Default: `true`. */
  readonly acquireTriggersWithinLock?: boolean | 'true' | 'false' | Reference;
  /** Quartz switch without effect: misfires are always searched for before the lock is taken. Default: `true`. */
  readonly doubleCheckLockMisfireHandler?: boolean | 'true' | 'false' | Reference;
  /** Quartz switch without effect: rows are always read and written in batches. Default: `true`. */
  readonly useEnhancedStatements?: boolean | 'true' | 'false' | Reference;
}

/** `alerts` */
export interface AlertsSection {
  /** Report a run that begins later than this after its scheduled time, as `firingLate`. Default: off. */
  readonly lateAfter?: DurationLike | Reference;
  /** Report a run that takes longer than this, once, as `jobStuck`. Default: off. */
  readonly stuckAfter?: DurationLike | Reference;
}

/** `console` */
export interface ConsoleSection {
  /** Port of the console that `quartz run` serves; `0`: any free port. `--http` overrides it. Default: no console. 0 to 65535. */
  readonly port?: number | `${number}` | Reference;
  /** Address on which `quartz run` serves the console. `--http-host` overrides it. An address that other machines can reach (such as `0.0.0.0`) requires `console.tokens` or `console.users`. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Path under which the console is served, such as `/admin/quartz`. Empty: the root. Default: empty. */
  readonly basePath?: string | number;
  /** Make the HTTP API read-only for every role. Default: `false`. */
  readonly readOnly?: boolean | 'true' | 'false' | Reference;
  /** Access tokens by name, each with a role and a hash: `{ deploy: "operator sha256:…" }`. The roles are `viewer`, `operator` and `admin`. Never shown. Without tokens and users, `quartz run` creates a token that is valid until it stops, and prints it once. */
  readonly tokens?: Readonly<Record<string, string>> | Reference;
  /** Users who log in with a password, by name, each with a role and a hash: `{ ann: "admin scrypt:…" }`. */
  readonly users?: Readonly<Record<string, string>> | Reference;
  /** Host names under which browsers may reach the console, without port, in addition to `localhost`, IP addresses and `console.host`. Default: no others. */
  readonly allowedHosts?: string | readonly string[];
  /** Lifetime of a login session, at least a minute. Default: `PT12H`. */
  readonly sessionLifetime?: DurationLike | Reference;
  /** Time for which `quartz run` keeps an idle connection of the console open, at least a second. Must be longer than the idle timeout of a load balancer in front of it (AWS: 60 s), which otherwise answers some requests with 502. Default: `PT75S`. */
  readonly keepAliveTimeout?: DurationLike | Reference;
  readonly tls?: {
    /** PEM file of the certificate and its chain, relative to the configuration file. */
    readonly cert?: string | number;
    /** PEM file of the private key. Required with `cert`. */
    readonly key?: string | number;
  };
}

/** A database. */
export interface DataSourceConfiguration {
  /** `mysql://host:port/database`, `mariadb://…` or `sqlite:file`. A prefix `jdbc:` is ignored. */
  readonly URL: string | number;
  /** User name of the login. */
  readonly user?: string | number;
  /** Messages never contain the password. Set it with an environment variable. */
  readonly password?: string | number;
  /** File that contains the password, instead of `password`. Read again for each new connection, so a changed password needs no restart. Relative to the working directory. */
  readonly passwordFile?: string | number;
  /** Maximum number of connections of the store: one each for firing triggers, completing runs and check-ins, two for wake-ups, the others for reads. A number below 6 counts as 6. Each is opened on first use. Transactions of jobs may open as many again, so a node has at most twice this number. SQLite always uses two. 1 to 1000. Default: `10`. */
  readonly maxConnections?: number | `${number}` | Reference;
}

/** A plugin and its settings; `class` says which. */
export type PluginConfiguration =
  | {
      /** Applies jobs, triggers and calendars from schedule files. A file with problems is not applied at all. */
      readonly class: ClassName<
        'scheduleFile',
        'XMLSchedulingDataProcessorPlugin' | 'JobInitializationPlugin' | 'JobInitializationPluginMultiple'
      >;
      /** Schedule files, as a list or separated by commas. Paths are relative to the configuration file. */
      readonly fileNames: string | readonly string[];
      /** Interval of the checks for changed files, in seconds. `0`: files are read once. 0 to 86400. Default: `0`. */
      readonly scanInterval?: number | `${number}` | Reference;
      /** Refuse to start if a file is missing. Default: `true`. */
      readonly failOnFileNotFound?: boolean | 'true' | 'false' | Reference;
    }
  | {
      /** Shuts the scheduler down on SIGTERM and SIGINT. */
      readonly class: ClassName<'shutdownHook', 'ShutdownHookPlugin'>;
      /** Wait for running jobs to finish. Default: `true`. */
      readonly cleanShutdown?: boolean | 'true' | 'false' | Reference;
    }
  | {
      /** Interrupts jobs that run longer than their `MaxRunTime`, if their data contains `AutoInterruptable: true`. */
      readonly class: ClassName<'jobInterruptMonitor', 'JobInterruptMonitorPlugin'>;
      /** Maximum run time of jobs without `MaxRunTime`, in milliseconds. 1 to 86400000. Default: `300000`. */
      readonly defaultMaxRunTime?: number | `${number}` | Reference;
    }
  | {
      /** Logs every execution of a job. */
      readonly class: ClassName<'loggingJobHistory', 'LoggingJobHistoryPlugin'>;
      /** Log message before a job runs. */
      readonly jobToBeFiredMessage?: string | number;
      /** Log message after a job ran. */
      readonly jobSuccessMessage?: string | number;
      /** Log message after a job failed. */
      readonly jobFailedMessage?: string | number;
      /** Log message when a listener vetoed a job. */
      readonly jobWasVetoedMessage?: string | number;
    }
  | {
      /** Logs every firing of a trigger. */
      readonly class: ClassName<'loggingTriggerHistory', 'LoggingTriggerHistoryPlugin'>;
      /** Log message when a trigger fires. */
      readonly triggerFiredMessage?: string | number;
      /** Log message when a trigger misfired. */
      readonly triggerMisfiredMessage?: string | number;
      /** Log message when a firing has completed. */
      readonly triggerCompleteMessage?: string | number;
    }
  | {
      /** Sends events as signed webhooks. */
      readonly class: 'webhookAlerts';
      /** URL that receives each alert as a JSON POST request. Must be https, unless `allowHosts` contains its host. */
      readonly url: string | number;
      /** Secret that signs the alerts: any text, or `whsec_` followed by base64. Default: alerts are not signed. Never shown in messages. Prefer an environment variable. */
      readonly secret?: string | number;
      /** Types of the events that are sent, as a list or separated by commas. Default: events that need attention. */
      readonly events?: string | readonly string[];
      /** Hosts, as `name` or `name:port`, that may be reached over http. If set, redirects may only lead to these hosts and to the host of the URL. */
      readonly allowHosts?: string | readonly string[];
      /** Allow the URL and its redirects to lead to addresses of this machine or of private networks. Default: `false`. */
      readonly allowPrivateAddresses?: boolean | 'true' | 'false' | Reference;
      /** Maximum number of alerts per minute. Further alerts are counted, and the next alert reports their number. 1 to 10000. Default: `30`. */
      readonly maxPerMinute?: number | `${number}` | Reference;
      /** Timeout of one attempt, in milliseconds. 100 to 120000. Default: `10000`. */
      readonly timeout?: number | `${number}` | Reference;
    };

/** The sections, nested; `org.quartz` around them may be left out. */
export interface NestedConfiguration {
  /** Short form of a database store: `mysql://user:password@host:port/database`, `mariadb://…`, or the path of a SQLite file. Replaces `jobStore.class`, `jobStore.dataSource` and the data source. Missing tables are created. */
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

/** A configuration in code. Dotted keys such as `threadPool.threadCount` are for files. */
export type Configuration = NestedConfiguration & {
  /** `org.quartz` around the sections. */
  readonly org?: { readonly quartz?: NestedConfiguration };
};
