import { pino } from 'pino';
import type { Plugin } from './api/plugin';
import type { Jobs, Scheduler } from './api/scheduler';
import { type EpochMs, earliestOf } from './base/clock';
import { SchedulerError } from './base/errors';
import type { RandomSource } from './base/ids';
import { ManualClock } from './base/manual-clock';
import { yieldToEventLoop } from './base/yield-to-event-loop';
import type { Configuration } from './config/configuration';
import { loadConfig } from './config/load-config';
import type { SchedulerConfig } from './config/scheduler-config';
import { checkOptions } from './domain/check-options';
import type { TriggerFiring } from './domain/firing';
import type { JobKey, TriggerKey } from './domain/keys';
import type { SchedulerEvent, SchedulerEventOf } from './domain/scheduler-event';
import { WAITING_STATES } from './domain/trigger-state';
import type { EventBus } from './events/event-bus';
import { assemble } from './scheduler/assemble';
import type { SchedulerRuntime } from './scheduler/wire-scheduler';

export type { Clock } from './base/clock';
export { ManualClock };

/** Options of `createTestScheduler`. */
export interface TestSchedulerOptions {
  /** Jobs by job type. Default: none. */
  readonly jobs?: Jobs;
  /** Start time of the scheduler's clock. Default: 2026-01-01T00:00:00Z. */
  readonly startTime?: Date | EpochMs;
  /** Configuration, as for `createScheduler`. Without a configuration, the time zone is UTC. */
  readonly config?: string | Configuration;
  /** Plugins to install after the plugins of the configuration. Default: none. */
  readonly plugins?: readonly Plugin[];
}

/** A started scheduler with its own clock, for tests. Triggers fire only while one of the methods below runs. */
export interface TestScheduler {
  /** Started scheduler. */
  readonly scheduler: Scheduler;
  /** Clock of the scheduler, which moves only when the test advances it. */
  readonly clock: ManualClock;
  /** Advances time to `time`. Each trigger fires at its scheduled time on the clock. Returns the firings in order. */
  advanceTo(time: Date | EpochMs): Promise<readonly Firing[]>;
  /** Advances time by `milliseconds`, like `advanceTo`. */
  advanceBy(milliseconds: number): Promise<readonly Firing[]>;
  /** Fires everything that is due now, without advancing time. Returns the firings in order. */
  runDue(): Promise<readonly Firing[]>;
}

/** A firing, for assertions. */
export interface Firing {
  /** Job that ran. */
  readonly job: JobKey;
  /** Trigger that fired. */
  readonly trigger: TriggerKey;
  /** Scheduled fire time. */
  readonly scheduledFireTime: Date;
  /** Actual fire time. Later than the scheduled time after a misfire. */
  readonly fireTime: Date;
  /** Outcome of the firing. `running`: the job waits for the clock. */
  readonly outcome: 'succeeded' | 'failed' | 'vetoed' | 'skipped' | 'deferred' | 'running';
  /** Error that the job threw, or null if there is none. */
  readonly error: Error | null;
}

const OPTIONS = { jobs: true, startTime: true, config: true, plugins: true } as const;
const DEFAULT_START_TIME = Date.UTC(2026, 0, 1);
const YEAR_MS = 366 * 24 * 3_600_000;
const CENTURY_MS = 100 * YEAR_MS;

/** Number of event loop turns without progress after which all jobs are assumed to wait for the clock. */
const QUIET_TURNS = 3;

const PAGE = 100;

/**
 * Creates and starts a scheduler that fires only during `advanceTo`, `advanceBy` and `runDue`. These methods resolve when the jobs have ended or
 * wait for the clock. Equal calls lead to equal firings. Rejects with CONFIGURATION for an invalid configuration or a store in a database.
 */
export async function createTestScheduler(options: TestSchedulerOptions = {}): Promise<TestScheduler> {
  const { jobs = {}, startTime = DEFAULT_START_TIME, plugins = [] } = checkOptions(options, OPTIONS);
  const clock = new ManualClock(startTime);
  const { config, warnings } = await loadConfig(options.config);
  refuseDatabase(config);
  const runtime = await assemble(
    { config: forTests(config, options.config !== undefined), warnings },
    { jobs, plugins, clock, random: countedTokens(), logger: pino({ level: 'silent' }), isDriven: true },
  );
  const stepper = new Stepper(runtime, clock);
  const record = new FiringRecord(runtime.bus);
  await runtime.scheduler.start();

  const advanceTo = async (time: Date | EpochMs) => {
    await stepper.advanceTo(time);
    return record.take();
  };
  return {
    scheduler: runtime.scheduler,
    clock,
    advanceTo,
    advanceBy: (milliseconds) => advanceTo(clock.now() + milliseconds),
    async runDue() {
      await stepper.runDue();
      return record.take();
    },
  };
}

/** Throws CONFIGURATION unless the store is in memory. Other processes could change a shared store at any time. */
function refuseDatabase({ jobStore }: SchedulerConfig): void {
  if (jobStore.kind === 'memory') return;
  throw new SchedulerError(
    'CONFIGURATION',
    `Expected jobStore.class to be memory, found ${jobStore.kind}: a scheduler for tests keeps everything in memory.`,
  );
}

/** Adjusts the configuration for tests. Disables the listener timeout, because the manual clock may advance while a listener waits for real I/O. */
function forTests(config: SchedulerConfig, isConfigured: boolean): SchedulerConfig {
  return { ...config, listenerTimeout: CENTURY_MS, timeZone: isConfigured ? config.timeZone : 'UTC' };
}

/** Returns a random source that returns the same tokens in every process. */
function countedTokens(): RandomSource {
  let count = 0;
  return { token: (length) => (++count).toString(36).padStart(length, '0').slice(-length) };
}

/** Advances time from one due time to the next, so that firings happen in order and at their scheduled times. */
class Stepper {
  readonly #runtime: SchedulerRuntime;
  readonly #clock: ManualClock;
  /** Number of sleepers while no job runs. They belong, for example, to plugins or to a delayed start. */
  #idleSleepers = 0;

  constructor(runtime: SchedulerRuntime, clock: ManualClock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** Runs everything that is due up to `time`, in order. Resolves when all jobs have ended or wait for a later time. */
  async advanceTo(time: Date | EpochMs): Promise<void> {
    const target = this.#clock.checkAhead(time);
    for (;;) {
      await this.runDue();
      const next = await this.#nextTime();
      if (next === null || next > target) break;
      this.#clock.advanceTo(next);
    }
    this.#clock.advanceTo(target);
  }

  /** Runs everything that is due now. Resolves when all jobs have ended or wait for the clock. */
  async runDue(): Promise<void> {
    const { engine, lifecycle, workers, pauseEnds, occurrenceWatch, overdue } = this.#runtime;
    // Jobs that the clock has just woken continue first.
    await yieldToEventLoop();
    if (workers.running === 0) this.#idleSleepers = this.#sleepers();
    if (lifecycle.state === 'started') {
      await Promise.all([pauseEnds.runOnce(), occurrenceWatch.runOnce(), overdue.runOnce()]);
    }
    const work = lifecycle.state === 'started' ? engine.runOnce() : engine.whenQuiet();
    const ended = new AbortController();
    await Promise.race([work.finally(() => ended.abort()), this.#whenAllSleep(ended.signal)]);
  }

  /** Resolves when every running job waits for the clock, or when `signal` aborts. Only `advanceTo` moves the clock. */
  async #whenAllSleep(signal: AbortSignal): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS && !signal.aborted; turns = this.#allSleep() ? turns + 1 : 0) {
      await yieldToEventLoop();
    }
  }

  #allSleep(): boolean {
    const { running } = this.#runtime.workers;
    return running > 0 && this.#sleepers() - this.#idleSleepers >= running;
  }

  #sleepers(): number {
    const now = this.#clock.now();
    return this.#clock.wakeTimes.filter((time) => time < now + YEAR_MS).length;
  }

  async #nextTime(): Promise<EpochMs | null> {
    const { lifecycle, pauseEnds, overdue } = this.#runtime;
    const isStarted = lifecycle.state === 'started';
    const fireTime = isStarted ? await this.#nextFireTime() : null;
    const pauseEnd = isStarted ? pauseEnds.next : null;
    const nextDue = isStarted ? overdue.next : null;
    return earliestOf([fireTime, pauseEnd, nextDue, this.#clock.nextWakeTime]) ?? null;
  }

  /** Returns the first future fire time, or null. Ignores due triggers: they wait for something other than time, such as a free worker. */
  async #nextFireTime(): Promise<EpochMs | null> {
    const { store } = this.#runtime;
    const now = this.#clock.now();
    const waiting = { states: WAITING_STATES, sort: 'nextFireTime', take: PAGE, omitTotal: true } as const;
    let page = await store.pageTriggers(waiting);
    for (;;) {
      const next = page.items.map(({ trigger }) => trigger.nextFireTime).find((time) => time === null || time > now);
      if (next !== undefined) return next;
      if (page.next === null) return null;
      page = await store.pageTriggers({ ...waiting, after: page.next });
    }
  }
}

/** Outcomes of firings whose job does not run, by the event that reports them. */
const WITHOUT_RUN = {
  jobVetoed: 'vetoed',
  firingSkipped: 'skipped',
  firingDeferred: 'deferred',
  runRefused: 'deferred',
} as const;

function isWithoutRun(event: SchedulerEvent): event is SchedulerEventOf<keyof typeof WITHOUT_RUN> {
  return event.type in WITHOUT_RUN;
}

class FiringRecord {
  #fired: TriggerFiring[] = [];
  readonly #endings = new Map<string, Pick<Firing, 'outcome' | 'error'>>();

  constructor(bus: EventBus) {
    bus.subscribe((event) => {
      if (event.type === 'triggerFired') this.#fired.push(event.firing);
      else if (event.type === 'triggerCompleted') this.#end(event.firing.runId, event.error);
      else if (isWithoutRun(event))
        this.#endings.set(event.firing.runId, { outcome: WITHOUT_RUN[event.type], error: null });
    });
  }

  /** Returns the firings since the last call. */
  take(): readonly Firing[] {
    const fired = this.#fired;
    this.#fired = [];
    return fired.map((firing) => this.#toFiring(firing));
  }

  #end(runId: string, error: Error | null): void {
    if (this.#endings.has(runId)) return; // already recorded as vetoed, skipped or deferred
    this.#endings.set(runId, { outcome: error === null ? 'succeeded' : 'failed', error });
  }

  #toFiring({ runId, trigger, jobDetail, scheduledFireTime, fireTime }: TriggerFiring): Firing {
    const ending = this.#endings.get(runId) ?? { outcome: 'running', error: null };
    this.#endings.delete(runId);
    return {
      job: jobDetail.key,
      trigger: trigger.key,
      scheduledFireTime: new Date(scheduledFireTime),
      fireTime: new Date(fireTime),
      ...ending,
    };
  }
}
