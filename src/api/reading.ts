import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey } from '../domain/keys';
import type { PauseTarget } from '../domain/pause';
import type { TriggerState } from '../domain/trigger-state';
import type { JobProgress } from './runs';
import type { Trigger } from './trigger';

/** A page of a filtered, sorted list. */
export interface PageOptions {
  /** How many to return: a whole number from 1 to 1,000 (default 100). */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
  /** Only keys whose text, `group/name`, contains this; upper and lower case alike. Default: all. */
  readonly search?: string;
  /** From the end of the order. Default: false. */
  readonly descending?: boolean;
}

/** A page of a list. */
export interface ListPage<Item> {
  /** What matches, in the order of the list. */
  readonly items: readonly Item[];
  /** For `after`, to get the next page; null: there is none. */
  readonly next: string | null;
  /** How many match, on all pages. */
  readonly total: number;
}

/** Which jobs to list, and in which order. */
export interface JobListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only of this job type. Default: all. */
  readonly jobType?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'jobType';
}

/** Which triggers to list, and in which order. */
export interface TriggerListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only those of this job. Default: all. */
  readonly job?: JobKeyLike;
  /** Only those that wait for the end of this job: what is chained to it. Default: all. */
  readonly waitsFor?: JobKeyLike;
  /** Only in one of these states. Default: all. */
  readonly states?: readonly TriggerState[];
  /** Only those that this calendar modifies. Default: all. */
  readonly calendarName?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'nextFireTime' | 'previousFireTime' | 'priority';
}

/** What may be said of a pause. */
export interface PauseOptions {
  /** Why, for people; at most 1,000 characters. Default: nothing is said. */
  readonly reason?: string;
  /** Who pauses; at most 190 characters. Default: nothing is said. */
  readonly by?: string;
  /** When it ends by itself, after now by the clock of the scheduler. Default: when it is resumed. */
  readonly until?: Date;
  /** Also hold the waiting runs of earlier occurrences: retries, recoveries, parts, deferred runs. Default: true. */
  readonly holdRetries?: boolean;
}

/** What was said of a pause. */
export interface PauseDetails {
  /** Why; null: it was not said. */
  readonly reason: string | null;
  /** Who paused; null: it was not said. */
  readonly by: string | null;
  /** When it was paused. */
  readonly since: Date;
  /** When it ends by itself; null: when it is resumed. */
  readonly until: Date | null;
  /** Whether the waiting runs of earlier occurrences are held too. */
  readonly holdsRetries: boolean;
}

/** A pause of which something was said. */
export interface ListedPause extends PauseDetails {
  /** What was paused: a trigger, a job, or groups of either. */
  readonly target: PauseTarget;
}

/** What had to succeed within a time, and has not. */
export interface ListedOverdue {
  /** The job of which no run has succeeded. */
  readonly jobKey: JobKey;
  /** The trigger that says so, and of which none has succeeded; null: the job says so, and means every run of it. */
  readonly triggerKey: TriggerKey | null;
  /** How long it may go without success. Milliseconds. */
  readonly mustSucceedWithin: number;
  /** From when that counts: the last success; before the first one, when it was stored or first due. */
  readonly since: Date;
  /** When a run last succeeded; null: never since that was asked for. */
  readonly lastSuccess: Date | null;
}

/** A trigger of a list. */
export interface ListedTrigger {
  /** The trigger. */
  readonly trigger: Trigger;
  /** Its state, in detail. */
  readonly state: TriggerState;
  /** Why it is paused: of several pauses the most specific one. Absent: it is not, or nobody has said. */
  readonly pause?: ListedPause;
}

/** A stored row that this node cannot understand. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** What is wrong with it. */
  readonly cause: string;
  /** When this node first met it so. */
  readonly since: Date;
}

/** An execution of a job, on this node or another one. */
export interface ExecutingJob {
  /** Id of this run, for `interruptRun`. */
  readonly runId: string;
  /** Of the scheduler that runs it. */
  readonly instanceId: string;
  /** The job that runs. */
  readonly jobKey: JobKey;
  /** The trigger that fired. */
  readonly triggerKey: TriggerKey;
  /** When it did fire. */
  readonly fireTime: Date;
  /** When it was to fire. */
  readonly scheduledFireTime: Date;
  /** Whether a firing is run again that another node began and did not end. */
  readonly isRecovering: boolean;
  /** Its run has ended as `timedOut`, and the job goes on all the same; known of this node alone. */
  readonly isAbandoned: boolean;
  /** How far it is, as its job said it last; of another node's, a second ago at most. Null: it has not said. */
  readonly progress: JobProgress | null;
}

/** What a node does, as it said with its last check-in: three times an interval (`jobStore.clusterCheckinInterval`). */
export interface NodeLoadInfo {
  /** How many jobs run there. */
  readonly running: number;
  /** How many jobs it can run at once. */
  readonly workers: number;
  /** How many jobs began there a minute, retries and recoveries included, over the 60 to 90 seconds before it said so. */
  readonly firingsPerMinute: number;
  /** How many runs failed there a minute, over the same time. */
  readonly failedPerMinute: number;
  /**
   * How long after their scheduled times jobs began there, over the same time, in milliseconds and within a tenth; null: none began.
   * `p99` is the largest of the half minutes' own, `p50` the mean of theirs, weighted by the jobs that began.
   */
  readonly latenessMs: { readonly p50: number | null; readonly p99: number | null };
}

/** A scheduler of the cluster. */
export interface NodeInfo {
  /** Its id, unique in the cluster. */
  readonly instanceId: string;
  /** It is the one that was asked. */
  readonly isThisNode: boolean;
  /** A Java node: what it does not tell is null. */
  readonly isJava: boolean;
  /** `silent`: it has not checked in for its detection time, and the others are about to take over what it held. */
  readonly state: 'alive' | 'silent';
  /** On the store's clock, as all times here. Null where nobody shares the store. */
  readonly lastCheckInTime: Date | null;
  /** Until when what runs there is its own, unless it checks in again before. */
  readonly leaseUntil: Date | null;
  /** When it joined; null: it does not say. */
  readonly startedAt: Date | null;
  /** The version of quartz-ts that it runs. */
  readonly version: string | null;
  /** Name of its machine; null: it does not say. */
  readonly host: string | null;
  /** The number that the system of its machine gives its process, a whole one; null: it does not say. */
  readonly processId: number | null;
  /** What it can run; null: it does not say, because it is a Java node, has an older version, or very many of them. */
  readonly jobTypes: readonly string[] | null;
  /** What it says it is or has: `node:<instanceId>` and `scheduler.labels`; null: it does not say. */
  readonly labels: readonly string[] | null;
  /** It takes nothing more (`drain`), and goes on with what runs there. */
  readonly isDraining: boolean;
  /** It leaves triggers to the other nodes for a time, because its event loop was blocked; as of `lastCheckInTime`. Null: it does not. */
  readonly holdsBack: { readonly since: Date; readonly until: Date } | null;
  /**
   * What it does, as of `lastCheckInTime`; in memory, as of now. Null: it does not say, because it is a Java node, has an older version, or
   * has only just joined.
   */
  readonly load: NodeLoadInfo | null;
}

/** What a scheduler says of itself. */
export interface SchedulerMetaData {
  /** `scheduler.instanceName` of the configuration. */
  readonly schedulerName: string;
  /** The id of this node. */
  readonly schedulerInstanceId: string;
  /** Of this package. */
  readonly version: string;
  /** When it was first started; null: not yet. */
  readonly runningSince: Date | null;
  /** How many runs of jobs have begun here since it was created, refires included. */
  readonly numberOfJobsExecuted: number;
  /** How many jobs go on here although their runs have ended, because they did not stop within their time limit and its grace. */
  readonly numberOfAbandonedJobs: number;
  /** Whether `start` was ever called. */
  readonly isStarted: boolean;
  /** Whether it does not fire now. */
  readonly isInStandbyMode: boolean;
  /** Whether `shutdown` was called. */
  readonly isShutdown: boolean;
  /**
   * This node of a cluster was started and may not fire now: it could not check in for too long, has lost its place, or its clock is too
   * far off. It goes on by itself.
   */
  readonly isFenced: boolean;
  /** False while this node of a cluster cannot check in, within its detection time (check-in interval and grace) at the latest. */
  readonly isStoreAvailable: boolean;
  /** Where jobs and triggers are kept; `persistent`: they outlive the process, `clustered`: several nodes share them. */
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /** What runs the jobs; `size`: how many at once. */
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Several lines for people. */
  readonly summary: string;
}

/** Whether a scheduler can do its work, for probes. At most a second old. */
export interface SchedulerHealth {
  /** It was not shut down: a process whose scheduler is not live fires nothing any more. */
  readonly isLive: boolean;
  /** It fires: it is started, its store answers, its check-in is fresh, and it does not drain. */
  readonly isReady: boolean;
  /** It was started, and neither put in standby nor shut down since. */
  readonly isStarted: boolean;
  /** It was started at least once. */
  readonly hasStarted: boolean;
  /** Its store has answered within 2 s. */
  readonly isStoreReachable: boolean;
  /** Its lease is good for firing; where nobody shares the store: it is started. */
  readonly isCheckInFresh: boolean;
  /** It takes nothing more (`drain`). */
  readonly isDraining: boolean;
}
