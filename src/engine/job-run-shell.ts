import { JobExecutionException } from '../api/job-execution-exception';
import type { JobObject, Scheduler } from '../api/scheduler';
import { SchedulerError, toError } from '../base/errors';
import { inOwnContext } from '../base/own-context';
import { backoffDelay } from '../base/retry';
import { sleepFor } from '../base/sleep';
import type { AlertsConfig } from '../config/scheduler-config';
import { deadlineOf, type Refusal, refuse, refuseOld } from '../domain/admission';
import { mayHaveCheckpoint } from '../domain/checkpoint';
import type { Completion, CompletionInstruction } from '../domain/completion';
import { policyOf } from '../domain/execution-policy';
import type { TriggerFiring } from '../domain/firing';
import type { NodeJobTypes } from '../domain/job-types';
import { formatKey } from '../domain/keys';
import { spreadOf } from '../domain/shards';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { FiringStore } from '../store/job-store';
import type { TransactionStore } from '../store/transaction-store';
import { awaitedCall } from './awaited-call';
import { refuseBroadcast } from './broadcast';
import { type CheckpointParts, loadCheckpoint } from './checkpoints';
import type { CompletionQueue } from './completion-queue';
import type { ExecutingJobs } from './executing-jobs';
import { JobContext, type JobContextHost } from './job-context';
import type { JobMiddlewares } from './job-middleware';
import {
  answeredOutcome,
  decideInstruction,
  isVersioned,
  outcomeOfFailure,
  prepareData,
  toFactoryError,
  toJobFailure,
  transactIn,
} from './job-outcome';
import type { JobRegistry } from './job-registry';
import type { JobThreads } from './job-threads';
import { RunAlerts } from './run-alerts';
import { completionOf, endOfGivenUp, type JobOutcome, outcomeOfSkip } from './run-ending';
import { type RunNewsParts, tellExpected, tellFailure } from './run-news';
import { runWithin } from './time-limit';

export interface JobRunShellParts extends CheckpointParts, RunNewsParts {
  readonly registry: JobRegistry;
  readonly listeners: ListenerDispatch;
  readonly middleware: JobMiddlewares;
  readonly executing: ExecutingJobs;
  readonly completions: Pick<CompletionQueue, 'enqueue' | 'announce'>;
  readonly store: CheckpointParts['store'] & Pick<FiringStore, 'haveEnded'>;
  /** Where jobs may end their runs in transactions of their own; null or absent: nowhere. */
  readonly transactions?: TransactionStore | null;
  readonly scheduler: () => Scheduler;
  readonly onSaid?: (context: JobContext) => void;
  /** The nodes that share the store, for broadcasts; absent: there is this one alone. */
  readonly readNodes?: () => Promise<readonly NodeJobTypes[]>;
  readonly threads: JobThreads;
}

type JobRunShellOptions = { readonly maxRefireCount: number; readonly alerts?: AlertsConfig | undefined };

/** The first refire follows at once; a job that requests it again and again is slowed down. */
const REFIRE_BACKOFF_MS = { firstDelay: 2, longestDelay: 1_000 } as const;

const VETOED: JobOutcome = { outcome: 'vetoed', failure: null, jobData: null };

/** One firing with the object that executes it. */
interface Run {
  readonly firing: TriggerFiring;
  readonly job: JobObject;
  readonly context: JobContext;
  /** `ExecutingJobs.interruptions` when it was fired. */
  readonly interruptions: number;
  /** An earlier run of its occurrence may have saved how far it came, and nobody has looked yet. */
  mayResume: boolean;
}

/** Runs the job of one firing, from the registry to the completion. Whatever the job does, its firing is completed. */
export class JobRunShell {
  readonly #parts: JobRunShellParts;
  readonly #maxRefireCount: number;
  readonly #alerts: RunAlerts;
  /** Of the contexts of jobs. */
  readonly #host: JobContextHost;
  /** Steps that firings wait for before their jobs begin. */
  readonly #preparations = new Set<Promise<unknown>>();
  #numberOfJobsExecuted = 0;

  /** `maxRefireCount`: how often one firing may be run again at once. */
  constructor(parts: JobRunShellParts, { maxRefireCount, alerts }: JobRunShellOptions) {
    this.#parts = parts;
    this.#maxRefireCount = maxRefireCount;
    this.#alerts = new RunAlerts(parts, alerts);
    const { transactions = null } = parts;
    const transact: JobContextHost['transact'] = (context, work) =>
      transactIn({ ...parts, transactions: transactions as TransactionStore }, context, work);
    this.#host = transactions === null ? parts : { ...parts, transact };
  }

  get numberOfJobsExecuted(): number {
    return this.#numberOfJobsExecuted;
  }

  /** Resolves when the job of every firing given to `execute` by now has begun, or will not begin. */
  async whenTheseBegin(): Promise<void> {
    // Most steps of one firing, each after the other: nodes of a broadcast, factory, listeners, job data, checkpoint.
    for (let step = 0; step < 5; step++) await Promise.allSettled(this.#preparations);
  }

  /** Never rejects. A bound function, because it is passed to the worker pool with every firing. */
  readonly execute = (firing: TriggerFiring): Promise<void> => inOwnContext(this.#execute, firing);

  readonly #execute = async (firing: TriggerFiring): Promise<void> => {
    const refusal =
      spreadOf(firing) === 'broadcast'
        ? await this.#broadcast(firing)
        : (refuse(firing) ?? refuseOld(firing, policyOf(firing, this.#parts.policy).retry));
    if (refusal !== null) return this.#passOver(firing, refusal);
    const { executing, listeners, registry } = this.#parts;
    const { interruptions } = executing;
    const made = this.#makeJob(firing);
    const job = made instanceof Promise ? await this.#beforeJob(made) : made;
    if (job === null) return;
    const context = new JobContext(firing, job, this.#host);
    const run: Run = { firing, job, context, interruptions, mayResume: mayHaveCheckpoint(firing) };
    for (;;) {
      if (!listeners.isEmpty && (await this.#beforeJob(awaitedCall(() => this.#notifyFired(run)))))
        return this.#veto(run);
      const start = this.#begin(run);
      let outcome: JobOutcome;
      try {
        if (registry.hasRules || isVersioned(firing)) await this.#beforeJob(prepareData(registry, run));
        if (run.mayResume) await this.#beforeJob(this.#resume(run));
        outcome = this.#succeeded(run, start, await this.#alerts.watched(firing, this.#run(run)));
        if (JobContext.transactionOf(run.context) !== null && (await this.#hasEndedItself(run, start, null))) return;
      } catch (thrown) {
        if (JobContext.transactionOf(run.context) !== null && (await this.#hasEndedItself(run, start, { thrown })))
          return;
        outcome = this.#failed(run, start, thrown);
      }
      const instruction = this.#decideInstruction(run, outcome.failure);
      if (outcome.failure !== null) {
        outcome = tellFailure(run, this.#unlessGivenUp(run, instruction, outcome), instruction, this.#parts);
      }
      const notified = listeners.isEmpty ? undefined : listeners.jobEnded(run.context, outcome.failure, instruction);
      if (instruction !== 'RE_EXECUTE_JOB') return this.#complete(run, instruction, outcome);
      await notified; // before the listeners of the next execution
      if (!(await this.#prepareRefire(run))) {
        return this.#complete(run, decideInstruction(firing, outcome.failure, false), outcome);
      }
    }
  };

  async #broadcast(firing: TriggerFiring): Promise<Refusal | null> {
    const { readNodes, clock, instanceId } = this.#parts;
    if (readNodes === undefined) return refuse(firing);
    const onError = (error: Error) => this.#reportError('reading the nodes for a broadcast', error);
    return refuseBroadcast(firing, { clock, instanceId, readNodes: () => this.#beforeJob(readNodes()), onError });
  }

  /** For the schedule the firing took place; its job is not run. */
  #passOver(firing: TriggerFiring, refusal: Refusal): void {
    const { bus, clock, completions } = this.#parts;
    const instruction = decideInstruction(firing, null, false);
    let completion: Completion;
    let error: Error | null = null;
    if (refusal.status === 'skip') {
      const { reason, lateBy } = refusal;
      bus.publish({ type: 'firingSkipped', at: clock.now(), firing, reason, lateBy });
      const skipped = outcomeOfSkip(refusal);
      error = skipped.failure;
      completion = completionOf({ firing, context: null }, skipped, instruction, this.#parts);
    } else {
      const { reason, further, parts, until = null, cancels = [] } = refusal;
      if (reason !== 'spread') bus.publish({ type: 'firingDeferred', at: clock.now(), firing, reason, until });
      completion = { firing, instruction, further, ...(parts !== undefined && { parts }) };
      const failed = (thrown: unknown) => this.#reportError('interrupting a run for a later one', toError(thrown));
      for (const run of cancels) void this.#parts.scheduler().interruptRun(run).catch(failed);
    }
    completions.enqueue({ completion, jobRunTime: -1, error });
  }

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
    const error = new JobExecutionException(cause.message, { cause });
    const outcome: JobOutcome = { outcome: 'failed', failure: error, jobData: null };
    const completion = completionOf({ firing, context: null }, outcome, 'SET_ALL_JOB_TRIGGERS_ERROR', this.#parts);
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
  #veto(run: Run): void | Promise<void> {
    const { bus, clock, listeners } = this.#parts;
    bus.publish({ type: 'jobVetoed', at: clock.now(), firing: run.firing });
    listeners.jobExecutionVetoed(run.context);
    return this.#complete(run, decideInstruction(run.firing, null, false), VETOED);
  }

  /** Returns the time by the monotonic clock. */
  #begin({ firing, context, interruptions }: Run): number {
    const { clock, bus, executing } = this.#parts;
    const [refireCount, at] = [JobContext.refireCountOf(context), clock.now()];
    this.#numberOfJobsExecuted++;
    executing.begin(context, interruptions, at);
    if (refireCount === 0) this.#alerts.begins(firing);
    if (bus.has('jobStarted')) bus.publish({ type: 'jobStarted', at, firing, refireCount });
    return clock.monotonic();
  }

  /** Not asynchronous by itself: nearly every job runs without middleware and without a time limit. */
  #run(run: Run): unknown {
    const { clock, policy, middleware, executing } = this.#parts;
    const { firing, context } = run;
    const { timeout } = policyOf(firing, policy);
    if (timeout !== undefined) {
      return runWithin(context, () => this.#runInMiddleware(run), timeout, {
        clock,
        jobName: formatKey(firing.jobDetail.key),
        deadline: deadlineOf(firing),
        onAbandoned: (running) => executing.abandon(context, running),
      });
    }
    return middleware.isEmpty ? run.job.execute(run.context) : this.#runInMiddleware(run);
  }

  async #runInMiddleware({ job, context }: Run): Promise<unknown> {
    const { wasRun, answer } = await this.#parts.middleware.run(context, () => job.execute(context));
    const isSkipped = !wasRun && JobContext.notesOf(context)?.report.outcome === undefined;
    if (isSkipped) JobContext.addReport(context, { outcome: 'skipped' });
    return answer;
  }

  /** Of a run that must not begin from the start; it fails where that cannot be found out. */
  async #resume(run: Run): Promise<void> {
    const signal = JobContext.signalOf(run.context);
    JobContext.resume(run.context, await loadCheckpoint(run.firing, this.#parts, signal));
    run.mayResume = false; // not again when it is run again at once
  }

  /** True when a transaction of the job has stored the end of its run: what the job did afterwards is only reported. */
  async #hasEndedItself(run: Run, start: number, failure: { readonly thrown: unknown } | null): Promise<boolean> {
    const { firing, context } = run;
    const stored = (await JobContext.transactionOf(context)?.storedEnd(JobContext.isTimedOut(context))) ?? null;
    if (stored === null) return false;
    this.#end(run, start);
    const { listeners, completions } = this.#parts;
    if (failure !== null) {
      const during = `running job '${formatKey(firing.jobDetail.key)}' after its transaction, which has ended the run`;
      this.#reportError(during, toError(failure.thrown));
    }
    const { completion, outcome } = stored;
    if (!listeners.isEmpty) void listeners.jobEnded(context, null, completion.instruction);
    completions.announce({ completion, jobRunTime: JobContext.runTimeOf(context), error: null }, outcome);
    tellExpected(completion, this.#parts);
    return true;
  }

  #succeeded(run: Run, start: number, returned: unknown): JobOutcome {
    this.#end(run, start);
    return answeredOutcome(run, returned);
  }

  #failed(run: Run, start: number, thrown: unknown): JobOutcome {
    this.#end(run, start);
    const name = formatKey(run.firing.jobDetail.key);
    const { error, isDeclared } = toJobFailure(thrown, name);
    if (!isDeclared) this.#reportError(`running job '${name}'`, error);
    return { outcome: outcomeOfFailure(run.context), failure: error, jobData: null };
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

  /** What the job has saved is stored before its completion, which says whether it is needed still. */
  #complete(run: Run, instruction: CompletionInstruction, outcome: JobOutcome): void | Promise<void> {
    const saving = JobContext.endCheckpoints(run.context);
    if (saving === null) return this.#enqueue(run, instruction, outcome);
    return saving.then(() => this.#enqueue(run, instruction, outcome));
  }

  #enqueue(run: Run, instruction: CompletionInstruction, outcome: JobOutcome): void {
    const end = this.#unlessGivenUp(run, instruction, outcome);
    const completion = completionOf(run, end, instruction, this.#parts);
    const jobRunTime = JobContext.runTimeOf(run.context);
    this.#parts.completions.enqueue({ completion, jobRunTime, error: outcome.failure });
    tellExpected(completion, this.#parts);
  }

  /** How it has ended, also where the node lost its lease meanwhile. */
  #unlessGivenUp(run: Run, instruction: CompletionInstruction, outcome: JobOutcome): JobOutcome {
    const isGivenUp = run.interruptions !== this.#parts.executing.interruptions;
    return isGivenUp ? endOfGivenUp(run.firing, outcome, instruction, this.#parts) : outcome;
  }

  #reportError(during: string, error: Error): void {
    const { bus, clock } = this.#parts;
    bus.publish({ type: 'schedulerError', at: clock.now(), during, error });
  }
}
