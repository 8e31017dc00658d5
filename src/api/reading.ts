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
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only of this job type. Default: all. */
  readonly jobType?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'jobType';
}

/** Filter and order of a list of triggers. */
export interface TriggerListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only triggers of this job. Default: all. */
  readonly job?: JobKeyLike;
  /** Only triggers that wait for the end of this job, which are chained to it. Default: all. */
  readonly waitsFor?: JobKeyLike;
  /** Only triggers in one of these states. Default: all. */
  readonly states?: readonly TriggerState[];
  /** Only triggers that this calendar modifies. Default: all. */
  readonly calendarName?: string;
  /** Default: `key`, group before name. */
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
  /** The job that has no successful run in that time. */
  readonly jobKey: JobKey;
  /** The trigger with the limit, if the limit applies to its runs only; null if the job has the limit and every run of the job counts. */
  readonly triggerKey: TriggerKey | null;
  /** Maximum time without success, in milliseconds. */
  readonly mustSucceedWithin: number;
  /** Start of that time: the last success, or before the first success the time it was stored or first due. */
  readonly since: Date;
  /** Last successful run; null if none has succeeded since the limit was set. */
  readonly lastSuccess: Date | null;
}

/** A trigger of a list. */
export interface ListedTrigger {
  /** The trigger. */
  readonly trigger: Trigger;
  /** Its state, in detail. */
  readonly state: TriggerState;
  /** Details of the pause; of several pauses, the most specific. Absent if the trigger is not paused or its pause has no details. */
  readonly pause?: ListedPause;
}

/** A stored row that this node cannot understand. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Group of the key; null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** Why the row cannot be read. */
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
  /** Its run has ended as `timedOut`, and the job goes on all the same; known of this node alone. */
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
  /** Jobs started per minute, retries and recoveries included, over the 60 to 90 seconds before the report. */
  readonly firingsPerMinute: number;
  /** Failed runs per minute, over the same time. */
  readonly failedPerMinute: number;
  /**
   * Lateness of the jobs started in the same time: actual minus scheduled start, in milliseconds, accurate to a tenth. Null if none
   * started. `p99` is the largest p99 of the half minutes; `p50` is the mean of their p50s, weighted by the number of started jobs.
   */
  readonly latenessMs: { readonly p50: number | null; readonly p99: number | null };
}

/** A scheduler of the cluster. */
export interface NodeInfo {
  /** Its id, unique in the cluster. */
  readonly instanceId: string;
  /** True for the node that answers the call. */
  readonly isThisNode: boolean;
  /** True for a Java node. Values that it does not report are null. */
  readonly isJava: boolean;
  /** `silent`: the node has not checked in for its detection time, and other nodes are about to take over its work. */
  readonly state: 'alive' | 'silent';
  /** Last check-in, on the store's clock, as all times here. Null if the store is not shared. */
  readonly lastCheckInTime: Date | null;
  /** End of the node's lease: until then its runs are its own, unless it checks in again earlier. */
  readonly leaseUntil: Date | null;
  /** Time at which it joined; null if it does not report this. */
  readonly startedAt: Date | null;
  /** The version of quartz-ts that it runs. */
  readonly version: string | null;
  /** Name of its machine; null: it does not say. */
  readonly host: string | null;
  /** The number that the system of its machine gives its process, a whole one; null: it does not say. */
  readonly processId: number | null;
  /** Job types that the node can run. Null if it does not report them: a Java node, an older version, or too many types. */
  readonly jobTypes: readonly string[] | null;
  /** Labels of the node: `node:<instanceId>` and `scheduler.labels`; null if it does not report them. */
  readonly labels: readonly string[] | null;
  /** True if the node acquires nothing more (`drain`) and finishes its running jobs. */
  readonly isDraining: boolean;
  /**
   * Period in which the node leaves triggers to the other nodes because its event loop was blocked, as of `lastCheckInTime`. Null: it does
   * not.
   */
  readonly holdsBack: { readonly since: Date; readonly until: Date } | null;
  /**
   * Load of the node as of `lastCheckInTime`; in memory, as of now. Null if it does not report one: a Java node, an older version, or a
   * node that has just joined.
   */
  readonly load: NodeLoadInfo | null;
}

/** Description and state of a scheduler. */
export interface SchedulerMetaData {
  /** `scheduler.instanceName` of the configuration. */
  readonly schedulerName: string;
  /** The id of this node. */
  readonly schedulerInstanceId: string;
  /** Version of this package. */
  readonly version: string;
  /** Time of the first start; null if it has not started yet. */
  readonly runningSince: Date | null;
  /** Number of runs started here since the scheduler was created, refires included. */
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
   * This node of a cluster was started and may not fire now: it could not check in for too long, has lost its place, or its clock is too
   * far off. It goes on by itself.
   */
  readonly isFenced: boolean;
  /** False while this node of a cluster cannot check in, within its detection time (check-in interval and grace) at the latest. */
  readonly isStoreAvailable: boolean;
  /** Storage of jobs and triggers; `persistent`: they outlive the process, `clustered`: several nodes share them. */
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /** Pool that runs the jobs; `size`: the maximum number at once. */
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Several lines for people. */
  readonly summary: string;
}

/** State of a scheduler for liveness and readiness probes. At most a second old. */
export interface SchedulerHealth {
  /** True if the scheduler was not shut down. A process whose scheduler is not live fires nothing any more. */
  readonly isLive: boolean;
  /** True if it fires: it is started, its store answers, its check-in is fresh, and it does not drain. */
  readonly isReady: boolean;
  /** True if it was started, and has neither been put in standby nor shut down since. */
  readonly isStarted: boolean;
  /** True if it was started at least once. */
  readonly hasStarted: boolean;
  /** Its store has answered within 2 s. */
  readonly isStoreReachable: boolean;
  /** True if its lease allows firing; if the store is not shared, true once it is started. */
  readonly isCheckInFresh: boolean;
  /** True if it acquires nothing more (`drain`). */
  readonly isDraining: boolean;
}
