import type { EpochMs } from '../base/clock';
import type { AcquiredTrigger, FireResult } from '../domain/firing';
import type { Interruption } from '../domain/interruption';
import type { NodeJobTypes } from '../domain/job-types';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { CheckInPace, CheckInRow } from '../domain/liveness';
import type { NodeLoad } from '../domain/node-load';
import type { RunningNote, RunProgress, RunTail } from '../domain/progress';
import type { RecoveryReport } from '../domain/recovery';
import type { StoreActivity } from './store-activity';

/*
 * Port for cluster operations: everything beyond the schedule that several nodes share in one store. As in `job-store.ts`, each method is
 * one transaction with plain data in and out. Times that nodes compare come from the store's clock, never from the caller's clock.
 */

/** Facts that identify one process among all processes, as far as the operating system shows them. */
export interface ProcessFacts {
  /** Identifies the machine, boot and namespaces in which the process id is unique. At most 190 characters. */
  readonly scope: string;
  /** Start time of the process, in ticks since boot. Distinguishes the process from a later one with the same id. */
  readonly start: number;
}

/** One incarnation of a node: the time between joining the cluster and leaving it or being declared dead. Each incarnation has its own epoch. */
export interface NodeIdentity extends CheckInPace {
  readonly instanceId: string;
  /** Random text that identifies the incarnation. At most 40 characters. */
  readonly epoch: string;
  readonly version: string;
  /** Version of the node's time zone data, such as `2025c`; null or absent if unknown. At most 40 characters. */
  readonly timeZoneData?: string | null;
  readonly host: string;
  readonly processId: number;
  /** Null or absent if unknown. Peers then detect the node's death only by its missing check-ins. */
  readonly process?: ProcessFacts | null;
}

export interface NodeRecord extends CheckInRow {
  readonly instanceId: string;
  /** Null for a Java node. */
  readonly epoch: string | null;
  readonly version: string | null;
  /** Version of the node's time zone data; null for a Java node, or if the node does not know it. */
  readonly timeZoneData: string | null;
  readonly host: string | null;
  readonly processId: number | null;
  /** Null if the operating system does not show these facts, or if an older version wrote the row. */
  readonly process: ProcessFacts | null;
  readonly startedAt: EpochMs | null;
  /** The store's clock minus the node's wall clock, in milliseconds. Null if unknown. */
  readonly clockOffset: number | null;
  /** Number of the last signal that the node has acknowledged. */
  readonly signalSeen: number;
  /** Null for a Java node or an older version. */
  readonly labels: readonly string[] | null;
  /** True if the node no longer acquires triggers. */
  readonly draining: boolean;
}

/** All nodes, with the time of the store's clock at which they were read. */
export interface NodesReading {
  readonly now: EpochMs;
  readonly nodes: readonly NodeRecord[];
}

export interface LoadRecord {
  readonly instanceId: string;
  readonly at: EpochMs;
  /** Null for a Java node, an older version, or a node that has not checked in since it joined. */
  readonly load: NodeLoad | null;
}

/** Result of a check-in. If `isMember` is false, the node's row is missing or belongs to another incarnation, and nothing was written. */
export interface CheckInReading extends NodesReading {
  readonly isMember: boolean;
}

export interface RecoveryOptions {
  /** Maximum number of recoveries of one firing. After that, its trigger is set to ERROR. */
  readonly maxRecoveryAttempts: number;
  /** Maximum number of hand-overs of one attempt without a new checkpoint. After that, the run ends as interrupted. */
  readonly maxHandOvers: number;
}

/** `taken`: the stored row of the instance id differs from `previous`, so another process has joined under the id. */
export type JoinResult =
  | { readonly status: 'joined'; readonly recovery: RecoveryReport }
  | { readonly status: 'taken' };

/** Result of `leave`. If `executing` (number of running jobs) is above 0, the node's row stays, and peers recover the remaining firings. */
export interface LeaveReport {
  readonly released: number;
  readonly executing: number;
}

/** Numbers of inconsistent states that a sweep repaired. Always 0 if only quartz-ts nodes write to the store. */
export interface SweepReport {
  /** Number of triggers that were ACQUIRED without a reservation. */
  readonly released: number;
  /** Number of triggers that were BLOCKED without a running job. */
  readonly unblocked: number;
}

/** Range of triggers that one call of `sweepTypeRows` checks: up to `maxCount` triggers after a key, in the store's key order. */
export interface TypeRowSweepRequest {
  /** Null to start with the first trigger. */
  readonly after: TriggerKey | null;
  readonly maxCount: number;
}

/** Range of triggers that one call of `sweepEnded` checks, as for `sweepTypeRows`. */
export interface EndedSweepRequest extends TypeRowSweepRequest {
  readonly now: EpochMs;
}

export interface EndedSweep {
  readonly deletedTriggers: readonly TriggerKey[];
  /** Non-durable jobs that were deleted with their last trigger. */
  readonly deletedJobs: readonly JobKey[];
  /** Last trigger that this call checked; null if no triggers follow. */
  readonly next: TriggerKey | null;
}

export interface TypeRowSweep {
  /** Triggers without a row in the table of their type. The sweep has set them to ERROR. */
  readonly failed: readonly TriggerKey[];
  /** Last trigger that this call checked; null if no triggers follow. */
  readonly next: TriggerKey | null;
}

export interface WatchRequest {
  readonly instanceId: string;
  readonly epoch: string;
  /** Maximum lateness, in milliseconds, of triggers that are read individually. More late triggers form the backlog, which is only counted. */
  readonly lookBack: number;
  /** True to count the backlog, which takes time proportional to its size. False if the node's own scans already read the whole backlog. */
  readonly isCounted: boolean;
}

/** Waiting triggers that have been due for longer than `WatchRequest.lookBack`. */
export interface BacklogReading {
  readonly count: number;
  /** Changes when the fire times in the backlog change. */
  readonly fingerprint: string;
}

/** Earliest fire times of waiting triggers outside the backlog, and the number of the node's last signal. */
export interface ChangeReading {
  readonly now: EpochMs;
  /** Time from which this node may acquire the first of them; null if there is none. */
  readonly earliest: EpochMs | null;
  /** Changes when one of the first 50 fire times changes. */
  readonly fingerprint: string;
  /** Null if the backlog was not counted. */
  readonly backlog: BacklogReading | null;
  /** Number of the last signal sent to the node; null if the node's row is missing. */
  readonly signalNumber: number | null;
}

/** Requests to a node. `confirmStarted`: acknowledge once the jobs of all triggers fired so far have begun. `drain`: acquire none until `undrain`. */
export type NodeSignal =
  | { readonly type: 'interruptJob'; readonly jobKey: JobKey; readonly by?: string | null }
  | { readonly type: 'interruptRun'; readonly runId: string; readonly by?: string | null }
  | { readonly type: 'confirmStarted' }
  | { readonly type: 'drain' }
  | { readonly type: 'undrain' };

export interface SentSignal {
  readonly instanceId: string;
  /** Epoch of the receiving incarnation. */
  readonly epoch: string;
  readonly number: number;
}

export interface ReceivedSignal {
  readonly number: number;
  readonly signal: NodeSignal;
}

/** A firing whose job is running on some node. */
export interface FiringRecord {
  readonly runId: string;
  readonly instanceId: string;
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  readonly fireTime: EpochMs;
  readonly scheduledFireTime: EpochMs;
  readonly recovering: boolean;
  /** Null if the job has reported no progress. */
  readonly progress: RunProgress | null;
  /** First request to interrupt the run; null if there was none. */
  readonly interruption: Interruption | null;
}

export interface RunningFiring extends Pick<FiringRecord, 'instanceId' | 'jobKey' | 'fireTime' | 'progress'> {
  readonly tail: RunTail;
}

/** A waiting trigger whose fire time has passed. */
export interface BacklogTrigger {
  readonly triggerKey: TriggerKey;
  readonly jobType: string;
  /** Labels that a node must have to run the job; absent if it needs none. */
  readonly runsOn?: readonly string[];
  readonly nextFireTime: EpochMs;
}

/**
 * Consequence of a wait for a ring. `acquire`: the node found triggers after the last ring, so it should acquire at once; `poll`: it did not, so
 * another node was faster, and a poll takes no lock. `none`: no ring. `unchanged`: no ring, and the store has polled without finding a change.
 */
export type Ring = 'acquire' | 'poll' | 'none' | 'unchanged';

/** A job or trigger that has data. */
export interface DataOwner {
  readonly what: 'job' | 'trigger';
  readonly key: JobKey | TriggerKey;
}

export interface ClusterStore {
  /** Returns the time of the store's clock, which all nodes share, in milliseconds with their fractions. */
  readClock(): Promise<number>;
  readNodes(): Promise<NodesReading>;
  /** Starts an incarnation of the node and recovers the firings of the previous one. `previous`: result of `readNodes` for the id; null if none. */
  join(node: NodeIdentity, previous: NodeRecord | null, options: RecoveryOptions): Promise<JoinResult>;
  /** Records that the node is alive, if this incarnation is still a member. `load`: current load; null or absent keeps the one reported before. */
  checkIn(node: NodeIdentity, clockOffset: number, load?: NodeLoad | null): Promise<CheckInReading>;
  readLoads(): Promise<readonly LoadRecord[]>;
  /** Returns the version of the time zone data by which stored fire times were computed; null before the first node. */
  readTimeZoneData(): Promise<string | null>;
  /** Stores the version if none is stored. Returns the stored version. */
  ensureTimeZoneData(version: string): Promise<string>;
  /** Replaces the stored version if it is still `expected`. Returns false otherwise. */
  replaceTimeZoneData(expected: string, version: string): Promise<boolean>;
  /** Releases the node's reservations. Ends the node's incarnation if no job runs on the node. */
  leave(node: NodeIdentity): Promise<LeaveReport>;
  /**
   * Ends the incarnation of a dead node and recovers the node's firings. Returns null if the node has checked in since `failed` was read,
   * or if another node recovered the firings first. If the report says `hasMore`, call `recoverOrphan` for the remaining firings.
   */
  recoverInstance(failed: NodeRecord, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Returns the instance ids that have stored firings but no node row. */
  findOrphans(): Promise<readonly string[]>;
  /** Returns jobs and triggers whose data is JSON, which Java nodes cannot read, at most `limit`. */
  findJsonData(limit: number): Promise<readonly DataOwner[]>;
  /** Recovers firings of an instance id without a node row. If the report says `hasMore`, call again. Returns null if a node has the id. */
  recoverOrphan(instanceId: string, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Returns the run ids of all stored firings and reservations of this node, except reservations whose release is pending. */
  findFiringsOf(node: NodeIdentity): Promise<readonly string[]>;
  /** Recovers stored firings that this live node does not have in flight. Returns null if this incarnation has ended; peers then recover them. */
  recoverUnheld(
    node: NodeIdentity,
    runIds: readonly string[],
    options: RecoveryOptions,
  ): Promise<RecoveryReport | null>;
  /** Repairs inconsistent states, at most `maxCount` of each kind. */
  sweep(maxCount: number): Promise<SweepReport>;
  /** Sets triggers without a row in the table of their type (QRTZ_SIMPLE_TRIGGERS …) to ERROR. If one is due, Java nodes acquire no triggers. */
  sweepTypeRows(request: TypeRowSweepRequest): Promise<TypeRowSweep>;
  /** Deletes triggers that are COMPLETE although no firing remains and their own schedule has ended. Deletes none while a Java node is in the cluster. */
  sweepEnded(request: EndedSweepRequest): Promise<EndedSweep>;
  watchChanges(request: WatchRequest): Promise<ChangeReading>;
  /** Returns the earliest fire time, past or future, of all waiting and reserved triggers; null if there is none. */
  readFirstToFire(): Promise<EpochMs | null>;
  /**
   * Returns the earliest fire time, up to `now`, of a trigger that has misfired or that this node can fire. Uses the request of the node's
   * last acquisition; the next acquisition then scans all triggers. If only triggers that prefer other nodes are due, returns a time after
   * `now`: when this node may fire the first of them, or when to poll again. Returns null if no such trigger is due, or if the node has not
   * acquired triggers yet.
   */
  findInBacklog(now: EpochMs): Promise<EpochMs | null>;
  /**
   * Stores a signal for each of the nodes, except nodes without a row. The signal replaces an unacknowledged signal of the same kind.
   * `drain` and `undrain` are one kind, and so are interrupts of the same run or job. Throws SCHEDULER_STATE, and stores nothing for any
   * node, if a node has too many unacknowledged interrupts.
   */
  sendSignal(instanceIds: readonly string[], signal: NodeSignal): Promise<readonly SentSignal[]>;
  /**
   * Waits until another node rings after a change of the schedule or a signal, for at most 10 s. Returns null if the store cannot wake nodes.
   * Rejects if it could not wait. A ring may be lost, or come for nothing. `polls`: true if the store should also poll every second, if it can, for a
   * difference from the last reading of `watchChanges`, which then counts as a ring.
   */
  awaitRing(node: Pick<NodeIdentity, 'epoch'>, signal: AbortSignal, polls: boolean): Promise<Ring | null>;
  /** Returns the node's signals with numbers above `after`, in order. */
  receiveSignals(node: NodeIdentity, after: number): Promise<readonly ReceivedSignal[]>;
  /** Records that the node has processed all signals up to `number`. */
  acknowledgeSignals(node: NodeIdentity, number: number): Promise<void>;
  /** Publishes the node's job types, for this and later incarnations. Returns false if the node is not a member; its next join publishes them. */
  publishJobTypes(jobTypes: readonly string[]): Promise<boolean>;
  /** Publishes whether this process drains, for this incarnation and later ones. Returns false if the node is not a member at present. */
  publishDraining(isDraining: boolean): Promise<boolean>;
  readJobTypes(): Promise<readonly NodeJobTypes[]>;
  /** Returns at most `maxCount` waiting triggers with fire times before `before`, the earliest first. */
  readBacklog(before: EpochMs, maxCount: number): Promise<readonly BacklogTrigger[]>;
  /** Returns the firings whose jobs are running on any node, the longest running first. */
  getFirings(): Promise<readonly FiringRecord[]>;
  /** Returns a string that changes when a run with a later end time than all recorded runs is recorded; null if no run is recorded. */
  newestRun(): Promise<string | null>;
  /** Stores the progress and log lines of this node's running jobs. Deletes the progress and log lines of the runs in `ended`. */
  saveProgress(notes: readonly RunningNote[], ended: readonly string[]): Promise<void>;
  /** Returns the activity of this store's database connections. Sends no statement. */
  readActivity(): Promise<StoreActivity>;
  /** Returns the running firing with this run id, including its newest log lines; null if no such job is running. */
  findRunning(runId: string): Promise<RunningFiring | null>;
}

/** Triggers that one transaction reserved or fired for its node. */
export interface HandedOut {
  readonly acquired?: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
}

/** Determines whether a node may fire triggers. The store checks the fence before it reserves or fires triggers. */
export interface FiringFence {
  readonly mayFire: boolean;
  /** True if Java nodes are in the cluster. The store then fires no trigger before its fire time. */
  readonly hasJavaPeer: boolean;
  /** Runs `work` and records its triggers as in flight. Fired triggers that peers may have recovered by then are returned as not fired (`lost`). */
  dispatch<T extends HandedOut>(work: () => Promise<T>): Promise<T>;
  /** Removes a trigger from the triggers in flight. Keeps it if `isEnded` is false: the store has not recorded the end of its job yet. */
  release(runId: string, isEnded: boolean): void;
}

/** Fence of a store without a lease: firing is always allowed. */
export const NO_FENCE: FiringFence = {
  mayFire: true,
  hasJavaPeer: false,
  dispatch: (work) => work(),
  release: () => undefined,
};
