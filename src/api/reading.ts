import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey } from '../domain/keys';
import type { PauseTarget } from '../domain/pause';
import type { TriggerState } from '../domain/trigger-state';
import type { JobProgress } from './runs';
import type { Trigger } from './trigger';

/** A page of a filtered, sorted list. */
export interface PageOptions {
  /** Maximum number of items on a page: a whole number from 1 to 1,000 (default 100). */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
  /** Only keys whose text, `group/name`, contains this, ignoring case. Default: all. */
  readonly search?: string;
  /** Reverses the order. Default: false. */
  readonly descending?: boolean;
}

/** A page of a list. */
export interface ListPage<Item> {
  /** Matching items of this page, in the order of the list. */
  readonly items: readonly Item[];
  /** Pass as `after` to get the next page; null if this is the last page. */
  readonly next: string | null;
  /** Number of matches on all pages. */
  readonly total: number;
}

/** Filter and order of a list of jobs. */
export interface JobListOptions extends PageOptions {
  /** Only jobs of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only jobs of this type. Default: all. */
  readonly jobType?: string;
  /** Order of the list. Default: `key`, by group and then by name. */
  readonly sort?: 'key' | 'jobType';
}

/** Filter and order of a list of triggers. */
export interface TriggerListOptions extends PageOptions {
  /** Only triggers of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only triggers of this job. Default: all. */
  readonly job?: JobKeyLike;
  /** Only triggers that wait for the end of this job, which are chained to it. Default: all. */
  readonly waitsFor?: JobKeyLike;
  /** Only triggers in one of these states. Default: all. */
  readonly states?: readonly TriggerState[];
  /** Only triggers that this calendar modifies. Default: all. */
  readonly calendarName?: string;
  /** Order of the list. Default: `key`, by group and then by name. */
  readonly sort?: 'key' | 'nextFireTime' | 'previousFireTime' | 'priority';
}

/** Optional details of a pause. */
export interface PauseOptions {
  /** Human-readable reason, at most 1,000 characters. Default: none. */
  readonly reason?: string;
  /** Author of the pause; at most 190 characters. Default: none. */
  readonly by?: string;
  /** Time at which the pause ends by itself, later than now on the scheduler's clock. Default: it lasts until resumed. */
  readonly until?: Date;
  /** Also hold the waiting runs of earlier occurrences: retries, recoveries, parts, deferred runs. Default: true. */
  readonly holdRetries?: boolean;
}

/** Details given for a pause. */
export interface PauseDetails {
  /** Human-readable reason; null if none was given. */
  readonly reason: string | null;
  /** Author of the pause; null if none was given. */
  readonly by: string | null;
  /** Start of the pause. */
  readonly since: Date;
  /** Time at which the pause ends by itself; null if it lasts until resumed. */
  readonly until: Date | null;
  /** True if waiting retries of earlier occurrences are held too. */
  readonly holdsRetries: boolean;
}

/** A pause with a reason, author or end time. */
export interface ListedPause extends PauseDetails {
  /** Target of the pause: a trigger, a job, or groups of either. */
  readonly target: PauseTarget;
}

/** A job or trigger that has not succeeded within its `mustSucceedWithin`. */
export interface ListedOverdue {
  /** Job without a successful run in that time. */
  readonly jobKey: JobKey;
  /** Trigger with the limit, which then applies only to its runs. Null if the job has the limit, which then applies to all its runs. */
  readonly triggerKey: TriggerKey | null;
  /** Maximum time without success, in milliseconds. */
  readonly mustSucceedWithin: number;
  /** Start of that time: the last success. Before the first success: the time at which the owner was stored or first due. */
  readonly since: Date;
  /** Time of the last success. Null if no run has succeeded since the limit was set. */
  readonly lastSuccess: Date | null;
}

/** A trigger in a list. */
export interface ListedTrigger {
  /** Stored trigger. */
  readonly trigger: Trigger;
  /** State of the trigger. */
  readonly state: TriggerState;
  /** Details of the most specific pause. Absent if the trigger is not paused, or if its pause has no details. */
  readonly pause?: ListedPause;
}

/** A stored row that this node cannot read. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Group of the key; null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** Reason why the row cannot be read. */
  readonly cause: string;
  /** Time at which this node first found the row unreadable. */
  readonly since: Date;
}

/** An execution of a job, on this node or another one. */
export interface ExecutingJob {
  /** Id of this run, for `interruptRun`. */
  readonly runId: string;
  /** Instance id of the scheduler that runs it. */
  readonly instanceId: string;
  /** The job that runs. */
  readonly jobKey: JobKey;
  /** The trigger that fired. */
  readonly triggerKey: TriggerKey;
  /** Actual fire time. */
  readonly fireTime: Date;
  /** Scheduled fire time. */
  readonly scheduledFireTime: Date;
  /** True if this run recovers a firing that another node began and did not finish. */
  readonly isRecovering: boolean;
  /** True if its run has ended as `timedOut` but the job is still running. Only known for runs of this node. */
  readonly isAbandoned: boolean;
  /** Progress last reported by the job, for other nodes at most a second old. Null if the job has not reported any. */
  readonly progress: JobProgress | null;
}

/** Load of a node, as reported with its last check-in. Nodes check in three times per `jobStore.clusterCheckinInterval`. */
export interface NodeLoadInfo {
  /** Number of jobs running on the node. */
  readonly running: number;
  /** Maximum number of jobs that the node runs at once. */
  readonly workers: number;
  /** Jobs started per minute, including retries and recoveries, over the 60 to 90 seconds before the report. */
  readonly firingsPerMinute: number;
  /** Failed runs per minute, over the same period. */
  readonly failedPerMinute: number;
  /**
   * Lateness of the jobs started in the same period: actual minus scheduled start, in milliseconds, accurate to 10 %. Null if no job started,
   * not counting recoveries. `p99` is the largest p99 of the half minutes. `p50` is the mean of their p50s, weighted by the number of
   * started jobs.
   */
  readonly latenessMs: { readonly p50: number | null; readonly p99: number | null };
}

/** A node of the cluster. */
export interface NodeInfo {
  /** Id of the node, unique in the cluster. */
  readonly instanceId: string;
  /** True for the node that answers the call. */
  readonly isThisNode: boolean;
  /** True for a Java node. Values that it does not report are null. */
  readonly isJava: boolean;
  /** `silent`: the node has not checked in for its detection time, and other nodes are about to take over its work. */
  readonly state: 'alive' | 'silent';
  /** Time of the last check-in. Like all times here, it is on the store's clock. Null if the store is not shared. */
  readonly lastCheckInTime: Date | null;
  /** End of the node's lease. Until then, no other node takes over its runs. Each check-in extends it. */
  readonly leaseUntil: Date | null;
  /** Time at which it joined; null if it does not report this. */
  readonly startedAt: Date | null;
  /** Version of quartz-ts on the node. Null if it does not report it. */
  readonly version: string | null;
  /** Host name of its machine. Null if it does not report it. */
  readonly host: string | null;
  /** Id of its process, a whole number. Null if it does not report it. */
  readonly processId: number | null;
  /** Job types that the node can run. Null if it does not report them: a Java node, an older version, or too many types. */
  readonly jobTypes: readonly string[] | null;
  /** Labels of the node: `node:<instanceId>` and `scheduler.labels`; null if it does not report them. */
  readonly labels: readonly string[] | null;
  /** True if the node acquires no further triggers (`drain`) and finishes its running jobs. */
  readonly isDraining: boolean;
  /** Period in which the node leaves triggers to the other nodes because its event loop was blocked, as of `lastCheckInTime`. Null: none. */
  readonly holdsBack: { readonly since: Date; readonly until: Date } | null;
  /**
   * Load of the node as of `lastCheckInTime`; with the memory store, as of now. Null if it does not report its load: a Java node, an older
   * version, or a node that has just joined.
   */
  readonly load: NodeLoadInfo | null;
}

/** Description and state of a scheduler. */
export interface SchedulerMetaData {
  /** `scheduler.instanceName` of the configuration. */
  readonly schedulerName: string;
  /** Id of this node. */
  readonly schedulerInstanceId: string;
  /** Version of this package. */
  readonly version: string;
  /** Time of the first start; null if it has not started yet. */
  readonly runningSince: Date | null;
  /** Number of runs started here since the scheduler was created, including refires. */
  readonly numberOfJobsExecuted: number;
  /** Number of jobs still executing here after their runs ended, because they did not stop within their time limit and its grace. */
  readonly numberOfAbandonedJobs: number;
  /** True if `start` was ever called. */
  readonly isStarted: boolean;
  /** True if the scheduler is not firing now. */
  readonly isInStandbyMode: boolean;
  /** True if `shutdown` was called. */
  readonly isShutdown: boolean;
  /**
   * True if this node of a cluster was started but may not fire now: it could not check in for too long, was replaced in the cluster, or its
   * clock is too far off. It resumes automatically.
   */
  readonly isFenced: boolean;
  /** False while this node of a cluster cannot check in. Detected within its detection time (check-in interval and grace). */
  readonly isStoreAvailable: boolean;
  /** Job store. `persistent`: its data outlives the process. `clustered`: several nodes share it. */
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /** Pool that runs the jobs. `size`: maximum number of concurrent jobs. */
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Human-readable summary of several lines. */
  readonly summary: string;
}

/** State of a scheduler for liveness and readiness probes, at most a second old. */
export interface SchedulerHealth {
  /** True if the scheduler was not shut down. Otherwise its process fires nothing any more. */
  readonly isLive: boolean;
  /** True if it fires: it is started, its store answers, its check-in is fresh, and it is not draining. */
  readonly isReady: boolean;
  /** True if it was started, and has neither been put in standby nor shut down since. */
  readonly isStarted: boolean;
  /** True if it was started at least once. */
  readonly hasStarted: boolean;
  /** True if its store has answered within 2 s. */
  readonly isStoreReachable: boolean;
  /** True if its lease allows firing. If the store is not shared, true once it is started. */
  readonly isCheckInFresh: boolean;
  /** True if it acquires no further triggers (`drain`). */
  readonly isDraining: boolean;
}
