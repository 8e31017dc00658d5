import type { JobKey } from '../domain/keys';
import { sameKey } from '../domain/keys';
import type { JobContext } from './job-context';

/** The jobs that run on this node now. */
export class ExecutingJobs {
  readonly #contexts = new Set<JobContext>();
  /** Those of them that do not run now, but will again. */
  readonly #awaitingRefire = new Set<JobContext>();
  #isStopping = false;
  #allowsRefires = true;

  add(context: JobContext): void {
    this.#contexts.add(context);
    // Fired before the shutdown, begun after it.
    if (this.#isStopping) context.interrupt();
  }

  /** As `add`, for a job that pauses before it is run again. */
  addAwaitingRefire(context: JobContext): void {
    this.#awaitingRefire.add(context);
    this.add(context);
  }

  delete(context: JobContext): void {
    this.#contexts.delete(context);
    this.#awaitingRefire.delete(context);
  }

  /** Whether a job that asks for it may be run again. */
  get allowsRefires(): boolean {
    return this.#allowsRefires;
  }

  /** Nothing is run again from now on; what runs goes on. */
  endRefires(): void {
    this.#allowsRefires = false;
    this.#interrupt((context) => this.#awaitingRefire.has(context));
  }

  list(): readonly JobContext[] {
    return [...this.#contexts];
  }

  /** Aborts the signal of every execution of the job. True when there was one. */
  interruptJob(key: JobKey): boolean {
    return this.#interrupt((context) => sameKey(context.jobDetail.key, key));
  }

  /** Aborts the signal of one firing. True when it was running. */
  interruptFireInstance(fireInstanceId: string): boolean {
    return this.#interrupt((context) => context.fireInstanceId === fireInstanceId);
  }

  /** Aborts the signal of everything that runs; what begins later is not concerned. */
  interruptEach(): void {
    this.#interrupt(() => true);
  }

  /** Aborts the signal of everything that runs, and of everything that begins later. */
  interruptAll(): void {
    this.#isStopping = true;
    this.#interrupt(() => true);
  }

  #interrupt(isMeant: (context: JobContext) => boolean): boolean {
    let found = false;
    // A copy: an abort handler may end a job at once.
    for (const context of this.list()) {
      if (!isMeant(context)) continue;
      context.interrupt();
      found = true;
    }
    return found;
  }
}
