import type { Clock, EpochMs } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { FencingReason, SchedulerEvent } from '../domain/scheduler-event';
import type { ClusterStore, NodeIdentity, NodeRecord, NodeSignal, RecoveryOptions } from '../store/cluster-store';

/** What a cluster node reports to the scheduler it belongs to. Plain data, so that the two may live in different threads. */
export interface NodeHooks {
  readonly publish: (event: SchedulerEvent) => void;
  /** Whether triggers may be acquired and fired from now on. */
  readonly firingAllowed: (isAllowed: boolean) => void;
  /** The node has lost what it runs: its jobs are to be aborted. */
  readonly leaseLost: (reason: FencingReason) => void;
  /** A fire time may have come forward; null: it is not known to when. */
  readonly scheduleChanged: (earliest: EpochMs | null) => void;
  /** Reports that the first other node of ours takes work, or that none does any more. */
  readonly othersTakeWork: (takeWork: boolean) => void;
  /** The store has answered after it had failed: whoever waits to try again may do so at once. May be called more than once. */
  readonly storeAvailable: () => void;
  /** Does what another node asks for, and resolves when it is done. */
  readonly receive: (signal: NodeSignal) => Promise<void>;
}

/** What is stored of a node; each of its incarnations adds an epoch. */
export type NodeFacts = Omit<NodeIdentity, 'epoch'>;

/** What all parts of a node share. */
export interface NodeContext {
  readonly store: ClusterStore;
  /** Its wall clock is only compared with the store's; everything is timed by its monotonic one. */
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hooks: NodeHooks;
  /** Whether a peer is a process of this machine that has ended. False for all that cannot be seen from here. */
  readonly isDeadProcess: (peer: NodeRecord) => boolean;
  readonly recoveryOptions: RecoveryOptions;
  /** This node in its present incarnation. */
  readonly identity: () => NodeIdentity;
}
