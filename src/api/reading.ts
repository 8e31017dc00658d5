import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey } from '../domain/keys';
import type { NodeLoadInfo } from '../domain/node-load';
import type { PauseTarget } from '../domain/pause';
import type { UnreadableRow as FoundRow } from '../domain/scheduler-event';
import type { TriggerState } from '../domain/trigger-state';
import type { JobProgress, RequestedInterruption, Run } from './runs';
import type { Trigger } from './trigger';

/** Filter and page of a list. */
export interface PageOptions {
  /** Maximum number of items on the page: a whole number from 1 to 1,000 (default 100). */
  readonly limit?: number;
  /** `next` of the previous page. Default: the first page. */
  readonly after?: string;
  /** Only items whose key, written `group/name`, contains this text. Case-insensitive. Default: all. */
  readonly search?: string;
  /** Also counts the matching items on all pages. Default: false. */
  readonly total?: boolean;
}

/** Page of a list. */
export interface ListPage<Item> {
  /** Matching items on this page, in the order of the list. */
  readonly items: readonly Item[];
  /** Value to pass as `after` to get the next page. Null if this is the last page. */
  readonly next: string | null;
  /** Number of matching items on all pages, of which at most 1,000 are counted. Null unless requested, on later pages, and if the store has too many items to search. */
  readonly total: { readonly count: number; readonly isExact: boolean } | null;
}

/** Filter of a list of jobs, which is sorted by name, then by group. */
export interface JobListOptions extends PageOptions {
  /** Only jobs of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only jobs of this type. Default: all. */
  readonly jobType?: string;
}

/** Filter and order of a list of triggers. */
export interface TriggerListOptions extends PageOptions {
  /** Only triggers of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only triggers of this job. Default: all. */
  readonly job?: JobKeyLike;
  /** Only triggers that wait for runs of this job to end (`startAfter`, `afterAll`). Default: all. */
  readonly waitsFor?: JobKeyLike;
  /** Only triggers in one of these states. Default: all. */
  readonly states?: readonly TriggerState[];
  /** Only triggers that use this calendar. Default: all. */
  readonly calendarName?: string;
  /**
   * Order of the list. `key` (the default) sorts by name, then by group. `nextFireTime` lists triggers that will fire, then paused triggers and
   * triggers in ERROR, then triggers that never fire again.
   */
  readonly sort?: 'key' | 'nextFireTime';
}

/** Details of a pause. */
export interface PauseOptions {
  /** Human-readable reason, at most 1,000 characters. Default: none. */
  readonly reason?: string;
  /** Author of the pause, at most 190 characters. Default: none. */
  readonly by?: string;
  /** Time at which the pause ends automatically, in the future by the scheduler's clock. Default: none; the pause then ends only by a resume. */
  readonly until?: Date;
  /** Also pauses the waiting runs of earlier occurrences: retries, recoveries, shards and deferred runs. Default: true. */
  readonly holdRetries?: boolean;
}

/** Result of a pause. The pause itself has been stored. */
export interface PauseReport {
  /**
   * Instance ids of nodes on which jobs of paused triggers may still begin. On such a node, a paused trigger had fired before the pause, and the node
   * did not confirm within 5 s that the job has begun. Possible causes: a stopped process (even if other nodes have recovered its runs), or a slow
   * listener.
   *
   * If the other nodes could not be queried, the list contains this node's id, and jobs may still begin on any node. An empty list means that no
   * paused job begins after the pause has returned. In all cases, paused triggers do not fire again. Java nodes are not queried.
   */
  readonly unconfirmed: readonly string[];
}

/** Options of resuming groups or jobs. */
export interface ResumeOptions {
  /**
   * Also ends pauses of narrower targets, such as a single trigger of the group, that have a reason, an author, an end time or `holdRetries: false`.
   * False: these pauses stay. Default: true, as in Quartz. The commands and the HTTP API set false.
   */
  readonly alsoSingle?: boolean;
}

/** Details of a stored pause. */
export interface PauseDetails {
  /** Human-readable reason, or null if none was given. */
  readonly reason: string | null;
  /** Author of the pause, or null if none was given. */
  readonly by: string | null;
  /** Start of the pause. */
  readonly since: Date;
  /** Time at which the pause ends automatically. Null if the pause ends only by a resume. */
  readonly until: Date | null;
  /** True if the pause also applies to waiting runs of earlier occurrences. */
  readonly holdsRetries: boolean;
}

/** A pause with a reason, an author, an end time or `holdRetries: false`. */
export interface ListedPause extends PauseDetails {
  /** Paused trigger, paused job, or paused groups of triggers or jobs. */
  readonly target: PauseTarget;
}

/** A job or trigger whose `mustSucceedWithin` has elapsed without a success. */
export interface ListedOverdue {
  /** Job that has not succeeded. */
  readonly jobKey: JobKey;
  /** Trigger that sets `mustSucceedWithin`, so that only its own runs count. Null if the job sets it, so that all runs of the job count. */
  readonly triggerKey: TriggerKey | null;
  /** Maximum time without a success, in milliseconds. */
  readonly mustSucceedWithin: number;
  /** Time from which `mustSucceedWithin` counts: the last success, or else the time at which the job or trigger was stored or first due. */
  readonly since: Date;
  /** Time of the last success. Null if no run has succeeded since `mustSucceedWithin` was set. */
  readonly lastSuccess: Date | null;
}

/** A trigger in a list. */
export interface ListedTrigger {
  /** Stored trigger. */
  readonly trigger: Trigger;
  /** Current state of the trigger. */
  readonly state: TriggerState;
  /** Pause of the trigger, the most specific one of several. Absent if the trigger is not paused, or if the pause has no details. */
  readonly pause?: ListedPause;
}

/** Stored job, trigger or calendar that this node cannot read. */
export interface UnreadableRow extends Omit<FoundRow, 'since'> {
  /** Time at which this node first found the row unreadable. */
  readonly since: Date;
}

/** A job that is executing, on this node or another one. */
export interface ExecutingJob
  extends Pick<Run, 'instanceId' | 'jobKey' | 'triggerKey' | 'fireTime' | 'scheduledFireTime'> {
  /** Id of this run, for `interruptRun`. */
  readonly runId: string;
  /** True if this run recovers a run that was lost because its node died. */
  readonly isRecovering: boolean;
  /** True if the run was ended as `timedOut` although the job is still executing. Always false for runs of other nodes. */
  readonly isAbandoned: boolean;
  /** Last progress that the job reported, or null if there is none. The progress of a run on another node may lag by up to a second. */
  readonly progress: JobProgress | null;
  /** First request to interrupt the run, or null if there was none. That of a run on another node may lag by up to a second. */
  readonly interruption: RequestedInterruption | null;
}

/** A node of the cluster. */
export interface NodeInfo {
  /** Id of the node, unique in the cluster. */
  readonly instanceId: string;
  /** True for the node on which `listNodes` was called. */
  readonly isThisNode: boolean;
  /** True for a Java node. Fields that Java nodes do not report are null. */
  readonly isJava: boolean;
  /** `silent`: the node has not checked in within its detection time. Other nodes will recover its runs. */
  readonly state: 'alive' | 'silent';
  /** Time of the last check-in, by the store's clock, like all times of a node. Null if the store is not shared. */
  readonly lastCheckInTime: Date | null;
  /**
   * End of the node's lease, which each check-in extends. Until then, no other node takes over the runs of this node. Null for a Java node, or if
   * the store is not shared.
   */
  readonly leaseUntil: Date | null;
  /** Time at which the node joined the cluster. Null if the node does not report it. */
  readonly startedAt: Date | null;
  /** Version of quartz-ts on the node. Null if the node does not report it. */
  readonly version: string | null;
  /** Version of the node's time zone data (a part of Node.js), such as `2025c`. Null for a Java node, or if the node does not know it. */
  readonly timeZoneData: string | null;
  /** Host name of the node's machine. Null if the node does not report it. */
  readonly host: string | null;
  /** Process id of the node, a whole number. Null if the node does not report it. */
  readonly processId: number | null;
  /** Job types that the node can run. Null for a Java node, for an older version of quartz-ts, or if there are too many types to report. */
  readonly jobTypes: readonly string[] | null;
  /** Labels of the node: `node:<instanceId>` and `scheduler.labels`. Null if the node does not report them. */
  readonly labels: readonly string[] | null;
  /** True if the node is draining (`drain`). A draining node acquires no further triggers and finishes its running jobs. */
  readonly isDraining: boolean;
  /** Period in which the node leaves triggers to others because its event loop was blocked, as of `lastCheckInTime`. Null if there is none. */
  readonly holdsBack: { readonly since: Date; readonly until: Date } | null;
  /** Job types that the node does not acquire for now, because it could not create the job object, as of `lastCheckInTime`. */
  readonly refusedJobTypes: readonly { readonly jobType: string; readonly since: Date; readonly until: Date }[];
  /** Load at `lastCheckInTime`, or now with the memory store. Null for a Java node, an older version of quartz-ts, or a node that just joined. */
  readonly load: NodeLoadInfo | null;
}

/** Description and current state of a scheduler. */
export interface SchedulerMetaData {
  /** Name of the scheduler (`scheduler.instanceName`), the same on all nodes of a cluster. */
  readonly schedulerName: string;
  /** Id of this node, unique in the cluster. */
  readonly schedulerInstanceId: string;
  /** Version of quartz-ts. */
  readonly version: string;
  /** Time of the first start. Null if the scheduler was never started. */
  readonly runningSince: Date | null;
  /** Number of runs started on this node since the scheduler was created, including refires. */
  readonly numberOfJobsExecuted: number;
  /** Number of jobs on this node that did not stop within their time limit and grace period, and still execute although their runs have ended. */
  readonly numberOfAbandonedJobs: number;
  /** True if the scheduler was ever started. */
  readonly isStarted: boolean;
  /** True before the first `start` and after `standby`. False after `shutdown`. */
  readonly isInStandbyMode: boolean;
  /** True once a shutdown has stopped firing and no longer waits for jobs. */
  readonly isShutdown: boolean;
  /**
   * True if this node of a cluster is started but is not allowed to fire. Either the node could not check in for too long, or another process has
   * replaced it in the cluster, or its clock deviates too much. Firing resumes automatically.
   */
  readonly isFenced: boolean;
  /** False while this node of a cluster cannot check in, with a delay of up to its detection time (check-in interval plus grace period). */
  readonly isStoreAvailable: boolean;
  /** Job store. `persistent`: the data outlives the process. `clustered`: several nodes share the data. */
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /** Worker pool that runs the jobs. `size`: maximum number of concurrent jobs. */
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Human-readable summary, in several lines. */
  readonly summary: string;
}

/** State of a scheduler for liveness and readiness probes. The state of the store is at most a second old. */
export interface SchedulerHealth {
  /** True until the scheduler is shut down, or the thread of its store has ended. Such a scheduler never fires again: restart the process. */
  readonly isLive: boolean;
  /** True if the scheduler fires: it is started, the store responds, the lease allows firing, and the node is not draining. */
  readonly isReady: boolean;
  /** True if the scheduler is started: neither in standby nor shut down. */
  readonly isStarted: boolean;
  /** True if the scheduler was ever started. */
  readonly hasStarted: boolean;
  /** True if the store responded to the last query within 2 s. Always true for a store that is not shared, until the shutdown. */
  readonly isStoreReachable: boolean;
  /** True if the node's lease allows firing. If the store is not shared, true while the scheduler is started. */
  readonly isCheckInFresh: boolean;
  /** True if the node is draining (`drain`) and acquires no further triggers. */
  readonly isDraining: boolean;
}
