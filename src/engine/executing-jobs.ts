import type { EpochMs } from '../base/clock';
import { type JobKey, sameKey } from '../domain/keys';
import type { LoadCounts } from '../domain/load-counts';
import type { RunState } from './run-state';
import { INTERRUPTED_JOB, INTERRUPTED_RUN, LEASE_LOST, SHUTTING_DOWN, type StopReason } from './stop-reason';

/** Duration of a run that may have blocked the event loop, in milliseconds, and the number of such runs that are kept after their end. */
const LONG_MS = 1_000;
const MAX_LONG_ENDED = 10;

/** Runs whose jobs execute on this node or wait for a refire, and abandoned runs. */
export class ExecutingJobs {
  readonly #runs = new Set<RunState>();
  readonly #awaitingRefire = new Set<RunState>();
  readonly #abandoned = new Set<RunState>();
  #longEnded: RunState[] = [];
  #isStopping = false;
  #allowsRefires = true;
  #interruptions = 0;
  readonly #load: Pick<LoadCounts, 'running' | 'started'>;

  constructor(load: Pick<LoadCounts, 'running' | 'started'>) {
    this.#load = load;
  }

  get interruptions(): number {
    return this.#interruptions;
  }

  /** Adds a run whose job begins now. Counts the run as started, unless this execution is a refire. */
  begin(run: RunState, at: EpochMs): void {
    this.add(run);
    if (run.refireCount === 0) this.#load.started(at, run.firing);
  }

  /** Adds a run. Interrupts it if all jobs were interrupted since its trigger fired, for example while its listeners were called. */
  add(run: RunState): void {
    this.#runs.add(run);
    this.#load.running = this.#runs.size;
    this.#catchUp(run);
  }

  addAwaitingRefire(run: RunState): void {
    this.#awaitingRefire.add(run);
    this.add(run);
  }

  delete(run: RunState): void {
    this.#runs.delete(run);
    this.#load.running = this.#runs.size;
    this.#awaitingRefire.delete(run);
    if (run.jobRunTime >= LONG_MS) this.#longEnded = [...this.#longEnded, run].slice(-MAX_LONG_ENDED);
  }

  /** Returns the runs that execute, and the last ones that took at least a second and have ended since the last call. */
  takeRecent(): readonly RunState[] {
    const recent = [...this.#longEnded, ...this.list()];
    this.#longEnded = [];
    return recent;
  }

  /** True if the run may be refired: it was not interrupted, and `endRefires` was not called. */
  mayRefire(run: RunState): boolean {
    this.#catchUp(run);
    return this.#allowsRefires && !run.isInterrupted;
  }

  /** Prevents all further refires, and interrupts runs that wait for a refire. Jobs that currently execute continue. */
  endRefires(): void {
    this.#allowsRefires = false;
    this.#interrupt(SHUTTING_DOWN, (run) => this.#awaitingRefire.has(run));
  }

  list(): readonly RunState[] {
    return [...this.#runs];
  }

  /** Marks a run as abandoned: it has ended while its job still executes. Lists it in `abandoned` until `running` settles. */
  abandon(run: RunState, running: Promise<unknown>): void {
    const ended = () => this.#abandoned.delete(run);
    this.#abandoned.add(run);
    run.isAbandoned = true;
    running.then(ended, ended);
  }

  get abandoned(): ReadonlySet<RunState> {
    return this.#abandoned;
  }

  /** Aborts the signal of every run of the job. Returns true if the job has at least one run here. `by`: who asked; null if unknown. */
  interruptJob(key: JobKey, by: string | null = null): boolean {
    return this.#interruptBy(by, INTERRUPTED_JOB, ({ firing }) => sameKey(firing.jobDetail.key, key));
  }

  /** Aborts the signal of one run. Returns true if it was found. */
  interruptRun(runId: string, by: string | null = null): boolean {
    return this.#interruptBy(by, INTERRUPTED_RUN, ({ firing }) => firing.runId === runId);
  }

  /** Aborts the signal of every run whose trigger has fired so far, because the lease was lost. Later firings are not affected. */
  interruptEach(): void {
    this.#interruptions++;
    this.#interrupt(LEASE_LOST, () => true);
  }

  /** Aborts the signal of every current and future run, because the scheduler is shutting down. */
  interruptAll(): void {
    this.#isStopping = true;
    this.#interrupt(SHUTTING_DOWN, () => true);
  }

  #catchUp(run: RunState): void {
    if (run.interruptions !== this.#interruptions) run.interrupt(LEASE_LOST);
    else if (this.#isStopping) run.interrupt(SHUTTING_DOWN);
  }

  #interruptBy(by: string | null, reason: StopReason, isSelected: (run: RunState) => boolean): boolean {
    return this.#interrupt(reason, (run) => {
      const isFound = isSelected(run);
      if (isFound) run.noteInterruption(by);
      return isFound;
    });
  }

  #interrupt(reason: StopReason, isSelected: (run: RunState) => boolean): boolean {
    let found = false;
    // Iterates over a copy, because an abort handler may end a job synchronously and thus change the set.
    for (const run of this.list()) {
      if (!isSelected(run)) continue;
      run.interrupt(reason);
      found = true;
    }
    return found;
  }
}
