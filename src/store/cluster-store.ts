import type { EpochMs } from '../base/clock';
import type { AcquiredTrigger, FireResult } from '../domain/firing';
import type { NodeJobTypes } from '../domain/job-types';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { CheckInPace, CheckInRow } from '../domain/liveness';
import type { NodeLoad } from '../domain/node-load';
import type { RunningNote, RunProgress, RunTail } from '../domain/progress';
import type { RecoveryReport } from '../domain/recovery';
import type { StoreActivity } from './store-activity';

/*
 * Port for the operations that several nodes need on one store, besides the schedule. As in `job-store.ts`, one method is one transaction
 * with plain data in and out. Times that nodes compare come from the store's clock, never from the caller's.
 */

/** Facts that distinguish one process from all others, as far as the operating system shows them. */
export interface ProcessFacts {
  /** Machine, boot and namespaces: a process id is unique within them. At most 190 characters. */
  readonly scope: string;
  /** Start of the process in ticks since the boot. Distinguishes it from a later process with the same id. */
  readonly start: number;
}

/** One incarnation of a node. Each incarnation has its own epoch. */
export interface NodeIdentity extends CheckInPace {
  readonly instanceId: string;
  /** Random; at most 40 characters. */
  readonly epoch: string;
  readonly version: string;
  readonly host: string;
  readonly processId: number;
  /** Null or absent if it is unknown. Peers then detect the node's death only by its silence. */
  readonly process?: ProcessFacts | null;
}

/** A node as the store knows it. */
export interface NodeRecord extends CheckInRow {
  readonly instanceId: string;
  /** Null: a Java node. */
  readonly epoch: string | null;
  readonly version: string | null;
  readonly host: string | null;
  readonly processId: number | null;
  /** Null if the operating system does not show it, or an older version wrote the row. */
  readonly process: ProcessFacts | null;
  readonly startedAt: EpochMs | null;
  /** The store's clock minus the node's wall clock. Milliseconds. */
  readonly clockOffset: number | null;
  /** Number of the last signal that the node has acted on. */
  readonly signalSeen: number;
  /** Null: a Java node, or an older version. */
  readonly labels: readonly string[] | null;
  /** True if the node acquires no more triggers. */
  readonly draining: boolean;
}

/** All nodes at one time of the store's clock. */
export interface NodesReading {
  readonly now: EpochMs;
  readonly nodes: readonly NodeRecord[];
}

/** Load that a node reported with its last check-in. */
export interface LoadRecord {
  readonly instanceId: string;
  /** Time of that check-in. */
  readonly at: EpochMs;
  /** Null: a Java node, an older version, or a node that has not checked in since it joined. */
  readonly load: NodeLoad | null;
}

/** A check-in. If `isMember` is false, the node's row is gone or belongs to another incarnation, and nothing was written. */
export interface CheckInReading extends NodesReading {
  readonly isMember: boolean;
}

export interface RecoveryOptions {
  /** Number of times that one firing is recovered before its trigger is left in ERROR. */
  readonly maxRecoveryAttempts: number;
}

/** `taken`: the row of that instance id differs from `previous`. */
export type JoinResult =
  | { readonly status: 'joined'; readonly recovery: RecoveryReport }
  | { readonly status: 'taken' };

/** If `executing` is above 0, the node's row stays, and peers recover the remaining firings. */
export interface LeaveReport {
  readonly released: number;
  readonly executing: number;
}

/** Inconsistent states that were repaired. Stays at 0 while only nodes of this project write. */
export interface SweepReport {
  /** Number of triggers that were ACQUIRED without a reservation. */
  readonly released: number;
  /** Number of triggers that were BLOCKED without an execution. */
  readonly unblocked: number;
}

/** Triggers that `sweepTypeRows` checks: the next ones after a key, in the store's key order. */
export interface TypeRowSweepRequest {
  /** Null: from the first one on. */
  readonly after: TriggerKey | null;
  readonly maxCount: number;
}

export interface TypeRowSweep {
  /** Triggers without a type row, which are now in ERROR. */
  readonly failed: readonly TriggerKey[];
  /** The last trigger that was checked; null at the end. */
  readonly next: TriggerKey | null;
}

export interface WatchRequest {
  readonly instanceId: string;
  readonly epoch: string;
  /** Triggers that have been due for longer than this are the backlog, which is counted, not listed. Milliseconds. */
  readonly lookBack: number;
  /** True to count the backlog, which takes time in proportion to it. False while the node's own scans see all of it. */
  readonly isCounted: boolean;
}

/** All triggers that have waited since before a given time. */
export interface BacklogReading {
  readonly count: number;
  /** Changes when the backlog consists of other triggers. */
  readonly fingerprint: string;
}

/** The earliest fire times of waiting triggers, and the node's signals. */
export interface ChangeReading {
  readonly now: EpochMs;
  readonly earliest: EpochMs | null;
  /** Changes when the first waiting triggers are others. */
  readonly fingerprint: string;
  /** Null: not counted. */
  readonly backlog: BacklogReading | null;
  /** Number of the last signal sent to the node; null if its row is gone. */
  readonly signalNumber: number | null;
}

/**
 * Requests from one node to another. `settle`: answer once the jobs of everything fired so far have begun. `drain`: acquire no more
 * triggers until `undrain`.
 */
export type NodeSignal =
  | { readonly type: 'interruptJob'; readonly jobKey: JobKey }
  | { readonly type: 'interruptRun'; readonly runId: string }
  | { readonly type: 'settle' }
  | { readonly type: 'drain' }
  | { readonly type: 'undrain' };

export interface SentSignal {
  readonly instanceId: string;
  /** Epoch of the incarnation that it was sent to. */
  readonly epoch: string;
  readonly number: number;
}

export interface ReceivedSignal {
  readonly number: number;
  readonly signal: NodeSignal;
}

/** A firing that executes on some node. */
export interface FiringRecord {
  readonly runId: string;
  readonly instanceId: string;
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  readonly fireTime: EpochMs;
  readonly scheduledFireTime: EpochMs;
  readonly recovering: boolean;
  /** Null if it has reported no progress. */
  readonly progress: RunProgress | null;
}

/** A firing that executes, and its newest log lines. */
export interface RunningFiring extends Pick<FiringRecord, 'instanceId' | 'jobKey' | 'fireTime' | 'progress'> {
  readonly tail: RunTail;
}

/** A trigger that waits although its fire time has passed. */
export interface BacklogTrigger {
  readonly triggerKey: TriggerKey;
  readonly jobType: string;
  /** Labels that a node must have to run it; absent: none. */
  readonly runsOn?: readonly string[];
  readonly nextFireTime: EpochMs;
}

export interface ClusterStore {
  /** Reads the store's clock, which is the cluster's. */
  readClock(): Promise<EpochMs>;
  readNodes(): Promise<NodesReading>;
  /**
   * Begins an incarnation of the node and recovers the work of the previous one. `previous`: the record that `readNodes` returned for its
   * instance id, or null if there was none.
   */
  join(node: NodeIdentity, previous: NodeRecord | null, options: RecoveryOptions): Promise<JoinResult>;
  /** Records that the node is alive, if this incarnation is still a member. `load`: its current load; null: not reported. */
  checkIn(node: NodeIdentity, clockOffset: number, load?: NodeLoad | null): Promise<CheckInReading>;
  /** Returns the load that each node reported last. */
  readLoads(): Promise<readonly LoadRecord[]>;
  /** Releases the node's reservations. Ends its incarnation if none of its firings executes. */
  leave(node: NodeIdentity): Promise<LeaveReport>;
  /**
   * Ends the incarnation of a dead node and takes over its firings. Null: the node has checked in since `failed` was read, or another node
   * was faster. If the report `hasMore`, `recoverOrphan` recovers the rest.
   */
  recoverInstance(failed: NodeRecord, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Returns the instance ids that hold firings but belong to no node. */
  findOrphans(): Promise<readonly string[]>;
  /** Recovers firings of an instance id that belongs to no node; only some of them if the report `hasMore`. Null: a node has the id. */
  recoverOrphan(instanceId: string, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Returns the run ids of all firings and reservations stored for this node, except those that it is still releasing. */
  findFiringsOf(node: NodeIdentity): Promise<readonly string[]>;
  /**
   * Recovers firings of a live node that the node itself no longer holds, as if it had died with them. Null: this incarnation has ended,
   * and another node recovers them.
   */
  recoverUnheld(
    node: NodeIdentity,
    runIds: readonly string[],
    options: RecoveryOptions,
  ): Promise<RecoveryReport | null>;
  /** Finds inconsistent states, and repairs at most `maxCount` of each kind. */
  sweep(maxCount: number): Promise<SweepReport>;
  /**
   * Checks whether triggers have the row of their type (QRTZ_SIMPLE_TRIGGERS …). Moves those without one to ERROR, because Java nodes
   * acquire no triggers at all once such a trigger is due.
   */
  sweepTypeRows(request: TypeRowSweepRequest): Promise<TypeRowSweep>;
  watchChanges(request: WatchRequest): Promise<ChangeReading>;
  /** Returns the earliest fire time, past or future, of the triggers that wait or are reserved by a node; null if there is none. */
  readFirstToFire(): Promise<EpochMs | null>;
  /**
   * Returns the fire time of the earliest trigger due by `now` that has misfired or that this node can fire, as of its last acquisition.
   * After such a result the next acquisition scans all triggers. A time after `now` is when this node may fire the first due trigger that
   * prefers other nodes, or when to poll again. Null: there is none, or the node has not acquired triggers yet.
   */
  findInBacklog(now: EpochMs): Promise<EpochMs | null>;
  /**
   * Stores a signal for each of the nodes, except nodes that are gone. It supersedes an earlier signal of its kind. `drain` and `undrain`
   * are one kind, and so are interrupts of the same run or job. Throws SCHEDULER_STATE, and stores none, if a node has no room for an
   * interrupt.
   */
  sendSignal(instanceIds: readonly string[], signal: NodeSignal): Promise<readonly SentSignal[]>;
  /** Returns the signals after the number `after`, in order. */
  receiveSignals(node: NodeIdentity, after: number): Promise<readonly ReceivedSignal[]>;
  /** Records that the node has acted on all signals up to `number`. */
  acknowledgeSignals(node: NodeIdentity, number: number): Promise<void>;
  /**
   * Publishes the job types that this node can run, for this incarnation and all later ones. False: the node is not a member now, so the
   * other nodes do not know them yet.
   */
  publishJobTypes(jobTypes: readonly string[]): Promise<boolean>;
  /**
   * Publishes whether this node is draining, for this incarnation and all later ones of its process. False: the node is not a member now,
   * or its row already has this value.
   */
  publishDraining(isDraining: boolean): Promise<boolean>;
  /** Returns the job types that each node has published. */
  readJobTypes(): Promise<readonly NodeJobTypes[]>;
  /** Returns waiting triggers that were due before a time, the longest waiting first. */
  readBacklog(before: EpochMs, maxCount: number): Promise<readonly BacklogTrigger[]>;
  /** Returns the firings that execute now on every node, the longest running first. */
  getFirings(): Promise<readonly FiringRecord[]>;
  /** Returns a text that changes when a run with a later end than all others is recorded; null if no run is recorded. */
  newestRun(): Promise<string | null>;
  /** Stores the notes of this node's runs that still execute, and deletes the notes of runs that have ended. */
  saveProgress(said: readonly RunningNote[], ended: readonly string[]): Promise<void>;
  /** Returns the activity of this store's database connections. Sends no statement. */
  readActivity(): Promise<StoreActivity>;
  /** Returns an executing run; null if no run with this id executes. */
  findRunning(runId: string): Promise<RunningFiring | null>;
}

/** Triggers that a transaction reserved or fired for its node. */
export interface HandedOut {
  readonly acquired?: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
}

/** A node's permission to fire. The store that fires for the node checks it. */
export interface FiringFence {
  /** True if triggers may be acquired and fired now. */
  readonly mayFire: boolean;
  /** True if there are Java nodes. Nothing may be fired ahead of its time while there are. */
  readonly hasJavaPeer: boolean;
  /**
   * Runs work that reserves or fires triggers, and records them as in flight. If peers may have recovered the firings by the time it ends,
   * returns them as `lost` instead.
   */
  dispatch<T extends HandedOut>(work: () => Promise<T>): Promise<T>;
  /** Releases a trigger that was returned, or whose job has ended. `isEnded` is false if the store could not write the end yet. */
  release(runId: string, isEnded: boolean): void;
}

/** The fence of a store without a lease. */
export const NO_FENCE: FiringFence = {
  mayFire: true,
  hasJavaPeer: false,
  dispatch: (work) => work(),
  release: () => undefined,
};
