import type { ShutdownOptions } from '../api/shutdown-options';
import type { Clock, EpochMs } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { completesWithin, sleepFor } from '../base/sleep';
import type { EventInput } from './schedule-events';

/** Schedulers that have stored triggers but were neither started nor shut down. */
const unstarted = new Set<Lifecycle>();

const FORGOTTEN =
  'The process ends, but the scheduler was never started. Its stored triggers fire only if another node runs. Call start(), or shutdown() in a ' +
  'program that only schedules.';

/** Warns about each scheduler that was never started, when the process has no work left. One `beforeExit` listener serves all schedulers. */
function warnOfUnstarted(): void {
  for (const lifecycle of unstarted) lifecycle.warnOfForgottenStart();
}

/** The states of a scheduler: created → standby ⇄ started → shuttingDown → shutdown. */
type LifecycleState = 'created' | 'standby' | 'started' | 'shuttingDown' | 'shutdown';

type ShutdownPlan = Readonly<Required<ShutdownOptions>>;

/** Steps that start and stop the components of a scheduler. `Lifecycle` calls them in order, never two at the same time. */
export interface LifecycleSteps {
  /** Runs before the first start. If it fails, the next start calls it again. */
  prepare(): Promise<void>;
  start(): Promise<void>;
  standby(): Promise<void>;
  /** Stops firing and waits for running jobs until the deadline. Returns the number of jobs that had not ended by the deadline. */
  drain(plan: ShutdownPlan): Promise<number>;
  /** Closes all components. Called after the running jobs have ended or the deadline has passed. */
  close(plan: ShutdownPlan): Promise<void>;
}

interface LifecycleParts {
  readonly clock: Clock;
  readonly steps: LifecycleSteps;
  readonly announce: (event: EventInput) => void;
}

/** Minimum time that a shutdown waits for a start or standby in progress, in milliseconds. */
const MIN_STEP_TIMEOUT_MS = 250;

/** State machine of one scheduler. Runs the requested transitions one after another, in the order of the calls. */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  readonly #closing = new AbortController();
  /** Aborts when a standby is requested, which ends the delays of earlier calls of `startDelayed`. */
  #delays = new AbortController();
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

  /** Time of the first start; null before the first start. */
  get runningSince(): EpochMs | null {
    return this.#runningSince;
  }

  /** True as soon as a shutdown is requested, even while the shutdown waits for a start in progress. */
  get isEnding(): boolean {
    return this.#shutdown !== null;
  }

  get isInStandbyMode(): boolean {
    return this.#state === 'created' || this.#state === 'standby';
  }

  /** Enters standby mode. Called when all components are connected and the store is open. */
  opened(): void {
    this.#state = 'standby';
  }

  /** Records that triggers were stored. If the scheduler is never started, a warning is published when the process ends. */
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

  /** Throws SCHEDULER_STATE if the scheduler has shut down. Jobs that still run during a shutdown may use the scheduler until its store closes. */
  assertUsable(): void {
    if (this.#state === 'shutdown') throw gone('used');
  }

  /** Starts the scheduler, or does nothing if it is already started. Rejects with SCHEDULER_STATE if a shutdown has been requested. */
  async start(): Promise<void> {
    this.#assertNotEnding('started');
    return this.#inTurn(async () => {
      if (this.#state !== 'standby') return;
      const { clock, steps, announce } = this.#parts;
      announce({ type: 'schedulerStarting' });
      if (this.#runningSince === null) await steps.prepare();
      if (this.state !== 'standby') throw gone('started'); // a shutdown reached its deadline and did not wait for this step
      await steps.start();
      this.#runningSince ??= clock.now();
      this.#noLongerUnstarted();
      this.#state = 'started';
      announce({ type: 'schedulerStarted' });
    });
  }

  /** Starts after `delay` ms unless a standby or shutdown is requested first; resolves in both cases. Throws SCHEDULER_STATE if one was already requested. */
  startDelayed(delay: number): Promise<void> {
    this.#assertNotEnding('started');
    return this.#startAfter(delay);
  }

  /** Stops firing triggers, or does nothing if the scheduler is not started. Rejects with SCHEDULER_STATE if a shutdown has been requested. */
  async standby(): Promise<void> {
    this.#assertNotEnding('put in standby');
    this.#delays.abort(); // a delayed start that was requested earlier must not end the standby
    this.#delays = new AbortController();
    return this.#inTurn(async () => {
      if (this.#state !== 'started') return;
      await this.#parts.steps.standby();
      this.#state = 'standby';
      this.#parts.announce({ type: 'schedulerInStandbyMode' });
    });
  }

  /** Shuts down once; later calls return the same promise. Waits for a start or standby only until the deadline, because a plugin may hang. */
  shutdown(plan: ShutdownPlan): Promise<void> {
    this.#closing.abort();
    this.#noLongerUnstarted();
    const { clock } = this.#parts;
    const end = clock.monotonic() + plan.deadline;
    const timeoutMs = Math.max(MIN_STEP_TIMEOUT_MS, plan.deadline);
    this.#shutdown ??= completesWithin(clock, timeoutMs, this.#turn).then(() =>
      this.#end(() => ({ ...plan, deadline: Math.max(0, end - clock.monotonic()) })),
    );
    return this.#shutdown;
  }

  async #startAfter(delay: number): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, this.#delays.signal]);
    await sleepFor(this.#parts.clock, delay, signal);
    if (!signal.aborted) await this.start();
  }

  /** Drains and closes the scheduler. `planNow` returns the plan with the time left until the deadline. */
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
    // A failed step must not make later steps fail. Only the caller of the failed step receives its error.
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

function gone(verb: string): SchedulerStateError {
  return new SchedulerStateError(`The scheduler was shut down and cannot be ${verb} again. Create a new one.`);
}
