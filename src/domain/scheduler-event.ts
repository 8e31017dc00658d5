import type { EpochMs } from '../base/clock';
import type { DeferReason, SkipReason } from './admission';
import type { CompletionInstruction } from './completion';
import type { Expectation } from './expectation';
import type { AcquiredTrigger, NotFiredReason, TriggerFiring } from './firing';
import type { JobDetail } from './job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from './keys';
import type { Occurrence } from './occurrence';
import type { RecoveryReport } from './recovery';
import type { RunName } from './run';
import type { Trigger } from './trigger';

/**
 * Reason why a node may no longer act. `leaseExpired`: it could not check in for too long. `mainStalled`: a job blocked its event loop for too long.
 * `takenOver`: other nodes declared it dead. `instanceIdTaken`: another process runs under its id.
 */
export type FencingReason = 'leaseExpired' | 'mainStalled' | 'takenOver' | 'instanceIdTaken';

/** Summary of one change set that declares objects, or was made manually. */
export interface ChangeSetReport {
  /** Author of a manual change; null for a declaration. */
  readonly by: string | null;
  /** Declared set; null: none. */
  readonly set: string | null;
  /** Counts; the names of the first 20 of each are in `names`. */
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly overridden: number;
  readonly unchanged: number;
  readonly names: {
    readonly created: readonly string[];
    /** Each with its fields: `trigger reports/daily: schedule, description`. */
    readonly changed: readonly string[];
    readonly deleted: readonly string[];
    readonly overridden: readonly string[];
  };
}

/** A job type that triggers wait for and that no node has. */
export interface MissingJobType {
  readonly jobType: string;
  /** Labels that a node needs as well; absent: none. */
  readonly labels?: readonly string[];
  /** Number of checked triggers that wait for it. */
  readonly triggers: number;
  /** The trigger that has waited longest. */
  readonly example: TriggerKey;
  /** Fire time of that trigger. */
  readonly waitingSince: EpochMs;
}

/** A stored row that one node cannot read. Other nodes may be able to, so the row stays as it is; this node skips it. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Group; null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** Cause of the problem. */
  readonly cause: string;
  /** Time at which the node first found the row unreadable. */
  readonly since: EpochMs;
}

/** All events, as data. Published after commit; times are epoch milliseconds. */
export type SchedulerEvent = { readonly at: EpochMs } & (
  | { readonly type: 'schedulerStarting' | 'schedulerStarted' | 'schedulerInStandbyMode' }
  | { readonly type: 'schedulerShuttingDown' }
  | { readonly type: 'schedulerShutdown'; readonly abandonedJobs: number }
  | { readonly type: 'schedulingDataCleared' }
  | { readonly type: 'jobAdded'; readonly job: JobDetail }
  | { readonly type: 'jobDeleted'; readonly jobKey: JobKey }
  | { readonly type: 'jobScheduled'; readonly trigger: Trigger }
  | { readonly type: 'jobUnscheduled'; readonly triggerKey: TriggerKey }
  | { readonly type: 'triggerFinalized'; readonly trigger: Trigger }
  | { readonly type: 'triggerPaused' | 'triggerResumed'; readonly triggerKey: TriggerKey }
  | { readonly type: 'triggersPaused' | 'triggersResumed'; readonly matcher: GroupMatcher }
  | { readonly type: 'jobPaused' | 'jobResumed'; readonly jobKey: JobKey }
  | { readonly type: 'jobsPaused' | 'jobsResumed'; readonly matcher: GroupMatcher }
  /** Runs that exhausted their retries were rerun, or dead letters were discarded. At most 200 in one event. */
  | { readonly type: 'runsRerun' | 'deadLettersDiscarded'; readonly runs: readonly RunName[] }
  /** Waiting retries and recoveries were deleted, alone or with their trigger or job. Each is a dead letter. At most 200 in one event. */
  | { readonly type: 'waitingRunsDeleted'; readonly runs: readonly RunName[] }
  | { readonly type: 'triggersAcquired'; readonly count: number }
  | { readonly type: 'triggerFired' | 'jobVetoed'; readonly firing: TriggerFiring }
  | { readonly type: 'triggerNotFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason }
  | { readonly type: 'jobStarted'; readonly firing: TriggerFiring; readonly refireCount: number }
  | {
      readonly type: 'jobFailed';
      readonly firing: TriggerFiring;
      /** Number of the occurrence's attempt, from 1. */
      readonly attempt: number;
      readonly refireCount: number;
      /** Start time of the next attempt, once it is stored; null if there is none. */
      readonly retryTime: EpochMs | null;
      /** The job's error, as a JobExecutionException. */
      readonly error: Error;
    }
  | {
      readonly type: 'triggerCompleted';
      readonly firing: TriggerFiring;
      readonly instruction: CompletionInstruction;
      /** Duration of the job in milliseconds. */
      readonly jobRunTime: number;
      readonly error: Error | null;
    }
  | {
      readonly type: 'retryScheduled';
      /** The run that failed. */
      readonly firing: TriggerFiring;
      /** Occurrence of the run, with its attempt. */
      readonly occurrence: Occurrence;
      /** The trigger that retries the occurrence. */
      readonly trigger: Trigger;
      readonly error: Error;
    }
  | {
      readonly type: 'retriesExhausted';
      /** The failed run, now a dead letter. */
      readonly firing: TriggerFiring;
      /** Occurrence of the run, with its attempt. */
      readonly occurrence: Occurrence;
      readonly error: Error;
    }
  | {
      readonly type: 'firingSkipped';
      readonly firing: TriggerFiring;
      readonly reason: SkipReason;
      /** Lateness: time since the scheduled time. Milliseconds. */
      readonly lateBy: number;
    }
  | {
      readonly type: 'occurrenceCompleted';
      /** Occurrence whose parts have all ended. */
      readonly occurrence: Occurrence;
      readonly jobKey: JobKey;
      /** Number of parts. */
      readonly parts: number;
      /** Number of parts that failed, or could no longer be run. */
      readonly failed: number;
    }
  | {
      readonly type: 'firingDeferred';
      readonly firing: TriggerFiring;
      readonly reason: Exclude<DeferReason, 'spread'>;
      /** Start time of its job; null if it starts when another run has ended. */
      readonly until: EpochMs | null;
    }
  /** No run of a trigger or job has succeeded within its `mustSucceedWithin`. Emitted once for each such lapse, on one node. */
  | ({ readonly type: 'overdue' } & Expectation)
  | {
      readonly type: 'firingLate';
      readonly firing: TriggerFiring;
      /** Lateness of the job's start: time since the scheduled time. Milliseconds. */
      readonly lateBy: number;
    }
  | {
      readonly type: 'jobStuck';
      readonly firing: TriggerFiring;
      /** Time for which its job has been running so far. Milliseconds. */
      readonly runningFor: number;
    }
  | { readonly type: 'completionFenced'; readonly firing: TriggerFiring }
  | { readonly type: 'triggerMisfired'; readonly trigger: Trigger }
  | { readonly type: 'clockStepped'; readonly stepMs: number }
  | { readonly type: 'nodeJoined' | 'nodeLeft'; readonly instanceId: string }
  | {
      readonly type: 'nodeFailed';
      readonly instanceId: string;
      /** On the store's clock. */
      readonly lastCheckInTime: EpochMs;
    }
  | { readonly type: 'nodeRecovered'; readonly report: RecoveryReport }
  | { readonly type: 'nodeFenced'; readonly instanceId: string; readonly reason: FencingReason }
  | {
      readonly type: 'nodeStalled';
      readonly instanceId: string;
      /** Time for which its event loop was blocked, accurate to a second. Milliseconds. */
      readonly stalledFor: number;
      /** Until then it takes only triggers that the other nodes leave. */
      readonly holdsBackUntil: EpochMs;
    }
  | { readonly type: 'nodeDraining'; readonly instanceId: string }
  | { readonly type: 'nodeUndrained'; readonly instanceId: string }
  | { readonly type: 'storeUnavailable'; readonly instanceId: string }
  | {
      readonly type: 'storeAvailable';
      readonly instanceId: string;
      /** Time for which this node could not check in. Milliseconds. */
      readonly unavailableFor: number;
    }
  | {
      readonly type: 'clockUnsafe' | 'clockSafe';
      readonly instanceId: string;
      /** The store's clock minus this machine's. Milliseconds. */
      readonly clockOffset: number;
    }
  | {
      readonly type: 'statesRepaired';
      readonly released: number;
      readonly unblocked: number;
      /** Triggers without the row of their kind, which are now in ERROR. */
      readonly failed: readonly TriggerKey[];
    }
  | { readonly type: 'jobTypesMissing'; readonly missing: readonly MissingJobType[] }
  | { readonly type: 'configurationWarning'; readonly message: string }
  | ({ readonly type: 'scheduleChanged' } & ChangeSetReport)
  | {
      readonly type: 'overrideConflict';
      readonly what: 'job' | 'trigger' | 'calendar';
      /** Group; null for a calendar. */
      readonly group: string | null;
      readonly name: string;
      /** Edited fields whose declaration has changed; the edit stays. */
      readonly fields: readonly string[];
      /** Edited fields that do not fit the new declaration; the declaration wins. */
      readonly dropped: readonly string[];
    }
  | {
      readonly type: 'scheduleFileApplied';
      readonly file: string;
      readonly created: number;
      readonly replaced: number;
      readonly unchanged: number;
      readonly deleted: number;
    }
  | {
      readonly type: 'rowUnreadable';
      /** A stored row that this node cannot read, and skips from now on. Reported once, and again when the cause changes. */
      readonly row: UnreadableRow;
      /** True if no further row is reported for a minute; `listUnreadable` lists them all. */
      readonly silenced: boolean;
    }
  /** A console login failed. `name`: the name given, null for a token. `from`: the address, null if unknown. */
  | { readonly type: 'loginFailed'; readonly name: string | null; readonly from: string | null }
  | { readonly type: 'schedulerError'; readonly during: string; readonly error: Error }
);

/** One kind of event. */
export type SchedulerEventOf<Type extends SchedulerEvent['type']> = SchedulerEvent & { readonly type: Type };
