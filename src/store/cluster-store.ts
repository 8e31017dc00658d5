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

/** What tells one process from all others, as far as a system shows it. */
export interface ProcessFacts {
  /** Where a process id means one process: machine, boot, namespaces. At most 190 characters. */
  readonly scope: string;
  /** Ticks since the boot: the id may be given to another process later. */
  readonly start: number;
}

/** One life of one node. All later ones have another epoch. */
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
  /** Null: its system does not show it, or an older version has written the row. */
  readonly process: ProcessFacts | null;
  readonly startedAt: EpochMs | null;
  /** The store's clock minus the node's wall clock. Milliseconds. */
  readonly clockOffset: number | null;
  /** How far it has acted on signals. */
  readonly signalSeen: number;
  /** Null: a Java node, or an older version. */
  readonly labels: readonly string[] | null;
  /** It takes nothing more. */
  readonly draining: boolean;
}

/** All nodes at one moment of the store's clock. */
export interface NodesReading {
  readonly now: EpochMs;
  readonly nodes: readonly NodeRecord[];
}

/** What a node said of its work with its last check-in. */
export interface LoadRecord {
  readonly instanceId: string;
  /** When it checked in. */
  readonly at: EpochMs;
  /** Null: a Java node, an older version, or a node that has not checked in since it joined. */
  readonly load: NodeLoad | null;
}

/** `isMember` false: the node's row is gone or another's; nothing was written. */
export interface CheckInReading extends NodesReading {
  readonly isMember: boolean;
}

export interface RecoveryOptions {
  /** How often one firing is run again before its trigger is left in ERROR. */
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

/** What was inconsistent and has been put right. Among nodes of ours it stays at 0. */
export interface SweepReport {
  /** Triggers that were ACQUIRED by nobody. */
  readonly released: number;
  /** Triggers that were BLOCKED by no execution. */
  readonly unblocked: number;
}

/** Which triggers `sweepTypeRows` checks: the next ones behind a key, in the store's order of keys. */
export interface TypeRowSweepRequest {
  /** Null: from the first one on. */
  readonly after: TriggerKey | null;
  readonly maxCount: number;
}

export interface TypeRowSweep {
  /** Triggers without a type row: in ERROR now. */
  readonly failed: readonly TriggerKey[];
  /** The last one looked at; null: that was the end. */
  readonly next: TriggerKey | null;
}

export interface WatchRequest {
  readonly instanceId: string;
  readonly epoch: string;
  /** What has been due for longer is the backlog: it is counted, not listed. Milliseconds. */
  readonly lookBack: number;
  /** Whether to count the backlog, which takes time in proportion to it: left out while the node's own scans see it all. */
  readonly isCounted: boolean;
}

/** All that has been waiting for longer than a moment. */
export interface BacklogReading {
  readonly count: number;
  /** Changes when other triggers are in the backlog. */
  readonly fingerprint: string;
}

/** The first of the fire times that wait, and the node's signals. */
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

/** What one node asks of another. `settle`: to answer once the jobs of all it has fired so far have begun. `drain`: to take nothing more, until `undrain`. */
export type NodeSignal =
  | { readonly type: 'interruptJob'; readonly jobKey: JobKey }
  | { readonly type: 'interruptRun'; readonly runId: string }
  | { readonly type: 'settle' }
  | { readonly type: 'drain' }
  | { readonly type: 'undrain' };

export interface SentSignal {
  readonly instanceId: string;
  /** Of the incarnation that it was sent to. */
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
  /** Null: it has not said how far it is. */
  readonly progress: RunProgress | null;
}

/** A firing that executes, and what it logged last. */
export interface RunningFiring extends Pick<FiringRecord, 'instanceId' | 'jobKey' | 'fireTime' | 'progress'> {
  readonly tail: RunTail;
}

/** A trigger that waits although its time has passed. */
export interface BacklogTrigger {
  readonly triggerKey: TriggerKey;
  readonly jobType: string;
  /** The labels that a node needs for it; absent: none. */
  readonly runsOn?: readonly string[];
  readonly nextFireTime: EpochMs;
}

export interface ClusterStore {
  /** The store's clock, which is the cluster's. */
  readClock(): Promise<EpochMs>;
  readNodes(): Promise<NodesReading>;
  /**
   * Begins a life of the node. `previous`: what `readNodes` told of its instance id, null for nothing; whatever that life
   * left is recovered with it.
   */
  join(node: NodeIdentity, previous: NodeRecord | null, options: RecoveryOptions): Promise<JoinResult>;
  /** Shows that the node is alive, if this life of it still is a member. `load`: what it does; null: it does not say. */
  checkIn(node: NodeIdentity, clockOffset: number, load?: NodeLoad | null): Promise<CheckInReading>;
  /** What each node said of its work. */
  readLoads(): Promise<readonly LoadRecord[]>;
  /** Gives back what the node had reserved, and ends its life if nothing of it executes. */
  leave(node: NodeIdentity): Promise<LeaveReport>;
  /**
   * Ends the life of a node that died and takes over what it held, unless it has checked in since `failed` was read. Null:
   * it has, or somebody else was faster. What is left where a report `hasMore` is for `recoverOrphan`.
   */
  recoverInstance(failed: NodeRecord, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Instance ids that hold firings although no node has them. */
  findOrphans(): Promise<readonly string[]>;
  /** Recovers the firings of an instance id that no node has; some of them, if the report `hasMore`. Null: a node has it. */
  recoverOrphan(instanceId: string, options: RecoveryOptions): Promise<RecoveryReport | null>;
  /** Entry ids of all that is stored as this node's, without what it is still giving back. */
  findFiringsOf(node: NodeIdentity): Promise<readonly string[]>;
  /**
   * Recovers firings of a node that lives and does not hold them, as if it had died with them. Null: this life of it is over, and
   * they are another's to recover.
   */
  recoverUnheld(
    node: NodeIdentity,
    runIds: readonly string[],
    options: RecoveryOptions,
  ): Promise<RecoveryReport | null>;
  /** Looks for states that cannot be, and puts right at most `maxCount` of each kind. */
  sweep(maxCount: number): Promise<SweepReport>;
  /**
   * Checks whether some triggers have the row of their type (QRTZ_SIMPLE_TRIGGERS …), and leaves those without one in ERROR: Java
   * nodes acquire nothing at all once such a trigger is due.
   */
  sweepTypeRows(request: TypeRowSweepRequest): Promise<TypeRowSweep>;
  watchChanges(request: WatchRequest): Promise<ChangeReading>;
  /** The earliest fire time, past or to come, of what waits or is reserved by a node; null: there is none. */
  readFirstToFire(): Promise<EpochMs | null>;
  /**
   * The earliest trigger due by `now` with which this node can do something: fire it, as it last asked for triggers, or apply its
   * misfire instruction. When there is one, the next acquisition looks at everything. Later than `now`: when this node may fire the first
   * of what is due and prefers other nodes, or when to ask again. Null: there is none, or the node has not asked for triggers yet.
   */
  findInBacklog(now: EpochMs): Promise<EpochMs | null>;
  /**
   * Leaves a signal for each of the nodes; those that are gone are left out. It supersedes an earlier one of its kind: `drain` and `undrain` are
   * one kind, and so are interrupts of the same run or job. Throws SCHEDULER_STATE, and leaves none, if a node has no room for an interrupt.
   */
  sendSignal(instanceIds: readonly string[], signal: NodeSignal): Promise<readonly SentSignal[]>;
  /** The signals beyond `after`, in their order. */
  receiveSignals(node: NodeIdentity, after: number): Promise<readonly ReceivedSignal[]>;
  /** Tells that the node has acted on all signals up to `number`. */
  acknowledgeSignals(node: NodeIdentity, number: number): Promise<void>;
  /**
   * Says which job types this node can run, in this life and in all later ones. False: it is no member now, and the others do not
   * know yet.
   */
  publishJobTypes(jobTypes: readonly string[]): Promise<boolean>;
  /**
   * Says whether this node takes nothing more, in this life and in all later ones of its process. False: it is no member now, or its row
   * says so already.
   */
  publishDraining(isDraining: boolean): Promise<boolean>;
  /** What each node says it can run. */
  readJobTypes(): Promise<readonly NodeJobTypes[]>;
  /** Triggers that should have fired before that time and wait, the longest first. */
  readBacklog(before: EpochMs, maxCount: number): Promise<readonly BacklogTrigger[]>;
  /** What executes now, on every node, the longest first. */
  getFirings(): Promise<readonly FiringRecord[]>;
  /** A text that is another one when a run has been recorded that ended later than all others; null: there is none. */
  newestRun(): Promise<string | null>;
  /** Stores what runs of this node say, as far as they execute still, and forgets the runs that have ended. */
  saveProgress(said: readonly RunningNote[], ended: readonly string[]): Promise<void>;
  /** What this store does with its database. Asks no database. */
  readActivity(): Promise<StoreActivity>;
  /** Null: nothing of this id executes. */
  findRunning(runId: string): Promise<RunningFiring | null>;
}

/** What a transaction gave its node to run, or to fire later. */
export interface HandedOut {
  readonly acquired?: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
}

/** A node's right to fire, for the store that fires for it. */
export interface FiringFence {
  /** Whether triggers may be acquired and fired now. */
  readonly mayFire: boolean;
  /** Beside Java nodes nothing may be fired ahead of its time. */
  readonly hasJavaPeer: boolean;
  /** Runs what hands out triggers. Of what this node may have lost meanwhile, `lost` is handed out instead. */
  dispatch<T extends HandedOut>(work: () => Promise<T>): Promise<T>;
  /** The trigger was given back, or its job has ended; not `isEnded`: the store could not write that yet. */
  release(runId: string, isEnded: boolean): void;
}

/** Of a store without a lease. */
export const NO_FENCE: FiringFence = {
  mayFire: true,
  hasJavaPeer: false,
  dispatch: (work) => work(),
  release: () => undefined,
};
