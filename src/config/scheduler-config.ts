import type { DatabaseName } from '../base/database-kinds';
import type { WholePolicy } from '../domain/execution-policy';
import type { GroupLimits } from '../domain/group-limits';
import type { EditPolicy } from '../domain/override';
import type { PriorityRange } from '../domain/placement';
import type { RunOutcome } from '../domain/run';

/** Resolved configuration of a scheduler: defaults filled in, values checked, frozen. */
export interface SchedulerConfig {
  readonly instanceName: string;
  readonly instanceId: string;
  /** Time zone of triggers and calendars that have none. */
  readonly timeZone: string;
  /** True if `timeZone` is the default: the time zone of the process. */
  readonly timeZoneDefaulted: boolean;
  /** Longest interval between two polls of the store, in milliseconds, like all durations here. */
  readonly idleWaitTime: number;
  readonly batchTriggerAcquisitionMaxCount: number;
  readonly batchTriggerAcquisitionFireAheadTimeWindow: number;
  /** Longest pause of the trigger loop after a store failure. */
  readonly dbFailureRetryInterval: number;
  readonly interruptJobsOnShutdown: boolean;
  readonly interruptJobsOnShutdownWithWait: boolean;
  readonly listenerTimeout: number;
  readonly shutdownDeadline: number;
  /** Maximum number of immediate refires of one firing. */
  readonly maxRefireCount: number;
  /** Labels of this node, in addition to `node:<instanceId>`. */
  readonly labels?: readonly string[] | undefined;
  /** Priorities of the triggers that this node fires. Absent: all priorities. */
  readonly priorities?: PriorityRange | undefined;
  /** Policy of runs whose job and trigger have none. */
  readonly policy: WholePolicy;
  /** Handling of manual edits of declared objects, for sets that do not configure it. */
  readonly onDeclaredEdit: EditPolicy;
  /** Version of the program, shown with the objects that it declares. */
  readonly programVersion?: string | undefined;
  readonly context: Readonly<Record<string, string>>;
  readonly threadPool: {
    readonly kind: 'async' | 'zeroSize';
    readonly threadCount: number;
    /** Maximum number of threads for jobs in files. */
    readonly workerThreads: number;
    /** Maximum number of concurrent runs per job group on this node. Absent: no limits. */
    readonly groupLimits?: GroupLimits;
  };
  readonly jobStore: JobStoreConfig;
  readonly alerts: AlertsConfig;
  readonly console: ConsoleConfig;
  readonly plugins: readonly PluginConfig[];
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** Store of jobs and triggers. */
export interface JobStoreConfig {
  readonly kind: 'memory' | DatabaseName;
  readonly misfireThreshold: number;
  readonly maxMisfiresToHandleAtATime: number;
  /** Waiting time after which the priority of a trigger rises by one. Null: triggers fire in the order of their fire times. */
  readonly priorityAgeing: number | null;
  readonly history: HistoryConfig;
  /** Present for database stores. */
  readonly sql?: SqlStoreConfig;
}

/** Thresholds above which runs are reported. Null: not reported. */
export interface AlertsConfig {
  /** Lateness of a run's start, in milliseconds. */
  readonly lateAfterMs: number | null;
  /** Duration of a run, in milliseconds. */
  readonly stuckAfterMs: number | null;
}

/** Configuration of the console: its address, accounts and TLS. */
export interface ConsoleConfig {
  /** Port on which `quartz run` serves the console. Null: only if the command line sets one. */
  readonly port: number | null;
  readonly host: string;
  readonly basePath: string;
  readonly readOnly: boolean;
  /** Role and hash, by the name of the token. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly users: Readonly<Record<string, string>>;
  readonly allowedHosts: readonly string[];
  readonly sessionLifetimeMs: number;
  /** PEM files. Null: the console is served without TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

/** Retention of recorded runs and of the action log. */
export interface HistoryConfig {
  readonly retentionMs: number;
  /** Retention of single outcomes, instead of `retentionMs`. */
  readonly retentionOfOutcomes?: Readonly<Partial<Record<RunOutcome, number>>>;
  readonly maxCount: number;
  /** Retention of dead letters, which do not count towards `maxCount`. */
  readonly deadLetterRetentionMs: number;
  /** Retention of the action log. */
  readonly actionRetentionMs: number;
}

/** Settings that only database stores have. */
export interface SqlStoreConfig {
  readonly tablePrefix: string;
  readonly useProperties: boolean;
  readonly schema: 'never' | 'validate' | 'create' | 'migrate';
  readonly clusterCheckinInterval: number;
  readonly clusterCheckinGrace: number;
  readonly dbRetryInterval: number;
  /** Longest wait of each step of the start for an unreachable or locked database. */
  readonly startTimeout: number;
  /** True if the store runs in its own thread. */
  readonly storeThread: boolean;
  /** Longest stall of the main thread before the node releases its lease. 0: no limit. */
  readonly maxMainStall: number;
  /** Stall of the main thread after which the node leaves triggers to other nodes for a while. 0: never. */
  readonly handOverAfterStall: number;
  /** Action of the node when it has lost its lease. Null: not configured. */
  readonly onLeaseLost: OnLeaseLost | null;
  /** Maximum number of recoveries of one firing whose nodes die one after another. */
  readonly maxRecoveryAttempts: number;
  /** True if triggers fire in the order of their priorities, which requires an additional index. */
  readonly orderByPriority: boolean;
  readonly dataSource: DataSourceConfig;
}

/**
 * Action after a lost lease: `abort` aborts the running jobs and rejoins the cluster. `exit-process` ends the process, for its supervisor
 * to restart.
 */
export type OnLeaseLost = 'abort' | 'exit-process';

/** Connection settings of a database. The password never appears in a message. */
export interface DataSourceConfig {
  readonly name: string;
  /** `mysql://host:port/database`, `mariadb://…` or `sqlite:file`, without the prefix `jdbc:`. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly maxConnections: number;
}

/** Kind and settings of a configured plugin. */
export interface PluginConfig {
  readonly name: string;
  readonly kind:
    | 'jobInterruptMonitor'
    | 'loggingJobHistory'
    | 'loggingTriggerHistory'
    | 'scheduleFile'
    | 'shutdownHook'
    | 'webhookAlerts';
  readonly settings: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** A resolved configuration, with warnings for the operator. */
export interface LoadedConfig {
  readonly config: SchedulerConfig;
  readonly warnings: readonly string[];
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;
