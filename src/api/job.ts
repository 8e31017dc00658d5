import type { Calendar } from '../domain/calendars/calendar';
import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { TriggerKey } from '../domain/keys';
import type { Scheduler } from './scheduler';
import type { Trigger } from './trigger';

/** What a job sees of the firing it runs for. Quartz's names. */
export interface JobExecutionContext<Data extends JobData = JobData> {
  /** The scheduler that runs the job. */
  readonly scheduler: Scheduler;
  /** The trigger that fired, as it is after this firing was planned. */
  readonly trigger: Trigger;
  /** The calendar of the trigger; null: none. */
  readonly calendar: Calendar | null;
  /** The job as it is stored. */
  readonly jobDetail: JobDetail;
  /** What is executed: the object registered or made for this firing; of a function, an object around it. */
  readonly jobInstance: JobObject;
  /** The job's data, overridden by the trigger's. Frozen. */
  readonly mergedJobDataMap: Data;
  /** The same as `mergedJobDataMap`. */
  readonly data: Data;
  /** When it did fire: later than scheduled when it misfired or the node was busy. */
  readonly fireTime: Date;
  /** When it was to fire. */
  readonly scheduledFireTime: Date;
  /** The scheduled time of the firing before; null for the first. */
  readonly previousFireTime: Date | null;
  /** When the trigger fires next; null: never again. */
  readonly nextFireTime: Date | null;
  /** Of this firing alone, in the whole cluster. */
  readonly fireInstanceId: string;
  /** How often this firing was run again at once (`refireImmediately`), from 0 to `maxRefireCount`. */
  readonly refireCount: number;
  /** Whether a firing is run again that another node began and did not end. */
  readonly isRecovering: boolean;
  /** The trigger whose firing is run again. Throws SCHEDULER_STATE unless `isRecovering`. */
  readonly recoveringTriggerKey: TriggerKey;
  /** Aborts when the job is interrupted or the scheduler stops waiting for it. */
  readonly signal: AbortSignal;
  /** Milliseconds the job ran; -1 until it has ended. */
  readonly jobRunTime: number;
  /** Anything the job wants listeners to see. */
  result: unknown;
  /** A scratch space shared by the job and the listeners of this firing. */
  put(key: string, value: unknown): void;
  /** What `put` left under this key; undefined: nothing. */
  get(key: string): unknown;
}

/**
 * What a job answers, or a promise of it. Of a job that persists its data, an answer that is not undefined is stored as its data, and
 * fails the firing when it is not a map of JSON values; of any other job it is for nobody.
 */
export type JobResult = unknown;

/** A job as a function. */
export type JobFunction<Data extends JobData = JobData> = (context: JobExecutionContext<Data>) => JobResult;

/** A job as an object. */
export interface JobObject<Data extends JobData = JobData> {
  /** Does the work. What it throws fails the firing, and never stops the trigger. */
  execute(context: JobExecutionContext<Data>): JobResult;
}

/** A job as a class; every firing gets a new instance. */
export type JobClass<Data extends JobData = JobData> = new () => JobObject<Data>;

/** Whatever can be registered under a job type. */
export type Job<Data extends JobData = JobData> = JobFunction<Data> | JobObject<Data> | JobClass<Data>;

/** The closed registry of job types. */
// biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; the registry holds them all
export type Jobs = Readonly<Record<string, Job<any>>>;

/** Makes the object to execute for one firing: the seam for dependency injection. `job` is what was registered. */
export type JobFactory = (job: Job, jobDetail: JobDetail) => JobObject | Promise<JobObject>;
