import type { EpochMs } from '../base/clock';
import type { JobKey } from '../domain/keys';
import { sameKey } from '../domain/keys';
import type { LoadCounts } from '../domain/load-counts';
import { JobContext } from './job-context';
import { INTERRUPTED_JOB, INTERRUPTED_RUN, LEASE_LOST, SHUTTING_DOWN, type StopReason } from './stop-reason';

/** The jobs that run on this node now. */
export class ExecutingJobs {
  readonly #contexts = new Set<JobContext>();
  /** Those of them that do not run now, but will again. */
  readonly #awaitingRefire = new Set<JobContext>();
  /** Those whose runs have ended without them. */
  readonly #abandoned = new Set<JobContext>();
  #isStopping = false;
  #allowsRefires = true;
  #interruptions = 0;
  readonly #load: Pick<LoadCounts, 'running' | 'started'>;

  /** `load`: where they are counted. */
  constructor(load: Pick<LoadCounts, 'running' | 'started'>) {
    this.#load = load;
  }

  /** How often everything that ran was interrupted. */
  get interruptions(): number {
    return this.#interruptions;
  }

  /** As `add`, for a job that begins at that moment. */
  begin(context: JobContext, seen: number, at: EpochMs): void {
    this.add(context, seen);
    if (JobContext.refireCountOf(context) === 0) this.#load.started(at, JobContext.firingOf(context));
  }

  /** `seen`: the interruptions when it was fired. A job that begins later, because listeners took their time, hears of them too. */
  add(context: JobContext, seen: number): void {
    this.#contexts.add(context);
    this.#load.running = this.#contexts.size;
    this.#catchUp(context, seen);
  }

  /** As `add`, for a job that pauses before it is run again. */
  addAwaitingRefire(context: JobContext, seen: number): void {
    this.#awaitingRefire.add(context);
    this.add(context, seen);
  }

  delete(context: JobContext): void {
    this.#contexts.delete(context);
    this.#load.running = this.#contexts.size;
    this.#awaitingRefire.delete(context);
  }

  /** Whether a job that asks for it may be run again: none that was told to stop, and none once the scheduler does not wait for jobs. */
  mayRefire(context: JobContext, seen: number): boolean {
    this.#catchUp(context, seen);
    return this.#allowsRefires && !JobContext.isInterrupted(context);
  }

  /** Nothing is run again from now on; what runs goes on. */
  endRefires(): void {
    this.#allowsRefires = false;
    this.#interrupt(SHUTTING_DOWN, (context) => this.#awaitingRefire.has(context));
  }

  list(): readonly JobContext[] {
    return [...this.#contexts];
  }

  /** The run has ended, and its job goes on until `running` settles: nobody waits for it. */
  abandon(context: JobContext, running: Promise<unknown>): void {
    const ended = () => this.#abandoned.delete(context);
    this.#abandoned.add(context);
    JobContext.abandon(context);
    running.then(ended, ended);
  }

  /** The jobs that still go on although their runs have ended. */
  get abandoned(): ReadonlySet<JobContext> {
    return this.#abandoned;
  }

  /** Aborts the signal of every execution of the job. True when there was one. */
  interruptJob(key: JobKey): boolean {
    return this.#interrupt(INTERRUPTED_JOB, (context) => sameKey(JobContext.firingOf(context).jobDetail.key, key));
  }

  /** Aborts the signal of one firing. True when it was running. */
  interruptRun(runId: string): boolean {
    const isMeant = (context: JobContext) => JobContext.firingOf(context).runId === runId;
    return this.#interrupt(INTERRUPTED_RUN, isMeant);
  }

  /** Aborts the signal of everything that was fired by now; what is fired later is not concerned. */
  interruptEach(): void {
    this.#interruptions++;
    this.#interrupt(LEASE_LOST, () => true);
  }

  /** Aborts the signal of everything that runs, and of everything that begins later. */
  interruptAll(): void {
    this.#isStopping = true;
    this.#interrupt(SHUTTING_DOWN, () => true);
  }

  #catchUp(context: JobContext, seen: number): void {
    if (seen !== this.#interruptions) JobContext.interrupt(context, LEASE_LOST);
    else if (this.#isStopping) JobContext.interrupt(context, SHUTTING_DOWN);
  }

  #interrupt(reason: StopReason, isMeant: (context: JobContext) => boolean): boolean {
    let found = false;
    // A copy: an abort handler may end a job at once.
    for (const context of this.list()) {
      if (!isMeant(context)) continue;
      JobContext.interrupt(context, reason);
      found = true;
    }
    return found;
  }
}
