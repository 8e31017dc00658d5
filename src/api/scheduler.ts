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
/** A key of a trigger, or just a name in the group DEFAULT. */
export type TriggerKeyLike = TriggerKey | string;

/** How to end. */
export interface ShutdownOptions {
  /** Let running jobs finish (default false). */
  readonly waitForJobs?: boolean;
  /**
   * The longest it may take, in milliseconds (default 30,000): then what still runs is aborted, and what a database that does not answer
   * was not told is left to recovery and told of by a `schedulerError`. Closing may take another half a second.
   */
  readonly deadline?: number;
}

/** What `schedule` takes besides the time. */
export interface ScheduleSettings<Data extends JobData = JobData> {
  /** IANA name of the zone whose clock `cron` is read by, such as 'Europe/Berlin'. Default: the scheduler's zone. */
  readonly timeZone?: string;
  /** Group of job and trigger; at most 190 characters. Default: DEFAULT. */
  readonly group?: string;
  /** What the job finds in `context.data`: a map of JSON values. Default: an empty map. */
  readonly data?: Data;
  /** For people; at most 250 characters. Default: none. */
  readonly description?: string;
  /** Of two triggers that are due at the same time, the one with the higher priority fires first. A whole number; default 5. */
  readonly priority?: number;
  /** The first fire time is not before it. Default: now. */
  readonly startAt?: Date;
  /** No fire time is after it. Must be after `startAt`. Default: none, for ever. */
  readonly endAt?: Date;
  /** Name of a stored calendar whose excluded times are passed over; it must exist. Default: none. */
  readonly calendar?: string;
  /**
   * The older name of `calendar`.
   * @deprecated Use `calendar`.
   */
  readonly calendarName?: string;
  /** Never two runs of this job at the same time, on whichever nodes; the next fire time waits. Default: false. */
  readonly disallowConcurrentExecution?: boolean;
  /** What the job returns becomes its data for the next run. Default: false. */
  readonly persistJobDataAfterExecution?: boolean;
  /** A run that is cut off by the death of its node is run again on another one. Default: false. */
  readonly requestsRecovery?: boolean;
  /**
   * The older name of `requestsRecovery`.
   * @deprecated Use `requestsRecovery`.
   */
  readonly requestRecovery?: boolean;
  /** The job will be registered later, or on another node: a name that no node knows is refused otherwise. */
  readonly registeredLater?: boolean;
  /** What to do with missed fire times: `fire` one at once (default), `skip` them, or `all` of them. */
  readonly misfire?: 'fire' | 'skip' | 'all';
}

/** When to run, in the short form: one of `cron`, `every` and `at`. */
export type ScheduleTime =
  | {
      /** A Quartz expression, seconds first, such as '0 0 6 ? * MON-FRI'. Throws CRON_SYNTAX for one that is none. */
      readonly cron: string;
      /** The dialect of `cron`; `unix` has five fields, or six with seconds first. Default: `quartz`. */
      readonly dialect?: 'quartz' | 'unix';
      readonly every?: never;
      readonly at?: never;
    }
  | {
      /**
       * Milliseconds, at least 1, a duration such as '5m' or '1h30m' (ms, s, m, h), or an ISO-8601 duration such as 'PT5M' or 'P1D'. The
       * first time is `startAt`, or now.
       */
      readonly every: number | string;
      readonly cron?: never;
      readonly dialect?: never;
      readonly at?: never;
    }
  | {
      /** Once, at this time; at once where it is past. */
      readonly at: Date;
      readonly cron?: never;
      readonly dialect?: never;
      readonly every?: never;
    };

/** When to run, and how, in the short form. */
export type ScheduleOptions<Data extends JobData = JobData> = ScheduleSettings<Data> & ScheduleTime;

/** One schedule of a declared set, as `schedule` takes it; without a job, one that is registered under its name. */
export type DeclaredSchedule = ScheduleOptions & {
  /** What runs; without it, the job that is registered under the name. */
  // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a set holds them all
  readonly job?: Job<any>;
};

/** How a set of schedules is declared. */
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

/** What a pause came to, after it was stored. */
export interface PauseReport {
  /**
   * Instance ids of nodes that did not confirm within 5 s that the jobs of all they had fired before have begun: a node that stands still
   * (a stopped process), a listener that takes longer, or the one from which the pause was asked for. What they had fired before the pause
   * may begin yet; nothing that is paused fires any more. Empty: nothing begins after the pause has returned. Java nodes are not asked.
   */
  readonly unconfirmed: readonly string[];
}

/** What a scheduler says of itself. */
export interface SchedulerMetaData {
  /** `scheduler.instanceName` of the configuration. */
  readonly schedulerName: string;
  /** The id of this node. */
  readonly schedulerInstanceId: string;
  /** Of this package. */
  readonly version: string;
  /** When it was first started; null: not yet. */
  readonly runningSince: Date | null;
  /** Here, since it was created. */
  readonly numberOfJobsExecuted: number;
  /** Whether `start` was ever called. */
  readonly isStarted: boolean;
  /** Whether it does not fire now. */
  readonly isInStandbyMode: boolean;
  /** Whether `shutdown` was called. */
  readonly isShutdown: boolean;
  /**
   * This node of a cluster was started and may not fire now: it could not check in for too long, has lost its place, or its clock is too
   * far off. It goes on by itself.
   */
  readonly isFenced: boolean;
  /** False while this node of a cluster cannot check in. */
  readonly isStoreAvailable: boolean;
  /**
   * Where jobs and triggers are kept; `persistent`: they outlive the process, `clustered`: several nodes share them.
   */
  readonly jobStore: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /** What runs the jobs, and how many at once. */
  readonly threadPool: { readonly name: string; readonly size: number };
  /** Several lines for people. */
  readonly summary: string;
}

/** A page of a filtered, sorted list. */
export interface PageOptions {
  /** How many to leave out from the beginning; a whole number, default 0. */
  readonly skip?: number;
  /** At most 1000; default 100. */
  readonly take?: number;
  /** Only keys whose name or group contains this text. Default: all. */
  readonly search?: string;
  /** From the end of the order. Default: false. */
  readonly descending?: boolean;
}

/** Which jobs to list, and in which order. */
export interface JobListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only of this job type. Default: all. */
  readonly jobType?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'jobType';
}

/** Which triggers to list, and in which order. */
export interface TriggerListOptions extends PageOptions {
  /** Only of these groups. Default: all. */
  readonly group?: GroupMatcher;
  /** Only those of this job. Default: all. */
  readonly jobKey?: JobKeyLike;
  /** Only in one of these states. Default: all. */
  readonly states?: readonly TriggerState[];
  /** Only those that this calendar modifies. Default: all. */
  readonly calendarName?: string;
  /** Default: `key`, group before name. */
  readonly sort?: 'key' | 'nextFireTime' | 'previousFireTime' | 'priority';
}

/** A stored row that this node cannot understand. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** What is wrong with it. */
  readonly cause: string;
  /** When this node first met it so. */
  readonly since: Date;
}

/** An execution of a job, on this node or another one. */
export interface ExecutingJob {
  /** Of this firing alone, for `interruptFireInstance`. */
  readonly fireInstanceId: string;
  /** Of the scheduler that runs it. */
  readonly instanceId: string;
  /** The job that runs. */
  readonly jobKey: JobKey;
  /** The trigger that fired. */
  readonly triggerKey: TriggerKey;
  /** When it did fire. */
  readonly fireTime: Date;
  /** When it was to fire. */
  readonly scheduledFireTime: Date;
  /** Whether a firing is run again that another node began and did not end. */
  readonly isRecovering: boolean;
}

/** A scheduler of the cluster. */
export interface NodeInfo {
  /** Its id, unique in the cluster. */
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
  /** When it joined; null: it does not say. */
  readonly startedAt: Date | null;
  /** The version of quartz-ts that it runs. */
  readonly version: string | null;
  /** Name of its machine; null: it does not say. */
  readonly host: string | null;
  /** Of its process on that machine; null: it does not say. */
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
  /** `scheduler.instanceName` of the configuration; the nodes of a cluster share it. */
  getSchedulerName(): string;
  /** The id of this node. */
  getSchedulerInstanceId(): string;
  /** A bag for jobs and listeners, seeded from `org.quartz.context.key.*`. */
  getContext(): Map<string, unknown>;
  /** What it is, where it keeps its schedule, in which state it is. */
  getMetaData(): SchedulerMetaData;

  /**
   * Fires from now on, what was missed before first. Rejects with SCHEDULER_STATE after `shutdown`, INSTANCE_ID_TAKEN
   * or STORE_FAILURE.
   */
  start(): Promise<void>;
  /** Starts later without blocking. Milliseconds. */
  startDelayed(delay: number): void;
  /** Stops firing and keeps everything else; `start` resumes. */
  standby(): Promise<void>;
  /** Irreversible. Safe to call twice. */
  shutdown(options?: ShutdownOptions): Promise<void>;
  /** Whether `start` was ever called; as in Quartz, it stays true in standby and after shutdown. */
  isStarted(): boolean;
  /** Whether it does not fire now: before `start`, after `standby`. */
  isInStandbyMode(): boolean;
  /** Whether `shutdown` was called. */
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
  /**
   * Makes the objects to execute from now on; without one, what was registered is used as it is, a class by `new`.
   */
  setJobFactory(factory: JobFactory): void;

  /** Stores a trigger for a stored job. Returns the first fire time. */
  scheduleJob(trigger: Trigger): Promise<Date>;
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobOptions): Promise<Date>;
  scheduleJob(job: JobDetail, triggers: readonly Trigger[], options: StoreJobOptions): Promise<void>;
  /** All or nothing. */
  scheduleJobs(jobs: ReadonlyMap<JobDetail, readonly Trigger[]>, options?: StoreJobOptions): Promise<void>;
  /** Deletes a trigger, and its job, if that is not durable and has no other. False: there was none. */
  unscheduleJob(key: TriggerKeyLike): Promise<boolean>;
  /** True when all were there. */
  unscheduleJobs(keys: readonly TriggerKeyLike[]): Promise<boolean>;
  /** Null when there is no such trigger. */
  rescheduleJob(key: TriggerKeyLike, trigger: Trigger): Promise<Date | null>;
  /**
   * Stores a job without a trigger. It must be durable, or `storeNonDurableWhileAwaitingScheduling` given. Rejects
   * with OBJECT_ALREADY_EXISTS unless it may be replaced, UNKNOWN_JOB_TYPE or INVALID_JOB_DATA.
   */
  addJob(
    job: JobDetail,
    options?: StoreJobOptions & { readonly storeNonDurableWhileAwaitingScheduling?: boolean },
  ): Promise<void>;
  /** Deletes a job and all its triggers; a run that has begun goes on. False: there was none. */
  deleteJob(key: JobKeyLike): Promise<boolean>;
  /** The same for several, in one transaction. True when all were there. */
  deleteJobs(keys: readonly JobKeyLike[]): Promise<boolean>;
  /** Runs a stored job now, once. Returns the key of the trigger made for it. */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;

  /** Fires no more until it is resumed; a run that has begun goes on. Rejects with TRIGGER_NOT_FOUND. */
  pauseTrigger(key: TriggerKeyLike): Promise<PauseReport>;
  /** Pauses the groups: their triggers, and those that are added to them later. */
  pauseTriggers(matcher: GroupMatcher): Promise<PauseReport>;
  /** Fires again; what was missed meanwhile is for the misfire instruction. Rejects with TRIGGER_NOT_FOUND. */
  resumeTrigger(key: TriggerKeyLike): Promise<void>;
  /** Resumes the groups and their triggers. */
  resumeTriggers(matcher: GroupMatcher): Promise<void>;
  /** Pauses all triggers that the job has now. Rejects with JOB_NOT_FOUND. */
  pauseJob(key: JobKeyLike): Promise<PauseReport>;
  /** Pauses the triggers of all jobs of these groups. */
  pauseJobs(matcher: GroupMatcher): Promise<PauseReport>;
  /** Resumes all triggers of the job. Rejects with JOB_NOT_FOUND. */
  resumeJob(key: JobKeyLike): Promise<void>;
  /** Resumes the triggers of all jobs of these groups. */
  resumeJobs(matcher: GroupMatcher): Promise<void>;
  /** Pauses all groups of triggers. */
  pauseAll(): Promise<PauseReport>;
  /** Resumes all groups of triggers. */
  resumeAll(): Promise<void>;
  /**
   * Takes a trigger out of the state ERROR, so that it fires again. No effect in another state. Rejects with
   * TRIGGER_NOT_FOUND.
   */
  resetTriggerFromErrorState(key: TriggerKeyLike): Promise<void>;

  /** The groups that hold jobs, in order. */
  getJobGroupNames(): Promise<readonly string[]>;
  /** The keys of the jobs of these groups, in order. */
  getJobKeys(matcher: GroupMatcher): Promise<readonly JobKey[]>;
  /** The groups that hold triggers, in order. */
  getTriggerGroupNames(): Promise<readonly string[]>;
  /** The keys of the triggers of these groups, in order. */
  getTriggerKeys(matcher: GroupMatcher): Promise<readonly TriggerKey[]>;
  /** The groups of triggers that are paused as groups. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /** The triggers of a job; none: an empty list. */
  getTriggersOfJob(key: JobKeyLike): Promise<readonly Trigger[]>;
  /** A stored job; null: there is none. */
  getJobDetail(key: JobKeyLike): Promise<JobDetail | null>;
  /** The jobs of these groups. */
  getJobDetails(matcher: GroupMatcher): Promise<readonly JobDetail[]>;
  /** A stored trigger, with its next and previous fire time; null: there is none. */
  getTrigger(key: TriggerKeyLike): Promise<Trigger | null>;
  /** NORMAL, PAUSED, COMPLETE, ERROR or BLOCKED; NONE: there is no such trigger. */
  getTriggerState(key: TriggerKeyLike): Promise<PublicTriggerState>;
  /** Filtered, sorted, paged. */
  listJobs(options?: JobListOptions): Promise<{ readonly items: readonly JobDetail[]; readonly total: number }>;
  /** Triggers with their states, filtered, sorted, paged. */
  listTriggers(options?: TriggerListOptions): Promise<{
    readonly items: readonly { readonly trigger: Trigger; readonly state: TriggerState }[];
    readonly total: number;
  }>;
  /** Whether a job or a trigger is stored. */
  checkExists(key: { readonly job: JobKeyLike } | { readonly trigger: TriggerKeyLike }): Promise<boolean>;
  /**
   * The stored jobs, triggers and calendars that this node has met and cannot understand, each with the cause and since when.
   * They stay as they are stored, for nodes that can; this node passes them over. Empty on the memory store.
   */
  listUnreadable(): Promise<readonly UnreadableRow[]>;
  /** Deletes all jobs, triggers and calendars of this scheduler. */
  clear(): Promise<void>;

  /**
   * Stores a calendar. Rejects with OBJECT_ALREADY_EXISTS unless it may be replaced; with `updateTriggers` the next
   * fire times of its triggers are worked out anew.
   */
  addCalendar(
    name: string,
    calendar: Calendar,
    options?: { readonly replace?: boolean; readonly updateTriggers?: boolean },
  ): Promise<void>;
  /** Refused while a trigger refers to it. */
  deleteCalendar(name: string): Promise<boolean>;
  /** A stored calendar; null: there is none. */
  getCalendar(name: string): Promise<Calendar | null>;
  /** The names of the stored calendars, in order. */
  getCalendarNames(): Promise<readonly string[]>;

  /** The nodes of the cluster, with what each can run. In memory: this one, once it is started. */
  listNodes(): Promise<readonly NodeInfo[]>;
  /** Those of this node. */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[];
  /** Those of all nodes, the longest first. */
  listExecutingJobs(): Promise<readonly ExecutingJob[]>;
  /** Aborts the signal of every execution of the job, on whichever node. True when there was one. */
  interrupt(key: JobKeyLike): Promise<boolean>;
  /** Aborts the signal of one firing, on whichever node. True when it was running. */
  interruptFireInstance(fireInstanceId: string): Promise<boolean>;

  /** The listeners of this scheduler. */
  getListenerManager(): ListenerManager;
  /** Hears of everything, as data. Returns the function that ends it. */
  subscribe(subscriber: (event: SchedulerEvent) => void): () => void;
}

/** Free-form values, as `org.quartz.context.key.*` gives them. */
export type ContextValues = Readonly<Record<string, JsonValue>>;
