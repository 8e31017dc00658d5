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
  /** Lets running jobs finish (default false). */
  readonly waitForJobs?: boolean;
  /**
   * Maximum duration in milliseconds, 0 or more (default: `scheduler.shutdownDeadline`, 30,000). After it, running jobs are aborted. Completions
   * that the database has not accepted are left to recovery and reported by a `schedulerError`. Closing may take another 500 ms.
   */
  readonly deadline?: number;
}

/** Result of a pause, after it was stored. */
export interface PauseReport {
  /**
   * Instance ids of nodes on which earlier firings may still begin, because they did not confirm within 5 s that the jobs of everything
   * fired before the pause have begun. Possible causes: a stopped process (even if other nodes recovered it in the meantime), or a slow
   * listener. If this node could not ask the others, its own id is listed, and earlier firings may still begin on every node. Nothing that is
   * paused fires any more. Empty: nothing begins after the pause has returned. Java nodes are not asked.
   */
  readonly unconfirmed: readonly string[];
}

/**
 * Quartz's Scheduler. Every method that reads or writes the schedule is one transaction of the store. Methods that return a promise never
 * throw. They reject with SCHEDULER_STATE after `shutdown`, and with STORE_FAILURE if the database fails.
 */
export interface Scheduler<Registry extends Jobs = Jobs> {
  /** Returns `scheduler.instanceName` of the configuration, which the nodes of a cluster share. */
  getSchedulerName(): string;
  /** Returns the id of this node. */
  getSchedulerInstanceId(): string;
  /** Returns a map for jobs and listeners, which initially contains `org.quartz.context.key.*` of the configuration. */
  getContext(): Map<string, unknown>;
  /** Returns the scheduler's description, storage and state. */
  getMetaData(): SchedulerMetaData;
  /**
   * Returns the state for liveness and readiness probes; queries the store at most once a second. Never rejects: not with STORE_FAILURE,
   * and not with SCHEDULER_STATE after `shutdown`.
   */
  health(): Promise<SchedulerHealth>;

  /**
   * Starts to fire, missed fire times first. No effect if it is already started. Rejects with SCHEDULER_STATE, INSTANCE_ID_TAKEN,
   * STORE_FAILURE, or CONFIGURATION for a plugin that cannot start.
   */
  start(): Promise<void>;
  /** Starts after `delay` milliseconds (Quartz: seconds), 0 or more. A failure is reported as a `schedulerError`. Throws INVALID_ARGUMENT. */
  startDelayed(delay: number): void;
  /** Stops firing and keeps everything else. `start` resumes. No effect before `start`. Rejects with SCHEDULER_STATE. */
  standby(): Promise<void>;
  /** Shuts the scheduler down; it cannot be started again. A second call waits for the first. Rejects with INVALID_ARGUMENT for invalid options, or STORE_FAILURE. */
  shutdown(options?: ShutdownOptions): Promise<void>;
  /** True if `start` was ever called. As in Quartz, it stays true in standby and after shutdown. */
  isStarted(): boolean;
  /** True if the scheduler is not firing now: before `start` and after `standby`. */
  isInStandbyMode(): boolean;
  /** True if `shutdown` was called. */
  isShutdown(): boolean;

  /**
   * Stores a job and a trigger named `name` (or `group/name`), of the registered job type `job` (default: the name). Repeated calls update
   * both. If the third argument is a job, it is registered under the name, and replaces a job registered before. The compiler checks names,
   * data and cron literals against the `jobs` of `createScheduler`.
   *
   * Returns the next fire time. Null if the schedule waits for other jobs (`after`), or has ended, which the store remembers until
   * `unscheduleJob` or `deleteJob`. For a job that persists its data, `data` is only the initial data.
   *
   * Rejects with INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER (it would never fire), CRON_SYNTAX, UNKNOWN_TIME_ZONE,
   * UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
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
   * Runs a job of a registered type once, now or at a given time, and returns the key of its trigger. Job and trigger are deleted after the
   * run. Rejects with OBJECT_ALREADY_EXISTS for a stored `name`, INVALID_ARGUMENT, INVALID_JOB_DATA, UNKNOWN_JOB_TYPE, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  enqueue<Type extends JobTypeName<Registry>>(
    jobType: Type,
    ...data: EnqueueArguments<Registry[Type]>
  ): Promise<TriggerKey>;
  /**
   * Declares a set of schedules, all or nothing: like `schedule` for each of them. Triggers that the set no longer names are reported and
   * logged as a warning, and deleted with `prune`. Schedules of other sets, and of `schedule`, are not changed. Rejects with the codes of
   * `schedule`: INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER, CRON_SYNTAX, UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  declare<const Given extends SetJobs>(
    schedules: ScheduleSet<Registry, Given, AnyJob>,
    options?: DeclareOptions,
  ): Promise<DeclareReport>;
  /**
   * Like `declare`, but deletes triggers that the set no longer names, within the groups that it names. `prune: 'all'` deletes them in every
   * group, `false` in none. Rejects with the codes of `declare`: INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER, CRON_SYNTAX,
   * UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  sync<const Given extends SetJobs>(
    schedules: ScheduleSet<Registry, Given, AnyJob>,
    options?: DeclareOptions,
  ): Promise<DeclareReport>;
  /** Registers a job under a job type. Throws INVALID_ARGUMENT if another job has the type. */
  registerJob<Data extends JobData = JobData>(jobType: string, job: Job<Data>): void;
  /**
   * Sets the factory that creates job objects from now on. Default: the registered job, or a new instance of a registered class. Throws
   * INVALID_ARGUMENT unless it is a function.
   */
  setJobFactory(factory: JobFactory): void;

  /**
   * Stores a trigger for a stored job, a job with one trigger, or a job with several triggers. Returns the first fire time of a single
   * trigger, or null if it waits for other jobs. Rejects with OBJECT_ALREADY_EXISTS unless it may be replaced, JOB_NOT_FOUND,
   * CALENDAR_NOT_FOUND, INVALID_TRIGGER (it names another job, or would never fire), INVALID_ARGUMENT, INVALID_JOB_DATA, CRON_SYNTAX,
   * UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, SCHEDULER_STATE or STORE_FAILURE.
   */
  scheduleJob(trigger: AfterTrigger): Promise<null>;
  scheduleJob(job: JobDetail, trigger: AfterTrigger, options?: StoreJobOptions): Promise<null>;
  scheduleJob(trigger: Trigger): Promise<Date>;
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobOptions): Promise<Date>;
  scheduleJob(job: JobDetail, triggers: readonly Trigger[], options: StoreJobOptions): Promise<void>;
  /**
   * Stores jobs with their triggers. Up to 200 jobs and triggers are stored all or nothing. More are stored in portions, between which
   * triggers fire, unless `atomic` is set. Rejects with the codes of `scheduleJob`, such as OBJECT_ALREADY_EXISTS. The message gives the
   * number of changes that were applied before.
   */
  scheduleJobs(jobs: ReadonlyMap<JobDetail, readonly Trigger[]>, options?: StoreJobsOptions): Promise<void>;
  /**
   * Deletes a trigger, and its job if that is not durable and has no other triggers. Running jobs continue. Firings that a node already holds
   * begin before this resolves, or after 5 s if a node does not answer. Waiting retries and recoveries of its occurrences become dead letters,
   * and start jobs that are chained to the failure. Deferred runs are dropped. A trigger that has fired for the last time is found through
   * these runs. Returns false if nothing was found. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  unscheduleJob(key: TriggerKeyLike): Promise<boolean>;
  /**
   * Deletes several triggers, like `unscheduleJob`: up to 200 all or nothing, more in portions. Returns true if all of them were found. Rejects
   * with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  unscheduleJobs(keys: readonly TriggerKeyLike[]): Promise<boolean>;
  /**
   * Replaces a stored trigger by another one for the same job, possibly with another key. Returns the first fire time. Null if no such trigger
   * is stored, or if the new one waits for other jobs. Rejects with OBJECT_ALREADY_EXISTS if another trigger has the new key,
   * INVALID_TRIGGER, CALENDAR_NOT_FOUND, INVALID_ARGUMENT, INVALID_JOB_DATA, CRON_SYNTAX, UNKNOWN_TIME_ZONE, SCHEDULER_STATE or STORE_FAILURE.
   */
  rescheduleJob(key: TriggerKeyLike, trigger: Trigger): Promise<Date | null>;
  /**
   * Stores a job without a trigger. It must be durable, unless `storeNonDurableWhileAwaitingScheduling` is set. Rejects with
   * OBJECT_ALREADY_EXISTS unless it may be replaced, UNKNOWN_JOB_TYPE, INVALID_JOB_DATA, INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  addJob(job: JobDetail, options?: AddJobOptions): Promise<void>;
  /**
   * Deletes a job and all its triggers, like `unscheduleJob`. More than 200 triggers are deleted in portions, between which others fire, and the
   * job last. Waiting retries and recoveries become dead letters, which keep the job for a rerun. Returns false if the job was not found.
   * Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  deleteJob(key: JobKeyLike): Promise<boolean>;
  /**
   * Deletes several jobs, like `deleteJob`: up to 200 all or nothing, more in portions. Returns true if all of them were found. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  deleteJobs(keys: readonly JobKeyLike[]): Promise<boolean>;
  /**
   * Runs a stored job once, now, and returns the key of the new trigger. Rejects with JOB_NOT_FOUND, INVALID_JOB_DATA, INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;

  /**
   * Pauses a trigger until it is resumed. A running job continues. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  pauseTrigger(key: TriggerKeyLike, options?: PauseOptions): Promise<PauseReport>;
  /** Pauses the present and future triggers of these groups. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseTriggers(matcher: GroupMatcher, options?: PauseOptions): Promise<PauseReport>;
  /**
   * Resumes a trigger. Missed fire times follow its misfire instruction. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  resumeTrigger(key: TriggerKeyLike): Promise<void>;
  /** Resumes the groups and their triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeTriggers(matcher: GroupMatcher): Promise<void>;
  /** Pauses the current triggers of the job. Rejects with JOB_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseJob(key: JobKeyLike, options?: PauseOptions): Promise<PauseReport>;
  /** Pauses the current triggers of the jobs in these groups. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseJobs(matcher: GroupMatcher, options?: PauseOptions): Promise<PauseReport>;
  /** Resumes all triggers of the job. Rejects with JOB_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeJob(key: JobKeyLike): Promise<void>;
  /** Resumes the triggers of all jobs in these groups. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  resumeJobs(matcher: GroupMatcher): Promise<void>;
  /** Pauses all present and future groups of triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
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
  /**
   * Ends the ERROR state of a trigger. No effect in other states. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  resetTriggerFromErrorState(key: TriggerKeyLike): Promise<void>;

  /** Returns the groups that contain jobs, sorted. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getJobGroupNames(): Promise<readonly string[]>;
  /** Returns the keys of the jobs in these groups, sorted. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobKeys(matcher: GroupMatcher): Promise<readonly JobKey[]>;
  /** Returns the groups that contain triggers, sorted. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerGroupNames(): Promise<readonly string[]>;
  /** Returns the keys of the triggers in these groups, sorted. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerKeys(matcher: GroupMatcher): Promise<readonly TriggerKey[]>;
  /** Returns the groups of triggers that are paused as groups. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /** Returns the triggers of a job, or an empty list. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggersOfJob(key: JobKeyLike): Promise<readonly Trigger[]>;
  /** Returns a stored job, or null if there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobDetail(key: JobKeyLike): Promise<JobDetail | null>;
  /** Returns the jobs in these groups, sorted by key. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobDetails(matcher: GroupMatcher): Promise<readonly JobDetail[]>;
  /** Returns a stored trigger, or null if there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTrigger(key: TriggerKeyLike): Promise<Trigger | null>;
  /** Returns the stored state of a trigger, or null if there is no such trigger. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerState(key: TriggerKeyLike): Promise<TriggerState | null>;
  /** Returns a page of jobs. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  listJobs(options?: JobListOptions): Promise<ListPage<JobDetail>>;
  /** Returns a page of triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  listTriggers(options?: TriggerListOptions): Promise<ListPage<ListedTrigger>>;
  /** True if the job or trigger is stored. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  checkExists(key: { readonly job: JobKeyLike } | { readonly trigger: TriggerKeyLike }): Promise<boolean>;
  /**
   * Returns the stored jobs, triggers and calendars that this node has encountered and cannot read, each with the cause and the time of
   * discovery. Their rows are not changed, because other nodes may be able to read them. This node skips them. Empty with the memory store.
   * Rejects with SCHEDULER_STATE or STORE_FAILURE.
   */
  listUnreadable(): Promise<readonly UnreadableRow[]>;
  /** Deletes all jobs, triggers and calendars of this scheduler. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  clear(): Promise<void>;

  /**
   * Stores a calendar. With `updateTriggers` (default false), it recomputes the next fire times of the calendar's triggers. Rejects with
   * OBJECT_ALREADY_EXISTS unless `replace` is set (default false), INVALID_CALENDAR, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  addCalendar(
    name: string,
    calendar: Calendar,
    options?: { readonly replace?: boolean; readonly updateTriggers?: boolean },
  ): Promise<void>;
  /**
   * Deletes a calendar. Returns false if there is none. Rejects with CALENDAR_IN_USE (by a trigger), INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  deleteCalendar(name: string): Promise<boolean>;
  /**
   * Returns a stored calendar, or null if there is none. Rejects with INVALID_CALENDAR (this node cannot read it), INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  getCalendar(name: string): Promise<Calendar | null>;
  /** Returns the names of the stored calendars, sorted. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getCalendarNames(): Promise<readonly string[]>;

  /**
   * Runs the fire times of a trigger from `from` to before `to`, according to its schedule and calendar. For a cron trigger, this includes
   * times before its start. Each fire time gets its own one-shot trigger, from now on, `spacing` apart. It has the trigger's data, priority and
   * policy, and the original time as `scheduledFireTime`. Either all of them are stored, or none. The trigger's own schedule does not change.
   * Rejects with INVALID_ARGUMENT (also if there are more than `max`, default 1,000 and at most 10,000; the message gives the number),
   * TRIGGER_NOT_FOUND, JOB_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  backfill(key: TriggerKeyLike, options: BackfillOptions): Promise<BackfillReport>;
  /** Returns unfinished backfills and catch-ups of triggers (`withCatchUp`), one per group. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  listBackfills(): Promise<readonly Backfill[]>;
  /**
   * Deletes the fire times of a backfill that have not fired. Returns the number of deleted triggers. Rejects with INVALID_ARGUMENT (for a
   * group that is not a backfill), SCHEDULER_STATE or STORE_FAILURE.
   */
  dropBackfill(group: string): Promise<number>;
  /**
   * Returns the nodes of the cluster, each with its job types. With the memory store: this node, once it is started. Rejects with
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  listNodes(): Promise<readonly NodeInfo[]>;
  /**
   * Drains a node, by default this one: it acquires no further triggers, returns its reservations, and finishes its running jobs. It stays a
   * member of the cluster until `undrain` or the end of its process. Returns false if no other TypeScript node has the id, if the node has not
   * confirmed within 5 s (it then drains at its next poll), or if a later `undrain` has replaced the request. Rejects with INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  drain(instanceId?: string): Promise<boolean>;
  /**
   * Ends `drain`: the node acquires triggers again. Returns false if no other TypeScript node has the id, if the node has not answered within
   * 5 s, or if a later `drain` has replaced the request. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  undrain(instanceId?: string): Promise<boolean>;
  /** Returns the contexts of the jobs that this node executes. Abandoned executions that are still running come last (`isAbandoned`). */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[];
  /**
   * Returns the executions of all nodes, the longest first. Abandoned executions of this node that are still running come last. Rejects with
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  listExecutingJobs(): Promise<readonly ExecutingJob[]>;
  /**
   * Streams a run's log lines to `onLine`, starting with the last 16 kB already logged, until the run ends or `signal` aborts. It polls
   * once a second, whichever node executes the run. Lines that a run on another node logs in its last second come from its record, if there is
   * one. Resolves to false if no run with this id is running. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE, STORE_FAILURE, or the error
   * that `onLine` throws.
   */
  tailRun(
    runId: string,
    onLine: (line: RunLine) => void,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /**
   * Aborts the signal of every execution of the job, on any node. Returns true if there was one. Rejects with INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  interrupt(key: JobKeyLike): Promise<boolean>;
  /** Aborts the signal of one run, on any node. Returns true if it was running. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  interruptRun(runId: string): Promise<boolean>;

  /**
   * Returns recorded runs that have ended, newest first. `withHistory` of jobs and triggers and `jobStore.history` choose which are
   * recorded; dead letters always are. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listRuns(options?: RunListOptions): Promise<RunList>;
  /**
   * Returns the recorded run with this id (`runId` of a context, an event or a list). Null while it is still running, and if it was not
   * recorded or is no longer kept. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  getRun(runId: string): Promise<Run | null>;
  /**
   * Returns the condition of a job, based on at most 200 of its newest recorded runs. Values are null if there are no such runs, or no such
   * job. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  getJobStatus(key: JobKeyLike): Promise<JobStatus>;
  /**
   * Like `listRuns`, but only occurrences whose retries are exhausted and that were neither rerun nor discarded. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listDeadLetters(options?: RunListOptions): Promise<RunList>;
  /**
   * Reruns failed occurrences immediately. Each keeps its scheduled time and its trigger's data, counts as the next attempt, and gets the full
   * retries of its policy. A job that was not durable and has been deleted is stored again. `which`: ids of runs with `canRerun`, or a filter
   * of dead letters.
   *
   * Returns the number of reruns. Runs that cannot be rerun, or whose job no longer exists, do not count and are not changed. Many runs are
   * changed in pages of 200, each in one transaction; runs that fail during the call are not included. Rejects with INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  rerun(which: string | readonly string[] | RunListOptions): Promise<number>;
  /**
   * Turns dead letters into ordinary failed runs. `which`, the returned number and the pages are as for `rerun`. Rejects with INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  discard(which: string | readonly string[] | RunListOptions): Promise<number>;
  /**
   * Gives failed occurrences exactly `max` further attempts, a whole number from 0 to 1,000. A dead letter is rerun immediately, as by `rerun`,
   * which is its first attempt. For a waiting retry, that retry is the first attempt, and keeps its time. With 0 it is deleted, and its
   * occurrence becomes a dead letter. `which`: ids of the failed runs, or a filter. Returns the number of changed occurrences. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  setRetries(which: string | readonly string[] | RunListOptions, max: number): Promise<number>;
  /**
   * Returns occurrences that run in parts (`withSpread`) and have parts left, oldest first, at most 10,000. Rejects with SCHEDULER_STATE
   * or STORE_FAILURE.
   */
  listOngoingOccurrences(): Promise<readonly OngoingOccurrence[]>;

  /**
   * Returns a scheduler that adds to the schedule within the transaction that is open on `connection`: visible to every node after the
   * commit, discarded by a rollback. `connection`: on MySQL and MariaDB a connection of mysql2, with callbacks or promises; on SQLite a
   * `DatabaseSync`. It must be connected to the database of this scheduler. Throws SCHEDULER_STATE with the memory store.
   */
  withConnection(connection: unknown): TransactionScheduler;

  /**
   * Runs `middleware` around every execution of a job that begins from now on; the one added first is outermost. Returns a function that
   * removes it. Throws INVALID_ARGUMENT unless it is a function.
   */
  use(middleware: JobMiddleware): () => void;
  /** Returns the manager of this scheduler's listeners. */
  getListenerManager(): ListenerManager;
  /**
   * Subscribes to all events, or only to those of `types`. Events without a subscriber cost nothing. Returns a function that ends the
   * subscription. Throws INVALID_ARGUMENT if the subscriber is not a function, or a type is unknown.
   */
  subscribe(subscriber: (event: SchedulerEvent) => void, types?: readonly SchedulerEvent['type'][]): () => void;
}

/** One schedule of a declared set, in the form of `schedule`. Without `job`, it runs the job that is registered under its name. */
export type DeclaredSchedule = ScheduleSettings &
  ScheduleTime & {
    /** A job, or the name of a registered type. Default: the type that is registered under the schedule's name. */
    // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a set holds them all
    readonly job?: Job<any> | string;
  };

/** A job's view of its firing. The names are Quartz's. */
export interface JobExecutionContext<Data extends JobData = JobData> {
  /** The scheduler that runs the job. */
  readonly scheduler: Scheduler;
  /** Trigger that fired, in its state after this firing was planned. */
  readonly trigger: Trigger;
  /** Calendar of the trigger. Null if it has none. */
  readonly calendar: Calendar | null;
  /** Stored job. */
  readonly jobDetail: JobDetail;
  /** Object that executes: the registered job, or the one created for this firing. For a function, an object that wraps it. */
  readonly jobInstance: JobObject;
  /** Job data, overridden by the trigger's data. Frozen. */
  readonly mergedJobDataMap: Data;
  /** The same as `mergedJobDataMap`. */
  readonly data: Data;
  /** Actual fire time: later than scheduled if the trigger misfired or the node was busy. */
  readonly fireTime: Date;
  /** Scheduled fire time. For a retry, that of the occurrence. */
  readonly scheduledFireTime: Date;
  /** Scheduled time of the previous firing. Null for the first. */
  readonly previousFireTime: Date | null;
  /** Next fire time of the trigger; null if there is none. */
  readonly nextFireTime: Date | null;
  /** Id of this run, unique in the cluster, also used by its record (Quartz: `fireInstanceId`). */
  readonly runId: string;
  /**
   * Id of the occurrence, unique in the cluster, which its retries, recoveries, reruns and parts share. Use it as a key for work that must be
   * done once per occurrence.
   */
  readonly occurrenceId: string;
  /** Number of this attempt at the occurrence, from 1. For a retry, `trigger` is in the group RETRYING_JOBS. */
  readonly attempt: number;
  /** Run whose end started this one (see `startAfter`). If it waited for several runs, the last one. Null if no run started it. */
  readonly origin: RunOrigin | null;
  /** Part of the occurrence that this run executes, with its parameter. Null: the whole occurrence. Retries of a part execute the same part. */
  readonly shard: Shard | null;
  /** Number of immediate refires of this firing (`refireImmediately`), from 0 to `maxRefireCount`. */
  readonly refireCount: number;
  /** True if this run recovers a firing that another node began and did not finish. */
  readonly isRecovering: boolean;
  /** Trigger of the recovered firing. Throws SCHEDULER_STATE unless `isRecovering`. */
  readonly recoveringTriggerKey: TriggerKey;
  /**
   * Aborts when the job is interrupted, its time limit is reached, its node loses its lease or the scheduler stops waiting for it.
   * `signal.reason` is an Error whose message gives the cause. Its name is `TimeoutError` for the time limit, and `AbortError` otherwise.
   */
  readonly signal: AbortSignal;
  /** Run time of the job in milliseconds. -1 until it has ended. */
  readonly jobRunTime: number;
  /** True if the run has ended as `timedOut` because the job did not stop in time. Anything that the job still does is ignored. */
  readonly isAbandoned: boolean;
  /** Log of this run, kept with its history. Never throws. */
  readonly log: JobLog;
  /** Progress that the job reported last. Null if it has not reported any. */
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
  /** Any value that the job passes to listeners. */
  result: unknown;
  /** Stores a value that the job and the listeners of this firing share. */
  put(key: string, value: unknown): void;
  /** Returns the value that `put` stored under this key, or undefined. */
  get(key: string): unknown;
  /**
   * Adds to the report of this run, for its history. A later value replaces an earlier one; metrics are summed by name. Throws
   * INVALID_ARGUMENT.
   */
  report(report: JobReport): void;
  /**
   * Reports progress: `fraction` from 0 to 1, `message` of at most 1,000 characters (longer ones are truncated). `currentProgress` and
   * `listExecutingJobs` show it on every node. It is deleted with the run. Throws INVALID_ARGUMENT.
   */
  progress(fraction: number, message?: string): void;
  /**
   * Stores a checkpoint for a later run of the same occurrence: any JSON value of at most 64 kB, which replaces the previous one. Values
   * are written at most once a second. A newer value replaces one that waits to be written. Resolves when this value, or a newer one, is
   * stored, so that no later run finds an older one. The checkpoint is deleted when the occurrence ends, unless it becomes a dead letter.
   * Rejects with INVALID_ARGUMENT; with SCHEDULER_STATE if the run has ended, or another node has taken it over; with STORE_FAILURE if the
   * store refuses it, which keeps the previous value.
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
  /** Summary of one or two sentences, truncated after 1,000 characters. */
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
 * Wraps the execution of a job, including immediate refires. `next` runs the rest, and resolves to the job's result or rejects with its
 * error. An error that the middleware throws fails the job. The return value is ignored. If the middleware does not call `next`, the job
 * does not run, and its run counts as skipped. `next` throws INVALID_ARGUMENT if it is called twice, or too late.
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
   * everything that is scheduled here. On a node that only knows older versions, the run fails and is not retried.
   */
  readonly version?: number;
  /** Converts data of an older version (`fromVersion`, from 1) to this version. Called before each run, before the schema checks the data. */
  upgrade?(data: JobData, fromVersion: number): JobData | Promise<JobData>;
}

/** Converts data of an older version to the current version of a job type. */
export type JobUpgrade = (data: JobData, fromVersion: number) => JobData | Promise<JobData>;

/** A job as a class; every firing gets a new instance. */
export interface JobClass<Data extends JobData = JobData> {
  /** Called without arguments, or with those of a job factory (`setJobFactory`). */
  // biome-ignore lint/suspicious/noExplicitAny: what a class depends on is between it and the factory
  new (...dependencies: any[]): JobObject<Data>;
  /** Schema of its data, like `schema` of a job object. */
  readonly schema?: JobSchema<Data>;
  /** Version of its data, from 1, like `version` of a job object. */
  readonly version?: number;
  /** Converts data of an older version (from 1) to this version, like `upgrade` of a job object. */
  readonly upgrade?: JobUpgrade;
}

/** A job that can be registered under a job type. */
export type Job<Data extends JobData = JobData> = JobFunction<Data> | JobObject<Data> | JobClass<Data>;

// biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a registry holds them all
type AnyJob = Job<any>;

/** Jobs by job type. */
export type Jobs = Readonly<Record<string, AnyJob>>;

/** Creates the object that executes one firing, for dependency injection. `job`: the registered job. */
export type JobFactory = (job: Job, jobDetail: JobDetail) => JobObject | Promise<JobObject>;

type Answer = void | Promise<void>;

/** Called around job runs. Calls before the job are awaited for at most `listenerTimeout`. A failing listener never stops the job. */
export interface JobListener {
  /** Unique name among job listeners. A new listener replaces one with the same name. */
  readonly name: string;
  /** Called before the job runs. The job waits for its completion. */
  jobToBeExecuted?(context: JobExecutionContext): Answer;
  /** Called instead of the run if a trigger listener vetoed it. */
  jobExecutionVetoed?(context: JobExecutionContext): Answer;
  /** Called after the run; `error` is null if it succeeded. */
  jobWasExecuted?(context: JobExecutionContext, error: Error | null): Answer;
}

/**
 * Called around firings. `vetoJobExecution` is the only method whose return value matters; a failing one does not veto. A vetoed firing
 * counts as done. For triggers that fire together, all vetoes are requested before the first of their jobs begins.
 */
export interface TriggerListener {
  /** Unique name among trigger listeners. A new listener replaces one with the same name. */
  readonly name: string;
  /** Called before the job runs. The job waits for its completion. */
  triggerFired?(trigger: Trigger, context: JobExecutionContext): Answer;
  /** Returns true to veto this run. The firing then counts as done, and is not caught up. */
  vetoJobExecution?(trigger: Trigger, context: JobExecutionContext): boolean | Promise<boolean>;
  /** Called when a fire time was missed. The misfire instruction decides what follows. */
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

/** Selects keys. Created by `keyEquals`, `inGroups`, `and`, `not` and others. */
export interface Matcher<Key extends JobKey | TriggerKey> {
  /** True if the matcher selects the key. */
  isMatch(key: Key): boolean;
}

/** Adds and removes listeners. A listener without matchers receives all events. Names are unique per kind. */
export interface ListenerManager {
  /** Adds a listener, or replaces one with the same name. Without matchers, it receives the events of every job. */
  addJobListener(listener: JobListener, ...matchers: readonly Matcher<JobKey>[]): void;
  /** Adds a matcher to a listener. Returns false if there is no listener of that name. */
  addJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Removes a matcher from a listener. Returns false if there is no such listener or matcher. */
  removeJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Replaces all matchers of a listener. Returns false if there is no listener of that name. */
  setJobListenerMatchers(name: string, matchers: readonly Matcher<JobKey>[]): boolean;
  /** Returns the matchers of a listener, or null if there is no listener of that name. */
  getJobListenerMatchers(name: string): readonly Matcher<JobKey>[] | null;
  /** Removes a listener. Returns false if there is no listener of that name. */
  removeJobListener(name: string): boolean;
  /** Returns all job listeners, in the order in which they are called. */
  getJobListeners(): readonly JobListener[];
  /** Returns the listener of that name, or null. */
  getJobListener(name: string): JobListener | null;
  /** Adds a listener, or replaces one with the same name. Without matchers, it receives the events of every trigger. */
  addTriggerListener(listener: TriggerListener, ...matchers: readonly Matcher<TriggerKey>[]): void;
  /** Adds a matcher to a listener. Returns false if there is no listener of that name. */
  addTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Removes a matcher from a listener. Returns false if there is no such listener or matcher. */
  removeTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Replaces all matchers of a listener. Returns false if there is no listener of that name. */
  setTriggerListenerMatchers(name: string, matchers: readonly Matcher<TriggerKey>[]): boolean;
  /** Returns the matchers of a listener, or null if there is no listener of that name. */
  getTriggerListenerMatchers(name: string): readonly Matcher<TriggerKey>[] | null;
  /** Removes a listener. Returns false if there is no listener of that name. */
  removeTriggerListener(name: string): boolean;
  /** Returns all trigger listeners, in the order in which they are called. */
  getTriggerListeners(): readonly TriggerListener[];
  /** Returns the listener of that name, or null. */
  getTriggerListener(name: string): TriggerListener | null;
  /** Adds a listener. Adding the same object again has no effect. */
  addSchedulerListener(listener: SchedulerListener): void;
  /** Removes a listener. Returns false if it was not added. */
  removeSchedulerListener(listener: SchedulerListener): boolean;
  /** Returns all scheduler listeners, in the order in which they are called. */
  getSchedulerListeners(): readonly SchedulerListener[];
}
