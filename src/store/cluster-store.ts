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
 * What several nodes on one store need of it besides the schedule. As in the port beside it: one method is one
 * transaction, plain data in and out. Times that nodes compare are the store's own; none of them is the caller's.
 */

/** Facts that tell one process from all others, as far as a system shows them. */
export interface ProcessFacts {
  /** Machine, boot and namespaces: a process id is unique within them. At most 190 characters. */
  readonly scope: string;
  /** Start of the process in ticks since the boot. It tells the process from a later one with the same id. */
  readonly start: number;
}

/** One incarnation of a node. Each later one has another epoch. */
export interface NodeIdentity extends CheckInPace {
  readonly instanceId: string;
  /** Random; at most 40 characters. */
  readonly epoch: string;
  readonly version: string;
  readonly host: string;
  readonly processId: number;
  /** Without it, only silence shows that the node is dead. */
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
  /** Null if the system does not show it, or an older version has written the row. */
  readonly process: ProcessFacts | null;
  readonly startedAt: EpochMs | null;
  /** The store's clock minus the node's wall clock. Milliseconds. */
  readonly clockOffset: number | null;
  /** Number of the last signal on which it has acted. */
  readonly signalSeen: number;
  /** Null: a Java node, or an older version. */
  readonly labels: readonly string[] | null;
  /** True if it takes nothing more. */
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

/** `isMember` false: the node's row is gone or another's; nothing was written. */
export interface CheckInReading extends NodesReading {
  readonly isMember: boolean;
}

export interface RecoveryOptions {
  /** Number of times that one firing is recovered before its trigger is left in ERROR. */
  readonly maxRecoveryAttempts: number;
}

/** `taken`: the row of that instance id is not what `previous` says. */
export type JoinResult =
  | { readonly status: 'joined'; readonly recovery: RecoveryReport }
  | { readonly status: 'taken' };

/** `executing` above 0: the node's row stays, and peers recover what is left. */
export interface LeaveReport {
  readonly released: number;
  readonly executing: number;
}

/** Inconsistent states that have been repaired. Stays at 0 while only nodes of this project write. */
export interface SweepReport {
  /** Number of triggers that were ACQUIRED without a reservation. */
  readonly released: number;
  /** Number of triggers that were BLOCKED without an execution. */
  readonly unblocked: number;
}

/** Triggers that `sweepTypeRows` checks: the next ones behind a key, in the store's order of keys. */
export interface TypeRowSweepRequest {
  /** Null: from the first one on. */
  readonly after: TriggerKey | null;
  readonly maxCount: number;
}

export interface TypeRowSweep {
  /** Triggers without a type row: in ERROR now. */
  readonly failed: readonly TriggerKey[];
  /** The last trigger that was checked; null at the end. */
  readonly next: TriggerKey | null;
}

export interface WatchRequest {
  readonly instanceId: string;
  readonly epoch: string;
  /** Triggers that have been due for longer are the backlog, which is counted, not listed. Milliseconds. */
  readonly lookBack: number;
  /** True to count the backlog, which takes time in proportion to it. False while the node's own scans see all of it. */
  readonly isCounted: boolean;
}

/** All triggers that have been waiting since before a given time. */
export interface BacklogReading {
  readonly count: number;
  /** Changes when other triggers are in the backlog. */
  readonly fingerprint: string;
}

/** The earliest fire times of waiting triggers, and the node's signals. */
export interface ChangeReading {
  readonly now: EpochMs;
  readonly earliest: EpochMs | null;
  /** Changes when another trigger waits among the first ones. */
  readonly fingerprint: string;
  /** Null: not counted. */
  readonly backlog: BacklogReading | null;
  /** The number of the last signal sent to the node; null: its row is gone. */
  readonly signalNumber: number | null;
}

/**
 * Requests from one node to another. `settle`: answer once the jobs of everything fired so far have begun. `drain`: take nothing more until
 * `undrain`.
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
  /** Null: it has reported no progress. */
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
   * Begins an incarnation of the node and recovers everything that the previous one left. `previous`: what `readNodes` returned for its
   * instance id, or null if nothing.
   */
  join(node: NodeIdentity, previous: NodeRecord | null, options: RecoveryOptions): Promise<JoinResult>;
  /** Shows that the node is alive, if this incarnation still is a member. `load`: its current load; null: not reported. */
  checkIn(node: NodeIdentity, clockOffset: number, load?: NodeLoad | null): Promise<CheckInReading>;
  /** The load that each node reported last. */
  readLoads(): Promise<readonly LoadRecord[]>;
  /** Releases the node's reservations, and ends its incarnation if nothing of it executes. */
  leave(node: NodeIdentity): Promise<LeaveReport>;
  /**
   * Ends the incarnation of a dead node and takes over its firings. Null: it has checked in since `failed` was read, or another node was
   * faster. Where a report `hasMore`, `recoverOrphan` recovers the rest.
   */
  recoverInstance(failed: NodeRecord, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Instance ids that hold firings although no node has them. */
  findOrphans(): Promise<readonly string[]>;
  /** Recovers firings of an instance id that no node has; only some of them if the report `hasMore`. Null: a node has it. */
  recoverOrphan(instanceId: string, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Entry ids of everything stored as this node's, except what it is still releasing. */
  findFiringsOf(node: NodeIdentity): Promise<readonly string[]>;
  /**
   * Recovers firings of a live node that does not hold them, as if it had died with them. Null: this incarnation has ended, and another
   * node recovers them.
   */
  recoverUnheld(
    node: NodeIdentity,
    runIds: readonly string[],
    options: RecoveryOptions,
  ): Promise<RecoveryReport | null>;
  /** Looks for impossible states, and repairs at most `maxCount` of each kind. */
  sweep(maxCount: number): Promise<SweepReport>;
  /**
   * Checks whether some triggers have the row of their type (QRTZ_SIMPLE_TRIGGERS …). Leaves those without one in ERROR, because Java nodes
   * acquire nothing at all once such a trigger is due.
   */
  sweepTypeRows(request: TypeRowSweepRequest): Promise<TypeRowSweep>;
  watchChanges(request: WatchRequest): Promise<ChangeReading>;
  /** The earliest fire time, past or future, of the triggers that wait or are reserved by a node; null: there is none. */
  readFirstToFire(): Promise<EpochMs | null>;
  /**
   * The earliest trigger due by `now` that this node can fire, as of its last acquisition, or that has misfired. If there is one, the next
   * acquisition scans everything. A time after `now`: when this node may fire the first due trigger that prefers other nodes, or when to
   * poll again. Null: there is none, or the node has not acquired triggers yet.
   */
  findInBacklog(now: EpochMs): Promise<EpochMs | null>;
  /**
   * Stores a signal for each of the nodes; nodes that are gone are left out. It supersedes an earlier one of its kind. `drain` and
   * `undrain` are one kind, and so are interrupts of the same run or job. Throws SCHEDULER_STATE, and stores none, if a node has no room
   * for an interrupt.
   */
  sendSignal(instanceIds: readonly string[], signal: NodeSignal): Promise<readonly SentSignal[]>;
  /** The signals after the number `after`, in their order. */
  receiveSignals(node: NodeIdentity, after: number): Promise<readonly ReceivedSignal[]>;
  /** Records that the node has acted on all signals up to `number`. */
  acknowledgeSignals(node: NodeIdentity, number: number): Promise<void>;
  /**
   * Publishes the job types that this node can run, in this incarnation and in all later ones. False: it is not a member now, and the other
   * nodes do not know yet.
   */
  publishJobTypes(jobTypes: readonly string[]): Promise<boolean>;
  /**
   * Publishes whether this node takes nothing more, in this incarnation and in all later ones of its process. False: it is not a member
   * now, or its row already has this value.
   */
  publishDraining(isDraining: boolean): Promise<boolean>;
  /** The job types that each node has published. */
  readJobTypes(): Promise<readonly NodeJobTypes[]>;
  /** Waiting triggers that should have fired before that time, the longest waiting first. */
  readBacklog(before: EpochMs, maxCount: number): Promise<readonly BacklogTrigger[]>;
  /** Firings that execute now, on every node, the longest first. */
  getFirings(): Promise<readonly FiringRecord[]>;
  /** A text that changes when a run with a later end than all others has been recorded; null: there is none. */
  newestRun(): Promise<string | null>;
  /** Stores the notes of this node's runs that still execute, and deletes those of the runs that have ended. */
  saveProgress(said: readonly RunningNote[], ended: readonly string[]): Promise<void>;
  /** Activity of this store's database connections. Sends no statement. */
  readActivity(): Promise<StoreActivity>;
  /** Null: nothing of this id executes. */
  findRunning(runId: string): Promise<RunningFiring | null>;
}

/** Runs and reservations that a transaction gave its node. */
export interface HandedOut {
  readonly acquired?: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
}

/** A node's permission to fire, for the store that fires for it. */
export interface FiringFence {
  /** True if triggers may be acquired and fired now. */
  readonly mayFire: boolean;
  /** True if there are Java nodes. Nothing may be fired ahead of its time then. */
  readonly hasJavaPeer: boolean;
  /** Runs work that dispatches triggers. If this node may have lost some of them while it ran, dispatches `lost` instead. */
  dispatch<T extends HandedOut>(work: () => Promise<T>): Promise<T>;
  /** Releases a trigger that was given back, or whose job has ended. `isEnded` false: the store could not write that yet. */
  release(runId: string, isEnded: boolean): void;
}

/** The fence of a store without a lease. */
export const NO_FENCE: FiringFence = {
  mayFire: true,
  hasJavaPeer: false,
  dispatch: (work) => work(),
  release: () => undefined,
};
