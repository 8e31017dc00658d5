import type { JobObject } from '../api/scheduler';
import { inOwnContext } from '../base/own-context';
import { backoffDelay } from '../base/retry';
import { sleepFor } from '../base/sleep';
import { deferBehind } from '../domain/admission';
import type { TriggerFiring } from '../domain/firing';
import type { FiringStore } from '../store/job-store';
import type { TransactionStore } from '../store/transaction-store';
import { awaitedCall } from './awaited-call';
import { outcomeAfterShutdown } from './hand-over';
import { newRun } from './job-context';
import { answeredOutcome, decideInstruction, transactIn } from './job-outcome';
import { admit, type RunAdmissionParts, turnAway } from './run-admission';
import { complete, concludeStored, decide, outcomeOfThrown, reportFailure, reportThrown } from './run-conclusion';
import type { JobOutcome } from './run-ending';
import { execute, mustPrepare, prepare, type RunExecutionParts, reportIfLate } from './run-execution';
import type { RunHost, RunState } from './run-state';
import { completeUnmade, type UnmadeJobParts } from './unmade-job';

export interface JobRunShellParts extends RunHost, RunAdmissionParts, RunExecutionParts, UnmadeJobParts {
  readonly store: RunHost['store'] & Pick<FiringStore, 'changedElsewhere'>;
  readonly completions: UnmadeJobParts['completions'];
  /** Store for transactions of jobs. Null or absent if the store is not a database. */
  readonly transactions?: TransactionStore | null;
}

/** Backoff between refires. The first refire has no delay. */
const REFIRE_BACKOFF_MS = { firstDelay: 2, maxDelay: 1_000 } as const;

const VETOED: JobOutcome = { outcome: 'vetoed', failure: null, jobData: null };

/**
 * Runs the job of one firing in these steps:
 *
 *   admit → make → announce → begin → prepare → execute → end → decide → report → complete
 *                  └────────────────────── refire ──────────────────────┘
 *
 * Every firing is completed exactly once, even if the job, a listener or a factory throws. Steps are synchronous unless
 * they must wait. A firing without listeners, middleware and limits thus creates no promise except the promise of its job.
 */
export class JobRunShell {
  readonly #parts: JobRunShellParts;
  readonly #host: RunHost;
  /** Asynchronous steps in progress that precede the start of a job. */
  readonly #preparations = new Set<Promise<unknown>>();
  #numberOfJobsExecuted = 0;

  constructor(given: JobRunShellParts) {
    const { readNodes, transactions = null } = given;
    const parts = readNodes === undefined ? given : { ...given, readNodes: () => this.#beforeBegin(readNodes()) };
    this.#parts = parts;
    parts.callingRuns.mark(this.#runToEnd);
    this.#host =
      transactions === null
        ? parts
        : { ...parts, transact: (run, work) => transactIn({ ...parts, transactions }, run, work) };
  }

  get numberOfJobsExecuted(): number {
    return this.#numberOfJobsExecuted;
  }

  /** Runs a firing until its completion is queued. Never rejects. Bound, because it is passed to the worker pool. */
  readonly execute = (firing: TriggerFiring): Promise<void> => inOwnContext(this.#runToEnd, firing);

  /** Completes a firing so that its job runs later, because `running` occupies its slot of a limit. */
  readonly defer = (firing: TriggerFiring, running: TriggerFiring): void =>
    turnAway(firing, deferBehind(firing, running), this.#parts);

  readonly #runToEnd = async (firing: TriggerFiring): Promise<void> => {
    const parts = this.#parts;
    const { interruptions } = parts.executing;
    const admitted = admit(firing, parts);
    const refusal = admitted instanceof Promise ? await admitted : admitted;
    if (refusal !== null) return turnAway(firing, refusal, parts);
    const made = this.#makeJob(firing);
    const job = made instanceof Promise ? await this.#beforeBegin(made) : made;
    if (job === null) return;
    const run = newRun(this.#host, firing, job, interruptions);
    for (;;) {
      if (!parts.listeners.isEmpty && (await this.#beforeBegin(this.#announce(run)))) return this.#veto(run);
      const startTime = this.#begin(run);
      let outcome: JobOutcome;
      let thrown: unknown;
      try {
        if (mustPrepare(run, parts)) await this.#beforeBegin(prepare(run, parts));
        outcome = answeredOutcome(run, await execute(run, parts));
      } catch (error) {
        thrown = error;
        outcome = outcomeAfterShutdown(run, outcomeOfThrown(run, error), parts);
      }
      this.#end(run, startTime);
      if (run.transaction !== null && (await concludeStored(run, outcome, thrown, parts))) return;
      reportThrown(run, outcome, thrown, parts);
      const instruction = decide(run, outcome, parts);
      outcome = reportFailure(run, outcome, instruction, parts);
      const notified = parts.listeners.isEmpty
        ? undefined
        : parts.listeners.jobEnded(run.context, outcome.failure, instruction);
      if (instruction !== 'RE_EXECUTE_JOB') return complete(run, outcome, instruction, parts);
      await notified; // listeners of this execution are called before listeners of the next one
      if (!(await this.#prepareRefire(run))) {
        outcome = outcomeAfterShutdown(run, outcome, parts);
        const failure = outcome.handOver === undefined ? outcome.failure : null;
        return complete(run, outcome, decideInstruction(firing, failure, false), parts);
      }
    }
  };

  /** Resolves when the job of every firing passed to `execute` so far has begun, or will not begin. */
  async whenTheseBegin(): Promise<void> {
    // At most 4 asynchronous steps precede a job: nodes of a broadcast, factory, listeners, and job data with checkpoint.
    for (let step = 0; step < 4; step++) await Promise.allSettled(this.#preparations);
  }

  /** Registers a step that `whenTheseBegin` waits for, and returns the step. */
  #beforeBegin<T>(preparation: Promise<T>): Promise<T> {
    this.#preparations.add(preparation);
    const ended = () => this.#preparations.delete(preparation);
    preparation.then(ended, ended);
    return preparation;
  }

  /** Creates the job object. On failure, completes the firing and returns null. */
  #makeJob(firing: TriggerFiring): JobObject | Promise<JobObject | null> | null {
    try {
      const job = this.#parts.registry.resolve(firing.jobDetail);
      if (!(job instanceof Promise)) return this.#made(firing, job);
      return job.then(
        (made) => this.#made(firing, made),
        (thrown) => this.#completeUnmade(firing, thrown),
      );
    } catch (thrown) {
      return this.#completeUnmade(firing, thrown);
    }
  }

  #made(firing: TriggerFiring, job: JobObject): JobObject {
    this.#parts.pauses.worked(firing.jobDetail.jobType);
    return job;
  }

  #completeUnmade(firing: TriggerFiring, thrown: unknown): null {
    completeUnmade(firing, thrown, this.#parts);
    return null;
  }

  /** Notifies listeners that the trigger fired. Resolves to true if a listener vetoes the execution. */
  #announce({ context }: RunState): Promise<boolean> {
    const { listeners } = this.#parts;
    return awaitedCall(async () => {
      if (await listeners.checkVeto(context)) return true;
      await listeners.notifyTriggerFired(context);
      return false;
    });
  }

  /** Completes a vetoed firing. The trigger has fired, but its job does not run. */
  #veto(run: RunState): void | Promise<void> {
    const { bus, clock, listeners } = this.#parts;
    bus.publish({ type: 'jobVetoed', at: clock.now(), firing: run.firing });
    listeners.jobExecutionVetoed(run.context);
    return complete(run, VETOED, decideInstruction(run.firing, null, false), this.#parts);
  }

  /** Starts an execution of the job. Returns the start in monotonic time. */
  #begin(run: RunState): number {
    const { clock, bus, executing } = this.#parts;
    const { firing, refireCount } = run;
    const at = clock.now();
    this.#numberOfJobsExecuted++;
    executing.begin(run, at);
    if (refireCount === 0) reportIfLate(run, this.#parts);
    if (bus.has('jobStarted')) bus.publish({ type: 'jobStarted', at, firing, refireCount });
    return clock.monotonic();
  }

  #end(run: RunState, startTime: number): void {
    const { clock, executing } = this.#parts;
    run.jobRunTime = clock.monotonic() - startTime;
    run.endTime = clock.now();
    executing.delete(run);
  }

  /** Waits before a refire, longer each time and not before the first. Returns false if the job was interrupted or refires have ended. */
  async #prepareRefire(run: RunState): Promise<boolean> {
    const { clock, random, executing } = this.#parts;
    if (run.refireCount > 0) {
      executing.addAwaitingRefire(run);
      await sleepFor(clock, backoffDelay(run.refireCount, { ...REFIRE_BACKOFF_MS, random }), run.signal);
      executing.delete(run);
    }
    if (!executing.mayRefire(run)) return false;
    run.refire();
    return true;
  }
}
