import type { Calendar } from '../domain/calendars/calendar';
import type { RunOrigin } from '../domain/chain';
import type { CompletionInstruction } from '../domain/completion';
import type { JobData, JsonValue } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, JobKeyLike, TriggerKey, TriggerKeyLike } from '../domain/keys';
import type { Shard } from '../domain/occurrence';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { TriggerState } from '../domain/trigger-state';
import type { Backfill, BackfillOptions, BackfillReport } from './backfills';
import type { JobSchema } from './job-schema';
import type {
  ExecutingJob,
  JobListOptions,
  ListedOverdue,
  ListedPause,
  ListedTrigger,
  ListPage,
  NodeInfo,
  PauseOptions,
  SchedulerHealth,
  SchedulerMetaData,
  TriggerListOptions,
  UnreadableRow,
} from './reading';
import type { JobProgress, JobStatus, OngoingOccurrence, Run, RunLine, RunList, RunListOptions } from './runs';
import type {
  AddJobOptions,
  DeclareOptions,
  DeclareReport,
  ScheduleSettings,
  ScheduleTime,
  StoreJobOptions,
  StoreJobsOptions,
} from './schedule-options';
import type { JobSql, TransactionScheduler } from './transactions';
import type { AfterTrigger, Trigger } from './trigger';
import type {
  DataFor,
  EnqueueArguments,
  JobTypeName,
  JobTypeOption,
  RequiredData,
  ScheduleSet,
  ScheduleTiming,
  SetJobs,
} from './typed-jobs';

// The types of schedulers, jobs and listeners refer to each other, so they are in one file.

/** Options of `shutdown`. */
export interface ShutdownOptions {
  /** Let running jobs finish (default false). */
  readonly waitForJobs?: boolean;
  /**
   * The longest it may take, in milliseconds, 0 or more (default: `scheduler.shutdownDeadline`, 30,000). Then running jobs are aborted, and
   * completions that the database has not accepted are left to recovery and reported by a `schedulerError`. Closing may take 500 ms more.
   */
  readonly deadline?: number;
}

/** Result of a pause, after it was stored. */
export interface PauseReport {
  /**
   * Instance ids of nodes that did not confirm within 5 s that the jobs of everything they had fired before have begun: a stopped process
   * (also one that other nodes recovered in this time), a slow listener, or the node that asked for the pause, also where it could not ask the others. Their earlier firings may still begin, in the
   * last case those of every node; nothing that is paused fires any more. Empty: nothing begins after the pause has returned. Java nodes are
   * not asked.
   */
  readonly unconfirmed: readonly string[];
}

/**
 * Quartz's Scheduler. Every method that reads or writes the schedule is one transaction of the store. Methods that return a promise never
 * throw, they reject: with SCHEDULER_STATE after `shutdown`, with STORE_FAILURE when the database fails.
 */
export interface Scheduler<Registry extends Jobs = Jobs> {
  /** `scheduler.instanceName` of the configuration; the nodes of a cluster share it. */
  getSchedulerName(): string;
  /** The id of this node. */
  getSchedulerInstanceId(): string;
  /** A bag for jobs and listeners, seeded from `org.quartz.context.key.*`. */
  getContext(): Map<string, unknown>;
  /** Returns the scheduler's description, storage and state. */
  getMetaData(): SchedulerMetaData;
  /**
   * Returns the state for liveness and readiness probes; queries the store at most once a second. Never rejects: not with STORE_FAILURE,
   * and not with SCHEDULER_STATE after `shutdown`.
   */
  health(): Promise<SchedulerHealth>;

  /**
   * Fires from now on, missed fire times first. No effect when it was started. Rejects with SCHEDULER_STATE, INSTANCE_ID_TAKEN,
   * STORE_FAILURE, or CONFIGURATION for a plugin that cannot start.
   */
  start(): Promise<void>;
  /** Starts after `delay` milliseconds (Quartz: seconds), 0 or more; a failure is a `schedulerError`. Throws INVALID_ARGUMENT. */
  startDelayed(delay: number): void;
  /** Stops firing and keeps everything else; `start` resumes. No effect before `start`. Rejects with SCHEDULER_STATE. */
  standby(): Promise<void>;
  /** Irreversible. Safe to call twice: the second call waits for the first. Rejects with INVALID_ARGUMENT for its options, or STORE_FAILURE. */
  shutdown(options?: ShutdownOptions): Promise<void>;
  /** True if `start` was ever called. As in Quartz, it stays true in standby and after shutdown. */
  isStarted(): boolean;
  /** True if the scheduler is not firing now: before `start` and after `standby`. */
  isInStandbyMode(): boolean;
  /** True if `shutdown` was called. */
  isShutdown(): boolean;

  /**
   * The short form: a job and a trigger named `name` (which may be `group/name`), of the registered job type `job` (default: the name); an
   * idempotent upsert. With a job as the third argument, that job is registered under the name. The compiler checks names, data and cron
   * literals against the `jobs` of `createScheduler`. Returns the next fire time; null when it waits for other jobs (`after`), or has come to its
   * end, which the store remembers until `unscheduleJob` or `deleteJob`. A job given again replaces the old one; the data of a job that
   * persists its data is only its first. Rejects with INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER (it would never fire), CRON_SYNTAX,
   * UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  schedule<Name extends JobTypeName<Registry>, Cron extends string>(
    name: Name,
    when: ScheduleTiming<Cron> & { readonly job?: undefined } & DataFor<Registry[Name]>,
  ): Promise<Date | null>;
  schedule<Type extends JobTypeName<Registry>, Cron extends string>(
    name: string,
    when: ScheduleTiming<Cron> & JobTypeOption<Type> & DataFor<Registry[Type]>,
  ): Promise<Date | null>;
  schedule<Data extends JobData = JobData, Cron extends string = string>(
    name: string,
    when: ScheduleTiming<Cron> & { readonly job?: undefined; readonly data?: Data } & RequiredData<Data>,
    job: Job<Data>,
  ): Promise<Date | null>;
  /**
   * Runs a job of a registered type once, now or at a time; returns the key of its trigger. Job and trigger are deleted when it has run.
   * Rejects with the codes of `schedule`, and OBJECT_ALREADY_EXISTS for a `name` that is stored: INVALID_ARGUMENT, INVALID_JOB_DATA,
   * UNKNOWN_JOB_TYPE, SCHEDULER_STATE or STORE_FAILURE.
   */
  enqueue<Type extends JobTypeName<Registry>>(
    jobType: Type,
    ...data: EnqueueArguments<Registry[Type]>
  ): Promise<TriggerKey>;
  /**
   * Declares a set of schedules, all or nothing: like `schedule` for each, by its name. Triggers that the set no longer names are reported,
   * also as a warning, and deleted with `prune`. Schedules of other sets, and of `schedule`, are left alone. Rejects with the codes of
   * `schedule`: INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER, CRON_SYNTAX, UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  declare<const Given extends SetJobs>(
    schedules: ScheduleSet<Registry, Given, AnyJob>,
    options?: DeclareOptions,
  ): Promise<DeclareReport>;
  /**
   * Like `declare`, and deletes triggers that the set no longer names, within the groups that it names. `prune: 'all'` deletes them in
   * every group, false in none. Rejects with the codes of `declare`: INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER, CRON_SYNTAX,
   * UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  sync<const Given extends SetJobs>(
    schedules: ScheduleSet<Registry, Given, AnyJob>,
    options?: DeclareOptions,
  ): Promise<DeclareReport>;
  /** Adds to the registry of job types. Throws INVALID_ARGUMENT when the type is taken by another job. */
  registerJob<Data extends JobData = JobData>(jobType: string, job: Job<Data>): void;
  /**
   * Sets the factory of the objects that execute jobs from now on (default: as registered, a class by `new`). Throws INVALID_ARGUMENT
   * unless it is a function.
   */
  setJobFactory(factory: JobFactory): void;

  /**
   * Stores a trigger for a stored job; or a job with one trigger; or with several. Returns the first fire time, null of one that waits for
   * other jobs, of several nothing. Rejects with OBJECT_ALREADY_EXISTS unless it may be replaced, JOB_NOT_FOUND, CALENDAR_NOT_FOUND, INVALID_TRIGGER (it names another job, or
   * would never fire), INVALID_ARGUMENT, INVALID_JOB_DATA, CRON_SYNTAX, UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  scheduleJob(trigger: AfterTrigger): Promise<null>;
  scheduleJob(job: JobDetail, trigger: AfterTrigger, options?: StoreJobOptions): Promise<null>;
  scheduleJob(trigger: Trigger): Promise<Date>;
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobOptions): Promise<Date>;
  scheduleJob(job: JobDetail, triggers: readonly Trigger[], options: StoreJobOptions): Promise<void>;
  /**
   * Jobs with their triggers. Up to 200 of both are stored all or nothing; more in portions, between which triggers fire, unless `atomic`.
   * Rejects with the codes of `scheduleJob`, such as OBJECT_ALREADY_EXISTS; the message says how many changes had been applied before.
   */
  scheduleJobs(jobs: ReadonlyMap<JobDetail, readonly Trigger[]>, options?: StoreJobsOptions): Promise<void>;
  /**
   * Deletes a trigger, and its job if that is not durable and has no other. What runs goes on; what a node has fired and holds until its time
   * begins before this resolves (or, if a node does not answer, after 5 s). Waiting retries and recoveries of its occurrences become dead letters,
   * and start what is chained to the failure; deferred runs are dropped. A trigger that has fired for the last time is found by these. False:
   * there was nothing. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  unscheduleJob(key: TriggerKeyLike): Promise<boolean>;
  /** The same for several: up to 200 jobs all or nothing, more in portions. True when all were there. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  unscheduleJobs(keys: readonly TriggerKeyLike[]): Promise<boolean>;
  /**
   * Puts another trigger in the place of a stored one, for the same job; its key may differ. Returns the first fire time; null: there is no
   * such trigger, or it waits for other jobs. Rejects with OBJECT_ALREADY_EXISTS when another one has the new key, INVALID_TRIGGER, CALENDAR_NOT_FOUND,
   * INVALID_ARGUMENT, INVALID_JOB_DATA, CRON_SYNTAX, UNKNOWN_TIME_ZONE, SCHEDULER_STATE or STORE_FAILURE.
   */
  rescheduleJob(key: TriggerKeyLike, trigger: Trigger): Promise<Date | null>;
  /**
   * Stores a job without a trigger. It must be durable, or `storeNonDurableWhileAwaitingScheduling` given. Rejects with
   * OBJECT_ALREADY_EXISTS unless it may be replaced, UNKNOWN_JOB_TYPE, INVALID_JOB_DATA, INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  addJob(job: JobDetail, options?: AddJobOptions): Promise<void>;
  /**
   * Deletes a job and all its triggers, as `unscheduleJob` does. More than 200 triggers are deleted in portions, between which others fire;
   * the job goes last. Waiting retries and recoveries become dead letters, which keep the job for a rerun. False: there was none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  deleteJob(key: JobKeyLike): Promise<boolean>;
  /** The same for several: up to 200 jobs all or nothing, more in portions. True when all were there. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  deleteJobs(keys: readonly JobKeyLike[]): Promise<boolean>;
  /**
   * Runs a stored job once, now; returns the new trigger's key. Rejects with JOB_NOT_FOUND, INVALID_JOB_DATA, INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;

  /** Does not fire until it is resumed; a run goes on. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseTrigger(key: TriggerKeyLike, options?: PauseOptions): Promise<PauseReport>;
  /** Pauses the groups: present and future triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseTriggers(matcher: GroupMatcher, options?: PauseOptions): Promise<PauseReport>;
  /** Fires again, after its misfire instruction. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeTrigger(key: TriggerKeyLike): Promise<void>;
  /** Resumes the groups and their triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeTriggers(matcher: GroupMatcher): Promise<void>;
  /** Pauses all triggers that the job has now. Rejects with JOB_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseJob(key: JobKeyLike, options?: PauseOptions): Promise<PauseReport>;
  /** Pauses the triggers that the jobs of these groups have now. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseJobs(matcher: GroupMatcher, options?: PauseOptions): Promise<PauseReport>;
  /** Resumes all triggers of the job. Rejects with JOB_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeJob(key: JobKeyLike): Promise<void>;
  /** Resumes the triggers of all jobs of these groups. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeJobs(matcher: GroupMatcher): Promise<void>;
  /** Pauses all groups of triggers, those to come too. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseAll(options?: PauseOptions): Promise<PauseReport>;
  /**
   * Returns the pauses with a reason, author or end time, oldest first; other pauses are not listed. Rejects with SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  listPauses(): Promise<readonly ListedPause[]>;
  /**
   * Returns jobs and triggers that have not succeeded within their `mustSucceedWithin`, the longest overdue first, including paused ones.
   * `limit`: 1 to 10,000 (default 10,000). Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listOverdue(options?: { readonly limit?: number }): Promise<readonly ListedOverdue[]>;
  /** Resumes all groups of triggers. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  resumeAll(): Promise<void>;
  /** Ends the state ERROR of a trigger; no effect in others. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resetTriggerFromErrorState(key: TriggerKeyLike): Promise<void>;

  /** The groups that hold jobs, in order. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getJobGroupNames(): Promise<readonly string[]>;
  /** The keys of the jobs of these groups, in order. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobKeys(matcher: GroupMatcher): Promise<readonly JobKey[]>;
  /** The groups that hold triggers, in order. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerGroupNames(): Promise<readonly string[]>;
  /** The keys of the triggers of these groups, in order. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerKeys(matcher: GroupMatcher): Promise<readonly TriggerKey[]>;
  /** The groups of triggers that are paused as groups. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /** The triggers of a job; none: an empty list. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggersOfJob(key: JobKeyLike): Promise<readonly Trigger[]>;
  /** A stored job; null: there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobDetail(key: JobKeyLike): Promise<JobDetail | null>;
  /** The jobs of these groups, in the order of their keys. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobDetails(matcher: GroupMatcher): Promise<readonly JobDetail[]>;
  /** A stored trigger; null: there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTrigger(key: TriggerKeyLike): Promise<Trigger | null>;
  /** The state as it is stored; null: there is no such trigger. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerState(key: TriggerKeyLike): Promise<TriggerState | null>;
  /** A page of jobs. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  listJobs(options?: JobListOptions): Promise<ListPage<JobDetail>>;
  /** A page of triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  listTriggers(options?: TriggerListOptions): Promise<ListPage<ListedTrigger>>;
  /** True if the job or trigger is stored. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  checkExists(key: { readonly job: JobKeyLike } | { readonly trigger: TriggerKeyLike }): Promise<boolean>;
  /**
   * The stored jobs, triggers and calendars that this node has met and cannot understand, each with the cause and since when.
   * They stay as they are stored, for nodes that can; this node passes them over. Empty on the memory store. Rejects with
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  listUnreadable(): Promise<readonly UnreadableRow[]>;
  /** Deletes all jobs, triggers and calendars of this scheduler. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  clear(): Promise<void>;

  /**
   * Stores a calendar; with `updateTriggers` (default false) it recomputes the next fire times of its triggers. Rejects with
   * OBJECT_ALREADY_EXISTS unless `replace` is given (default false), INVALID_CALENDAR, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  addCalendar(
    name: string,
    calendar: Calendar,
    options?: { readonly replace?: boolean; readonly updateTriggers?: boolean },
  ): Promise<void>;
  /** Deletes a calendar. False: none. Rejects with CALENDAR_IN_USE (by a trigger), INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  deleteCalendar(name: string): Promise<boolean>;
  /** A stored calendar; null: none. Rejects with INVALID_CALENDAR (it is not ours), INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getCalendar(name: string): Promise<Calendar | null>;
  /** The names of the stored calendars, in order. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getCalendarNames(): Promise<readonly string[]>;

  /**
   * Runs the fire times of a trigger from `from` to before `to`, as its schedule and its calendar make them: each by a trigger of its own that
   * fires once, from now on, `spacing` apart, with the data, priority and policy of the trigger and that time as `scheduledFireTime`. Of a cron
   * trigger also times before its start. All are stored, or none; its own schedule does not change. Rejects with INVALID_ARGUMENT (also where
   * there are more than `max`, default 1,000 and at most 10,000: the message says how many), TRIGGER_NOT_FOUND, JOB_NOT_FOUND,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  backfill(key: TriggerKeyLike, options: BackfillOptions): Promise<BackfillReport>;
  /**
   * Returns unfinished backfills and catch-ups of triggers (`withCatchUp`), by their groups. Rejects with SCHEDULER_STATE or STORE_FAILURE.
   */
  listBackfills(): Promise<readonly Backfill[]>;
  /**
   * Deletes the fire times of a backfill that have not fired. Returns the number of deleted triggers. Rejects with INVALID_ARGUMENT (not
   * the group of a backfill), SCHEDULER_STATE or STORE_FAILURE.
   */
  dropBackfill(group: string): Promise<number>;
  /**
   * Returns the nodes of the cluster, with the job types of each. In memory: this node, once it is started. Rejects with SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  listNodes(): Promise<readonly NodeInfo[]>;
  /**
   * Takes a node out of work, by default this one: it acquires nothing more, gives back what it had reserved, and ends what runs. It stays a
   * member, until `undrain` or the end of its process. False: no other node of ours has that id, it has not answered within 5 s, and does
   * so when it looks again, or a later `undrain` has replaced the request. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  drain(instanceId?: string): Promise<boolean>;
  /**
   * Ends `drain`: the node takes triggers again. False: no other node of ours has that id, it has not answered within 5 s, or a later `drain`
   * has replaced the request. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  undrain(instanceId?: string): Promise<boolean>;
  /** Returns the executions of this node, as their jobs see them. Abandoned executions that continue come last (`isAbandoned`). */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[];
  /**
   * The executions of all nodes, the longest first, and last those of this node that were abandoned and go on. Rejects with SCHEDULER_STATE
   * or STORE_FAILURE.
   */
  listExecutingJobs(): Promise<readonly ExecutingJob[]>;
  /**
   * Streams a run's log lines to `onLine`, starting with the last 16 kB already logged, until the run ends or `signal` aborts. It polls
   * once a second, on whichever node the run is. Lines that a run on another node logs in its last second come from its record, if there is
   * one. Resolves with false if no run with this id is running. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE, STORE_FAILURE, or the error
   * that `onLine` throws.
   */
  tailRun(
    runId: string,
    onLine: (line: RunLine) => void,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /** Aborts the signal of every execution of the job, on any node. True: there was one. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  interrupt(key: JobKeyLike): Promise<boolean>;
  /** Aborts the signal of one firing, on whichever node. True when it was running. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  interruptRun(runId: string): Promise<boolean>;

  /**
   * Returns recorded runs that have ended, newest first. `withHistory` of jobs and triggers and `jobStore.history` choose which are
   * recorded; dead letters always are. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listRuns(options?: RunListOptions): Promise<RunList>;
  /**
   * The recorded run with this id (`runId` of a context, an event or a list); null while it still runs, and if it was not recorded or is no longer kept.
   * Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  getRun(runId: string): Promise<Run | null>;
  /**
   * Returns the condition of a job by its newest recorded runs, at most 200. Unknown values are null: if there are no such runs, or no such
   * job. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  getJobStatus(key: JobKeyLike): Promise<JobStatus>;
  /**
   * Like `listRuns`, but only occurrences whose retries are exhausted and that were neither rerun nor discarded. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listDeadLetters(options?: RunListOptions): Promise<RunList>;
  /**
   * Reruns failed occurrences immediately. Each keeps its scheduled time and its trigger's data, counts as the next attempt, and gets the full retries of its
   * policy. A job that was not durable and is gone is stored again. Which: the ids of runs that `canRerun`, or all dead letters that match the options. Returns how many; a run that cannot be
   * rerun (any more), or whose job is gone, does not count and stays. Many are changed in pages of 200, each in one transaction, without what fails
   * meanwhile. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  rerun(which: string | readonly string[] | RunListOptions): Promise<number>;
  /**
   * Makes dead letters ordinary runs that have failed. Which, how many it returns, and how it goes on: as for `rerun`. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  discard(which: string | readonly string[] | RunListOptions): Promise<number>;
  /**
   * Gives occurrences that have failed exactly `max` further attempts, a whole number up to 1,000. A dead letter is run again at once, as by
   * `rerun`: that is the first of them. A retry that waits is the first of them and keeps its time; with 0 it is deleted, and its occurrence is
   * a dead letter. Which: run ids of those that failed, or all that
   * match the options. Returns how many there were of both. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  setRetries(which: string | readonly string[] | RunListOptions, max: number): Promise<number>;
  /**
   * The occurrences that are run in parts (`withSpread`) and have parts left, the oldest first, at most 10,000. Rejects with SCHEDULER_STATE
   * or STORE_FAILURE.
   */
  listOngoingOccurrences(): Promise<readonly OngoingOccurrence[]>;

  /**
   * Adds to the schedule within the transaction that is open on `connection`: visible to every node after the commit, discarded by a
   * rollback. `connection`: on MySQL and MariaDB one of mysql2, with callbacks or promises; on SQLite a `DatabaseSync`. Both must be
   * connected to the database of this scheduler. Throws SCHEDULER_STATE if the schedule is kept in memory.
   */
  withConnection(connection: unknown): TransactionScheduler;

  /**
   * Runs `middleware` around every execution of a job that begins from now on; the one added first is outermost. Returns a function that
   * removes it. Throws INVALID_ARGUMENT unless it is a function.
   */
  use(middleware: JobMiddleware): () => void;
  /** The listeners of this scheduler. */
  getListenerManager(): ListenerManager;
  /**
   * Subscribes to all events, or only to those of `types`. Events without a subscriber cost nothing. Returns a function that ends the
   * subscription. Throws INVALID_ARGUMENT if the subscriber is not a function, or a type is unknown.
   */
  subscribe(subscriber: (event: SchedulerEvent) => void, types?: readonly SchedulerEvent['type'][]): () => void;
}

/** One schedule of a declared set, in the form of `schedule`. Without a job it runs the one that is registered under its name. */
export type DeclaredSchedule = ScheduleSettings &
  ScheduleTime & {
    /** A job, or the name of a registered type. Default: the type that is registered under the name. */
    // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a set holds them all
    readonly job?: Job<any> | string;
  };

/** View that a job has of its firing. The names are Quartz's. */
export interface JobExecutionContext<Data extends JobData = JobData> {
  /** The scheduler that runs the job. */
  readonly scheduler: Scheduler;
  /** The trigger that fired, as it is after this firing was planned. */
  readonly trigger: Trigger;
  /** The calendar of the trigger; null: none. */
  readonly calendar: Calendar | null;
  /** The job as it is stored. */
  readonly jobDetail: JobDetail;
  /** The executed object: registered, or made for this firing; for a function, an object around it. */
  readonly jobInstance: JobObject;
  /** The job's data, overridden by the trigger's. Frozen. */
  readonly mergedJobDataMap: Data;
  /** The same as `mergedJobDataMap`. */
  readonly data: Data;
  /** Actual fire time: later than scheduled if the trigger misfired or the node was busy. */
  readonly fireTime: Date;
  /** Scheduled fire time; for a retry, that of the occurrence. */
  readonly scheduledFireTime: Date;
  /** The scheduled time of the firing before; null for the first. */
  readonly previousFireTime: Date | null;
  /** Next fire time of the trigger; null if there is none. */
  readonly nextFireTime: Date | null;
  /** Id of this run: unique in the cluster, and the same after the run has ended (Quartz: `fireInstanceId`). */
  readonly runId: string;
  /**
   * The occurrence that this run is for: unique in the cluster, and the same for its retries, recoveries, reruns and parts. Use it as a key
   * for work that must be done once per occurrence.
   */
  readonly occurrenceId: string;
  /** Number of this attempt at the occurrence: 1 for the first. For a retry, `trigger` is in the group RETRYING_JOBS. */
  readonly attempt: number;
  /** The run whose end started this one: see `startAfter`; if it waited for several, the last. Null if no run started it. */
  readonly origin: RunOrigin | null;
  /** Part of the occurrence that this run is for, with its input; null: the whole occurrence. Retries of a part are the same part. */
  readonly shard: Shard | null;
  /** Number of immediate refires of this firing (`refireImmediately`), from 0 to `maxRefireCount`. */
  readonly refireCount: number;
  /** True if this run recovers a firing that another node began and did not finish. */
  readonly isRecovering: boolean;
  /** The trigger of the recovered firing. Throws SCHEDULER_STATE unless `isRecovering`. */
  readonly recoveringTriggerKey: TriggerKey;
  /**
   * Aborts when the job is interrupted, its time limit is reached, its node loses its lease or the scheduler stops waiting for it.
   * `signal.reason` is an Error whose message gives the cause. Its name is `TimeoutError` for the time limit, and `AbortError` otherwise.
   */
  readonly signal: AbortSignal;
  /** Milliseconds the job ran; -1 until it has ended. */
  readonly jobRunTime: number;
  /** True if the run has ended as `timedOut` without the job, which did not stop in time. Anything the job still does is ignored. */
  readonly isAbandoned: boolean;
  /** Log of this run, kept with its history. Never throws. */
  readonly log: JobLog;
  /** Progress last reported by the job; null if it has not reported any. */
  readonly currentProgress: JobProgress | null;
  /**
   * Last `checkpoint` value of an earlier run of the same occurrence, if this run is its retry, recovery or rerun; null if there is none. A
   * job that is refired immediately (`refireImmediately`) finds its own value.
   */
  readonly resumeFrom: JsonValue;
  /**
   * Runs the statements of `work` and ends this run in one transaction of the scheduler's database. The rows of the job, the end of the run
   * and all its consequences are stored together or not at all. The value that `work` returns counts as the job's result (see `JobResult`),
   * and is returned. The run has then succeeded: a later result or error of the job changes nothing, and is only reported. If `work`
   * rejects, nothing is stored, and its error is passed on. Rejects with SCHEDULER_STATE if the schedule is kept in memory, if another node
   * has taken the run over, or if the run has already ended this way; with STORE_FAILURE if the store fails.
   */
  transaction<T>(work: (sql: JobSql) => T | Promise<T>): Promise<T>;
  /** Anything the job wants listeners to see. */
  result: unknown;
  /** A scratch space shared by the job and the listeners of this firing. */
  put(key: string, value: unknown): void;
  /** Returns the value that `put` stored under this key, or undefined. */
  get(key: string): unknown;
  /**
   * Adds to the report of this run, for its history. A later value replaces an earlier one; metrics are summed by name. Throws
   * INVALID_ARGUMENT.
   */
  report(report: JobReport): void;
  /**
   * Says how far the job is: `fraction` from 0 to 1, `message` of at most 1,000 characters (more is cut off). For `currentProgress` and
   * `listExecutingJobs`, which show it on every node; it goes with the run. Throws INVALID_ARGUMENT.
   */
  progress(fraction: number, message?: string): void;
  /**
   * Stores a checkpoint for a later run of the same occurrence: any JSON value of at most 64 kB, which replaces the previous one. Values
   * are written at most once a second: an earlier value waits, and a newer one replaces it. Resolves when this value, or a newer one, is
   * stored: no later run finds an older one. It is deleted when the occurrence ends, unless as a dead letter. Rejects with
   * INVALID_ARGUMENT; with SCHEDULER_STATE if the run has ended, or another node has taken it over; with STORE_FAILURE if the store refuses
   * it: the previous value then stays.
   */
  checkpoint(value: JsonValue): Promise<void>;
}

/** Lines that a job logs, kept with its run: up to 64 kB; the oldest are dropped first. */
export interface JobLog {
  /** Logs details for diagnosis. */
  debug(message: string, data?: unknown): void;
  /** Logs normal operation. `data`: kept as JSON, at most 8,000 characters; an error with its stack. */
  info(message: string, data?: unknown): void;
  /** Logs a condition that an operator should check. */
  warn(message: string, data?: unknown): void;
  /** Logs an error. */
  error(message: string, data?: unknown): void;
}

/** Report of a job about its run. */
export interface JobReport {
  /** Summary in a sentence or two; cut off after 1,000 characters. */
  readonly summary?: string;
  /** Metrics: finite numbers by name (at most 100 characters), at most 50. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Outcome of the run (default `succeeded`). `failed`: as if the job had thrown; `skipped`: there was nothing to do. */
  readonly outcome?: 'succeeded' | 'failed' | 'skipped';
}

/**
 * Return value of a job, or a promise of it. It is kept with the recorded run as JSON of at most 16 kB (`Run.result`). An object with no
 * other keys than `outcome`, `summary` and `metrics` is its report instead (`JobReport`). A job that persists its data must return a map of
 * JSON values, or undefined: the map becomes its data, and anything else fails the firing.
 */
export type JobResult = unknown;

/**
 * Runs around the execution of a job, including immediate refires. `next` runs the rest, and resolves with the job's result or rejects with
 * its error. An error that the middleware throws fails the job; one that it catches does not. Its return value is ignored. Without `next`
 * the job does not run, and its run counts as skipped. `next` throws INVALID_ARGUMENT when it is called again, or too late.
 */
export type JobMiddleware = (context: JobExecutionContext, next: () => Promise<unknown>) => unknown;

/** A job as a function. */
export type JobFunction<Data extends JobData = JobData> = (context: JobExecutionContext<Data>) => JobResult;

/** A job as an object. */
export interface JobObject<Data extends JobData = JobData> {
  /** Executes the job. An error fails the firing, and never stops the trigger. */
  execute(context: JobExecutionContext<Data>): JobResult;
  /**
   * Schema of its data; absent: any data. Checked when the job is scheduled here (INVALID_JOB_DATA), and before each run, which otherwise
   * fails and is not retried.
   */
  readonly schema?: JobSchema<Data>;
  /**
   * Version of its data, a whole number from 1 (default) to 1,000,000. Raise it when the code needs data in a new form. It is stored with
   * everything that is scheduled here. Data of a later version than a node knows fails there, and is not retried.
   */
  readonly version?: number;
  /** Makes data of this version out of data of an older one (`fromVersion`, from 1), before each run and before the schema checks it. */
  upgrade?(data: JobData, fromVersion: number): JobData | Promise<JobData>;
}

/** Makes data of the present version of a job type out of data of an older one. */
export type JobUpgrade = (data: JobData, fromVersion: number) => JobData | Promise<JobData>;

/** A job as a class; every firing gets a new instance. */
export interface JobClass<Data extends JobData = JobData> {
  /** Called without arguments, or by a job factory with its own (`setJobFactory`). */
  // biome-ignore lint/suspicious/noExplicitAny: what a class depends on is between it and the factory
  new (...dependencies: any[]): JobObject<Data>;
  /** Schema of its data, like `schema` of a job object. */
  readonly schema?: JobSchema<Data>;
  /** Version of its data, from 1, like `version` of a job object. */
  readonly version?: number;
  /** Makes data of this version out of older data (from version 1 on), as `upgrade` of a job that is an object. */
  readonly upgrade?: JobUpgrade;
}

/** Whatever can be registered under a job type. */
export type Job<Data extends JobData = JobData> = JobFunction<Data> | JobObject<Data> | JobClass<Data>;

// biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a registry holds them all
type AnyJob = Job<any>;

/** The closed registry of job types. */
export type Jobs = Readonly<Record<string, AnyJob>>;

/** Makes the object to execute for one firing, for dependency injection. `job` is the registered job. */
export type JobFactory = (job: Job, jobDetail: JobDetail) => JobObject | Promise<JobObject>;

type Answer = void | Promise<void>;

/** Called around jobs. Calls before the job are awaited (at most `listenerTimeout`); a failure never stops the job. */
export interface JobListener {
  /** Unique among job listeners; another one of that name takes its place. */
  readonly name: string;
  /** Before the job runs, which waits for the answer. */
  jobToBeExecuted?(context: JobExecutionContext): Answer;
  /** Instead of the run, when a trigger listener vetoed it. */
  jobExecutionVetoed?(context: JobExecutionContext): Answer;
  /** Called after the run; `error` is null if it succeeded. */
  jobWasExecuted?(context: JobExecutionContext, error: Error | null): Answer;
}

/**
 * Called around firings. `vetoJobExecution` is the only method whose return value matters; a failing one does not veto. A vetoed firing
 * counts as done. For triggers that fire together, all vetoes are requested before the first of their jobs begins.
 */
export interface TriggerListener {
  /** Unique among trigger listeners; another one of that name takes its place. */
  readonly name: string;
  /** Before the job runs, which waits for the answer. */
  triggerFired?(trigger: Trigger, context: JobExecutionContext): Answer;
  /** True: the job does not run this time. That firing is over, and its time is not made up for. */
  vetoJobExecution?(trigger: Trigger, context: JobExecutionContext): boolean | Promise<boolean>;
  /** A fire time was missed; the misfire instruction decides what follows. */
  triggerMisfired?(trigger: Trigger): Answer;
  /** Called after the run, with its effect on the trigger. */
  triggerComplete?(trigger: Trigger, context: JobExecutionContext, instruction: CompletionInstruction): Answer;
}

/** Called on events of the scheduler and its schedule. */
export interface SchedulerListener {
  /** A trigger was stored. */
  jobScheduled?(trigger: Trigger): Answer;
  /** A trigger was deleted. */
  jobUnscheduled?(key: TriggerKey): Answer;
  /** A trigger will not fire again. */
  triggerFinalized?(trigger: Trigger): Answer;
  /** One trigger was paused. */
  triggerPaused?(key: TriggerKey): Answer;
  /** Groups of triggers were paused. */
  triggersPaused?(matcher: GroupMatcher): Answer;
  /** One trigger was resumed. */
  triggerResumed?(key: TriggerKey): Answer;
  /** Groups of triggers were resumed. */
  triggersResumed?(matcher: GroupMatcher): Answer;
  /** A job was stored. */
  jobAdded?(job: JobDetail): Answer;
  /** A job was deleted. */
  jobDeleted?(key: JobKey): Answer;
  /** All triggers of a job were paused. */
  jobPaused?(key: JobKey): Answer;
  /** Groups of jobs were paused. */
  jobsPaused?(matcher: GroupMatcher): Answer;
  /** All triggers of a job were resumed. */
  jobResumed?(key: JobKey): Answer;
  /** Groups of jobs were resumed. */
  jobsResumed?(matcher: GroupMatcher): Answer;
  /** An operation failed, and the scheduler continues; `message` names the operation. */
  schedulerError?(message: string, error: Error): Answer;
  /** The scheduler is in standby: nothing fires until `start`. */
  schedulerInStandbyMode?(): Answer;
  /** `start` was called. */
  schedulerStarting?(): Answer;
  /** The scheduler has started to fire. */
  schedulerStarted?(): Answer;
  /** `shutdown` was called; jobs may still run. */
  schedulerShuttingdown?(): Answer;
  /** The scheduler has ended. */
  schedulerShutdown?(): Answer;
  /** All jobs, triggers and calendars were deleted. */
  schedulingDataCleared?(): Answer;
}

/** Selects keys; `keyEquals`, `inGroups`, `and`, `not` … make them. */
export interface Matcher<Key extends JobKey | TriggerKey> {
  /** True if the matcher selects the key. */
  isMatch(key: Key): boolean;
}

/** Adds and removes listeners. A listener without matchers hears of everything; names are unique per kind. */
export interface ListenerManager {
  /** Adds a listener, in place of one with the same name; without matchers it hears of every job. */
  addJobListener(listener: JobListener, ...matchers: readonly Matcher<JobKey>[]): void;
  /** Adds a matcher to a listener. False if there is no listener of that name. */
  addJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Takes that matcher away again. False: there is no such listener, or it had no such matcher. */
  removeJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Replaces all matchers of a listener. False if there is no listener of that name. */
  setJobListenerMatchers(name: string, matchers: readonly Matcher<JobKey>[]): boolean;
  /** The matchers of a listener; null: there is none of that name. */
  getJobListenerMatchers(name: string): readonly Matcher<JobKey>[] | null;
  /** False: there was none of that name. */
  removeJobListener(name: string): boolean;
  /** Returns all job listeners, in the order in which they are called. */
  getJobListeners(): readonly JobListener[];
  /** Returns the listener of that name, or null. */
  getJobListener(name: string): JobListener | null;
  /** Adds a listener, in place of one with the same name; without matchers it hears of every trigger. */
  addTriggerListener(listener: TriggerListener, ...matchers: readonly Matcher<TriggerKey>[]): void;
  /** Adds a matcher to a listener. False if there is no listener of that name. */
  addTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Takes that matcher away again. False: there is no such listener, or it had no such matcher. */
  removeTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Replaces all matchers of a listener. False if there is no listener of that name. */
  setTriggerListenerMatchers(name: string, matchers: readonly Matcher<TriggerKey>[]): boolean;
  /** The matchers of a listener; null: there is none of that name. */
  getTriggerListenerMatchers(name: string): readonly Matcher<TriggerKey>[] | null;
  /** False: there was none of that name. */
  removeTriggerListener(name: string): boolean;
  /** Returns all trigger listeners, in the order in which they are called. */
  getTriggerListeners(): readonly TriggerListener[];
  /** Returns the listener of that name, or null. */
  getTriggerListener(name: string): TriggerListener | null;
  /** Adds a listener; the same object is added once. */
  addSchedulerListener(listener: SchedulerListener): void;
  /** False: it was not there. */
  removeSchedulerListener(listener: SchedulerListener): boolean;
  /** Returns all scheduler listeners, in the order in which they are called. */
  getSchedulerListeners(): readonly SchedulerListener[];
}
