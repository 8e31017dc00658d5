import type { EpochMs } from '../base/clock';
import type { FencingReason, SchedulerEvent } from '../domain/scheduler-event';
import type { NodeSignal } from '../store/cluster-store';

/** What a cluster node tells the scheduler it belongs to. Plain data, so that the two may live in different threads. */
export interface NodeHooks {
  readonly publish: (event: SchedulerEvent) => void;
  /** Whether triggers may be acquired and fired from now on. */
  readonly firingAllowed: (isAllowed: boolean) => void;
  /** The node has lost what it runs: its jobs are to be aborted. */
  readonly leaseLost: (reason: FencingReason) => void;
  /** A fire time may have come forward; null: it is not known to when. */
  readonly scheduleChanged: (earliest: EpochMs | null) => void;
  /** The store has answered after it had failed: whoever waits to try again may do so at once. May be told more than once. */
  readonly storeAvailable: () => void;
  /** Does what another node asks for, and resolves when it is done. */
  readonly receive: (signal: NodeSignal) => Promise<void>;
}
