import type { EpochMs } from '../base/clock';
import type { JobKey } from '../domain/keys';
import { sameKey } from '../domain/keys';
import type { LoadCounts } from '../domain/load-counts';
import type { RunState } from './run-state';
import { INTERRUPTED_JOB, INTERRUPTED_RUN, LEASE_LOST, SHUTTING_DOWN, type StopReason } from './stop-reason';

/** The runs whose jobs execute on this node now. */
export class ExecutingJobs {
  readonly #runs = new Set<RunState>();
  /** Runs of `#runs` that pause before their next execution. */
  readonly #awaitingRefire = new Set<RunState>();
  readonly #abandoned = new Set<RunState>();
  #isStopping = false;
  #allowsRefires = true;
  #interruptions = 0;
  readonly #load: Pick<LoadCounts, 'running' | 'started'>;

  /** Updates the counts in `load`. */
  constructor(load: Pick<LoadCounts, 'running' | 'started'>) {
    this.#load = load;
  }

  /** Number of times that `interruptEach` was called. */
  get interruptions(): number {
    return this.#interruptions;
  }

  /** Same as `add`, for a job that begins now. Counts its first execution. */
  begin(run: RunState, at: EpochMs): void {
    this.add(run);
    if (run.refireCount === 0) this.#load.started(at, run.firing);
  }

  /** Adds a run. Applies interruptions that happened between its firing and now, while its listeners ran. */
  add(run: RunState): void {
    this.#runs.add(run);
    this.#load.running = this.#runs.size;
    this.#catchUp(run);
  }

  /** Same as `add`, for a job that pauses before its next execution. */
  addAwaitingRefire(run: RunState): void {
    this.#awaitingRefire.add(run);
    this.add(run);
  }

  delete(run: RunState): void {
    this.#runs.delete(run);
    this.#load.running = this.#runs.size;
    this.#awaitingRefire.delete(run);
  }

  /** False for a job that was asked to stop, and for all jobs once the scheduler does not wait for them. */
  mayRefire(run: RunState): boolean {
    this.#catchUp(run);
    return this.#allowsRefires && !run.isInterrupted;
  }

  /** Ends all refires. Jobs that execute now continue. */
  endRefires(): void {
    this.#allowsRefires = false;
    this.#interrupt(SHUTTING_DOWN, (run) => this.#awaitingRefire.has(run));
  }

  list(): readonly RunState[] {
    return [...this.#runs];
  }

  /** Lists a run that ended without its job as abandoned until `running` settles. */
  abandon(run: RunState, running: Promise<unknown>): void {
    const ended = () => this.#abandoned.delete(run);
    this.#abandoned.add(run);
    run.abandon();
    running.then(ended, ended);
  }

  /** Runs that ended without their jobs, which still execute. */
  get abandoned(): ReadonlySet<RunState> {
    return this.#abandoned;
  }

  /** Aborts the signal of every execution of the job. Returns true if there was one. */
  interruptJob(key: JobKey): boolean {
    return this.#interrupt(INTERRUPTED_JOB, ({ firing }) => sameKey(firing.jobDetail.key, key));
  }

  /** Aborts the signal of one run. Returns true if it was executing. */
  interruptRun(runId: string): boolean {
    return this.#interrupt(INTERRUPTED_RUN, ({ firing }) => firing.runId === runId);
  }

  /** Aborts the signal of every run that has fired so far. Later firings are not affected. */
  interruptEach(): void {
    this.#interruptions++;
    this.#interrupt(LEASE_LOST, () => true);
  }

  /** Aborts the signal of every run, including those that begin later. */
  interruptAll(): void {
    this.#isStopping = true;
    this.#interrupt(SHUTTING_DOWN, () => true);
  }

  #catchUp(run: RunState): void {
    if (run.interruptions !== this.#interruptions) run.interrupt(LEASE_LOST);
    else if (this.#isStopping) run.interrupt(SHUTTING_DOWN);
  }

  #interrupt(reason: StopReason, isSelected: (run: RunState) => boolean): boolean {
    let found = false;
    // A copy: an abort handler may end a job at once.
    for (const run of this.list()) {
      if (!isSelected(run)) continue;
      run.interrupt(reason);
      found = true;
    }
    return found;
  }
}
