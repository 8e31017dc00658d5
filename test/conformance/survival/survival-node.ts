import type { JobExecutionContext, JobFunction, Scheduler } from '../../../src/api/scheduler';
import { systemRandom } from '../../../src/base/ids';
import type { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { SqlStoreConfig } from '../../../src/config/scheduler-config';
import { DEFAULT_POLICY } from '../../../src/domain/execution-policy';
import { Engine } from '../../../src/engine/engine';
import { JobRegistry } from '../../../src/engine/job-registry';
import { EventBus } from '../../../src/events/event-bus';
import { createListenerRegistry } from '../../../src/events/listener-registry';
import type { ClusterStore, NodeIdentity } from '../../../src/store/cluster-store';
import { AsyncWorkerPool } from '../../../src/workers/worker-pool';
import { HOUR, MISFIRE_THRESHOLD } from '../samples';
import type { StoreDriver } from '../store-driver';

/** Policy of the nodes: records every run. */
export const RECORDING = { ...DEFAULT_POLICY, history: 'all' } as const;

export const LIMITS = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** A run that began on a node. */
export interface Started extends Pick<JobExecutionContext, 'attempt' | 'occurrenceId' | 'runId' | 'signal'> {
  readonly job: string;
  /** Index of the part; -1: the whole occurrence. */
  readonly part: number;
  /** Name of the trigger that fired. */
  readonly trigger: string;
  readonly at: number;
}

/** The code of each job. */
export type Play = (started: Started) => Promise<unknown> | undefined;

/** The store of a node. */
export interface StoreOfNode {
  readonly instanceId: string;
  /** Clock of the test, which its stores use too. */
  readonly clock: ManualClock;
  readonly driver: StoreDriver;
  /** Interface of the cluster; null if the store is in memory, with one node. */
  readonly cluster: ClusterStore | null;
  /** Calls of the store, which tell its engine that the schedule has changed. */
  readonly changes: Set<(earliest: number | null) => void>;
}

interface SurvivalNodeOptions {
  readonly play?: Play;
  /** Job types that the node registers. */
  readonly jobTypes?: readonly string[];
  /** Called before a job object is made. An error is that of a job factory. */
  readonly make?: (job: string) => void;
}

/** The engine of one node on a store, by a clock that the test moves. One job at a time. */
export class SurvivalNode {
  readonly clock: ManualClock;
  readonly started: Started[] = [];
  readonly engine: Engine;
  readonly #cluster: ClusterStore | null;
  readonly #identity: NodeIdentity;
  readonly #registry: JobRegistry;
  readonly #play: Play;

  constructor({ instanceId, clock, driver, cluster, changes }: StoreOfNode, options: SurvivalNodeOptions = {}) {
    const { store } = driver;
    const { play = () => undefined, jobTypes = ['sample'], make } = options;
    const bus = new EventBus();
    const onError = (error: unknown) => {
      throw error;
    };
    this.clock = clock;
    this.#cluster = cluster;
    this.#play = play;
    this.#identity = {
      ...{ instanceId, epoch: instanceId, version: '1', host: 'some-host', processId: 17 },
      ...{ checkInInterval: 7_500, checkInGrace: 5_000 },
    };
    this.#registry = new JobRegistry();
    this.register(...jobTypes);
    if (make !== undefined) {
      this.#registry.setFactory((job, { key }) => {
        make(key.name);
        return { execute: job as JobFunction };
      });
    }
    this.engine = new Engine(
      {
        ...{ store, clock, bus, random: systemRandom },
        workers: new AsyncWorkerPool({ clock, size: 1, onError }),
        registry: this.#registry,
        listeners: createListenerRegistry(bus),
        scheduler: () => ({}) as Scheduler,
      },
      {
        ...{ idleWaitTime: 30_000, batchTriggerAcquisitionMaxCount: 1, batchTriggerAcquisitionFireAheadTimeWindow: 0 },
        ...{ dbFailureRetryInterval: 15_000, listenerTimeout: 5_000, maxRefireCount: 100, maxHandOvers: 10 },
        ...{ maxFactoryRefusals: 5 },
        ...{ interruptJobsOnShutdown: false, interruptJobsOnShutdownWithWait: false },
        ...{ policy: RECORDING, instanceId },
        jobStore: {
          ...{ misfireThreshold: MISFIRE_THRESHOLD, maxMisfiresToHandleAtATime: 20 },
          sql: { maxRecoveryAttempts: LIMITS.maxRecoveryAttempts } as SqlStoreConfig,
        },
      },
    );
    changes.add((earliest) => this.engine.scheduleChanged(earliest));
  }

  register(...types: readonly string[]): void {
    for (const type of types) this.#registry.register(type, (context) => this.#run(context));
  }

  async join(): Promise<void> {
    await this.#cluster?.join(this.#identity, null, LIMITS);
  }

  /** Stops in order, as a process that receives SIGTERM, with a deadline that passes at once. */
  async stop(): Promise<void> {
    let isDown = false;
    const down = this.engine.shutdown({ waitForJobs: true, deadline: 0 }).then(() => {
      isDown = true;
    });
    for (let turn = 1; !isDown; turn++) {
      await yieldToEventLoop();
      if (turn % 100 === 0) this.clock.advanceTo(this.clock.now() + 300); // only a job that does not end waits for the clock
    }
    await down;
    await this.#cluster?.leave(this.#identity);
  }

  /** Takes over from a node whose process has ended or hangs: ends its epoch. */
  async takeOverFrom(dead: SurvivalNode): Promise<void> {
    const { nodes = [] } = (await this.#cluster?.readNodes()) ?? {};
    const record = nodes.find(({ instanceId }) => instanceId === dead.#identity.instanceId);
    if (record !== undefined) await this.#cluster?.recoverInstance(record, LIMITS);
  }

  /** Runs everything that is due at `time`. */
  async runAt(time: number): Promise<void> {
    this.clock.advanceTo(time);
    await this.engine.runOnce();
  }

  /** Stops acquiring, waits until the executing runs have ended, and stores their completions. */
  async quiesce(): Promise<void> {
    await this.engine.shutdown({ waitForJobs: true, deadline: HOUR });
  }

  #run(context: JobExecutionContext): Promise<unknown> | undefined {
    const { attempt, occurrenceId, runId, signal, shard, jobDetail } = context;
    const { key } = context.trigger;
    const of = { attempt, occurrenceId, runId, signal, trigger: key.name };
    const started = { ...of, job: jobDetail.key.name, part: shard?.index ?? -1, at: this.clock.now() };
    this.started.push(started);
    return this.#play(started);
  }
}
