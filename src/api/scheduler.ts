import type { Calendar } from '../domain/calendars/calendar';
import type { JobData, JsonValue } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from '../domain/keys';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { PublicTriggerState, TriggerState } from '../domain/trigger-state';
import type { Job, JobExecutionContext, JobFactory } from './job';
import type { ListenerManager } from './listeners';
import type { Trigger } from './trigger';

/** A key, or just a name in the group DEFAULT. */
export type JobKeyLike = JobKey | string;
export type TriggerKeyLike = TriggerKey | string;

export interface ShutdownOptions {
  /** Let running jobs finish (default false). */
  readonly waitForJobs?: boolean;
  /** Wait at most this many milliseconds, then abort what still runs (default 30,000). */
  readonly deadline?: number;
}

/** When to run, in the short form; exactly one of `cron`, `every` and `at`. */
export interface ScheduleOptions<Data extends JobData = JobData> {
  readonly cron?: string;
  /** The dialect of `cron`; default `quartz`. */
  readonly dialect?: 'quartz' | 'unix';
  /** Milliseconds, a duration such as '5m' or '1h30m' (ms, s, m, h), or an ISO-8601 duration such as 'PT5M' or 'P1D'. */
  readonly every?: number | string;
  readonly at?: Date;
  /** Default: the scheduler's zone. */
  readonly timeZone?: string;
  /** Default DEFAULT. */
  readonly group?: string;
  readonly data?: Data;
  readonly description?: string;
  readonly priority?: number;
  readonly startAt?: Date;
  readonly endAt?: Date;
  /** The name of a stored calendar, whose times are left out. */
  readonly calendar?: string;
  /** @deprecated `calendar` */
  readonly calendarName?: string;
  readonly disallowConcurrentExecution?: boolean;
  readonly persistJobDataAfterExecution?: boolean;
  /** Whether it runs again when its node dies while it runs. */
  readonly requestsRecovery?: boolean;
  /** @deprecated `requestsRecovery` */
  readonly requestRecovery?: boolean;
  /** The job will be registered later, or on another node: a name that no node knows is refused otherwise. */
  readonly registeredLater?: boolean;
  /** What to do with missed fire times: `fire` one at once (default), `skip` them, or `all` of them. */
  readonly misfire?: 'fire' | 'skip' | 'all';
}

/** One schedule of a declared set, as `schedule` takes it; without a job, one that is registered under its name. */
export interface DeclaredSchedule extends ScheduleOptions {
  // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a set holds them all
  readonly job?: Job<any>;
}

export interface DeclareOptions {
  /** The name of the set (default `default`); programs that share a schedule have one each. */
  readonly set?: string;
  /** Deletes what the set held before and holds no longer (default false: it is reported, and goes on). */
  readonly prune?: boolean;
}

/** What a declaration came to. */
export interface DeclareReport {
  /** By name; null: it has come to its end. */
  readonly nextFireTimes: Readonly<Record<string, Date | null>>;
  /** What the set held before and holds no longer; with `prune` it is deleted now. */
  readonly undeclared: readonly TriggerKey[];
}

export interface SchedulerMetaData {
  readonly schedulerName: string;
  readonly schedulerInstanceId: string;
  readonly version: string;
  readonly runningSince: Date | null;
  readonly numberOfJobsExecuted: number;
  readonly isStarted: boolean;
  readonly isInStandbyMode: boolean;
  readonly isShutdown: boolean;
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Several lines for people. */
  readonly summary: string;
}

/** A page of a filtered, sorted list. */
export interface PageOptions {
  readonly skip?: number;
  /** At most 1000; default 100. */
  readonly take?: number;
  readonly search?: string;
  readonly descending?: boolean;
}

export interface JobListOptions extends PageOptions {
  readonly group?: GroupMatcher;
  readonly jobType?: string;
  readonly sort?: 'key' | 'jobType';
}

export interface TriggerListOptions extends PageOptions {
  readonly group?: GroupMatcher;
  readonly jobKey?: JobKeyLike;
  readonly states?: readonly TriggerState[];
  readonly calendarName?: string;
  readonly sort?: 'key' | 'nextFireTime' | 'previousFireTime' | 'priority';
}

/** An execution of a job, on this node or another one. */
export interface ExecutingJob {
  readonly fireInstanceId: string;
  /** Of the scheduler that runs it. */
  readonly instanceId: string;
  readonly jobKey: JobKey;
  readonly triggerKey: TriggerKey;
  readonly fireTime: Date;
  readonly scheduledFireTime: Date;
  readonly isRecovering: boolean;
}

/** A scheduler of the cluster. */
export interface NodeInfo {
  readonly instanceId: string;
  /** It is the one that was asked. */
  readonly isThisNode: boolean;
  /** A Java node: what it does not tell is null. */
  readonly isJava: boolean;
  /** `overdue`: it has been silent for its detection time, and the others are about to take over what it held. */
  readonly state: 'alive' | 'overdue';
  /** On the store's clock, as all times here. Null where nobody shares the store. */
  readonly lastCheckInTime: Date | null;
  /** Until when what runs there is its own, unless it checks in again before. */
  readonly leaseUntil: Date | null;
  readonly startedAt: Date | null;
  /** Of quartz-ts. */
  readonly version: string | null;
  readonly host: string | null;
  readonly processId: number | null;
  /** What it can run; null: it does not say, because it is a Java node, has an older version, or very many of them. */
  readonly jobTypes: readonly string[] | null;
}

/** What may be said of jobs that are stored. */
export interface StoreJobOptions {
  /** Whether a stored one of the same key gives way (default false: the call is refused). */
  readonly replace?: boolean;
  /**
   * The job type will be registered later, here or on another node (default false: a type that neither this node nor another one has is
   * refused, as a misspelt one would wait for ever).
   */
  readonly registeredLater?: boolean;
}

/** What users hold: Quartz's Scheduler. Every method that reads or writes the schedule is one transaction of the store. */
export interface Scheduler {
  getSchedulerName(): string;
  getSchedulerInstanceId(): string;
  /** A bag for jobs and listeners, seeded from `org.quartz.context.key.*`. */
  getContext(): Map<string, unknown>;
  getMetaData(): SchedulerMetaData;

  start(): Promise<void>;
  /** Starts later without blocking. Milliseconds. */
  startDelayed(delay: number): void;
  /** Stops firing and keeps everything else; `start` resumes. */
  standby(): Promise<void>;
  /** Irreversible. Safe to call twice. */
  shutdown(options?: ShutdownOptions): Promise<void>;
  /** Whether `start` was ever called; as in Quartz, it stays true in standby and after shutdown. */
  isStarted(): boolean;
  isInStandbyMode(): boolean;
  isShutdown(): boolean;

  /**
   * The short form: job type, job and trigger all named `name`; an idempotent upsert. Returns the next fire time; null when it has
   * come to its end, where it stays however often the same is said again, by whichever node. `unscheduleJob` and `deleteJob` forget
   * that. A job given again takes the place of the old one; data of a job that persists its data is where it begins.
   */
  schedule<Data extends JobData = JobData>(
    name: string,
    when: ScheduleOptions<Data>,
    job?: Job<Data>,
  ): Promise<Date | null>;
  /**
   * Declares a set of schedules, all or nothing: as `schedule` for each, by its name. What the set held before and holds no longer is
   * reported, as a warning too, and deleted with `prune`. Schedules of other sets, and of `schedule`, are left alone.
   */
  declare(schedules: Readonly<Record<string, DeclaredSchedule>>, options?: DeclareOptions): Promise<DeclareReport>;
  /** Adds to the registry of job types. Throws INVALID_ARGUMENT when the type is taken by another job. */
  registerJob<Data extends JobData = JobData>(jobType: string, job: Job<Data>): void;
  setJobFactory(factory: JobFactory): void;

  /** Stores a trigger for a stored job. Returns the first fire time. */
  scheduleJob(trigger: Trigger): Promise<Date>;
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobOptions): Promise<Date>;
  scheduleJob(job: JobDetail, triggers: readonly Trigger[], options: StoreJobOptions): Promise<void>;
  /** All or nothing. */
  scheduleJobs(jobs: ReadonlyMap<JobDetail, readonly Trigger[]>, options?: StoreJobOptions): Promise<void>;
  unscheduleJob(key: TriggerKeyLike): Promise<boolean>;
  /** True when all were there. */
  unscheduleJobs(keys: readonly TriggerKeyLike[]): Promise<boolean>;
  /** Null when there is no such trigger. */
  rescheduleJob(key: TriggerKeyLike, trigger: Trigger): Promise<Date | null>;
  addJob(
    job: JobDetail,
    options?: StoreJobOptions & { readonly storeNonDurableWhileAwaitingScheduling?: boolean },
  ): Promise<void>;
  deleteJob(key: JobKeyLike): Promise<boolean>;
  deleteJobs(keys: readonly JobKeyLike[]): Promise<boolean>;
  /** Runs a stored job now, once. Returns the key of the trigger made for it. */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;

  pauseTrigger(key: TriggerKeyLike): Promise<void>;
  pauseTriggers(matcher: GroupMatcher): Promise<void>;
  resumeTrigger(key: TriggerKeyLike): Promise<void>;
  resumeTriggers(matcher: GroupMatcher): Promise<void>;
  pauseJob(key: JobKeyLike): Promise<void>;
  pauseJobs(matcher: GroupMatcher): Promise<void>;
  resumeJob(key: JobKeyLike): Promise<void>;
  resumeJobs(matcher: GroupMatcher): Promise<void>;
  pauseAll(): Promise<void>;
  resumeAll(): Promise<void>;
  resetTriggerFromErrorState(key: TriggerKeyLike): Promise<void>;

  getJobGroupNames(): Promise<readonly string[]>;
  getJobKeys(matcher: GroupMatcher): Promise<readonly JobKey[]>;
  getTriggerGroupNames(): Promise<readonly string[]>;
  getTriggerKeys(matcher: GroupMatcher): Promise<readonly TriggerKey[]>;
  getPausedTriggerGroups(): Promise<readonly string[]>;
  getTriggersOfJob(key: JobKeyLike): Promise<readonly Trigger[]>;
  getJobDetail(key: JobKeyLike): Promise<JobDetail | null>;
  getJobDetails(matcher: GroupMatcher): Promise<readonly JobDetail[]>;
  getTrigger(key: TriggerKeyLike): Promise<Trigger | null>;
  getTriggerState(key: TriggerKeyLike): Promise<PublicTriggerState>;
  /** Filtered, sorted, paged. */
  listJobs(options?: JobListOptions): Promise<{ readonly items: readonly JobDetail[]; readonly total: number }>;
  listTriggers(options?: TriggerListOptions): Promise<{
    readonly items: readonly { readonly trigger: Trigger; readonly state: TriggerState }[];
    readonly total: number;
  }>;
  checkExists(key: { readonly job: JobKeyLike } | { readonly trigger: TriggerKeyLike }): Promise<boolean>;
  /** Deletes all jobs, triggers and calendars of this scheduler. */
  clear(): Promise<void>;

  addCalendar(
    name: string,
    calendar: Calendar,
    options?: { readonly replace?: boolean; readonly updateTriggers?: boolean },
  ): Promise<void>;
  /** Refused while a trigger refers to it. */
  deleteCalendar(name: string): Promise<boolean>;
  getCalendar(name: string): Promise<Calendar | null>;
  getCalendarNames(): Promise<readonly string[]>;

  /** The nodes of the cluster, with what each can run. In memory: this one, once it is started. */
  listNodes(): Promise<readonly NodeInfo[]>;
  /** Those of this node. */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[];
  /** Those of all nodes, the longest first. */
  listExecutingJobs(): Promise<readonly ExecutingJob[]>;
  /** Aborts the signal of every execution of the job, on whichever node. True when there was one. */
  interrupt(key: JobKeyLike): Promise<boolean>;
  interruptFireInstance(fireInstanceId: string): Promise<boolean>;

  getListenerManager(): ListenerManager;
  /** Hears of everything, as data. Returns the function that ends it. */
  subscribe(subscriber: (event: SchedulerEvent) => void): () => void;
}

/** Free-form values, as `org.quartz.context.key.*` gives them. */
export type ContextValues = Readonly<Record<string, JsonValue>>;
