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
 * Reason why a node must stop firing triggers and abandon its runs.
 * `leaseExpired`: the node could not check in for too long.
 * `mainStalled`: a job blocked the node's event loop for too long.
 * `takenOver`: other nodes declared the node dead.
 * `instanceIdTaken`: another process uses the node's id.
 */
export type FencingReason = 'leaseExpired' | 'mainStalled' | 'takenOver' | 'instanceIdTaken';

/** Summary of a set of changes that declares objects or was made manually. */
interface ChangeSetReport {
  /** User who made the changes manually; null for a declaration. */
  readonly by: string | null;
  /** Declared set; null: none. */
  readonly set: string | null;
  /** Number of objects per effect. `names` contains the first 20 names for each effect. */
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  readonly overridden: number;
  readonly unchanged: number;
  readonly names: {
    readonly created: readonly string[];
    /** Names, each followed by the changed fields: `trigger reports/daily: schedule, description`. */
    readonly changed: readonly string[];
    readonly deleted: readonly string[];
    readonly overridden: readonly string[];
  };
}

/** A run that executes on a node. */
export interface RunInFlight extends RunName {
  readonly fireTime: EpochMs;
}

/** Result of computing the next fire times of all triggers by newer time zone data. */
export interface FireTimesRecomputed {
  /** Version of the data by which the fire times were stored, such as `2025c`. */
  readonly from: string;
  /** Version of this node's data. */
  readonly to: string;
  /** Number of triggers that were checked. */
  readonly triggers: number;
  /** Number of triggers whose next fire time has changed. */
  readonly changed: number;
  /** The first five of them, with both fire times. */
  readonly examples: readonly { readonly key: TriggerKey; readonly before: EpochMs; readonly after: EpochMs }[];
}

/** A job type that due triggers need and that no node has. */
export interface MissingJobType {
  readonly jobType: string;
  /** Labels that a node must have in addition; absent: none. */
  readonly labels?: readonly string[];
  /** Number of waiting triggers of this job type, among the triggers that were checked. */
  readonly triggers: number;
  /** Key of the trigger that has waited longest. */
  readonly example: TriggerKey;
  /** Fire time of the trigger in `example`, in epoch milliseconds. */
  readonly waitingSince: EpochMs;
}

/** A stored row that this node cannot read. The node skips the row without changing it, because other nodes may be able to read it. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Group of the trigger or job; null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** Reason why this node cannot read the row. */
  readonly cause: string;
  /** Time at which this node first found the row unreadable. */
  readonly since: EpochMs;
}

/** All events of a scheduler. The event of a change is published after the change is committed. Times are in epoch milliseconds. */
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
  /** The calendar of the trigger excludes all its further fire times. The trigger is COMPLETE until its calendar changes. */
  | { readonly type: 'triggerEndedByCalendar'; readonly trigger: Trigger }
  | { readonly type: 'triggerPaused' | 'triggerResumed'; readonly triggerKey: TriggerKey }
  | { readonly type: 'triggersPaused' | 'triggersResumed'; readonly matcher: GroupMatcher }
  | { readonly type: 'jobPaused' | 'jobResumed'; readonly jobKey: JobKey }
  | { readonly type: 'jobsPaused' | 'jobsResumed'; readonly matcher: GroupMatcher }
  /** Failed runs without further retries were rerun, or dead letters were discarded. At most 200 runs per event. */
  | { readonly type: 'runsRerun' | 'deadLettersDiscarded'; readonly runs: readonly RunName[] }
  /** Waiting retries and recoveries were deleted, alone or with their trigger or job, and became dead letters. At most 200 runs per event. */
  | { readonly type: 'waitingRunsDeleted'; readonly runs: readonly RunName[] }
  | { readonly type: 'triggersAcquired'; readonly count: number }
  | { readonly type: 'triggerFired' | 'jobVetoed'; readonly firing: TriggerFiring }
  | { readonly type: 'triggerNotFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason }
  | { readonly type: 'jobStarted'; readonly firing: TriggerFiring; readonly refireCount: number }
  | {
      readonly type: 'jobFailed';
      readonly firing: TriggerFiring;
      /** Number of the attempt, from 1. */
      readonly attempt: number;
      readonly refireCount: number;
      /** Start time of the retry if the retry is already stored; otherwise null. */
      readonly retryTime: EpochMs | null;
      /** Error of the job, as a JobExecutionException. */
      readonly error: Error;
    }
  | {
      readonly type: 'triggerCompleted';
      readonly firing: TriggerFiring;
      readonly instruction: CompletionInstruction;
      /** Duration of the job in milliseconds; -1 if the job did not run. */
      readonly jobRunTime: number;
      readonly error: Error | null;
      /** Set if the shutdown of the node cut the run short, and it is repeated. */
      readonly isHandedOver?: true;
    }
  | {
      readonly type: 'runHandedOver';
      /** Firing whose run the shutdown of this node has cut short. */
      readonly firing: TriggerFiring;
      /** Occurrence of the run. The repetition has the same number of the attempt. */
      readonly occurrence: Occurrence;
      /** Trigger that repeats the run on any node. */
      readonly trigger: Trigger;
      /** Number of hand-overs of the attempt without a new checkpoint, including this one. */
      readonly handOvers: number;
    }
  | {
      readonly type: 'runRefused';
      /** Firing whose job object could not be created. Any node runs it as the same attempt. */
      readonly firing: TriggerFiring;
      /** Node that could not create the job object. */
      readonly instanceId: string;
      /** Number of refusals of the attempt, including this one. */
      readonly refusals: number;
      /** Time until which this node acquires no trigger of the job type. */
      readonly pausedUntil: EpochMs;
      /** Error of the job factory or constructor, as JOB_FACTORY, or UNKNOWN_JOB_TYPE. */
      readonly error: Error;
    }
  | {
      readonly type: 'retryScheduled';
      /** Firing whose run failed. */
      readonly firing: TriggerFiring;
      /** Occurrence of the run, with the number of its attempt. */
      readonly occurrence: Occurrence;
      /** Trigger that retries the occurrence. */
      readonly trigger: Trigger;
      readonly error: Error;
    }
  | {
      readonly type: 'retriesExhausted';
      /** Firing whose run failed and became a dead letter. */
      readonly firing: TriggerFiring;
      /** Occurrence of the run, with the number of its attempt. */
      readonly occurrence: Occurrence;
      readonly error: Error;
    }
  | {
      readonly type: 'firingSkipped';
      readonly firing: TriggerFiring;
      readonly reason: SkipReason;
      /** Time since the scheduled fire time, in milliseconds. */
      readonly lateBy: number;
    }
  | {
      readonly type: 'occurrenceCompleted';
      /** Occurrence whose parts (shards) have all ended. */
      readonly occurrence: Occurrence;
      readonly jobKey: JobKey;
      /** Number of parts (shards) of the occurrence. */
      readonly parts: number;
      /** Number of parts (shards) that failed or were lost. */
      readonly failed: number;
    }
  | {
      readonly type: 'firingDeferred';
      readonly firing: TriggerFiring;
      readonly reason: Exclude<DeferReason, 'spread'>;
      /** Start time of the job; null if the job starts when another run ends. */
      readonly until: EpochMs | null;
    }
  /** A trigger or job has not succeeded within its `mustSucceedWithin`. One node emits this event, once until the next success. */
  | ({ readonly type: 'overdue' } & Expectation)
  | {
      readonly type: 'firingLate';
      readonly firing: TriggerFiring;
      /** Time between the scheduled fire time and the start of the job, in milliseconds. */
      readonly lateBy: number;
    }
  | {
      readonly type: 'jobStuck';
      readonly firing: TriggerFiring;
      /** Time since the start of the job, in milliseconds. */
      readonly runningFor: number;
    }
  | { readonly type: 'completionFenced'; readonly firing: TriggerFiring }
  | {
      readonly type: 'triggerMisfired';
      readonly trigger: Trigger;
      /** Reason, if the schedule was changed and no longer has the missed fire time. */
      readonly reason?: 'schedule changed';
    }
  | { readonly type: 'clockStepped'; readonly stepMs: number }
  | { readonly type: 'nodeJoined' | 'nodeLeft'; readonly instanceId: string }
  | {
      readonly type: 'nodeFailed';
      readonly instanceId: string;
      /** Last check-in of the node, by the store's clock. */
      readonly lastCheckInTime: EpochMs;
    }
  | { readonly type: 'nodeRecovered'; readonly report: RecoveryReport }
  | { readonly type: 'nodeFenced'; readonly instanceId: string; readonly reason: FencingReason }
  | {
      readonly type: 'nodeStalled';
      readonly instanceId: string;
      /** Time for which the node's event loop was blocked, in milliseconds. Accurate to one second. */
      readonly stalledFor: number;
      /** Time until which the node leaves due triggers to other nodes. */
      readonly holdsBackUntil: EpochMs;
      /** Runs that executed in that time, longest first, at most ten. One of them has probably blocked the event loop. */
      readonly runs: readonly RunInFlight[];
    }
  | {
      readonly type: 'workersHeld';
      readonly instanceId: string;
      /** Time for which the same runs have held all workers of the node, in milliseconds. */
      readonly heldFor: number;
      /** Fire time of the trigger that has waited longest. */
      readonly waitingSince: EpochMs;
      /** Runs that hold the workers, longest first, at most ten. */
      readonly runs: readonly RunInFlight[];
    }
  | { readonly type: 'nodeDraining'; readonly instanceId: string }
  | { readonly type: 'nodeUndrained'; readonly instanceId: string }
  | { readonly type: 'storeUnavailable'; readonly instanceId: string }
  | {
      readonly type: 'storeAvailable';
      readonly instanceId: string;
      /** Time for which this node could not check in, in milliseconds. */
      readonly unavailableFor: number;
    }
  | {
      readonly type: 'clockUnsafe' | 'clockSafe';
      readonly instanceId: string;
      /** Store's clock minus this machine's clock, in milliseconds. */
      readonly clockOffset: number;
    }
  | {
      readonly type: 'statesRepaired';
      readonly released: number;
      readonly unblocked: number;
      /** Triggers that were set to ERROR because the database row with their schedule is missing. */
      readonly failed: readonly TriggerKey[];
    }
  /** This node has newer time zone data than those by which next fire times were stored, and has computed them anew. */
  | ({ readonly type: 'fireTimesRecomputed' } & FireTimesRecomputed)
  | { readonly type: 'jobTypesMissing'; readonly missing: readonly MissingJobType[] }
  | { readonly type: 'configurationWarning'; readonly message: string }
  | ({ readonly type: 'scheduleChanged' } & ChangeSetReport)
  | {
      readonly type: 'overrideConflict';
      readonly what: 'job' | 'trigger' | 'calendar';
      /** Group of the job or trigger; null for a calendar. */
      readonly group: string | null;
      readonly name: string;
      /** Manually edited fields whose declared values have changed. Their edited values remain. */
      readonly fields: readonly string[];
      /** Manually edited fields that are incompatible with the new declaration. Their edits were dropped. */
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
      /** Stored row that this node cannot read and skips from now on. Reported once, and again if the cause changes. */
      readonly row: UnreadableRow;
      /** True if no further unreadable rows are reported for a minute. `listUnreadable` lists all of them. */
      readonly silenced: boolean;
    }
  /** A console login failed. `name`: the user name that was entered; null for a token. `from`: network address; null if unknown. */
  | { readonly type: 'loginFailed'; readonly name: string | null; readonly from: string | null }
  | { readonly type: 'schedulerError'; readonly during: string; readonly error: Error }
);

export type SchedulerEventOf<Type extends SchedulerEvent['type']> = SchedulerEvent & { readonly type: Type };
