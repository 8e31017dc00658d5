import type { JobProgress } from '../api/runs';
import type { JobExecutionContext, JobLog, JobObject, JobReport, Scheduler } from '../api/scheduler';
import type { JobSql } from '../api/transactions';
import { type Trigger, toDate, toTrigger } from '../api/trigger';
import { type JobFile, RUN_IN_THREAD } from '../api/worker-job';
import { SchedulerStateError } from '../base/errors';
import type { Calendar } from '../domain/calendars/calendar';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { withoutSpans } from '../domain/carried-spans';
import { originOf, type RunOrigin, withoutOrigin } from '../domain/chain';
import { invalidArgument } from '../domain/check-text';
import type { TriggerFiring } from '../domain/firing';
import { copyJobData, type JobData, type JsonValue, mergeJobData } from '../domain/job-data';
import { type JobDetail, withOwnData } from '../domain/job-detail';
import { formatKey, type TriggerKey } from '../domain/keys';
import { occurrenceOf, type Shard, scheduledTimeOf, withoutOccurrence } from '../domain/occurrence';
import { recoveredTriggerKey } from '../domain/recovery';
import { detailOfPart } from '../domain/run';
import type { EndedInTransaction } from '../store/transaction-store';
import { type CheckpointParts, hasEnded, RunCheckpoints } from './checkpoints';
import { type JobThreads, ThreadRuns } from './job-threads';
import { RunNotes } from './run-notes';
import { needsDatabase, RunTransaction, hasEnded as runHasEnded } from './run-transaction';
import { type StopReason, toStopError } from './stop-reason';

/** What every context of an engine shares. */
export interface JobContextHost extends CheckpointParts {
  readonly scheduler: () => Scheduler;
  /** Hears of the jobs that log something or say how far they are, each time; absent: nobody wants to know. */
  readonly onSaid?: (context: JobContext) => void;
  /** Where the jobs of files run; absent: there are none. */
  readonly threads?: Pick<JobThreads, 'start'>;
  /** Runs statements of the job and the end of its run as one transaction; absent: the store is in no database. */
  readonly transact?: <T>(context: JobContext, work: (sql: JobSql) => T | Promise<T>) => Promise<EndedInTransaction<T>>;
}

/**
 * What a job sees of its firing. Whatever costs something (dates, the abort signal, merged data) is made when it is
 * first asked for: most jobs look at little of it, and the hot path makes one of these per firing.
 */
export class JobContext implements JobExecutionContext {
  readonly jobInstance: JobObject;
  result: unknown = undefined;
  readonly #firing: TriggerFiring;
  readonly #host: JobContextHost;
  #refireCount = 0;
  #jobRunTime = -1;
  /** Why the job was asked to stop, the first time; null: it was not. */
  #stopReason: StopReason | null = null;
  #isTimedOut = false;
  #isAbandoned = false;
  #controller: AbortController | null = null;
  #trigger: Trigger | null = null;
  #jobDetail: JobDetail | null = null;
  #data: JobData | null = null;
  #dataVersion: number | null = null;
  #calendar: Calendar | null = null;
  #scratch: Map<string, unknown> | null = null;
  #notes: RunNotes | null = null;
  /** What an earlier run of the occurrence saved, as JSON; null: nothing; undefined: nobody has looked. */
  #saved: string | null | undefined = undefined;
  #resumeFrom: JsonValue = null;
  #checkpoints: RunCheckpoints | null = null;
  #isOver = false;
  /** The threads that work for this run. */
  #threadRuns: ThreadRuns | null = null;
  #transaction: RunTransaction | null = null;
  #traceparent: string | null = null;

  constructor(firing: TriggerFiring, jobInstance: JobObject, host: JobContextHost) {
    this.#firing = firing;
    this.jobInstance = jobInstance;
    this.#host = host;
  }

  get scheduler(): Scheduler {
    return this.#host.scheduler();
  }

  get trigger(): Trigger {
    if (this.#trigger === null) {
      const { trigger } = this.#firing;
      Object.freeze(trigger.key);
      Object.freeze(trigger.jobKey);
      this.#trigger = toTrigger(trigger);
    }
    return this.#trigger;
  }

  get calendar(): Calendar | null {
    if (this.#calendar === null && this.#firing.calendar !== null) this.#calendar = calendarFrom(this.#firing.calendar);
    return this.#calendar;
  }

  get jobDetail(): JobDetail {
    this.#jobDetail ??= withOwnData(this.#firing.jobDetail);
    return this.#jobDetail;
  }

  get mergedJobDataMap(): JobData {
    if (this.#data === null) {
      const { jobDetail, trigger } = this.#firing;
      const merged = mergeJobData(jobDetail.data, withoutSpans(withoutOrigin(withoutOccurrence(trigger.data))));
      this.#data = jobDetail.persistJobDataAfterExecution ? copyJobData(merged) : Object.freeze(merged);
    }
    return this.#data;
  }

  get data(): JobData {
    return this.mergedJobDataMap;
  }

  get fireTime(): Date {
    return new Date(this.#firing.fireTime);
  }

  get scheduledFireTime(): Date {
    return new Date(scheduledTimeOf(this.#firing));
  }

  get previousFireTime(): Date | null {
    return toDate(this.#firing.previousFireTime);
  }

  get nextFireTime(): Date | null {
    return toDate(this.#firing.trigger.nextFireTime);
  }

  get runId(): string {
    return this.#firing.runId;
  }

  get occurrenceId(): string {
    return occurrenceOf(this.#firing).id;
  }

  get attempt(): number {
    return occurrenceOf(this.#firing).attempt;
  }

  get origin(): RunOrigin | null {
    return originOf(this.#firing.trigger);
  }

  get shard(): Shard | null {
    return detailOfPart(occurrenceOf(this.#firing)).shard ?? null;
  }

  get refireCount(): number {
    return this.#refireCount;
  }

  get isRecovering(): boolean {
    return this.#firing.recovering;
  }

  get recoveringTriggerKey(): TriggerKey {
    const key = this.isRecovering ? recoveredTriggerKey(this.data) : null;
    if (key !== null) return key;
    throw new SchedulerStateError('This firing recovers no other trigger; ask isRecovering first.');
  }

  get signal(): AbortSignal {
    return this.#signal();
  }

  get jobRunTime(): number {
    return this.#jobRunTime;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  get log(): JobLog {
    return this.#ownNotes().log;
  }

  get currentProgress(): JobProgress | null {
    return this.#notes?.progress ?? null;
  }

  /** A function of its own, as `progress` and `checkpoint`: jobs take them out of the context. */
  get report(): (report: JobReport) => void {
    return (report) => this.#ownNotes().addReport(report);
  }

  get progress(): (fraction: number, message?: string) => void {
    return (fraction, message) => this.#ownNotes().setProgress(fraction, message);
  }

  get resumeFrom(): JsonValue {
    return this.#resumeFrom;
  }

  get checkpoint(): (value: JsonValue) => Promise<void> {
    return (value) => {
      if (this.#isOver) return Promise.reject(hasEnded(formatKey(this.#firing.jobDetail.key)));
      this.#checkpoints ??= new RunCheckpoints(this.#firing, this.#host);
      return this.#checkpoints.save(value);
    };
  }

  get transaction(): JobExecutionContext['transaction'] {
    return async (work) => {
      const { transact } = this.#host;
      if (transact === undefined) throw needsDatabase();
      if (typeof work !== 'function') throw invalidArgument('a function that runs statements', work);
      if (this.#jobRunTime >= 0) throw runHasEnded();
      this.#transaction ??= new RunTransaction();
      return this.#transaction.run(() => transact(this, work));
    };
  }

  put(key: string, value: unknown): void {
    this.#scratch ??= new Map();
    this.#scratch.set(key, value);
  }

  get(key: string): unknown {
    return this.#scratch?.get(key);
  }

  /** For `workerJob`: runs a file in a thread of its own. */
  [RUN_IN_THREAD](file: JobFile): Promise<unknown> {
    this.#threadRuns ??= new ThreadRuns(this, this.#host.threads);
    return this.#threadRuns.run(file);
  }

  /*
   * What follows is for the engine, and static: a job holds this object, and may put something else in the place of whatever it
   * finds on it.
   */

  static firingOf(context: JobContext): TriggerFiring {
    return context.#firing;
  }

  static refireCountOf(context: JobContext): number {
    return context.#refireCount;
  }

  static runTimeOf(context: JobContext): number {
    return context.#jobRunTime;
  }

  static signalOf(context: JobContext): AbortSignal {
    return context.#signal();
  }

  /** What the job said about its run; null: nothing. */
  static notesOf(context: JobContext): RunNotes | null {
    return context.#notes;
  }

  /** What the job returned as its report. Throws INVALID_ARGUMENT. */
  static addReport(context: JobContext, report: unknown): void {
    context.#ownNotes().addReport(report);
  }

  /** What an earlier run of the occurrence has saved, as JSON; null: nothing. */
  static resume(context: JobContext, saved: string | null): void {
    context.#resume(saved);
  }

  /** Whether its occurrence has a checkpoint, by this run or by one before it; undefined: nobody has looked. */
  static hasCheckpoint(context: JobContext): boolean | undefined {
    if (context.#checkpoints !== null) return true;
    return context.#saved === undefined ? undefined : context.#saved !== null;
  }

  /** The run has ended: it saves nothing more. Resolves when all that it has given is stored, or cannot be; null: it is. */
  static endCheckpoints(context: JobContext): Promise<void> | null {
    return context.#endCheckpoints();
  }

  /** Whether the job was asked to stop. */
  static isInterrupted(context: JobContext): boolean {
    return context.#stopReason !== null;
  }

  /** The span that follows the present execution; null: nobody follows it. */
  static traceparentOf(context: JobContext): string | null {
    return context.#traceparent;
  }

  static setTraceparent(context: JobContext, traceparent: string | null): void {
    context.#setTraceparent(traceparent);
  }

  /** Asks the job to stop. */
  static interrupt(context: JobContext, reason: StopReason): void {
    context.#interrupt(reason);
  }

  /** Asks the job to stop, because its time is over. */
  static timeOut(context: JobContext, reason: StopReason): void {
    context.#timeOut(reason);
  }

  /** The run of one whose time is over ends without it. */
  static abandon(context: JobContext): void {
    context.#abandon();
  }

  /** Whether its time was over before it ended. */
  static isTimedOut(context: JobContext): boolean {
    return context.#isTimedOut;
  }

  /** Ends the threads that work for the job, whatever they do; null: there are none. */
  static stopThreads(context: JobContext): Promise<unknown> | null {
    return context.#threadRuns?.stop() ?? null;
  }

  /** From now on the job finds this data, of that version of its type. */
  static replaceData(context: JobContext, data: JobData, version: number): void {
    context.#replaceData(data, version);
  }

  /** Of what the job finds, and of what it returns; null: its data has not been looked at. */
  static dataVersionOf(context: JobContext): number | null {
    return context.#dataVersion;
  }

  /** The job has ended after so many milliseconds. */
  static ended(context: JobContext, jobRunTime: number): void {
    context.#ended(jobRunTime);
  }

  /** The transactions of the job; null: it has begun none. */
  static transactionOf(context: JobContext): RunTransaction | null {
    return context.#transaction;
  }

  /** The job is to run again in this firing. */
  static refire(context: JobContext): void {
    context.#refire();
  }

  #ownNotes(): RunNotes {
    if (this.#notes === null) {
      const { clock, onSaid } = this.#host;
      this.#notes = new RunNotes(clock, onSaid && (() => onSaid(this)));
    }
    return this.#notes;
  }

  #signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#stopReason !== null) this.#controller.abort(toStopError(this.#stopReason));
    }
    return this.#controller.signal;
  }

  #interrupt(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.#controller?.abort(toStopError(reason));
  }

  #timeOut(reason: StopReason): void {
    this.#isTimedOut = true;
    this.#interrupt(reason);
  }

  #abandon(): void {
    this.#isAbandoned = true;
  }

  #replaceData(data: JobData, version: number): void {
    this.#dataVersion = version;
    this.#data = this.#firing.jobDetail.persistJobDataAfterExecution ? copyJobData(data) : Object.freeze(data);
  }

  #ended(jobRunTime: number): void {
    this.#jobRunTime = jobRunTime;
  }

  #refire(): void {
    this.#refireCount++;
    this.#jobRunTime = -1;
    this.#notes?.startOver();
    const newest = this.#checkpoints?.newest ?? null;
    if (newest !== null) this.#resume(newest);
  }

  #endCheckpoints(): Promise<void> | null {
    this.#isOver = true;
    return this.#checkpoints?.end() ?? null;
  }

  #setTraceparent(traceparent: string | null): void {
    this.#traceparent = traceparent;
  }

  #resume(saved: string | null): void {
    this.#saved = saved;
    this.#resumeFrom = saved === null ? null : (JSON.parse(saved) as JsonValue);
  }
}
