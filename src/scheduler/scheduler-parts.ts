import type { Jobs } from '../api/scheduler';
import type { Clock } from '../base/clock';
import type { Gate } from '../base/gate';
import type { RandomSource } from '../base/ids';
import type { ClusterRequests } from '../cluster/signals';
import type { SchedulerConfig } from '../config/scheduler-config';
import type { LoadCounts } from '../domain/load-counts';
import type { Engine } from '../engine/engine';
import type { JobRegistry } from '../engine/job-registry';
import type { EventBus } from '../events/event-bus';
import type { ListenerRegistry } from '../events/listener-registry';
import type { JobStore } from '../store/job-store';
import type { WorkerPool } from '../workers/worker-pool';
import type { Draining } from './draining';
import type { DueItemWatch } from './due-item-watch';
import type { Lifecycle } from './lifecycle';
import type { StoreNode } from './node/store-node';
import type { OccurrenceWatch } from './occurrence-watch';
import type { Plugins } from './plugins';
import type { EventInput } from './schedule-events';
import type { ScheduleWriter } from './schedule-writer';
import type { TracingPlace } from './tracing';

/** Components of a scheduler that depend on no other component. */
export interface Dependencies {
  readonly config: SchedulerConfig;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly node: StoreNode;
  /** Blocks the trigger loop while this node must not fire, and while it drains. */
  readonly gate: Gate;
  readonly workers: WorkerPool;
  readonly load: LoadCounts;
  readonly bus: EventBus;
  readonly jobs: Jobs;
  readonly plugins: Plugins;
  /** Version of this process's time zone data, such as `2025c`; null if unknown. */
  readonly timeZoneData: string | null;
  /** True if no service starts automatically. Tests run the engine step by step. */
  readonly isDriven: boolean;
  /** True if the scheduler is never started, as in commands that inspect or change a schedule. */
  readonly isObserver: boolean;
  /** True if `currentJobContext` also works outside middleware. */
  readonly tracksCurrentJob: boolean;
}

export interface SchedulerParts extends Dependencies {
  readonly store: JobStore;
  /** Returns the store. Throws SCHEDULER_STATE if the scheduler has shut down. */
  readonly usableStore: () => JobStore;
  /** Sends requests to the other nodes. Null if no other node shares the store. */
  readonly requests: ClusterRequests | null;
  readonly listeners: ListenerRegistry;
  readonly registry: JobRegistry;
  readonly engine: Engine;
  readonly lifecycle: Lifecycle;
  readonly writer: ScheduleWriter;
  readonly tracing: TracingPlace;
  readonly pauseEnds: DueItemWatch;
  readonly draining: Draining;
  readonly occurrenceWatch: OccurrenceWatch;
  readonly overdue: DueItemWatch;
  /** Adds the current time to an event and publishes it. */
  readonly announce: (event: EventInput) => void;
}
