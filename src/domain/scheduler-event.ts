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
 * Why a node may not act any more. `leaseExpired`: it could not check in for too long; `mainStalled`: a job kept its event
 * loop for too long; `takenOver`: its peers have taken it for dead; `instanceIdTaken`: another process runs under its id.
 */
export type FencingReason = 'leaseExpired' | 'mainStalled' | 'takenOver' | 'instanceIdTaken';

/** What one change set did that declares something, or was made by hand. */
export interface ChangeSetReport {
  /** Who made it by hand; null: it declares. */
  readonly by: string | null;
  /** The set that it declares; null: it is of none. */
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

/** A job type that triggers wait for and no node has. */
export interface MissingJobType {
  readonly jobType: string;
  /** The labels that a node needs besides; absent: none. */
  readonly labels?: readonly string[];
  /** How many of the triggers that were looked at wait for it. */
  readonly triggers: number;
  /** The one that has waited longest. */
  readonly example: TriggerKey;
  /** Its fire time. */
  readonly waitingSince: EpochMs;
}

/** A stored row that one node cannot understand. Others may, so it stays as it is; that node passes it over. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** What is wrong with it. */
  readonly cause: string;
  /** When the node first met it so. */
  readonly since: EpochMs;
}

/** Everything that happens, as data. Published after commit; times are epoch milliseconds. */
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
  /** Runs that failed for good were rerun, or dead letters were discarded: at most 200 in one event. */
  | { readonly type: 'runsRerun' | 'deadLettersDiscarded'; readonly runs: readonly RunName[] }
  /** Waiting retries and recoveries were deleted with their trigger or job, or by themselves: each is a dead letter. At most 200 in one event. */
  | { readonly type: 'waitingRunsDeleted'; readonly runs: readonly RunName[] }
  | { readonly type: 'triggersAcquired'; readonly count: number }
  | { readonly type: 'triggerFired' | 'jobVetoed'; readonly firing: TriggerFiring }
  | { readonly type: 'triggerNotFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason }
  | { readonly type: 'jobStarted'; readonly firing: TriggerFiring; readonly refireCount: number }
  | {
      readonly type: 'jobFailed';
      readonly firing: TriggerFiring;
      /** Of its occurrence, from 1. */
      readonly attempt: number;
      readonly refireCount: number;
      /** When the next attempt is to begin, once this is stored; null: none follows. */
      readonly retryTime: EpochMs | null;
      /** What the job threw, as a JobExecutionException. */
      readonly error: Error;
    }
  | {
      readonly type: 'triggerCompleted';
      readonly firing: TriggerFiring;
      readonly instruction: CompletionInstruction;
      /** Milliseconds the job ran. */
      readonly jobRunTime: number;
      readonly error: Error | null;
    }
  | {
      readonly type: 'retryScheduled';
      /** The run that failed. */
      readonly firing: TriggerFiring;
      /** What it was a run of, with its attempt. */
      readonly occurrence: Occurrence;
      /** The trigger that runs the occurrence again. */
      readonly trigger: Trigger;
      readonly error: Error;
    }
  | {
      readonly type: 'retriesExhausted';
      /** The run that failed, a dead letter now. */
      readonly firing: TriggerFiring;
      /** What it was a run of, with its attempt. */
      readonly occurrence: Occurrence;
      readonly error: Error;
    }
  | {
      readonly type: 'firingSkipped';
      readonly firing: TriggerFiring;
      readonly reason: SkipReason;
      /** How long after its scheduled time. Milliseconds. */
      readonly lateBy: number;
    }
  | {
      readonly type: 'occurrenceCompleted';
      /** An occurrence that was run in parts, all of which have ended for good. */
      readonly occurrence: Occurrence;
      readonly jobKey: JobKey;
      /** How many parts it had. */
      readonly parts: number;
      /** How many of them have failed, or could not be run any more. */
      readonly failed: number;
    }
  | {
      readonly type: 'firingDeferred';
      readonly firing: TriggerFiring;
      readonly reason: Exclude<DeferReason, 'spread'>;
      /** When its job will run; null: when what it waits for has ended. */
      readonly until: EpochMs | null;
    }
  /** No run of a trigger or job has succeeded for as long as its `mustSucceedWithin` allows. Once for each such lapse, on one node. */
  | ({ readonly type: 'overdue' } & Expectation)
  | {
      readonly type: 'firingLate';
      readonly firing: TriggerFiring;
      /** How long after its scheduled time its job begins. Milliseconds. */
      readonly lateBy: number;
    }
  | {
      readonly type: 'jobStuck';
      readonly firing: TriggerFiring;
      /** How long its job has run, and still runs. Milliseconds. */
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
      /** For how long its event loop stood still, within a second. Milliseconds. */
      readonly stalledFor: number;
      /** Until then it takes only what the other nodes leave. */
      readonly holdsBackUntil: EpochMs;
    }
  | { readonly type: 'nodeDraining'; readonly instanceId: string }
  | { readonly type: 'nodeUndrained'; readonly instanceId: string }
  | { readonly type: 'storeUnavailable'; readonly instanceId: string }
  | {
      readonly type: 'storeAvailable';
      readonly instanceId: string;
      /** For how long this node could not check in. Milliseconds. */
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
      /** Triggers without the row of their kind, which are in ERROR now. */
      readonly failed: readonly TriggerKey[];
    }
  | { readonly type: 'jobTypesMissing'; readonly missing: readonly MissingJobType[] }
  | { readonly type: 'configurationWarning'; readonly message: string }
  | ({ readonly type: 'scheduleChanged' } & ChangeSetReport)
  | {
      readonly type: 'overrideConflict';
      readonly what: 'job' | 'trigger' | 'calendar';
      /** Null: a calendar. */
      readonly group: string | null;
      readonly name: string;
      /** The edited fields that are declared otherwise now; the edit stays. */
      readonly fields: readonly string[];
      /** The edited fields that do not fit what is declared now; the declaration holds. */
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
      /** A stored row that this node cannot understand, and passes over from now on. Reported once, and again when the cause changes. */
      readonly row: UnreadableRow;
      /** For a minute no further row is reported; `listUnreadable` names them all. */
      readonly silenced: boolean;
    }
  /** Somebody could not log in to a console. `name`: as it was given, null: by a token. `from`: the address, null: not known. */
  | { readonly type: 'loginFailed'; readonly name: string | null; readonly from: string | null }
  | { readonly type: 'schedulerError'; readonly during: string; readonly error: Error }
);

/** One kind of event. */
export type SchedulerEventOf<Type extends SchedulerEvent['type']> = SchedulerEvent & { readonly type: Type };
