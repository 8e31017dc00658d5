import type { Clock, EpochMs } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { FencingReason, SchedulerEvent } from '../domain/scheduler-event';
import type { ClusterStore, NodeIdentity, NodeRecord, NodeSignal, RecoveryOptions } from '../store/cluster-store';

/**
 * Reports from a cluster node to its scheduler. Arguments are plain data, so that the two may run in different threads.
 */
export interface NodeHooks {
  readonly publish: (event: SchedulerEvent) => void;
  /** Called when triggers may be acquired and fired from now on, or no longer. */
  readonly firingAllowed: (isAllowed: boolean) => void;
  /** Called when the node has lost its runs: their jobs must be aborted. */
  readonly leaseLost: (reason: FencingReason) => void;
  /** Called when a fire time may be earlier than before; null if the new time is unknown. */
  readonly scheduleChanged: (earliest: EpochMs | null) => void;
  /** Called when the first other node that is not Java starts to take work, and when none does any more. */
  readonly othersTakeWork: (takeWork: boolean) => void;
  /**
   * Called when the store answers again after a failure, so that waiting retries start immediately. May be called
   * repeatedly.
   */
  readonly storeAvailable: () => void;
  /** Handles a signal of another node. Resolves when it is done. */
  readonly receive: (signal: NodeSignal) => Promise<void>;
}

/** Stored facts about a node. Each incarnation adds an epoch. */
export type NodeFacts = Omit<NodeIdentity, 'epoch'>;

/** Dependencies shared by all parts of a node. */
export interface NodeContext {
  readonly store: ClusterStore;
  /** The local clock. Its wall-clock time is only compared with the store's; its monotonic time measures everything. */
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hooks: NodeHooks;
  /** Returns true if a peer is a process of this machine that has ended, and false if that cannot be determined. */
  readonly isDeadProcess: (peer: NodeRecord) => boolean;
  readonly recoveryOptions: RecoveryOptions;
  /** Identity of this node in its current incarnation. */
  readonly identity: () => NodeIdentity;
}
