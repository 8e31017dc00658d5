import { pino } from 'pino';
import type { Plugin } from './api/plugin';
import type { Jobs, Scheduler } from './api/scheduler';
import type { EpochMs } from './base/clock';
import { SchedulerError } from './base/errors';
import type { RandomSource } from './base/ids';
import { ManualClock } from './base/manual-clock';
import type { Configuration } from './config/configuration';
import { loadConfig } from './config/load-config';
import type { SchedulerConfig } from './config/scheduler-config';
import { assemble } from './scheduler/create-scheduler';
import { type Firing, FiringRecord } from './scheduler/firing-record';
import { Stepper } from './scheduler/stepper';

export type { Clock } from './base/clock';
export type { Firing } from './scheduler/firing-record';
export { ManualClock };

/** What a scheduler for tests begins with. */
export interface TestSchedulerOptions {
  /** The job types that can run. Default: none. */
  readonly jobs?: Jobs;
  /** Where its time begins; default 2026-01-01T00:00:00Z. */
  readonly startTime?: Date | EpochMs;
  /** As for `createScheduler`. Without it the time zone is UTC. */
  readonly config?: string | Configuration;
  /** Installed after those of the configuration. Default: none. */
  readonly plugins?: readonly Plugin[];
}

/** A scheduler for tests: started, on a clock of its own, and still until it is told to go on. */
export interface TestScheduler {
  /** The scheduler, started. */
  readonly scheduler: Scheduler;
  /** Its time, moved by hand. */
  readonly clock: ManualClock;
  /** Lets time pass until `time`, running every firing at its own moment. Resolves with what fired, in order. */
  advanceTo(time: Date | EpochMs): Promise<readonly Firing[]>;
  /** Lets `milliseconds` pass. */
  advanceBy(milliseconds: number): Promise<readonly Firing[]>;
  /** Runs what is due now; no time passes. */
  runDue(): Promise<readonly Firing[]>;
}

const START = Date.UTC(2026, 0, 1);
const A_CENTURY = 100 * 366 * 24 * 3_600_000;

/**
 * Creates and starts a scheduler that does nothing by itself: `advanceTo`, `advanceBy` and `runDue` run what is due and
 * wait for the jobs. The same calls always give the same firings.
 */
export async function createTestScheduler(options: TestSchedulerOptions = {}): Promise<TestScheduler> {
  const { jobs = {}, startTime = START, plugins = [] } = options;
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

/** What other processes share does not stand still. */
function refuseDatabase({ jobStore }: SchedulerConfig): void {
  if (jobStore.kind === 'memory') return;
  throw new SchedulerError(
    'CONFIGURATION',
    `Expected jobStore.class to be memory, found ${jobStore.kind}: a scheduler for tests keeps everything in memory.`,
  );
}

/** A listener that waits for real things must not be given up because the manual clock runs ahead of them. */
function forTests(config: SchedulerConfig, isConfigured: boolean): SchedulerConfig {
  return { ...config, listenerTimeout: A_CENTURY, timeZone: isConfigured ? config.timeZone : 'UTC' };
}

/** Tokens that are the same in every run. */
function countedTokens(): RandomSource {
  let count = 0;
  return { token: (length) => (++count).toString(36).padStart(length, '0').slice(-length) };
}
