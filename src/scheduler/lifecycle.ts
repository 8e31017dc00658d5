import type { ShutdownOptions } from '../api/scheduler';
import type { Clock, EpochMs } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { settlesWithin, sleepFor } from '../base/sleep';
import type { EventInput } from './schedule-events';

/** Schedulers that have stored something and were neither started nor shut down. */
const unstarted = new Set<Lifecycle>();

const FORGOTTEN =
  'The process ends, but the scheduler was never started. Its stored triggers fire only if another node runs. Call start(), or shutdown() in a ' +
  'program that only schedules.';

/** Warns of schedulers that were never started, when the process has nothing left to do. One listener serves all schedulers. */
function warnOfUnstarted(): void {
  for (const lifecycle of unstarted) lifecycle.warnOfForgottenStart();
}

/** created → standby ⇄ started → shuttingDown → shutdown. */
export type LifecycleState = 'created' | 'standby' | 'started' | 'shuttingDown' | 'shutdown';

/** Shutdown options with all defaults filled in. */
export type ShutdownPlan = Readonly<Required<ShutdownOptions>>;

/** Steps that move the parts from one state to the next. They are called in order, never two at a time. */
export interface LifecycleSteps {
  /** Before the first start. */
  prepare(): Promise<void>;
  start(): Promise<void>;
  standby(): Promise<void>;
  /** Stops firing and lets jobs end; returns how many did not. */
  drain(plan: ShutdownPlan): Promise<number>;
  /** Closes everything that is open; jobs have ended. */
  close(plan: ShutdownPlan): Promise<void>;
}

export interface LifecycleParts {
  readonly clock: Clock;
  readonly steps: LifecycleSteps;
  readonly announce: (event: EventInput) => void;
}

/** The shortest time that a step in progress gets to end before the scheduler is shut down. */
const MIN_STEP_TIMEOUT_MS = 250;

/** The states of one scheduler. Requests are carried out one after another, in the order they were made. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  readonly #closing = new AbortController();
  #state: LifecycleState = 'created';
  #runningSince: EpochMs | null = null;
  #turn: Promise<void> = Promise.resolve();
  #shutdown: Promise<void> | null = null;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /** Time of the first start, or null. */
  get runningSince(): EpochMs | null {
    return this.#runningSince;
  }

  /** A shutdown was requested; its first step may still wait for a start in progress. */
  get isEnding(): boolean {
    return this.#shutdown !== null;
  }

  get isInStandbyMode(): boolean {
    return this.#state === 'created' || this.#state === 'standby';
  }

  /** Everything is wired and open. */
  opened(): void {
    this.#state = 'standby';
  }

  /** Notes that something was stored. If this scheduler is never started, a warning appears at the end of the process. */
  scheduled(): void {
    if (this.#runningSince !== null || this.#shutdown !== null || unstarted.has(this)) return;
    if (unstarted.size === 0) process.once('beforeExit', warnOfUnstarted);
    unstarted.add(this);
  }

  warnOfForgottenStart(): void {
    this.#noLongerUnstarted();
    this.#parts.announce({ type: 'configurationWarning', message: FORGOTTEN });
  }

  #noLongerUnstarted(): void {
    unstarted.delete(this);
    if (unstarted.size === 0) process.removeListener('beforeExit', warnOfUnstarted);
  }

  /** Jobs that still run while the scheduler shuts down may go on using it, until its store closes. */
  assertUsable(): void {
    if (this.#state === 'shutdown') throw gone('used');
  }

  /** Starts the scheduler; no effect if started. Throws SCHEDULER_STATE once a shutdown was requested. */
  async start(): Promise<void> {
    this.#assertNotEnding('started');
    return this.#inTurn(async () => {
      if (this.#state !== 'standby') return;
      const { clock, steps, announce } = this.#parts;
      announce({ type: 'schedulerStarting' });
      if (this.#runningSince === null) await steps.prepare();
      if (this.state !== 'standby') throw gone('started'); // the shutdown did not wait for us
      await steps.start();
      this.#runningSince ??= clock.now();
      this.#noLongerUnstarted();
      this.#state = 'started';
      announce({ type: 'schedulerStarted' });
    });
  }

  /** Starts after `delay` milliseconds, unless shutdown comes first. Resolves when it is decided. Throws SCHEDULER_STATE. */
  startDelayed(delay: number): Promise<void> {
    this.#assertNotEnding('started');
    return this.#startAfter(delay);
  }

  /** Pauses firing; no effect if not started. Throws SCHEDULER_STATE once a shutdown was requested. */
  async standby(): Promise<void> {
    this.#assertNotEnding('put in standby');
    return this.#inTurn(async () => {
      if (this.#state !== 'started') return;
      await this.#parts.steps.standby();
      this.#state = 'standby';
      this.#parts.announce({ type: 'schedulerInStandbyMode' });
    });
  }

  /**
   * Asked a second time, it returns the promise of the first. A step under way is waited for no longer than the deadline:
   * a plugin whose start hangs must not keep the scheduler from ending.
   */
  shutdown(plan: ShutdownPlan): Promise<void> {
    this.#closing.abort();
    this.#noLongerUnstarted();
    const { clock } = this.#parts;
    const end = clock.monotonic() + plan.deadline;
    const timeoutMs = Math.max(MIN_STEP_TIMEOUT_MS, plan.deadline);
    this.#shutdown ??= settlesWithin(clock, timeoutMs, this.#turn).then(() =>
      this.#end(() => ({ ...plan, deadline: Math.max(0, end - clock.monotonic()) })),
    );
    return this.#shutdown;
  }

  async #startAfter(delay: number): Promise<void> {
    const { signal } = this.#closing;
    await sleepFor(this.#parts.clock, delay, signal);
    if (!signal.aborted) await this.start();
  }

  /** Drains and closes. `planNow` returns the plan with the remaining time until the deadline. */
  async #end(planNow: () => ShutdownPlan): Promise<void> {
    const { steps, announce } = this.#parts;
    this.#state = 'shuttingDown';
    announce({ type: 'schedulerShuttingDown' });
    const abandonedJobs = await steps.drain(planNow()).finally(() => this.#close(planNow()));
    announce({ type: 'schedulerShutdown', abandonedJobs });
  }

  #close(plan: ShutdownPlan): Promise<void> {
    this.#state = 'shutdown';
    return this.#parts.steps.close(plan);
  }

  #assertNotEnding(verb: string): void {
    if (this.#shutdown !== null) throw gone(verb);
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(step);
    // The next in turn does not fail because this one did; only the caller of this one gets the error.
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

function gone(verb: string): SchedulerStateError {
  return new SchedulerStateError(`The scheduler was shut down and cannot be ${verb} again. Create a new one.`);
}
