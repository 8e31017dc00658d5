import type { JobLog, JobReport } from '../api/job-report';
import { type JobProgress, type RequestedInterruption, toInterruption } from '../api/runs';
import type { JobExecutionContext, JobObject, Scheduler } from '../api/scheduler';
import { type Trigger, toDate, toTrigger } from '../api/trigger';
import { type JobFile, RUN_IN_THREAD } from '../api/worker-job';
import { SchedulerStateError } from '../base/errors';
import type { Calendar } from '../domain/calendars/calendar';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { originOf, type RunOrigin } from '../domain/chain';
import type { TriggerFiring } from '../domain/firing';
import type { JobData, JsonValue } from '../domain/job-data';
import { type JobDetail, withOwnData } from '../domain/job-detail';
import type { TriggerKey } from '../domain/keys';
import { firstDueTimeOf, occurrenceOf, type Shard, scheduledTimeOf } from '../domain/occurrence';
import { recoveredTriggerKey } from '../domain/recovery';
import { detailOfPart } from '../domain/run';
import { type RunHost, RunState } from './run-state';

export function newRun(host: RunHost, firing: TriggerFiring, job: JobObject, interruptions = 0): RunState {
  const run = new RunState(host, firing, job, contextOf);
  run.interruptions = interruptions;
  return run;
}

const contextOf = (run: RunState): JobContext => new JobContext(run);

/** View of a run that its job and listeners receive. */
export class JobContext implements JobExecutionContext {
  result: unknown = undefined;
  readonly #run: RunState;
  #trigger: Trigger | null = null;
  #jobDetail: JobDetail | null = null;
  #calendar: Calendar | null = null;
  #scratch: Map<string, unknown> | null = null;

  constructor(run: RunState) {
    this.#run = run;
  }

  /** Returns the run behind a context, for code of this package. Static, because a job may overwrite the members of its context. */
  static runOf(context: JobContext): RunState {
    return context.#run;
  }

  get jobInstance(): JobObject {
    return this.#run.job;
  }

  get scheduler(): Scheduler {
    return this.#run.host.scheduler();
  }

  get trigger(): Trigger {
    if (this.#trigger === null) {
      const { trigger } = this.#run.firing;
      Object.freeze(trigger.key);
      Object.freeze(trigger.jobKey);
      this.#trigger = toTrigger(trigger);
    }
    return this.#trigger;
  }

  get calendar(): Calendar | null {
    const { calendar } = this.#run.firing;
    if (this.#calendar === null && calendar !== null) this.#calendar = calendarFrom(calendar);
    return this.#calendar;
  }

  get jobDetail(): JobDetail {
    this.#jobDetail ??= withOwnData(this.#run.firing.jobDetail);
    return this.#jobDetail;
  }

  get mergedJobDataMap(): JobData {
    return this.#run.data;
  }

  get data(): JobData {
    return this.#run.data;
  }

  get fireTime(): Date {
    return new Date(this.#run.firing.fireTime);
  }

  get scheduledFireTime(): Date {
    return new Date(scheduledTimeOf(this.#run.firing));
  }

  get firstDueTime(): Date {
    return new Date(firstDueTimeOf(this.#run.firing) ?? scheduledTimeOf(this.#run.firing));
  }

  get previousFireTime(): Date | null {
    return toDate(this.#run.firing.previousFireTime);
  }

  get nextFireTime(): Date | null {
    return toDate(this.#run.firing.trigger.nextFireTime);
  }

  get runId(): string {
    return this.#run.firing.runId;
  }

  get occurrenceId(): string {
    return occurrenceOf(this.#run.firing).id;
  }

  get attempt(): number {
    return occurrenceOf(this.#run.firing).attempt;
  }

  get origin(): RunOrigin | null {
    return originOf(this.#run.firing.trigger);
  }

  get shard(): Shard | null {
    return detailOfPart(occurrenceOf(this.#run.firing)).shard ?? null;
  }

  get refireCount(): number {
    return this.#run.refireCount;
  }

  get isRecovering(): boolean {
    return this.#run.firing.recovering;
  }

  get recoveringTriggerKey(): TriggerKey {
    const key = this.isRecovering ? recoveredTriggerKey(this.data) : null;
    if (key !== null) return key;
    throw new SchedulerStateError('This firing does not recover a run. Check isRecovering first.');
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get jobRunTime(): number {
    return this.#run.jobRunTime;
  }

  get isAbandoned(): boolean {
    return this.#run.isAbandoned;
  }

  get interruption(): RequestedInterruption | null {
    return toInterruption(this.#run.interruption);
  }

  get log(): JobLog {
    return this.#run.ownNotes().log;
  }

  get currentProgress(): JobProgress | null {
    return this.#run.notes?.progress ?? null;
  }

  // The next four getters return functions that do not use `this`, because jobs may destructure the context.

  get report(): (report: JobReport) => void {
    return (report) => this.#run.ownNotes().addReport(report);
  }

  get progress(): (fraction: number, message?: string) => void {
    return (fraction, message) => this.#run.ownNotes().setProgress(fraction, message);
  }

  get checkpoint(): (value: JsonValue) => Promise<void> {
    return (value) => this.#run.saveCheckpoint(value);
  }

  get transaction(): JobExecutionContext['transaction'] {
    return (work) => this.#run.transact(work);
  }

  get resumeFrom(): JsonValue {
    return this.#run.resumeFrom;
  }

  put(key: string, value: unknown): void {
    this.#scratch ??= new Map();
    this.#scratch.set(key, value);
  }

  get(key: string): unknown {
    return this.#scratch?.get(key);
  }

  /** Called by jobs that were created with `workerJob`. */
  [RUN_IN_THREAD](file: JobFile): Promise<unknown> {
    return this.#run.runInThread(file);
  }
}
