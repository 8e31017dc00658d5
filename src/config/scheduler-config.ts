import type { DatabaseName } from '../base/database-kinds';
import type { WholePolicy } from '../domain/execution-policy';
import type { GroupLimits } from '../domain/group-limits';
import type { EditPolicy } from '../domain/override';
import type { PriorityRange } from '../domain/placement';
import type { RunOutcome } from '../domain/run';

/** A scheduler's configuration once resolved: every default filled in, every value checked, frozen. */
export interface SchedulerConfig {
  readonly instanceName: string;
  readonly instanceId: string;
  /** Zone of triggers and calendars that name none. */
  readonly timeZone: string;
  /** `timeZone` is that of the process, because nobody named one. */
  readonly timeZoneDefaulted: boolean;
  /** Milliseconds, as all durations here. */
  readonly idleWaitTime: number;
  readonly batchTriggerAcquisitionMaxCount: number;
  readonly batchTriggerAcquisitionFireAheadTimeWindow: number;
  /** Pause after the store failed. */
  readonly dbFailureRetryInterval: number;
  readonly interruptJobsOnShutdown: boolean;
  readonly interruptJobsOnShutdownWithWait: boolean;
  readonly listenerTimeout: number;
  readonly shutdownDeadline: number;
  /** How often a job may ask to be run again at once. */
  readonly maxRefireCount: number;
  /** Of this node, besides its own. */
  readonly labels?: readonly string[] | undefined;
  /** Of the triggers that this node fires. */
  readonly priorities?: PriorityRange | undefined;
  /** How jobs are run where neither they nor their triggers say it. */
  readonly policy: WholePolicy;
  /** What becomes of an edit by hand of what code or a file declares, where the set does not say it. */
  readonly onDeclaredEdit: EditPolicy;
  /** The version of the program, shown beside what it declares. */
  readonly programVersion?: string | undefined;
  readonly context: Readonly<Record<string, string>>;
  readonly threadPool: {
    readonly kind: 'async' | 'zeroSize';
    readonly threadCount: number;
    /** In how many threads the jobs of files run at once. */
    readonly workerThreads: number;
    /** How many runs of the jobs of a group execute on this node at once; absent: no group has a limit. */
    readonly groupLimits?: GroupLimits;
  };
  readonly jobStore: JobStoreConfig;
  readonly alerts: AlertsConfig;
  readonly console: ConsoleConfig;
  readonly plugins: readonly PluginConfig[];
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** Where jobs and triggers are kept. */
export interface JobStoreConfig {
  readonly kind: 'memory' | DatabaseName;
  readonly misfireThreshold: number;
  readonly maxMisfiresToHandleAtATime: number;
  /** After so long a trigger counts as one priority higher, where the priority decides which fires first; null: the time does. */
  readonly priorityAgeing: number | null;
  readonly history: HistoryConfig;
  /** Present for a store in a database. */
  readonly sql?: SqlStoreConfig;
}

/** From when on runs are told of; null: never. */
export interface AlertsConfig {
  /** Of those that begin later than this after their scheduled time. */
  readonly lateAfterMs: number | null;
  /** Of those that go on for longer than this. */
  readonly stuckAfterMs: number | null;
}

/** How the scheduler is shown over HTTP, and to whom. */
export interface ConsoleConfig {
  /** Where `quartz run` serves it; null: only where its command line says so. */
  readonly port: number | null;
  readonly host: string;
  readonly basePath: string;
  readonly readOnly: boolean;
  /** By name, the role and the hash. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly users: Readonly<Record<string, string>>;
  readonly allowedHosts: readonly string[];
  readonly sessionLifetimeMs: number;
  /** Files in PEM; null: it is served without TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

/** How long recorded runs are kept, and how many. */
export interface HistoryConfig {
  readonly retentionMs: number;
  /** Of single outcomes, where it is another time. */
  readonly retentionOfOutcomes?: Readonly<Partial<Record<RunOutcome, number>>>;
  readonly maxCount: number;
  /** Of dead letters, which `maxCount` leaves alone. */
  readonly deadLetterRetentionMs: number;
  /** Of what people did from outside. */
  readonly actionRetentionMs: number;
}

/** What a store in a database needs besides. */
export interface SqlStoreConfig {
  readonly tablePrefix: string;
  readonly useProperties: boolean;
  readonly schema: 'never' | 'validate' | 'create' | 'migrate';
  readonly clusterCheckinInterval: number;
  readonly clusterCheckinGrace: number;
  readonly dbRetryInterval: number;
  /** How long a database that cannot be reached is waited for at start. */
  readonly startTimeout: number;
  /** The store runs in a thread of its own. */
  readonly storeThread: boolean;
  /** Longest time the main thread may be blocked before the node gives up its lease; 0: any. */
  readonly maxMainStall: number;
  /** After a longer stall of the main thread, the node leaves triggers to the other nodes for a while; 0: never. */
  readonly handOverAfterStall: number;
  /** What the node does when it has lost its lease; null: nobody said. */
  readonly onLeaseLost: OnLeaseLost | null;
  /** How often one firing is run again when node after node dies with it. */
  readonly maxRecoveryAttempts: number;
  /** The tables need the index for it. */
  readonly orderByPriority: boolean;
  readonly dataSource: DataSourceConfig;
}

/** Abort the running jobs and join again, or end the process so that whoever watches it starts a new one. */
export type OnLeaseLost = 'abort' | 'exit-process';

/** How to reach a database. The password is here; it never appears in a message. */
export interface DataSourceConfig {
  readonly name: string;
  /** `mysql://host:port/database`, `mariadb://…` or `sqlite:file`; a `jdbc:` before it is dropped. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly maxConnections: number;
}

/** One plugin of the file: which, and its own settings. */
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

/** A resolved configuration, and what the operator should know about it. */
export interface LoadedConfig {
  readonly config: SchedulerConfig;
  readonly warnings: readonly string[];
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;
