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
import type { JobLog, JobReport, JobResult } from './job-report';
import type { JobSchema, JobUpgrade } from './job-schema';
import type {
  ExecutingJob,
  JobListOptions,
  ListedOverdue,
  ListedPause,
  ListedTrigger,
  ListPage,
  NodeInfo,
  PauseOptions,
  PauseReport,
  ResumeOptions,
  SchedulerHealth,
  SchedulerMetaData,
  TriggerListOptions,
  UnreadableRow,
} from './reading';
import type {
  JobProgress,
  JobStatus,
  OngoingOccurrence,
  RequestedInterruption,
  Run,
  RunLine,
  RunList,
  RunListOptions,
} from './runs';
import type { GivenFields } from './schedule-mistakes';
import type {
  AddJobOptions,
  DeclareOptions,
  DeclareReport,
  ScheduleSettings,
  ScheduleTime,
  StoreJobOptions,
  StoreJobsOptions,
} from './schedule-options';
import type { ShutdownOptions } from './shutdown-options';
import type { JobSql, OpenConnection, TransactionScheduler } from './transactions';
import type { AfterTrigger, Trigger } from './trigger';
import type {
  EnqueueArgument,
  EnqueuedData,
  EnqueuedType,
  GivenSet,
  InferredData,
  InlineArgument,
  JobTypeName,
  NameArgument,
  ScheduleArgument,
  ScheduleSet,
  TriggerData,
} from './typed-jobs';

// All in one file, because the types of schedulers, jobs and listeners refer to each other.

/**
 * Runs jobs at their scheduled times. The interface follows Quartz's `Scheduler`. Each method that reads or writes the schedule uses one transaction
 * of the store, except for sets of more than 200 changes. Methods that return a promise never throw. Unless noted otherwise, they reject with
 * SCHEDULER_STATE after `shutdown`, and with STORE_FAILURE if the database fails.
 */
export interface Scheduler<Registry extends Jobs = Jobs> {
  /** Returns the scheduler's name, which all nodes of a cluster share (`scheduler.instanceName`). */
  getSchedulerName(): string;
  /** Returns the id of this node, unique in the cluster. */
  getSchedulerInstanceId(): string;
  /** Returns a map in which jobs and listeners can share objects. Initially contains the `org.quartz.context.key.*` entries of the configuration. */
  getContext(): Map<string, unknown>;
  /** Returns the version, state, job store and worker pool of this scheduler. */
  getMetaData(): SchedulerMetaData;
  /**
   * Returns the state for liveness and readiness probes. Queries the store at most once a second. Never rejects, even if the store fails or the
   * scheduler was shut down.
   */
  health(): Promise<SchedulerHealth>;

  /**
   * Starts firing, beginning with missed fire times. No effect if the scheduler is already started. Rejects with INSTANCE_ID_TAKEN or STORE_FAILURE,
   * with SCHEDULER_STATE after `shutdown`, or with CONFIGURATION if a plugin cannot start.
   */
  start(): Promise<void>;
  /** Starts after `delay` milliseconds, from 0 (Quartz: seconds). A failed start is a `schedulerError`. Throws INVALID_ARGUMENT for other delays. */
  startDelayed(delay: number): void;
  /** Stops firing until `start` is called. Running jobs continue. No effect before the first start. Rejects with SCHEDULER_STATE after `shutdown`. */
  standby(): Promise<void>;
  /**
   * Shuts the scheduler down. It cannot be started again. A second call waits for the first. If a job awaits it, it resolves in the job when no other
   * job runs (without `waitForJobs`: when no further job begins), and the shutdown ends after the job. Rejects with INVALID_ARGUMENT for invalid
   * options, or with STORE_FAILURE.
   */
  shutdown(options?: ShutdownOptions): Promise<void>;
  /** True if the scheduler was ever started. As in Quartz, stays true in standby and after a shutdown. */
  isStarted(): boolean;
  /** True before the first `start` and after `standby`. False after `shutdown`. */
  isInStandbyMode(): boolean;
  /** True once a shutdown has stopped firing and finished waiting for jobs. False while the shutdown waits. */
  isShutdown(): boolean;

  /**
   * Stores a job and a trigger, both named `name` (or `group/name`). The job runs the registered job type `job` (default: the name). A repeated call
   * updates job and trigger. A job passed as the third argument is registered under the name, and replaces any job registered before. The compiler
   * checks names, data and cron literals against the `jobs` of `createScheduler`.
   *
   * Returns the next fire time. Returns null if the schedule waits for other jobs (`after`) or has ended. A repeated call does not restart a schedule
   * that has ended: first delete it with `unscheduleJob` or `deleteJob`. For a job that persists its data, `data` is only the initial data.
   *
   * Rejects with INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER (the trigger would never fire), CRON_SYNTAX, UNKNOWN_TIME_ZONE,
   * UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  schedule<Name extends string, When extends GivenFields>(
    name: NameArgument<Registry, Name, When>,
    when: ScheduleArgument<Registry, Name, When>,
  ): Promise<Date | null>;
  schedule<Data extends JobData = JobData, When extends GivenFields = GivenFields>(
    name: string,
    when: InlineArgument<When, Data> & InferredData<Data>,
    job: Job<Data>,
  ): Promise<Date | null>;
  /**
   * Runs a job of a registered type once, now or at a given time. Returns the key of the trigger. Job and trigger are deleted after the run.
   * Rejects with INVALID_ARGUMENT, INVALID_JOB_DATA, UNKNOWN_JOB_TYPE, SCHEDULER_STATE or STORE_FAILURE, or with OBJECT_ALREADY_EXISTS if a job or
   * trigger named `name` is stored.
   */
  enqueue<Type extends JobTypeName<Registry>>(jobType: EnqueuedType<Registry, Type>): Promise<TriggerKey>;
  enqueue<Type extends JobTypeName<Registry>, Options extends GivenFields>(
    jobType: Type,
    data: EnqueuedData<Registry, Type>,
    options?: EnqueueArgument<Registry, Type, Options>,
  ): Promise<TriggerKey>;
  /**
   * Stores a set of schedules, each like `schedule`. Up to 200 changes are applied all or nothing. More are applied in portions, unless `atomic` is
   * set. Triggers that the set no longer names are reported and logged as a warning; `prune` deletes them. Triggers of other sets, and triggers
   * stored by `schedule`, are not changed. Rejects with the codes of `schedule`: INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER, CRON_SYNTAX,
   * UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  declare<Given extends GivenSet<AnyJob>>(schedules: ScheduleSet<Registry, Given, AnyJob>): Promise<DeclareReport>;
  declare<Given extends GivenSet<AnyJob>>(
    schedules: ScheduleSet<Registry, Given, AnyJob>,
    options: DeclareOptions | undefined,
  ): Promise<DeclareReport>;
  /**
   * Like `declare`, but by default also deletes triggers that the set no longer names, in the groups that the set names now. `prune: 'all'` deletes
   * them in every group, `false` in none. Rejects with the codes of `declare`: INVALID_ARGUMENT, INVALID_JOB_DATA, INVALID_TRIGGER, CRON_SYNTAX,
   * UNKNOWN_TIME_ZONE, UNKNOWN_JOB_TYPE, CALENDAR_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  sync<Given extends GivenSet<AnyJob>>(schedules: ScheduleSet<Registry, Given, AnyJob>): Promise<DeclareReport>;
  sync<Given extends GivenSet<AnyJob>>(
    schedules: ScheduleSet<Registry, Given, AnyJob>,
    options: DeclareOptions | undefined,
  ): Promise<DeclareReport>;
  /** Registers a job under a job type. Throws INVALID_ARGUMENT if another job is registered under that type. */
  registerJob<Data extends JobData = JobData>(jobType: string, job: Job<Data>): void;
  /**
   * Sets the factory that creates the job object of each later firing. Default: the registered job, or a new instance of a registered class. Throws
   * INVALID_ARGUMENT unless `factory` is a function.
   */
  setJobFactory(factory: JobFactory): void;

  /**
   * Stores a trigger for a stored job, or a job with one or several triggers. Returns the first fire time of a single trigger, or null if the trigger
   * waits for other jobs. Rejects with JOB_NOT_FOUND, CALENDAR_NOT_FOUND, INVALID_ARGUMENT, INVALID_JOB_DATA, CRON_SYNTAX, UNKNOWN_TIME_ZONE,
   * UNKNOWN_JOB_TYPE, SCHEDULER_STATE or STORE_FAILURE, with OBJECT_ALREADY_EXISTS if the key is taken and `replace` is not set, or with
   * INVALID_TRIGGER if the trigger names another job or would never fire.
   */
  scheduleJob(trigger: AfterTrigger): Promise<null>;
  scheduleJob(job: JobDetail, trigger: AfterTrigger, options?: StoreJobOptions): Promise<null>;
  scheduleJob(trigger: Trigger): Promise<Date>;
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobOptions): Promise<Date>;
  scheduleJob(job: JobDetail, triggers: readonly Trigger[], options: StoreJobOptions): Promise<void>;
  /**
   * Stores jobs with their triggers. Up to 200 jobs and triggers are stored all or nothing. Larger sets are stored in portions, between which
   * triggers fire, unless `atomic` is set. Rejects with the codes of `scheduleJob`, such as OBJECT_ALREADY_EXISTS. If earlier portions were
   * applied, the error message states the number of their changes.
   */
  scheduleJobs(jobs: ReadonlyMap<JobDetail, readonly Trigger[]>, options?: StoreJobsOptions): Promise<void>;
  /**
   * Deletes a trigger, and its job if the job is not durable and has no other trigger. Running jobs are not interrupted. If the trigger has just
   * fired, the call waits until the job has begun, at most 5 s.
   *
   * Waiting retries and recoveries of the trigger's occurrences become dead letters, and triggers that wait for a failure of the job (`startAfter`)
   * fire. Deferred runs are dropped. A trigger that has fired for the last time can still be deleted while such runs wait.
   *
   * Returns false if nothing was deleted. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  unscheduleJob(key: TriggerKeyLike): Promise<boolean>;
  /**
   * Deletes several triggers, like `unscheduleJob`: up to 200 all or nothing, more in portions. Returns true if all triggers were found. Rejects
   * with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  unscheduleJobs(keys: readonly TriggerKeyLike[]): Promise<boolean>;
  /**
   * Replaces a stored trigger with another one for the same job, possibly under another key. Returns the first fire time. Returns null if `key` is
   * not stored, or if the new trigger waits for other jobs. Rejects with INVALID_TRIGGER, CALENDAR_NOT_FOUND, INVALID_ARGUMENT, INVALID_JOB_DATA,
   * CRON_SYNTAX, UNKNOWN_TIME_ZONE, SCHEDULER_STATE or STORE_FAILURE, or with OBJECT_ALREADY_EXISTS if another trigger has the new key.
   */
  rescheduleJob(key: TriggerKeyLike, trigger: Trigger): Promise<Date | null>;
  /**
   * Stores a job without a trigger. The job must be durable, unless `storeNonDurableWhileAwaitingScheduling` is set. Rejects with UNKNOWN_JOB_TYPE,
   * INVALID_JOB_DATA, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE, or with OBJECT_ALREADY_EXISTS if the key is taken and `replace` is not set.
   */
  addJob(job: JobDetail, options?: AddJobOptions): Promise<void>;
  /**
   * Deletes a job and all its triggers, each like `unscheduleJob`. More than 200 triggers are deleted in portions, between which other triggers
   * fire; the job is deleted last. Waiting retries and recoveries become dead letters, which hold a copy of the job for a rerun. Returns false if
   * the job was not found. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  deleteJob(key: JobKeyLike): Promise<boolean>;
  /**
   * Deletes several jobs, like `deleteJob`: up to 200 all or nothing, more in portions. Returns true if all jobs were found. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  deleteJobs(keys: readonly JobKeyLike[]): Promise<boolean>;
  /**
   * Runs a stored job once, now. `data` overrides the job's data for this run. Returns the key of the trigger created for the run. Rejects with
   * JOB_NOT_FOUND, INVALID_JOB_DATA, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  triggerJob(key: JobKeyLike): Promise<TriggerKey>;
  triggerJob<Key extends JobKeyLike>(key: Key, data: TriggerData<Registry, Key> | undefined): Promise<TriggerKey>;

  /**
   * Pauses a trigger until it is resumed or `until` is reached. A running job is not interrupted. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  pauseTrigger(key: TriggerKeyLike, options?: PauseOptions): Promise<PauseReport>;
  /**
   * Pauses the groups that match: their current triggers, and triggers that are added later. A group that does not exist yet can only be paused by
   * `groupEquals`, or with all groups by `anyGroup`. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  pauseTriggers(matcher: GroupMatcher, options?: PauseOptions): Promise<PauseReport>;
  /**
   * Resumes a trigger. Missed fire times follow its misfire instruction. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  resumeTrigger(key: TriggerKeyLike): Promise<void>;
  /**
   * Resumes the paused groups that match, and their triggers. `alsoSingle: false` keeps pauses of single triggers, jobs and groups. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  resumeTriggers(matcher: GroupMatcher, options?: ResumeOptions): Promise<void>;
  /**
   * Pauses the job's triggers. Triggers added later are not paused. Rejects with JOB_NOT_FOUND, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  pauseJob(key: JobKeyLike, options?: PauseOptions): Promise<PauseReport>;
  /**
   * Pauses the triggers of the jobs in the groups that match. Triggers added later are not paused. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  pauseJobs(matcher: GroupMatcher, options?: PauseOptions): Promise<PauseReport>;
  /**
   * Resumes all triggers of the job. `alsoSingle: false` keeps pauses of single triggers. Rejects with JOB_NOT_FOUND, INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  resumeJob(key: JobKeyLike, options?: ResumeOptions): Promise<void>;
  /**
   * Resumes the triggers of all jobs in the groups that match. `alsoSingle: false` keeps pauses of single triggers and jobs. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  resumeJobs(matcher: GroupMatcher, options?: ResumeOptions): Promise<void>;
  /** Pauses all groups of triggers, including groups that are added later. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  pauseAll(options?: PauseOptions): Promise<PauseReport>;
  /**
   * Returns the pauses that have a reason, an author, an end time or `holdRetries: false`, oldest first. Rejects with SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  listPauses(): Promise<readonly ListedPause[]>;
  /**
   * Returns the jobs and triggers whose `mustSucceedWithin` has elapsed without a success, longest overdue first. Includes paused jobs and
   * triggers. `limit`: 1 to 10,000 (default 10,000). Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listOverdue(options?: { readonly limit?: number }): Promise<readonly ListedOverdue[]>;
  /**
   * Resumes all groups of triggers, and all triggers. `alsoSingle: false` keeps pauses of single triggers, jobs and groups. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  resumeAll(options?: ResumeOptions): Promise<void>;
  /**
   * Resets a trigger in the ERROR state, so that it fires again. No effect in other states. Rejects with TRIGGER_NOT_FOUND, INVALID_ARGUMENT,
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  resetTriggerFromErrorState(key: TriggerKeyLike): Promise<void>;

  /** Returns the groups that contain jobs, sorted. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getJobGroupNames(): Promise<readonly string[]>;
  /** Returns the keys of the jobs in the groups that match, sorted. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobKeys(matcher: GroupMatcher): Promise<readonly JobKey[]>;
  /** Returns the groups that contain triggers, sorted. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerGroupNames(): Promise<readonly string[]>;
  /** Returns the keys of the triggers in the groups that match, sorted. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerKeys(matcher: GroupMatcher): Promise<readonly TriggerKey[]>;
  /** Returns the names of trigger groups that are paused as a whole. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /** Returns the triggers of a job; empty if there are none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggersOfJob(key: JobKeyLike): Promise<readonly Trigger[]>;
  /** Returns a stored job, or null if there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobDetail(key: JobKeyLike): Promise<JobDetail | null>;
  /** Returns the jobs in the groups that match, sorted by key. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getJobDetails(matcher: GroupMatcher): Promise<readonly JobDetail[]>;
  /** Returns a stored trigger, or null if there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTrigger(key: TriggerKeyLike): Promise<Trigger | null>;
  /** Returns the stored state of a trigger, or null if there is no such trigger. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  getTriggerState(key: TriggerKeyLike): Promise<TriggerState | null>;
  /** Returns a filtered, sorted page of jobs. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  listJobs(options?: JobListOptions): Promise<ListPage<JobDetail>>;
  /** Returns a filtered, sorted page of triggers. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  listTriggers(options?: TriggerListOptions): Promise<ListPage<ListedTrigger>>;
  /** Returns true if the job or trigger is stored. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE. */
  checkExists(key: { readonly job: JobKeyLike } | { readonly trigger: TriggerKeyLike }): Promise<boolean>;
  /**
   * Returns the jobs, triggers and calendars that this node has tried to read and cannot read. Each has the cause, and the time of the first
   * attempt. This node skips unreadable rows but does not change them, because other nodes may be able to read them. Empty with the memory store.
   * Rejects with SCHEDULER_STATE or STORE_FAILURE.
   */
  listUnreadable(): Promise<readonly UnreadableRow[]>;
  /** Deletes all jobs, triggers and calendars of this scheduler. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  clear(): Promise<void>;

  /**
   * Stores a calendar. `updateTriggers` (default false) recomputes the next fire times of the triggers that use the calendar. Triggers that the
   * calendar had ended, or whose next fire time it now excludes, get a new fire time in any case. Rejects with CALENDAR_ENDS_TRIGGERS if a trigger would never fire again, unless `allowEnding`
   * is set (default false). Rejects with INVALID_CALENDAR, INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE, or with OBJECT_ALREADY_EXISTS if the
   * name is taken and `replace` is not set (default false).
   */
  addCalendar(
    name: string,
    calendar: Calendar,
    options?: { readonly replace?: boolean; readonly updateTriggers?: boolean; readonly allowEnding?: boolean },
  ): Promise<void>;
  /**
   * Deletes a calendar. Returns false if the calendar is not stored. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE, or with CALENDAR_IN_USE if a trigger uses the calendar.
   */
  deleteCalendar(name: string): Promise<boolean>;
  /**
   * Returns a stored calendar, or null if there is none. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE,
   * or with INVALID_CALENDAR if this node cannot read the calendar.
   */
  getCalendar(name: string): Promise<Calendar | null>;
  /** Returns the names of the stored calendars, sorted. Rejects with SCHEDULER_STATE or STORE_FAILURE. */
  getCalendarNames(): Promise<readonly string[]>;

  /**
   * Runs the past fire times of a trigger from `from` (inclusive) to `to` (exclusive), as given by its schedule and calendar. For a cron trigger,
   * this includes times before its start.
   *
   * Each fire time becomes a one-shot trigger with the trigger's data, priority and policy, and the original time as `scheduledFireTime`. The first
   * one-shot trigger fires now, the others follow at intervals of `spacing`. Up to 200 fire times are stored all or nothing, more in portions. The
   * trigger's own schedule does not change.
   *
   * Rejects with INVALID_ARGUMENT for future fire times, or for more than `max` (default 1,000, at most 10,000; the message states the number). Also
   * rejects with TRIGGER_NOT_FOUND, JOB_NOT_FOUND, SCHEDULER_STATE or STORE_FAILURE.
   */
  backfill(key: TriggerKeyLike, options: BackfillOptions): Promise<BackfillReport>;
  /**
   * Returns the unfinished backfills, and the unfinished catch-ups of triggers (`withCatchUp`), one per group. Rejects with SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  listBackfills(): Promise<readonly Backfill[]>;
  /**
   * Cancels the fire times of a backfill that have not fired yet. Returns the number of deleted triggers. Rejects with SCHEDULER_STATE or
   * STORE_FAILURE, or with INVALID_ARGUMENT if the group does not belong to a backfill.
   */
  dropBackfill(group: string): Promise<number>;
  /**
   * Returns the nodes of the cluster, with their job types. With the memory store, returns this node while it is started. Rejects with
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  listNodes(): Promise<readonly NodeInfo[]>;
  /**
   * Drains a node, by default this one. The node acquires no further triggers, releases its reservations, and finishes its running jobs. It remains
   * a member of the cluster. Draining lasts until `undrain` or the end of the process.
   *
   * Returns false if no TypeScript node has the id, or if a later `undrain` has replaced the request. Also returns false if the node has not
   * confirmed within 5 s; the node then drains at its next poll. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  drain(instanceId?: string): Promise<boolean>;
  /**
   * Ends `drain`, so that the node acquires triggers again. Returns false if no TypeScript node has the id, or if a later `drain` has replaced the
   * request. Also returns false if the node has not confirmed within 5 s. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  undrain(instanceId?: string): Promise<boolean>;
  /** Returns the contexts of the jobs that run on this node. Jobs that still run after their run was abandoned (`isAbandoned`) come last. */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[];
  /**
   * Returns the executions of all nodes, the longest-running first. Abandoned executions that still run on this node come last. Rejects with
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  listExecutingJobs(): Promise<readonly ExecutingJob[]>;
  /**
   * Streams a run's log lines to `onLine` until the run ends or `signal` aborts. Starts with the last 16 kB already logged, then polls once a
   * second. The job may run on any node. For another node, the lines of the last second are read from the run's record; they are missing if the run
   * is not recorded.
   *
   * Returns false if no run with this id is executing. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE, STORE_FAILURE, or the error that `onLine`
   * throws.
   */
  tailRun(
    runId: string,
    onLine: (line: RunLine) => void,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /**
   * Aborts the signal of every execution of the job, on all nodes. If `key` is a string that matches no executing job, it is used as a run id.
   * Returns true if an execution was found. Each run records when and by whom (`by`, at most 190 characters) it was interrupted first. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  interrupt(key: JobKeyLike, options?: { readonly by?: string }): Promise<boolean>;
  /**
   * Aborts the signal of one run, on any node. Returns true if the run was executing. Records `by` as `interrupt` does. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  interruptRun(runId: string, options?: { readonly by?: string }): Promise<boolean>;

  /**
   * Returns recorded runs that have ended, newest first. `withHistory` of a job or trigger, or else `jobStore.history`, decides which runs are
   * recorded. Dead letters are always recorded. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listRuns(options?: RunListOptions): Promise<RunList>;
  /**
   * Returns the recorded run with this id (`runId` of a context, an event or a list). Returns null if the run is still executing, was not recorded,
   * or is no longer stored. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  getRun(runId: string): Promise<Run | null>;
  /**
   * Returns statistics and the last runs of a job, based on at most 200 of its newest recorded runs. Values are null if the job has no such runs or
   * is not stored. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  getJobStatus(key: JobKeyLike): Promise<JobStatus>;
  /**
   * Like `listRuns`, but returns only dead letters: last runs of occurrences whose retries are exhausted, neither rerun nor discarded. Rejects with
   * INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  listDeadLetters(options?: RunListOptions): Promise<RunList>;
  /**
   * Reruns failed occurrences immediately. A rerun has the same scheduled time and trigger data, counts as the next attempt, and gets the full
   * retries of its policy. A non-durable job that was deleted with its last trigger is stored again. `which`: ids of runs with `canRerun`, or a
   * filter. A filter selects only dead letters.
   *
   * Returns the number of reruns. Runs that cannot be rerun, or whose job no longer exists, are skipped. Each transaction changes up to 200 runs. A
   * filter does not select runs that fail during the call. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  rerun(which: string | readonly string[] | RunListOptions): Promise<number>;
  /**
   * Turns dead letters into ordinary failed runs. `which`: run ids or a filter. Returns the number of changed runs. Each transaction changes up to
   * 200 runs. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or STORE_FAILURE.
   */
  discard(which: string | readonly string[] | RunListOptions): Promise<number>;
  /**
   * Sets the number of further attempts of failed occurrences to exactly `max`: a whole number from 0 to 1,000. A dead letter is rerun immediately,
   * and the rerun is the first of these attempts. A waiting retry is the first of these attempts, at its scheduled time. With 0, a waiting retry is
   * deleted, and its occurrence becomes a dead letter.
   *
   * `which`: ids of the failed runs, or a filter. Returns the number of changed occurrences. Rejects with INVALID_ARGUMENT, SCHEDULER_STATE or
   * STORE_FAILURE.
   */
  setRetries(which: string | readonly string[] | RunListOptions, max: number): Promise<number>;
  /**
   * Returns up to 10,000 occurrences that were split into shards (`withSpread`) and have unfinished shards, oldest first. Rejects with
   * SCHEDULER_STATE or STORE_FAILURE.
   */
  listOngoingOccurrences(): Promise<readonly OngoingOccurrence[]>;

  /**
   * Returns a scheduler that adds jobs and triggers in the transaction that is open on `connection`. Other nodes see them after the commit; a
   * rollback discards them. `connection` must be connected to this scheduler's database. `Own`: jobs by which names and data are checked, such as
   * `typeof jobs`; in a job, `context.scheduler` does not know them. Throws SCHEDULER_STATE with the memory store.
   */
  withConnection<Own extends Jobs = Registry>(connection: OpenConnection): TransactionScheduler<Own>;

  /**
   * Adds middleware that runs around every execution that begins from now on. The middleware added first is outermost. Returns a function that
   * removes the middleware. Throws INVALID_ARGUMENT unless `middleware` is a function.
   */
  use(middleware: JobMiddleware): () => void;
  /** Returns the listener manager of this scheduler. */
  getListenerManager(): ListenerManager;
  /**
   * Subscribes to all events, or only to events of the given `types`. Events without a subscriber are not created. Returns a function that ends the
   * subscription. Throws INVALID_ARGUMENT if `subscriber` is not a function or a type is unknown.
   */
  subscribe(subscriber: (event: SchedulerEvent) => void, types?: readonly SchedulerEvent['type'][]): () => void;
}

/** Schedule in a declared set: the options of `schedule`. Without `job`, the schedule runs the job type that is registered under its name. */
export type DeclaredSchedule = ScheduleSettings &
  ScheduleTime & {
    /** A job, or the name of a registered type. Default: the type that is registered under the schedule's name. */
    // biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a set holds them all
    readonly job?: Job<any> | string;
  };

/** Context of a firing, as the job sees it. The names are Quartz's. */
export interface JobExecutionContext<Data extends JobData = JobData> {
  /** The scheduler that runs the job. */
  readonly scheduler: Scheduler;
  /** Trigger that fired. Its fields show the state after this firing: `nextFireTime` is the following fire time. */
  readonly trigger: Trigger;
  /** Calendar of the trigger, or null if it has none. */
  readonly calendar: Calendar | null;
  /** Job as stored when the trigger fired. */
  readonly jobDetail: JobDetail;
  /** Object whose `execute` runs: the registered job object, an instance created for this firing, or a wrapper around a job function. */
  readonly jobInstance: JobObject;
  /** Job data, overridden by the trigger's data. Frozen. */
  readonly mergedJobDataMap: Data;
  /** The same as `mergedJobDataMap`. */
  readonly data: Data;
  /** Actual fire time. Later than the scheduled time if the trigger misfired or the node was busy. */
  readonly fireTime: Date;
  /** Scheduled fire time of the occurrence. A retry has the same time as the first run. */
  readonly scheduledFireTime: Date;
  /**
   * Time at which the trigger was first due for this firing. Earlier than `scheduledFireTime` if the trigger has misfired since its previous firing,
   * because a misfire moves the fire time; otherwise equal to it. Retries, deferred runs and shards have the same time as the first run; reruns and
   * recoveries have `scheduledFireTime`.
   */
  readonly firstDueTime: Date;
  /** Scheduled time of the previous firing, or null for the first firing. */
  readonly previousFireTime: Date | null;
  /** Next fire time of the trigger, or null if there is none. */
  readonly nextFireTime: Date | null;
  /** Id of this run, unique in the cluster. Its history record has the same id (Quartz: `fireInstanceId`). */
  readonly runId: string;
  /**
   * Id of the occurrence, unique in the cluster. All retries, recoveries, reruns and shards of an occurrence have the same id. Use the id as an
   * idempotency key for work that must be done once per occurrence.
   */
  readonly occurrenceId: string;
  /** Number of this attempt at the occurrence, from 1. The `trigger` of a retry is in the group RETRYING_JOBS. */
  readonly attempt: number;
  /** Run whose end started this run (see `startAfter`). If this run waited for several runs, the last of them. Null if no run started it. */
  readonly origin: RunOrigin | null;
  /** Shard of the occurrence that this run executes, with its parameter. Null if the occurrence is not split. A retry executes the same shard. */
  readonly shard: Shard | null;
  /** Number of immediate refires of this firing so far (`refireImmediately`), from 0 to `maxRefireCount`. */
  readonly refireCount: number;
  /** True if this run recovers a run that was lost because its node died. */
  readonly isRecovering: boolean;
  /** Trigger of the run that this run recovers. Throws SCHEDULER_STATE unless `isRecovering`. */
  readonly recoveringTriggerKey: TriggerKey;
  /**
   * Aborts when the job is interrupted, the time limit is reached, the node loses its lease, or the scheduler shuts down and no longer waits for the
   * job. `signal.reason` is an Error with the cause as its message. The error's name is `TimeoutError` for the time limit, otherwise `AbortError`.
   */
  readonly signal: AbortSignal;
  /** Run time of the job in milliseconds, or -1 until the job has ended. */
  readonly jobRunTime: number;
  /** True if the run was ended as `timedOut` although the job has not stopped. Later results, errors and reports of the job are ignored. */
  readonly isAbandoned: boolean;
  /** First request to interrupt this run. Null if there was none, or if another cause aborted `signal`. */
  readonly interruption: RequestedInterruption | null;
  /** Log of this run, stored with its history record. Never throws. */
  readonly log: JobLog;
  /** Progress that the job reported last, or null if it has not reported any. */
  readonly currentProgress: JobProgress | null;
  /**
   * Last `checkpoint` value of the occurrence, stored by an earlier run that this run retries, recovers or reruns. Null if there is none. After an
   * immediate refire (`refireImmediately`), the last value that this run itself stored.
   */
  readonly resumeFrom: JsonValue;
  /**
   * Runs the statements of `work` and ends this run, in one transaction of the scheduler's database. The job's rows, the end of the run and all its
   * consequences are stored together or not at all. The value that `work` returns becomes the job's result (see `JobResult`), and `transaction`
   * returns it. The run has then succeeded: a later result of the job is ignored, and a later error is only reported as a `schedulerError`.
   *
   * If `work` rejects, nothing is stored, and `transaction` rejects with the same error. Rejects with SCHEDULER_STATE with the memory store, if
   * another node has taken over the run, or if an earlier `transaction` has ended the run. Rejects with STORE_FAILURE if the store fails.
   */
  transaction<T>(work: (sql: JobSql) => T | Promise<T>): Promise<T>;
  /** Any value that the job passes to its listeners. */
  result: unknown;
  /** Stores a value in memory for the job and the listeners of this firing. */
  put(key: string, value: unknown): void;
  /** Returns the value that `put` stored under this key, or undefined if there is none. */
  get(key: string): unknown;
  /**
   * Adds to the report in this run's history record. A later summary or outcome replaces an earlier one. Metrics with the same name are summed.
   * Throws INVALID_ARGUMENT for an invalid report.
   */
  report(report: JobReport): void;
  /**
   * Reports progress: `fraction` from 0 to 1, and `message`, truncated after 1,000 characters. Shown by `currentProgress`, and by `listExecutingJobs`
   * on every node. Deleted when the run ends. Throws INVALID_ARGUMENT for an invalid fraction or message.
   */
  progress(fraction: number, message?: string): void;
  /**
   * Stores a checkpoint for later runs of the same occurrence: any JSON value of at most 64 kB. Replaces the previous checkpoint. At most one value
   * a second is written; a newer value replaces one that waits to be written. Resolves when this value, or a newer one, is stored.
   *
   * The checkpoint is deleted when the occurrence ends, unless the occurrence becomes a dead letter. Rejects with INVALID_ARGUMENT for an
   * unsuitable value. Rejects with SCHEDULER_STATE if the run has ended or another node has taken over the run. Rejects with STORE_FAILURE if the
   * store fails; the previous value then remains stored.
   */
  checkpoint(value: JsonValue): Promise<void>;
}

/**
 * Wraps the execution of a job, including immediate refires. `next` runs the inner middleware and the job, and resolves to the job's result or
 * rejects with its error. `next` throws INVALID_ARGUMENT if it is called twice, or after the middleware has ended.
 *
 * An error that the middleware throws fails the job. The middleware's return value is ignored. If the middleware does not call `next`, the job does
 * not run, and the run counts as skipped.
 */
export type JobMiddleware = (context: JobExecutionContext, next: () => Promise<unknown>) => unknown;

/** A job as a function. */
export type JobFunction<Data extends JobData = JobData> = (context: JobExecutionContext<Data>) => JobResult;

/** A job as an object. */
export interface JobObject<Data extends JobData = JobData> {
  /** Executes the job. An error fails this run. The trigger still fires at its next time. */
  execute(context: JobExecutionContext<Data>): JobResult;
  /**
   * Schema of the job's data. Default: any data. Checked when this process schedules the job (INVALID_JOB_DATA), and before each run. A run with
   * data that does not fit fails, and is not retried.
   */
  readonly schema?: JobSchema<Data>;
  /**
   * Version of the job's data: a whole number from 1 (default) to 1,000,000. Raise it when the code needs data in a new form. Data that this
   * process schedules is stored with this version. On a node that only knows older versions, the run fails and is not retried.
   */
  readonly version?: number;
  /** Converts data of an older version (`fromVersion`, from 1) to this one, before each run with such data. The schema then checks the result. */
  upgrade?(data: JobData, fromVersion: number): JobData | Promise<JobData>;
}

/** A job as a class; every firing gets a new instance. */
export interface JobClass<Data extends JobData = JobData> {
  /** Called without arguments, or with any arguments by a job factory (`setJobFactory`). */
  // biome-ignore lint/suspicious/noExplicitAny: what a class depends on is between it and the factory
  new (...dependencies: any[]): JobObject<Data>;
  /** Schema of the job's data, like `schema` of a job object. */
  readonly schema?: JobSchema<Data>;
  /** Version of the job's data, from 1, like `version` of a job object. */
  readonly version?: number;
  /** Converts data of an older version (from 1) to this version, like `upgrade` of a job object. */
  readonly upgrade?: JobUpgrade;
}

/** A job that can be registered under a job type. */
export type Job<Data extends JobData = JobData> = JobFunction<Data> | JobObject<Data> | JobClass<Data>;

// biome-ignore lint/suspicious/noExplicitAny: each job has its own data type; a registry holds them all
type AnyJob = Job<any>;

/** Jobs by the job type under which they are registered. */
export type Jobs = Readonly<Record<string, AnyJob>>;

/** Creates the object that executes one firing, for dependency injection. `job` is the registered job. */
export type JobFactory = (job: Job, jobDetail: JobDetail) => JobObject | Promise<JobObject>;

type Answer = void | Promise<void>;

/**
 * Notified before and after each job run. The run waits for each call made before it, at most for `listenerTimeout`. A failing listener does not stop
 * the job.
 */
export interface JobListener {
  /** Unique name among job listeners. A new listener replaces one with the same name. */
  readonly name: string;
  /** Called before the job runs. The job waits until the call completes, at most for `listenerTimeout`. */
  jobToBeExecuted?(context: JobExecutionContext): Answer;
  /** Called instead of running the job if a trigger listener vetoed the run. */
  jobExecutionVetoed?(context: JobExecutionContext): Answer;
  /**
   * Called after each execution of the job. `error` is null if the execution succeeded. `instruction` is the change that it caused to the trigger;
   * RE_EXECUTE_JOB if the job is refired immediately, so that this execution is not the last one of the run.
   */
  jobWasExecuted?(context: JobExecutionContext, error: Error | null, instruction: CompletionInstruction): Answer;
}

/**
 * Notified around firings. Only the return value of `vetoJobExecution` has an effect; if that method fails, there is no veto. A vetoed firing
 * counts as fired. If several triggers fire together, all veto calls are made before the first of their jobs begins.
 */
export interface TriggerListener {
  /** Unique name among trigger listeners. A new listener replaces one with the same name. */
  readonly name: string;
  /** Called before the job runs. The job waits until the call completes, at most for `listenerTimeout`. */
  triggerFired?(trigger: Trigger, context: JobExecutionContext): Answer;
  /** Returns true to veto this run. The vetoed firing counts as fired, and is not caught up. */
  vetoJobExecution?(trigger: Trigger, context: JobExecutionContext): boolean | Promise<boolean>;
  /** Called when a trigger has missed a fire time. The trigger's misfire instruction decides when the trigger fires next. */
  triggerMisfired?(trigger: Trigger): Answer;
  /** Called after the run. `instruction` is the change that the run caused to the trigger. */
  triggerComplete?(trigger: Trigger, context: JobExecutionContext, instruction: CompletionInstruction): Answer;
}

/** Notified of events of the scheduler and its schedule. */
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
  /** An operation failed. The scheduler keeps running. `message` names the operation and the cause. */
  schedulerError?(message: string, error: Error): Answer;
  /** The scheduler is in standby. Triggers do not fire until `start`. */
  schedulerInStandbyMode?(): Answer;
  /** `start` was called. */
  schedulerStarting?(): Answer;
  /** The scheduler has started. Triggers fire from now on. */
  schedulerStarted?(): Answer;
  /** `shutdown` was called. Jobs may still run. */
  schedulerShuttingdown?(): Answer;
  /** The scheduler was shut down. */
  schedulerShutdown?(): Answer;
  /** All jobs, triggers and calendars were deleted. */
  schedulingDataCleared?(): Answer;
}

/** Selects keys. `keyEquals`, `inGroups`, `and`, `not` and similar functions create matchers. */
export interface Matcher<Key extends JobKey | TriggerKey> {
  /** True if the matcher selects the key. */
  isMatch(key: Key): boolean;
}

/** Adds and removes listeners. Names identify job and trigger listeners. A listener added without matchers receives all events of its kind. */
export interface ListenerManager {
  /** Adds a listener, or replaces the listener with the same name. Without matchers, the listener receives the events of every job. */
  addJobListener(listener: JobListener, ...matchers: readonly Matcher<JobKey>[]): void;
  /** Adds a matcher to the listener called `name`. Returns false if there is no such listener. */
  addJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Removes an equal matcher from the listener called `name`. Returns false if there is no such listener or matcher. */
  removeJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean;
  /** Replaces all matchers of the listener called `name`. Returns false if there is no such listener. */
  setJobListenerMatchers(name: string, matchers: readonly Matcher<JobKey>[]): boolean;
  /** Returns the matchers of the listener called `name`, or null if there is no such listener. */
  getJobListenerMatchers(name: string): readonly Matcher<JobKey>[] | null;
  /** Removes the listener called `name`. Returns false if there is no such listener. */
  removeJobListener(name: string): boolean;
  /** Returns all job listeners, in the order in which they are called. */
  getJobListeners(): readonly JobListener[];
  /** Returns the listener called `name`, or null if there is none. */
  getJobListener(name: string): JobListener | null;
  /** Adds a listener, or replaces the listener with the same name. Without matchers, the listener receives the events of every trigger. */
  addTriggerListener(listener: TriggerListener, ...matchers: readonly Matcher<TriggerKey>[]): void;
  /** Adds a matcher to the listener called `name`. Returns false if there is no such listener. */
  addTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Removes an equal matcher from the listener called `name`. Returns false if there is no such listener or matcher. */
  removeTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean;
  /** Replaces all matchers of the listener called `name`. Returns false if there is no such listener. */
  setTriggerListenerMatchers(name: string, matchers: readonly Matcher<TriggerKey>[]): boolean;
  /** Returns the matchers of the listener called `name`, or null if there is no such listener. */
  getTriggerListenerMatchers(name: string): readonly Matcher<TriggerKey>[] | null;
  /** Removes the listener called `name`. Returns false if there is no such listener. */
  removeTriggerListener(name: string): boolean;
  /** Returns all trigger listeners, in the order in which they are called. */
  getTriggerListeners(): readonly TriggerListener[];
  /** Returns the listener called `name`, or null if there is none. */
  getTriggerListener(name: string): TriggerListener | null;
  /** Adds a listener. Adding the same object again has no effect. */
  addSchedulerListener(listener: SchedulerListener): void;
  /** Removes a listener. Returns false if the listener was not added. */
  removeSchedulerListener(listener: SchedulerListener): boolean;
  /** Returns all scheduler listeners, in the order in which they are called. */
  getSchedulerListeners(): readonly SchedulerListener[];
}
