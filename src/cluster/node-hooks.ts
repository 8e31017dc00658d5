import type { Clock, EpochMs } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { FencingReason, SchedulerEvent } from '../domain/scheduler-event';
import type { ClusterStore, NodeIdentity, NodeRecord, NodeSignal, RecoveryOptions } from '../store/cluster-store';

/** Callbacks from a cluster node to its scheduler. Arguments are plain data, because node and scheduler may run in different threads. */
export interface NodeHooks {
  readonly publish: (event: SchedulerEvent) => void;
  /** Called with true when the node may start to acquire and fire triggers, and with false when it must stop. */
  readonly firingAllowed: (isAllowed: boolean) => void;
  /** Called when the node no longer owns its runs. The scheduler must abort their jobs. */
  readonly leaseLost: (reason: FencingReason) => void;
  /** Called after a schedule change: a trigger now fires at `earliest`, perhaps before all others. Null if the time is unknown. */
  readonly scheduleChanged: (earliest: EpochMs | null) => void;
  /** Called with true when the first other node starts to acquire triggers, and with false when the last stops. Ignores Java nodes. */
  readonly othersTakeWork: (takeWork: boolean) => void;
  /** Called when the store answers again, to start pending retries immediately; perhaps several times for one failure. */
  readonly storeAvailable: () => void;
  /** Called with a signal from another node. Resolves after the scheduler has acted on the signal. */
  readonly receive: (signal: NodeSignal) => Promise<void>;
}

/** Facts about a node that are the same in all its incarnations. */
export type NodeFacts = Omit<NodeIdentity, 'epoch'>;

export interface NodeContext {
  readonly store: ClusterStore;
  /** The local clock: durations use its monotonic time. Its wall-clock time is only compared with the store's and written to events. */
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hooks: NodeHooks;
  /** Returns true if the peer's process ran on this machine and has ended. Returns false if this cannot be determined. */
  readonly isDeadProcess: (peer: NodeRecord) => boolean;
  readonly recoveryOptions: RecoveryOptions;
  readonly identity: () => NodeIdentity;
}
