import { JobExecutionException } from '../api/job-execution-exception';
import type { JobObject, Scheduler } from '../api/scheduler';
import type { Clock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { backoffDelay } from '../base/retry';
import { sleepFor } from '../base/sleep';
import type { Completion, CompletionInstruction } from '../domain/completion';
import type { TriggerFiring } from '../domain/firing';
import type { JobData } from '../domain/job-data';
import { formatKey } from '../domain/keys';
import type { EventBus } from '../events/event-bus';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { CompletionQueue } from './completion-queue';
import { decideInstruction } from './decide-instruction';
import { executed } from './execute-job';
import type { ExecutingJobs } from './executing-jobs';
import { JobContext } from './job-context';
import { asFactoryError, asFailure } from './job-failure';
import type { JobRegistry } from './job-registry';
import { returnedJobData } from './returned-job-data';
import { StartingJobs } from './starting-jobs';

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

export interface JobRunShellOptions {
  /** How often one firing may be run again at once. */
  readonly maxRefireCount: number;
}

/** How one run of the job ended. */
interface RunEnd {
  readonly failure: JobExecutionException | null;
  /** Data to store; null: nothing to store. */
  readonly jobData: JobData | null;
}

const ENDED_WELL: RunEnd = { failure: null, jobData: null };

/** The first refire comes at once, as the word says; a job that keeps asking is slowed down. Milliseconds. */
const REFIRE_BACKOFF = { firstDelay: 2, longestDelay: 1_000 } as const;

/** One firing on its way. */
interface Run {
  readonly firing: TriggerFiring;
  readonly job: JobObject;
  readonly context: JobContext;
  /** How often everything that runs had been interrupted when it was fired. */
  readonly seen: number;
}

/** The job is to run again in this firing. */
interface Refire {
  readonly end: RunEnd;
  /** The next round's listeners must not overtake this round's. */
  readonly told: Promise<void> | undefined;
}

const NOTHING_TO_RUN = Promise.resolve();

/**
 * Runs the job of one firing, from the registry to the completion. Whatever the job does, its firing is completed. A firing that
 * nobody listens to waits for its job only, by `then`: each async function on its way would cost it as much as all the rest,
 * and is compiled twice, before anything has come back to it and after.
 */
export class JobRunShell {
  readonly #parts: JobRunShellParts;
  readonly #options: JobRunShellOptions;
  readonly #starting = new StartingJobs();
  #numberOfJobsExecuted = 0;

  constructor(parts: JobRunShellParts, options: JobRunShellOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get numberOfJobsExecuted(): number {
    return this.#numberOfJobsExecuted;
  }

  /** Resolves when the job of every firing that was handed on by now has begun, or will not begin. */
  whenTheseBegin(): Promise<void> {
    return this.#starting.whenTheseBegin();
  }

  /** Never rejects. A bound function, because the worker pool is handed it for every firing. */
  readonly execute = (firing: TriggerFiring): Promise<void> => {
    const seen = this.#parts.executing.interruptions;
    const job = this.#resolveJob(firing);
    if (job instanceof Promise) return this.#beginWhenMade(firing, job, seen);
    return job === null ? NOTHING_TO_RUN : this.#begin(firing, job, seen);
  };

  async #beginWhenMade(firing: TriggerFiring, made: Promise<JobObject | null>, seen: number): Promise<void> {
    const job = await this.#starting.watch(made);
    if (job !== null) await this.#begin(firing, job, seen);
  }

  #begin(firing: TriggerFiring, job: JobObject, seen: number): Promise<void> {
    const { listeners, scheduler } = this.#parts;
    const run = { firing, job, context: new JobContext(firing, job, scheduler), seen };
    return listeners.isEmpty ? this.#runJob(run, this.#finish) : this.#announceAndRun(run);
  }

  async #announceAndRun(run: Run): Promise<void> {
    if (await this.#starting.watch(this.#announce(run))) await this.#runJob(run, this.#finish);
  }

  readonly #finish = (run: Run, end: RunEnd): Promise<void> | undefined => {
    const refire = this.#conclude(run, end);
    return refire === null ? undefined : this.#runAgain(run, refire);
  };

  async #runAgain(run: Run, first: Refire): Promise<void> {
    for (let refire: Refire | null = first; refire !== null; ) {
      await refire.told;
      if (!(await this.#prepareRefire(run))) {
        const last = decideInstruction(run.firing, refire.end.failure, false);
        return this.#enqueueCompletion(run.firing, last, refire.end, JobContext.runTimeOf(run.context));
      }
      if (!(await this.#announce(run))) return;
      refire = await this.#runJob(run, this.#conclude);
    }
  }

  /** False when a listener has vetoed. */
  async #announce({ firing, context }: Run): Promise<boolean> {
    const { listeners } = this.#parts;
    // Asked before awaited: an await costs as much as the rest of what nobody listens to.
    if (listeners.hasTriggerListeners && (await listeners.checkVeto(context))) {
      this.#veto(firing, context);
      return false;
    }
    if (listeners.hasJobListeners) await listeners.notifyTriggerFired(context);
    return true;
  }

  /** Completes the firing after one run of the job, unless it is to run again. */
  readonly #conclude = (run: Run, end: RunEnd): Refire | null => {
    const { listeners } = this.#parts;
    const instruction = this.#decideInstruction(run, end.failure);
    const told = listeners.isEmpty ? undefined : listeners.jobEnded(run.context, end.failure, instruction);
    if (instruction === 'RE_EXECUTE_JOB') return { end, told };
    this.#enqueueCompletion(run.firing, instruction, end, JobContext.runTimeOf(run.context));
    return null;
  };

  /** Null when there is nothing to run: then the job's triggers are put into ERROR, as in Quartz. */
  #resolveJob(firing: TriggerFiring): JobObject | Promise<JobObject | null> | null {
    try {
      const job = this.#parts.registry.resolve(firing.jobDetail);
      return job instanceof Promise ? job.catch((thrown) => this.#cannotRun(firing, thrown)) : job;
    } catch (thrown) {
      return this.#cannotRun(firing, thrown);
    }
  }

  #cannotRun(firing: TriggerFiring, thrown: unknown): null {
    const name = formatKey(firing.jobDetail.key);
    const error = asFactoryError(thrown, name);
    this.#reportError(`preparing job '${name}'; its triggers are in ERROR until they are reset`, error);
    const failure = new JobExecutionException(error.message, { cause: error });
    this.#enqueueCompletion(firing, 'SET_ALL_JOB_TRIGGERS_ERROR', { failure, jobData: null }, -1);
    return null;
  }

  /** The firing took place as far as the schedule is concerned; only the job does not run. */
  #veto(firing: TriggerFiring, context: JobContext): void {
    const { bus, clock, listeners } = this.#parts;
    bus.publish({ type: 'jobVetoed', at: clock.now(), firing });
    listeners.jobExecutionVetoed(context);
    this.#enqueueCompletion(firing, decideInstruction(firing, null, false), ENDED_WELL, -1);
  }

  /** Runs the job once; `next` is told how that ended. */
  #runJob<Answer>(run: Run, next: (run: Run, end: RunEnd) => Answer | Promise<Answer>): Promise<Answer> {
    const { clock } = this.#parts;
    this.#begun(run);
    const start = clock.monotonic();
    const ended = () => {
      JobContext.ended(run.context, clock.monotonic() - start);
      this.#parts.executing.delete(run.context);
    };
    return executed(run.job, run.context).then(
      (returned) => {
        ended();
        return next(run, this.#returned(run, returned));
      },
      (thrown) => {
        ended();
        return next(run, this.#threw(run, thrown));
      },
    );
  }

  #begun({ firing, context, seen }: Run): void {
    const { clock, bus, executing } = this.#parts;
    this.#numberOfJobsExecuted++;
    executing.add(context, seen);
    if (bus.has('jobStarted')) {
      bus.publish({ type: 'jobStarted', at: clock.now(), firing, refireCount: JobContext.refireCountOf(context) });
    }
  }

  #returned(run: Run, returned: unknown): RunEnd {
    try {
      const jobData = returnedJobData(run.firing.jobDetail, returned);
      return jobData === null ? ENDED_WELL : { failure: null, jobData };
    } catch (refused) {
      return this.#threw(run, refused);
    }
  }

  #threw({ firing, context }: Run, thrown: unknown): RunEnd {
    const { bus, clock } = this.#parts;
    const name = formatKey(firing.jobDetail.key);
    const { error, isDeclared } = asFailure(thrown, name);
    if (!isDeclared) this.#reportError(`running job '${name}'`, error);
    bus.publish({ type: 'jobFailed', at: clock.now(), firing, refireCount: JobContext.refireCountOf(context), error });
    return { failure: error, jobData: null };
  }

  #decideInstruction({ firing, context, seen }: Run, failure: JobExecutionException | null): CompletionInstruction {
    if (failure === null || !failure.refireImmediately) return decideInstruction(firing, failure, false);
    const { maxRefireCount } = this.#options;
    const { executing } = this.#parts;
    const isExhausted = JobContext.refireCountOf(context) >= maxRefireCount;
    if (isExhausted) {
      const name = formatKey(firing.jobDetail.key);
      const message = `Job '${name}' asked to be run again at once more than ${maxRefireCount} times (maxRefireCount).`;
      this.#reportError(`running job '${name}'`, new SchedulerError('JOB_EXECUTION', message, { cause: failure }));
    }
    return decideInstruction(firing, failure, !isExhausted && executing.mayRefire(context, seen));
  }

  /** Waits as long as a job that asks for the n-th time has to. False when it was told to stop meanwhile. */
  async #prepareRefire({ context, seen }: Run): Promise<boolean> {
    const { clock, random, executing } = this.#parts;
    const refires = JobContext.refireCountOf(context);
    if (refires > 0) {
      executing.addAwaitingRefire(context, seen);
      await sleepFor(clock, backoffDelay(refires, { ...REFIRE_BACKOFF, random }), JobContext.signalOf(context));
      executing.delete(context);
    }
    if (!executing.mayRefire(context, seen)) return false;
    JobContext.refire(context);
    return true;
  }

  #enqueueCompletion(
    firing: TriggerFiring,
    instruction: CompletionInstruction,
    { failure, jobData }: RunEnd,
    jobRunTime: number,
  ): void {
    const completion: Completion = jobData === null ? { firing, instruction } : { firing, instruction, jobData };
    this.#parts.completions.enqueue({ completion, jobRunTime, error: failure });
  }

  #reportError(during: string, error: Error): void {
    const { bus, clock } = this.#parts;
    bus.publish({ type: 'schedulerError', at: clock.now(), during, error });
  }
}
