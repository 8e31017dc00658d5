import type { Jobs, Scheduler } from '../../../src/api/scheduler';
import type { Gate } from '../../../src/base/gate';
import { type RandomSource, runIdSource } from '../../../src/base/ids';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { DEFAULT_POLICY } from '../../../src/domain/execution-policy';
import type { JobDetail } from '../../../src/domain/job-detail';
import type { LoadCounts } from '../../../src/domain/load-counts';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { SchedulerEvent, SchedulerEventOf } from '../../../src/domain/scheduler-event';
import type { Trigger } from '../../../src/domain/trigger';
import type { TriggerState } from '../../../src/domain/trigger-state';
import { Engine, type EngineOptions } from '../../../src/engine/engine';
import { JobRegistry } from '../../../src/engine/job-registry';
import { EventBus } from '../../../src/events/event-bus';
import { createListenerRegistry, type ListenerRegistry } from '../../../src/events/listener-registry';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { AsyncWorkerPool, type WorkerPool } from '../../../src/workers/worker-pool';
import { type Faulty, faulty } from './faulty';
import { aJobDetail, aTrigger } from './samples';

export const THRESHOLD = 60_000;
export const IDLE = 30_000;

/** Removes jitter: each delay is half of its backoff. */
const noJitter: RandomSource = { token: (length) => '0'.repeat(length) };

export interface Harness {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly store: Faulty<MemoryJobStore>;
  readonly registry: JobRegistry;
  readonly listeners: ListenerRegistry;
  readonly workers: WorkerPool;
  readonly bus: EventBus;
  readonly events: readonly SchedulerEvent[];
  eventsOf<Type extends SchedulerEvent['type']>(type: Type): readonly SchedulerEventOf<Type>[];
  /** Stores a job with its triggers. */
  schedule(job?: Partial<JobDetail>, ...triggers: readonly Partial<Trigger>[]): Promise<void>;
  /** The stored state; null when the trigger is gone. */
  stateOf(name?: string): Promise<TriggerState | null>;
  jobData(): Promise<unknown>;
  /** Runs all pending work that does not wait for the clock. */
  settle(): Promise<void>;
  /** Advances the clock, stopping at each scheduled wake time. */
  advanceTo(time: number): Promise<void>;
}

export interface HarnessOptions extends Partial<EngineOptions> {
  readonly jobs?: Jobs;
  readonly threadCount?: number;
  readonly clock?: ManualClock;
  readonly workers?: WorkerPool;
  readonly gate?: Gate;
  readonly load?: LoadCounts;
  readonly checkLease?: () => Promise<void>;
}

/** An engine on a memory store and a manual clock that begins at 0. */
export async function anEngine({ jobs = {}, threadCount = 5, ...options }: HarnessOptions = {}): Promise<Harness> {
  const clock = options.clock ?? new ManualClock();
  const store = faulty(new MemoryJobStore(runIdSource(noJitter)));
  const bus = new EventBus();
  const events: SchedulerEvent[] = [];
  bus.subscribe((event) => events.push(event));
  const registry = new JobRegistry(jobs);
  const listeners = createListenerRegistry(bus);
  const workers =
    options.workers ??
    new AsyncWorkerPool({
      clock,
      size: threadCount,
      onError: (error) => {
        throw error;
      },
    });
  const scheduler = () => ({ isTheScheduler: true }) as unknown as Scheduler;
  const engine = new Engine(
    {
      store: store.target,
      clock,
      workers,
      registry,
      bus,
      listeners,
      scheduler,
      random: noJitter,
      ...(options.gate === undefined ? {} : { gate: options.gate }),
      ...(options.load === undefined ? {} : { load: options.load }),
      ...(options.checkLease === undefined ? {} : { checkLease: options.checkLease }),
    },
    {
      idleWaitTime: IDLE,
      batchTriggerAcquisitionMaxCount: 10,
      batchTriggerAcquisitionFireAheadTimeWindow: 0,
      dbFailureRetryInterval: 15_000,
      interruptJobsOnShutdown: false,
      interruptJobsOnShutdownWithWait: false,
      listenerTimeout: 5_000,
      maxRefireCount: 100,
      maxFactoryRefusals: 5,
      maxHandOvers: 10,
      policy: DEFAULT_POLICY,
      instanceId: 'node-1',
      jobStore: { misfireThreshold: THRESHOLD, maxMisfiresToHandleAtATime: 2 },
      ...options,
    },
  );
  await store.target.open((earliest) => engine.scheduleChanged(earliest));
  return { engine, clock, store, registry, listeners, workers, bus, events, ...actions(clock, store, events) };
}

type Actions = Pick<Harness, 'eventsOf' | 'schedule' | 'stateOf' | 'jobData' | 'settle' | 'advanceTo'>;

function actions(clock: ManualClock, store: Faulty<MemoryJobStore>, events: readonly SchedulerEvent[]): Actions {
  const settle = async () => {
    for (let turn = 0; turn < 8; turn++) await yieldToEventLoop();
  };
  return {
    settle,
    eventsOf: <Type extends SchedulerEvent['type']>(type: Type) =>
      events.filter((event): event is SchedulerEventOf<Type> => event.type === type),
    async schedule(job = {}, ...triggers) {
      const changes: ScheduleChange[] = [
        { type: 'storeJob', job: aJobDetail(job), ifExists: 'keep', requireTrigger: false },
        ...triggers.map(
          (trigger): ScheduleChange => ({
            type: 'storeTrigger',
            trigger: aTrigger({ jobKey: aJobDetail(job).key, startTime: clock.now(), ...(trigger as object) }),
            ifExists: 'replace',
            startTimeDefaulted: false,
          }),
        ),
      ];
      await store.target.applySchedule(changes, { now: clock.now(), misfireThreshold: THRESHOLD });
    },
    async stateOf(name = 'trigger') {
      const [found] = await store.target.getTriggers([{ group: 'DEFAULT', name }]);
      return found?.state ?? null;
    },
    async jobData() {
      const [job] = await store.target.getJobs([aJobDetail().key]);
      return job?.data;
    },
    async advanceTo(time) {
      await settle();
      for (let next = clock.nextWakeTime; next !== null && next <= time; next = clock.nextWakeTime) {
        clock.advanceTo(next);
        await settle();
      }
      clock.advanceTo(time);
      await settle();
    },
  };
}
