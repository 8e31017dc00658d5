import type { JobExecutionContext, JobObject, Scheduler } from '../api/scheduler';
import type { JobSql } from '../api/transactions';
import type { JobFile } from '../api/worker-job';
import type { EpochMs } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { withoutSpans } from '../domain/carried-spans';
import { withoutOrigin } from '../domain/chain';
import { invalidArgument } from '../domain/check-text';
import { mayHaveCheckpoint } from '../domain/checkpoint';
import type { TriggerFiring } from '../domain/firing';
import type { Interruption } from '../domain/interruption';
import { copyJobData, type JobData, type JsonValue, mergeJobData } from '../domain/job-data';
import { formatKey } from '../domain/keys';
import { withoutOccurrence } from '../domain/occurrence';
import type { EndedInTransaction } from '../store/transaction-store';
import { type CheckpointParts, hasEnded, RunCheckpoints } from './checkpoints';
import { type JobThreads, ThreadRuns } from './job-threads';
import { RunNotes } from './run-notes';
import { SHUTTING_DOWN, type StopReason, toStopError } from './stop-reason';

export interface RunHost extends CheckpointParts {
  /** Returns the scheduler that jobs receive as `context.scheduler`. */
  readonly scheduler: () => Scheduler;
  /** Called each time a job logs a line or sets its progress. Absent if no other node reads this output. */
  readonly onOutput?: (run: RunState) => void;
  /** Threads for jobs from files. Absent if jobs from files cannot run; they then fail with SCHEDULER_STATE. */
  readonly threads?: Pick<JobThreads, 'start'>;
  /** Runs a job's statements and stores the end of its run in one transaction. Absent if the store is not a database. */
  readonly transact?: <T>(run: RunState, work: JobWork<T>) => Promise<EndedInTransaction<T>>;
}

/** Statements that a job runs in the transaction that ends its run. */
export type JobWork<T> = (sql: JobSql) => T | Promise<T>;

/**
 * State of one run. The engine does not read the context, because a job may overwrite its members. Members that are expensive and rarely used (abort
 * signal, merged data, notes) are created on first use.
 */
export class RunState {
  readonly host: RunHost;
  readonly firing: TriggerFiring;
  readonly job: JobObject;
  readonly context: JobExecutionContext;
  /** Value of `ExecutingJobs.interruptions` when the trigger fired. A higher count now means that the lease was lost since. */
  interruptions = 0;
  /** Duration of the current execution in milliseconds; -1 until the execution has ended. */
  jobRunTime = -1;
  /** Wall-clock time at which the current execution ended; null until then. */
  endTime: EpochMs | null = null;
  /** Trace context of the current execution; null if the execution is not traced. */
  traceparent: string | null = null;
  isReportedStuck = false;
  /** True if the run ended while its job was still executing. */
  isAbandoned = false;
  #refireCount = 0;
  #stopReason: StopReason | null = null;
  #interruption: Interruption | null = null;
  #isTimedOut = false;
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

  get refireCount(): number {
    return this.#refireCount;
  }

  /** Resets the state for the next execution within this firing, which resumes from the newest checkpoint, if any. */
  refire(): void {
    this.#refireCount++;
    this.jobRunTime = -1;
    this.endTime = null;
    this.#notes?.startOver();
    const newest = this.#checkpoints?.newest ?? null;
    if (newest !== null) this.resume(newest);
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#stopReason !== null) this.#controller.abort(toStopError(this.#stopReason));
    }
    return this.#controller.signal;
  }

  /** True if the shutdown of the scheduler has aborted the run. */
  get isCutShort(): boolean {
    return this.#stopReason === SHUTTING_DOWN;
  }

  /** True if the job has saved a checkpoint in this run. */
  get hasNewCheckpoint(): boolean {
    return (this.#checkpoints?.newest ?? null) !== null;
  }

  get isInterrupted(): boolean {
    return this.#stopReason !== null;
  }

  get isTimedOut(): boolean {
    return this.#isTimedOut;
  }

  /** Aborts the job's signal with the reason. Only the first call has an effect. */
  interrupt(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.#controller?.abort(toStopError(reason));
  }

  /** First request to interrupt the run; null if there was none. */
  get interruption(): Interruption | null {
    return this.#interruption;
  }

  /** Records who asked to interrupt the run. Only the first call has an effect. */
  noteInterruption(by: string | null): void {
    if (this.#interruption !== null) return;
    this.#interruption = { at: this.host.clock.now(), by };
    this.host.onOutput?.(this);
  }

  timeOut(reason: StopReason): void {
    this.#isTimedOut = true;
    this.interrupt(reason);
  }

  /** Runs the job's file in a thread. Rejects with the job's error, or with SCHEDULER_STATE if `host.threads` is absent or closed. */
  runInThread(file: JobFile): Promise<unknown> {
    this.#threads ??= new ThreadRuns(this.context, this.host.threads);
    return this.#threads.run(file);
  }

  /** Terminates the threads of the job, and resolves when the calls in them have settled. Null if there are none. */
  stopThreads(): Promise<unknown> | null {
    return this.#threads?.stop() ?? null;
  }

  /** Data of the job merged with the data of the trigger. Values of the trigger take precedence. */
  get data(): JobData {
    if (this.#data === null) {
      const { jobDetail, trigger } = this.firing;
      const ofTrigger = withoutSpans(withoutOrigin(withoutOccurrence(trigger.data)));
      this.#data = this.#owned(mergeJobData(jobDetail.data, ofTrigger));
    }
    return this.#data;
  }

  /** Version of the data that the job receives and returns; null if it was not checked against the rules of its job type. */
  get dataVersion(): number | null {
    return this.#dataVersion;
  }

  /** Replaces the data that the job receives. `version` is the data's version within its job type. */
  replaceData(data: JobData, version: number): void {
    this.#dataVersion = version;
    this.#data = this.#owned(data);
  }

  /** Returns a copy for a job that persists its data, because it may change the data in place. Freezes the data for other jobs. */
  #owned(data: JobData): JobData {
    return this.firing.jobDetail.persistJobDataAfterExecution ? copyJobData(data) : Object.freeze(data);
  }

  /** Report, progress and log lines of the job; null if the job has produced none. */
  get notes(): RunNotes | null {
    return this.#notes;
  }

  ownNotes(): RunNotes {
    if (this.#notes === null) {
      const { clock, onOutput } = this.host;
      this.#notes = new RunNotes(clock, onOutput && (() => onOutput(this)));
    }
    return this.#notes;
  }

  /** True if an earlier run of the occurrence may have saved a checkpoint that is not yet loaded. */
  get mustLoadCheckpoint(): boolean {
    return this.#mustLoadCheckpoint;
  }

  /** True if a checkpoint of the occurrence is stored, or may be stored but was not loaded. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint || this.#checkpoints !== null;
  }

  /** Last checkpoint of an earlier execution of the occurrence; null if there is none. */
  get resumeFrom(): JsonValue {
    return this.#resumeFrom;
  }

  /** Sets the checkpoint, as JSON, from which the job resumes; null if there is none. */
  resume(saved: string | null): void {
    this.#mustLoadCheckpoint = false;
    this.#hasCheckpoint = saved !== null;
    this.#resumeFrom = saved === null ? null : (JSON.parse(saved) as JsonValue);
  }

  /** Saves a checkpoint. Resolves when `value` or a newer checkpoint is stored. Rejects with the errors of `RunCheckpoints.save`. */
  saveCheckpoint(value: JsonValue): Promise<void> {
    if (this.#hasEnded) return Promise.reject(hasEnded(formatKey(this.firing.jobDetail.key)));
    this.#checkpoints ??= new RunCheckpoints(this.firing, this.host);
    return this.#checkpoints.save(value);
  }

  /** Rejects further checkpoints. Resolves when pending ones are stored or have failed. Null if the job has saved none. */
  endCheckpoints(): Promise<void> | null {
    this.#hasEnded = true;
    return this.#checkpoints?.end() ?? null;
  }

  /** Transactions of the job; null if the job has started none. */
  get transaction(): RunTransaction | null {
    return this.#transaction;
  }

  /**
   * Runs `work` in a transaction that also stores the end of the run. Rejects with SCHEDULER_STATE if the store is not a database, the run has ended,
   * or another transaction of the run is in progress. Rejects with INVALID_ARGUMENT if `work` is not a function.
   */
  async transact<T>(work: JobWork<T>): Promise<T> {
    const { transact } = this.host;
    if (transact === undefined)
      throw new SchedulerStateError(
        'Expected a job store in a database for context.transaction, found a job store in memory, which has no transactions.',
      );
    if (typeof work !== 'function') throw invalidArgument('a function that runs statements', work);
    if (this.jobRunTime >= 0) throw runHasEnded();
    this.#transaction ??= new RunTransaction();
    return this.#transaction.run(() => transact(this, work));
  }
}

/** End of a run, as stored by a transaction of its job. */
type StoredEnd = Pick<EndedInTransaction<unknown>, 'completion' | 'outcome'>;

/** Transactions of one run, one at a time. The first transaction that commits ends the run. */
class RunTransaction {
  /** Resolves when the most recent transaction has ended. Never rejects. */
  #ended: Promise<void> = Promise.resolve();
  #isRunning = false;
  #storedEnd: StoredEnd | null = null;

  /** Runs a transaction. Rejects with SCHEDULER_STATE if another one is in progress or has already ended the run. */
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

  /** Returns the end of the run that a transaction has stored, or null. Waits for one in progress, unless the run timed out. */
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
