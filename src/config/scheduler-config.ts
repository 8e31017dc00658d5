import type { DatabaseName } from '../base/database-kinds';
import type { WholePolicy } from '../domain/execution-policy';
import type { GroupLimits } from '../domain/group-limits';
import type { EditPolicy } from '../domain/override';
import type { PriorityRange } from '../domain/placement';
import type { RunOutcome } from '../domain/run';
import type { PLUGINS } from './quartz-names';

/** Resolved configuration of a scheduler: checked values with defaults filled in, frozen. */
export interface SchedulerConfig {
  readonly instanceName: string;
  readonly instanceId: string;
  /** Time zone of triggers and calendars without a time zone of their own. */
  readonly timeZone: string;
  /** True if no time zone is configured, so that `timeZone` is the time zone of this process. */
  readonly timeZoneDefaulted: boolean;
  /** Maximum interval between two polls of the store. All durations in this configuration are in milliseconds. */
  readonly idleWaitTime: number;
  readonly batchTriggerAcquisitionMaxCount: number;
  readonly batchTriggerAcquisitionFireAheadTimeWindow: number;
  /** Maximum time that the trigger loop waits after a store failure. */
  readonly dbFailureRetryInterval: number;
  readonly interruptJobsOnShutdown: boolean;
  readonly interruptJobsOnShutdownWithWait: boolean;
  readonly listenerTimeout: number;
  readonly shutdownDeadline: number;
  readonly maxRefireCount: number;
  /** Number of refusals by job factories after which an attempt has failed. */
  readonly maxFactoryRefusals: number;
  /** Maximum number of hand-overs of one attempt without a new checkpoint. */
  readonly maxHandOvers: number;
  /** Labels of this node, in addition to `node:<instanceId>`. */
  readonly labels?: readonly string[] | undefined;
  /** Priorities of the triggers that this node fires. Absent: triggers of every priority. */
  readonly priorities?: PriorityRange | undefined;
  /** Policy values for runs whose job and trigger do not set them. */
  readonly policy: WholePolicy;
  /** Effect of manual edits of declared definitions, for declared sets that do not configure it. */
  readonly onDeclaredEdit: EditPolicy;
  /** Version of the program, shown with the definitions that the program declares. */
  readonly programVersion?: string | undefined;
  readonly context: Readonly<Record<string, string>>;
  readonly threadPool: {
    readonly kind: 'async' | 'zeroSize';
    readonly threadCount: number;
    readonly workerThreads: number;
    /** Maximum number of concurrent runs on this node, by job group. Absent: no limits. */
    readonly groupLimits?: GroupLimits;
  };
  readonly jobStore: JobStoreConfig;
  readonly alerts: AlertsConfig;
  readonly console: ConsoleConfig;
  readonly plugins: readonly PluginConfig[];
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

export interface JobStoreConfig {
  readonly kind: 'memory' | DatabaseName;
  readonly misfireThreshold: number;
  readonly maxMisfiresToHandleAtATime: number;
  /** Waiting time after which a trigger's priority rises by one. Null: triggers fire in the order of their fire times. */
  readonly priorityAgeing: number | null;
  readonly history: HistoryConfig;
  /** Settings of a database store. Absent for the memory store. */
  readonly sql?: SqlStoreConfig;
}

/** Thresholds above which a run is reported. Null: never reported. */
export interface AlertsConfig {
  /** Maximum delay between the fire time and the start of the job. */
  readonly lateAfterMs: number | null;
  /** Maximum duration of a run. */
  readonly stuckAfterMs: number | null;
}

export interface ConsoleConfig {
  /** Port on which `quartz run` serves the console. Null: the console is served only if the command line sets a port. */
  readonly port: number | null;
  readonly host: string;
  readonly basePath: string;
  readonly readOnly: boolean;
  /** Role and hash of each token, by the token's name. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly users: Readonly<Record<string, string>>;
  readonly allowedHosts: readonly string[];
  readonly sessionLifetimeMs: number;
  /** Time for which the console keeps an idle connection open. */
  readonly keepAliveTimeoutMs: number;
  /** Paths of PEM files. Null: the console is served without TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

export interface HistoryConfig {
  readonly retentionMs: number;
  /** Retention by run outcome. For these outcomes, replaces `retentionMs`. */
  readonly retentionOfOutcomes?: Readonly<Partial<Record<RunOutcome, number>>>;
  readonly maxCount: number;
  /** Size of the recorded runs in the memory store, dead letters included. */
  readonly maxBytes: number;
  /** Retention of dead letters. `maxCount` does not apply to dead letters. */
  readonly deadLetterRetentionMs: number;
  readonly actionRetentionMs: number;
}

export interface SqlStoreConfig {
  readonly tablePrefix: string;
  readonly useProperties: boolean;
  readonly schema: 'never' | 'validate' | 'create' | 'migrate';
  readonly clusterCheckinInterval: number;
  readonly clusterCheckinGrace: number;
  readonly dbRetryInterval: number;
  /** Maximum time to wait for an unreachable or locked database, for each startup step. */
  readonly startTimeout: number;
  readonly storeThread: boolean;
  /** Maximum time that the main thread may be blocked before this node releases its lease. 0: no limit. */
  readonly maxMainStall: number;
  /** Maximum time that the main thread may be blocked before this node lets other nodes acquire triggers first for a while. 0: no limit. */
  readonly yieldAfterStall: number;
  /** Action of this node when it loses its lease. Null: not configured. */
  readonly onLeaseLost: OnLeaseLost | null;
  /** Servers of a database cluster to which nodes write. */
  readonly writers: 'one' | 'several';
  /** Maximum number of times that a firing is recovered, in case the nodes that recover it fail too. */
  readonly maxRecoveryAttempts: number;
  /** True if triggers fire in the order of their priorities. Requires an additional index. */
  readonly orderByPriority: boolean;
  readonly dataSource: DataSourceConfig;
}

/** Action of a node without its lease. `abort`: aborts its jobs and rejoins. `exit-process`: exits, so that a supervisor restarts it. */
export type OnLeaseLost = 'abort' | 'exit-process';

/** Connection settings of a database. Messages never contain the password. */
export interface DataSourceConfig {
  readonly name: string;
  /** URL such as `mysql://host:port/database`, `mariadb://host:port/database` or `sqlite:file`, without the prefix `jdbc:`. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  /** File with the password, read for each new connection. Null: none. */
  readonly passwordFile: string | null;
  readonly maxConnections: number;
}

export interface PluginConfig {
  readonly name: string;
  readonly kind: keyof typeof PLUGINS;
  readonly settings: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export type ZoneConfig = Pick<SchedulerConfig, 'timeZone' | 'timeZoneDefaulted'>;

export interface LoadedConfig {
  readonly config: SchedulerConfig;
  readonly warnings: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;
