import type { JobExecutionContext, JobObject, Scheduler } from '../api/scheduler';
import type { JobSql } from '../api/transactions';
import type { JobFile } from '../api/worker-job';
import { SchedulerStateError } from '../base/errors';
import { withoutSpans } from '../domain/carried-spans';
import { withoutOrigin } from '../domain/chain';
import { invalidArgument } from '../domain/check-text';
import { mayHaveCheckpoint } from '../domain/checkpoint';
import type { TriggerFiring } from '../domain/firing';
import { copyJobData, type JobData, type JsonValue, mergeJobData } from '../domain/job-data';
import { formatKey } from '../domain/keys';
import { withoutOccurrence } from '../domain/occurrence';
import type { EndedInTransaction } from '../store/transaction-store';
import { type CheckpointParts, hasEnded, RunCheckpoints } from './checkpoints';
import { type JobThreads, ThreadRuns } from './job-threads';
import { RunNotes } from './run-notes';
import { type StopReason, toStopError } from './stop-reason';

/** Parts that all runs of an engine share. */
export interface RunHost extends CheckpointParts {
  readonly scheduler: () => Scheduler;
  /** Called each time a job logs a line or sets its progress; absent: no other node reads them. */
  readonly onOutput?: (run: RunState) => void;
  /** Threads for the jobs of files; absent: such jobs are rejected. */
  readonly threads?: Pick<JobThreads, 'start'>;
  /** Runs statements of the job and the end of its run as one transaction; absent: the store is not in a database. */
  readonly transact?: <T>(run: RunState, work: JobWork<T>) => Promise<EndedInTransaction<T>>;
}

/** Statements that a job runs in a transaction of its run. */
export type JobWork<T> = (sql: JobSql) => T | Promise<T>;

/**
 * The state of one run. The engine reads it here and not from the context, because a job holds the context and may
 * overwrite its members.
 *
 * Expensive parts (abort signal, merged data, notes) are created on first use. Most jobs use few of them, and the hot
 * path creates one of these objects per firing.
 */
export class RunState {
  readonly host: RunHost;
  readonly firing: TriggerFiring;
  readonly job: JobObject;
  /** The context of the run, for its job and the listeners. */
  readonly context: JobExecutionContext;
  /** Value of `ExecutingJobs.interruptions` when the trigger fired. */
  interruptions = 0;
  /** Duration of the execution in milliseconds; -1 until the job has ended. */
  jobRunTime = -1;
  /** Trace context of the current execution; null if it is not traced. */
  traceparent: string | null = null;
  /** True after `jobStuck` was published. */
  isReportedStuck = false;
  #refireCount = 0;
  #stopReason: StopReason | null = null;
  #isTimedOut = false;
  #isAbandoned = false;
  #hasEnded = false;
  #mustLoadCheckpoint: boolean;
  #hasCheckpoint: boolean;
  #resumeFrom: JsonValue = null;
  #dataVersion: number | null = null;
  #data: JobData | null = null;
  #controller: AbortController | null = null;
  #notes: RunNotes | null = null;
  #checkpoints: RunCheckpoints | null = null;
  #threads: ThreadRuns | null = null;
  #transaction: RunTransaction | null = null;

  constructor(host: RunHost, firing: TriggerFiring, job: JobObject, contextOf: (run: RunState) => JobExecutionContext) {
    this.host = host;
    this.firing = firing;
    this.job = job;
    this.#mustLoadCheckpoint = mayHaveCheckpoint(firing);
    this.#hasCheckpoint = this.#mustLoadCheckpoint;
    this.context = contextOf(this);
  }

  /** Number of immediate reruns within this firing. */
  get refireCount(): number {
    return this.#refireCount;
  }

  /** Prepares the next execution of the job in this firing. */
  refire(): void {
    this.#refireCount++;
    this.jobRunTime = -1;
    this.#notes?.startOver();
    const newest = this.#checkpoints?.newest ?? null;
    if (newest !== null) this.resume(newest);
  }

  // Stopping

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#stopReason !== null) this.#controller.abort(toStopError(this.#stopReason));
    }
    return this.#controller.signal;
  }

  /** True after the job was asked to stop. */
  get isInterrupted(): boolean {
    return this.#stopReason !== null;
  }

  /** True after the job exceeded its time limit. */
  get isTimedOut(): boolean {
    return this.#isTimedOut;
  }

  /** True after the run ended while its job was still executing. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Asks the job to stop. Only the first reason counts. */
  interrupt(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.#controller?.abort(toStopError(reason));
  }

  /** Asks the job to stop because it exceeded its time limit. */
  timeOut(reason: StopReason): void {
    this.#isTimedOut = true;
    this.interrupt(reason);
  }

  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Runs the file of a job in a thread. */
  runInThread(file: JobFile): Promise<unknown> {
    this.#threads ??= new ThreadRuns(this.context, this.host.threads);
    return this.#threads.run(file);
  }

  /** Terminates the threads that work for the job; null if there are none. */
  stopThreads(): Promise<unknown> | null {
    return this.#threads?.stop() ?? null;
  }

  // Job data

  /** The data of the job merged with that of its trigger. */
  get data(): JobData {
    if (this.#data === null) {
      const { jobDetail, trigger } = this.firing;
      this.#data = this.#owned(
        mergeJobData(jobDetail.data, withoutSpans(withoutOrigin(withoutOccurrence(trigger.data)))),
      );
    }
    return this.#data;
  }

  /** Version of the data that the job receives and returns; null if its data was not checked. */
  get dataVersion(): number | null {
    return this.#dataVersion;
  }

  /** Replaces the data that the job receives. `version` is the version of the job type to which it belongs. */
  replaceData(data: JobData, version: number): void {
    this.#dataVersion = version;
    this.#data = this.#owned(data);
  }

  /** Copies the data of a job that persists it, because the job may change it in place. */
  #owned(data: JobData): JobData {
    return this.firing.jobDetail.persistJobDataAfterExecution ? copyJobData(data) : Object.freeze(data);
  }

  // Output of the job

  /** Report, progress and log lines of the job; null if there are none. */
  get notes(): RunNotes | null {
    return this.#notes;
  }

  /** Returns the notes, and creates them on first use. */
  ownNotes(): RunNotes {
    if (this.#notes === null) {
      const { clock, onOutput } = this.host;
      this.#notes = new RunNotes(clock, onOutput && (() => onOutput(this)));
    }
    return this.#notes;
  }

  // Checkpoints

  /** True until the checkpoint of an earlier run of the occurrence, if there may be one, has been loaded. */
  get mustLoadCheckpoint(): boolean {
    return this.#mustLoadCheckpoint;
  }

  /** True if the occurrence has a checkpoint, or may have one that was not loaded. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint || this.#checkpoints !== null;
  }

  /** Last checkpoint of an earlier execution of the occurrence. */
  get resumeFrom(): JsonValue {
    return this.#resumeFrom;
  }

  /** Sets the checkpoint, as JSON, from which the job continues; null if there is none. */
  resume(saved: string | null): void {
    this.#mustLoadCheckpoint = false;
    this.#hasCheckpoint = saved !== null;
    this.#resumeFrom = saved === null ? null : (JSON.parse(saved) as JsonValue);
  }

  /** Resolves when this checkpoint, or a newer one, is stored. */
  saveCheckpoint(value: JsonValue): Promise<void> {
    if (this.#hasEnded) return Promise.reject(hasEnded(formatKey(this.firing.jobDetail.key)));
    this.#checkpoints ??= new RunCheckpoints(this.firing, this.host);
    return this.#checkpoints.save(value);
  }

  /** Refuses further checkpoints. Resolves when the earlier ones are stored or have failed. Null if there are none. */
  endCheckpoints(): Promise<void> | null {
    this.#hasEnded = true;
    return this.#checkpoints?.end() ?? null;
  }

  // Transactions

  /** Transactions of the job; null if it has begun none. */
  get transaction(): RunTransaction | null {
    return this.#transaction;
  }

  /** Runs `work` in a transaction that also ends the run. */
  async transact<T>(work: JobWork<T>): Promise<T> {
    const { transact } = this.host;
    if (transact === undefined) throw needsDatabase();
    if (typeof work !== 'function') throw invalidArgument('a function that runs statements', work);
    if (this.jobRunTime >= 0) throw runHasEnded();
    this.#transaction ??= new RunTransaction();
    return this.#transaction.run(() => transact(this, work));
  }
}

/** The end of a run, as stored by the run's own transaction. */
export type StoredEnd = Pick<EndedInTransaction<unknown>, 'completion' | 'outcome'>;

/** Transactions of one run, one at a time. The first that commits ends the run. */
class RunTransaction {
  /** Resolves when the last transaction has ended; never rejects. */
  #ended: Promise<void> = Promise.resolve();
  #isRunning = false;
  #storedEnd: StoredEnd | null = null;

  /** Runs a transaction. Throws SCHEDULER_STATE while another one runs, and after one has ended the run. */
  async run<T>(transact: () => Promise<EndedInTransaction<T>>): Promise<T> {
    if (this.#isRunning)
      throw new SchedulerStateError('The previous transaction of this run has not ended. Await it first.');
    if (this.#storedEnd !== null) throw runHasEnded();
    this.#isRunning = true;
    const running = transact();
    const end = (stored: StoredEnd | null) => {
      this.#storedEnd = stored;
      this.#isRunning = false;
    };
    this.#ended = running.then(end, () => end(null));
    await this.#ended;
    return (await running).answer;
  }

  /** Returns the stored end, or null if there is none. Waits for a running transaction, unless the run timed out. */
  async storedEnd(isTimedOut: boolean): Promise<StoredEnd | null> {
    if (!isTimedOut) await this.#ended;
    return this.#storedEnd;
  }
}

function runHasEnded(): SchedulerStateError {
  return new SchedulerStateError(
    'This run has ended. A run can store its changes and its end in one transaction only.',
  );
}

function needsDatabase(): SchedulerStateError {
  return new SchedulerStateError(
    'Expected a job store in a database for context.transaction, found a job store in memory, which has no transactions.',
  );
}
