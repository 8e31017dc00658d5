import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { ClusterRequests } from '../cluster/cluster-requests';
import type { SchedulerConfig } from '../config/scheduler-config';
import type { Engine } from '../engine/engine';
import type { JobRegistry } from '../engine/job-registry';
import type { EventBus } from '../events/event-bus';
import type { ListenerRegistry } from '../events/listener-registry';
import type { JobStore } from '../store/job-store';
import type { WorkerPool } from '../workers/worker-pool';
import type { Lifecycle } from './lifecycle';
import type { ClusterReader } from './node/store-node';
import type { NodeStatus } from './node-status';
import type { EventInput } from './schedule-events';
import type { ScheduleWriter } from './schedule-writer';

/** Everything the façade stands in front of. Built by `createScheduler`. */
export interface SchedulerParts {
  readonly config: SchedulerConfig;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly store: JobStore;
  /** Null: nobody shares the store. */
  readonly cluster: ClusterReader | null;
  /** Asks the other nodes; null: nobody shares the store. */
  readonly requests: ClusterRequests | null;
  readonly workers: WorkerPool;
  readonly bus: EventBus;
  readonly listeners: ListenerRegistry;
  readonly registry: JobRegistry;
  readonly engine: Engine;
  readonly lifecycle: Lifecycle;
  readonly writer: ScheduleWriter;
  readonly status: NodeStatus;
  /** Publishes what happened, with the time. */
  readonly announce: (event: EventInput) => void;
}
