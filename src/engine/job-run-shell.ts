import { isDeepStrictEqual } from 'node:util';
import { JobExecutionException } from '../api/job-execution-exception';
import type { JobObject, Scheduler } from '../api/scheduler';
import type { Clock } from '../base/clock';
import { isPlain, SchedulerError, toError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { backoffDelay } from '../base/retry';
import { sleepFor } from '../base/sleep';
import { checkJobData } from '../domain/check-job-data';
import type { CompletionInstruction } from '../domain/completion';
import type { TriggerFiring } from '../domain/firing';
import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey } from '../domain/keys';
import type { EventBus } from '../events/event-bus';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { CompletionQueue } from './completion-queue';
import type { ExecutingJobs } from './executing-jobs';
import { JobContext } from './job-context';
import type { JobRegistry } from './job-registry';

export interface JobRunShellParts {
  readonly clock: Clock;
  readonly registry: JobRegistry;
  readonly bus: EventBus;
  readonly listeners: ListenerDispatch;
  readonly executing: ExecutingJobs;
  readonly completions: Pick<CompletionQueue, 'enqueue'>;
  readonly scheduler: () => Scheduler;
  readonly random: RandomSource;
}

/** The first refire follows at once; a job that requests it again and again is slowed down. */
const REFIRE_BACKOFF_MS = { firstDelay: 2, longestDelay: 1_000 } as const;

/** How one execution of a job ended. */
interface JobOutcome {
  readonly failure: JobExecutionException | null;
  /** Data to store; null: nothing to store. */
  readonly jobData: JobData | null;
}

const SUCCEEDED: JobOutcome = { failure: null, jobData: null };

/** One firing with the object that executes it. */
interface Run {
  readonly firing: TriggerFiring;
  readonly job: JobObject;
  readonly context: JobContext;
  /** `ExecutingJobs.interruptions` when it was fired. */
  readonly interruptions: number;
}

/** Runs the job of one firing, from the registry to the completion. Whatever the job does, its firing is completed. */
export class JobRunShell {
  readonly #parts: JobRunShellParts;
  readonly #maxRefireCount: number;
  /** Factories and listeners that firings wait for before their jobs begin. */
  readonly #preparations = new Set<Promise<unknown>>();
  #numberOfJobsExecuted = 0;

  /** `maxRefireCount`: how often one firing may be run again at once. */
  constructor(parts: JobRunShellParts, { maxRefireCount }: { readonly maxRefireCount: number }) {
    this.#parts = parts;
    this.#maxRefireCount = maxRefireCount;
  }

  get numberOfJobsExecuted(): number {
    return this.#numberOfJobsExecuted;
  }

  /** Resolves when the job of every firing given to `execute` by now has begun, or will not begin. */
  async whenTheseBegin(): Promise<void> {
    await Promise.allSettled(this.#preparations); // factories
    await Promise.allSettled(this.#preparations); // listeners
  }

  /** Never rejects. A bound function, because it is passed to the worker pool with every firing. */
  readonly execute = async (firing: TriggerFiring): Promise<void> => {
    const { executing, listeners, scheduler } = this.#parts;
    const { interruptions } = executing;
    const made = this.#makeJob(firing);
    const job = made instanceof Promise ? await this.#beforeJob(made) : made;
    if (job === null) return;
    const run = { firing, job, context: new JobContext(firing, job, scheduler), interruptions };
    for (;;) {
      if (!listeners.isEmpty && (await this.#beforeJob(this.#notifyFired(run)))) return this.#veto(run);
      const start = this.#begin(run);
      let outcome: JobOutcome;
      try {
        outcome = this.#succeeded(run, start, await job.execute(run.context));
      } catch (thrown) {
        outcome = this.#failed(run, start, thrown);
      }
      const instruction = this.#decideInstruction(run, outcome.failure);
      const notified = listeners.isEmpty ? undefined : listeners.jobEnded(run.context, outcome.failure, instruction);
      if (instruction !== 'RE_EXECUTE_JOB') return this.#complete(run, instruction, outcome);
      await notified; // before the listeners of the next execution
      if (!(await this.#prepareRefire(run))) {
        return this.#complete(run, decideInstruction(firing, outcome.failure, false), outcome);
      }
    }
  };

  /** Null when there is nothing to run: then the job's triggers are put into ERROR, as in Quartz. */
  #makeJob(firing: TriggerFiring): JobObject | Promise<JobObject | null> | null {
    try {
      const job = this.#parts.registry.resolve(firing.jobDetail);
      return job instanceof Promise ? job.catch((thrown) => this.#completeUnmade(firing, thrown)) : job;
    } catch (thrown) {
      return this.#completeUnmade(firing, thrown);
    }
  }

  #completeUnmade(firing: TriggerFiring, thrown: unknown): null {
    const name = formatKey(firing.jobDetail.key);
    const cause = toFactoryError(thrown, name);
    this.#reportError(`preparing job '${name}'; its triggers are in ERROR until they are reset`, cause);
    const completion = { firing, instruction: 'SET_ALL_JOB_TRIGGERS_ERROR' } as const;
    const error = new JobExecutionException(cause.message, { cause });
    this.#parts.completions.enqueue({ completion, jobRunTime: -1, error });
    return null;
  }

  /** Keeps the promise for `whenTheseBegin`. */
  #beforeJob<T>(preparation: Promise<T>): Promise<T> {
    this.#preparations.add(preparation);
    const settled = () => this.#preparations.delete(preparation);
    preparation.then(settled, settled);
    return preparation;
  }

  /** True when a listener vetoes the execution. */
  async #notifyFired({ context }: Run): Promise<boolean> {
    const { listeners } = this.#parts;
    if (await listeners.checkVeto(context)) return true;
    await listeners.notifyTriggerFired(context);
    return false;
  }

  /** For the schedule the firing took place; only the job does not run. */
  #veto(run: Run): void {
    const { bus, clock, listeners } = this.#parts;
    bus.publish({ type: 'jobVetoed', at: clock.now(), firing: run.firing });
    listeners.jobExecutionVetoed(run.context);
    this.#complete(run, decideInstruction(run.firing, null, false), SUCCEEDED);
  }

  /** Returns the time by the monotonic clock. */
  #begin({ firing, context, interruptions }: Run): number {
    const { clock, bus, executing } = this.#parts;
    this.#numberOfJobsExecuted++;
    executing.add(context, interruptions);
    if (bus.has('jobStarted')) {
      bus.publish({ type: 'jobStarted', at: clock.now(), firing, refireCount: JobContext.refireCountOf(context) });
    }
    return clock.monotonic();
  }

  /** Throws INVALID_JOB_DATA for a value that a job must not return. */
  #succeeded(run: Run, start: number, returned: unknown): JobOutcome {
    this.#end(run, start);
    const jobData = returnedJobData(run.firing.jobDetail, returned);
    return jobData === null ? SUCCEEDED : { failure: null, jobData };
  }

  #failed(run: Run, start: number, thrown: unknown): JobOutcome {
    this.#end(run, start);
    const { bus, clock } = this.#parts;
    const { firing, context } = run;
    const name = formatKey(firing.jobDetail.key);
    const { error, isDeclared } = toJobFailure(thrown, name);
    if (!isDeclared) this.#reportError(`running job '${name}'`, error);
    bus.publish({ type: 'jobFailed', at: clock.now(), firing, refireCount: JobContext.refireCountOf(context), error });
    return { failure: error, jobData: null };
  }

  #end({ context }: Run, start: number): void {
    const { clock, executing } = this.#parts;
    JobContext.ended(context, clock.monotonic() - start);
    executing.delete(context);
  }

  #decideInstruction(run: Run, failure: JobExecutionException | null): CompletionInstruction {
    const { firing, context, interruptions } = run;
    if (failure === null || !failure.refireImmediately) return decideInstruction(firing, failure, false);
    const isExhausted = JobContext.refireCountOf(context) >= this.#maxRefireCount;
    if (isExhausted) {
      const name = formatKey(firing.jobDetail.key);
      const message = `Job '${name}' asked to be run again at once more than ${this.#maxRefireCount} times (maxRefireCount).`;
      this.#reportError(`running job '${name}'`, new SchedulerError('JOB_EXECUTION', message, { cause: failure }));
    }
    const mayRefire = !isExhausted && this.#parts.executing.mayRefire(context, interruptions);
    return decideInstruction(firing, failure, mayRefire);
  }

  /** Waits longer with each refire. False when the job was interrupted meanwhile. */
  async #prepareRefire({ context, interruptions }: Run): Promise<boolean> {
    const { clock, random, executing } = this.#parts;
    const refires = JobContext.refireCountOf(context);
    if (refires > 0) {
      executing.addAwaitingRefire(context, interruptions);
      await sleepFor(clock, backoffDelay(refires, { ...REFIRE_BACKOFF_MS, random }), JobContext.signalOf(context));
      executing.delete(context);
    }
    if (!executing.mayRefire(context, interruptions)) return false;
    JobContext.refire(context);
    return true;
  }

  #complete({ firing, context }: Run, instruction: CompletionInstruction, { failure, jobData }: JobOutcome): void {
    const completion = jobData === null ? { firing, instruction } : { firing, instruction, jobData };
    this.#parts.completions.enqueue({ completion, jobRunTime: JobContext.runTimeOf(context), error: failure });
  }

  #reportError(during: string, error: Error): void {
    const { bus, clock } = this.#parts;
    bus.publish({ type: 'schedulerError', at: clock.now(), during, error });
  }
}

/** The instruction for the trigger, in Quartz's order of precedence. `mayRefire`: running the job once more is allowed. */
export function decideInstruction(
  firing: TriggerFiring,
  failure: JobExecutionException | null,
  mayRefire: boolean,
): CompletionInstruction {
  if (failure !== null) {
    if (failure.refireImmediately && mayRefire) return 'RE_EXECUTE_JOB';
    if (failure.unscheduleFiringTrigger) return 'SET_TRIGGER_COMPLETE';
    if (failure.unscheduleAllTriggers) return 'SET_ALL_JOB_TRIGGERS_COMPLETE';
  }
  return firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP';
}

/**
 * The job data to store from a job's return value: a frozen copy, or null when the job does not persist its data, returned
 * nothing, or returned the data that is stored already. Throws INVALID_JOB_DATA.
 */
export function returnedJobData(jobDetail: JobDetail, returned: unknown): JobData | null {
  if (!jobDetail.persistJobDataAfterExecution || returned === undefined || returned === null) return null;
  const data = checkJobData(returned, `job '${formatKey(jobDetail.key)}'`);
  return isDeepStrictEqual(data, jobDetail.data) ? null : data;
}

const FAILURE_FLAGS = ['refireImmediately', 'unscheduleFiringTrigger', 'unscheduleAllTriggers'] as const;

/**
 * Any value that a job threw, as an exception whose flags can be read without running code of the job. `isDeclared`: the job threw a
 * JobExecutionException itself; anything else is reported as an error.
 */
function toJobFailure(thrown: unknown, jobName: string): { error: JobExecutionException; isDeclared: boolean } {
  const cause = toError(thrown);
  if (cause instanceof JobExecutionException && isPlain(cause, FAILURE_FLAGS))
    return { error: cause, isDeclared: true };
  const error = new JobExecutionException(`The job '${jobName}' threw: ${cause.message}`, { cause });
  return { error, isDeclared: false };
}

/** Why the object to execute could not be made. */
function toFactoryError(thrown: unknown, jobName: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError && isPlain(cause, ['code']) && cause.code === 'UNKNOWN_JOB_TYPE') return cause;
  return new SchedulerError('JOB_FACTORY', `The job '${jobName}' could not be made: ${cause.message}`, { cause });
}
