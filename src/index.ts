export type { Backfill, BackfillOptions, BackfillReport } from './api/backfills';
export type { CalendarIntervalScheduleBuilder } from './api/builders/calendar-interval-schedule-builder';
export { calendarIntervalSchedule } from './api/builders/calendar-interval-schedule-builder';
export {
  atHourAndMinuteOnGivenDaysOfWeek,
  type CronScheduleBuilder,
  cronSchedule,
  cronScheduleNonvalidatedExpression,
  dailyAtHourAndMinute,
  monthlyOnDayAndHourAndMinute,
  weeklyOnDayAndHourAndMinute,
} from './api/builders/cron-schedule-builder';
export type { DailyTimeIntervalScheduleBuilder } from './api/builders/daily-time-interval-schedule-builder';
export { dailyTimeIntervalSchedule } from './api/builders/daily-time-interval-schedule-builder';
export {
  DateBuilder,
  DayOfWeek,
  dateOf,
  newDate,
  todayAt,
  tomorrowAt,
  validateDayOfMonth,
  validateDayOfWeek,
  validateHour,
  validateMinute,
  validateMonth,
  validateSecond,
  validateYear,
} from './api/builders/date-builder';
export {
  type DateOptions,
  type DateUnit,
  evenHourDate,
  evenHourDateAfterNow,
  evenHourDateBefore,
  evenMinuteDate,
  evenMinuteDateAfterNow,
  evenMinuteDateBefore,
  evenSecondDate,
  evenSecondDateAfterNow,
  evenSecondDateBefore,
  futureDate,
  nextGivenMinuteDate,
  nextGivenSecondDate,
  translateTime,
} from './api/builders/dates';
export { type JobBuilder, newJob, toJobBuilder } from './api/builders/job-builder';
export type { ScheduleBuilder } from './api/builders/schedule-builder';
export {
  repeatHourlyForever,
  repeatHourlyForTotalCount,
  repeatMinutelyForever,
  repeatMinutelyForTotalCount,
  repeatSecondlyForever,
  repeatSecondlyForTotalCount,
  type SimpleScheduleBuilder,
  simpleSchedule,
} from './api/builders/simple-schedule-builder';
export { timeOfDay } from './api/builders/time-of-day';
export { type AfterOptions, newTrigger, type TriggerBuilder, toTriggerBuilder } from './api/builders/trigger-builder';
export {
  computeEndTimeToAllowParticularNumberOfFirings,
  computeFireTimes,
  computeFireTimesBetween,
  getFinalFireTime,
  getFireTimeAfter,
  mayFireAgain,
} from './api/compute-fire-times';
export type { JobExecutionExceptionOptions } from './api/job-execution-exception';
export { DoNotRetry, JobExecutionException, RetryLater } from './api/job-execution-exception';
export type { JobLog, JobReport, JobResult } from './api/job-report';
export type { JobSchema, JobSchemaIssue, JobSchemaResult, JobUpgrade } from './api/job-schema';
export type { Logger, LogLevel, LogMethod, StructuredLogger } from './api/logger';
export type { Plugin, PluginHost } from './api/plugin';
export type {
  ExecutingJob,
  JobListOptions,
  ListedOverdue,
  ListedPause,
  ListedTrigger,
  ListPage,
  NodeInfo,
  PageOptions,
  PauseDetails,
  PauseOptions,
  PauseReport,
  ResumeOptions,
  SchedulerHealth,
  SchedulerMetaData,
  TriggerListOptions,
} from './api/reading';
export type { JobProgress, JobStatus, OngoingOccurrence, Run, RunLine, RunList, RunListOptions } from './api/runs';
export type {
  AddJobOptions,
  DeclareOptions,
  DeclareReport,
  EnqueueOptions,
  ScheduleOptions,
  SchedulePolicy,
  ScheduleSettings,
  ScheduleTime,
  ScheduleTimes,
  StoreJobOptions,
  StoreJobsOptions,
} from './api/schedule-options';
export type {
  DeclaredSchedule,
  Job,
  JobClass,
  JobExecutionContext,
  JobFactory,
  JobFunction,
  JobListener,
  JobMiddleware,
  JobObject,
  Jobs,
  ListenerManager,
  Matcher,
  Scheduler,
  SchedulerListener,
  TriggerListener,
} from './api/scheduler';
export type { ShutdownOptions } from './api/shutdown-options';
export type {
  AddJobInTransactionOptions,
  JobSql,
  OpenConnection,
  SqlParameter,
  StoreJobInTransactionOptions,
  TransactionScheduler,
} from './api/transactions';
export type {
  AfterTrigger,
  CalendarIntervalTrigger,
  CronTrigger,
  DailyTimeIntervalTrigger,
  SimpleTrigger,
  Trigger,
} from './api/trigger';
export { type WorkerJobContext, type WorkerJobFunction, type WorkerJobOptions, workerJob } from './api/worker-job';
export type { Clock, EpochMs } from './base/clock';
export type { ErrorCode } from './base/errors';
export { ERROR_CODES, ObjectAlreadyExistsError, SchedulerError, SchedulerStateError } from './base/errors';
export type { RandomSource } from './base/ids';
export type {
  Configuration,
  DataSourceConfiguration,
  JobStoreSection,
  NestedConfiguration,
  PluginConfiguration,
  Reference,
  SchedulerSection,
  ThreadPoolSection,
} from './config/configuration';
export { ConfigurationError, type Problem } from './config/problem';
export { AnnualCalendar } from './domain/calendars/annual-calendar';
export { BaseCalendar } from './domain/calendars/base-calendar';
export type { Calendar, CalendarData } from './domain/calendars/calendar';
export { calendarFrom } from './domain/calendars/calendar-from-data';
export type { CalendarOptions } from './domain/calendars/chained-calendar';
export { CronCalendar } from './domain/calendars/cron-calendar';
export { DailyCalendar } from './domain/calendars/daily-calendar';
export { HolidayCalendar } from './domain/calendars/holiday-calendar';
export { MonthlyCalendar } from './domain/calendars/monthly-calendar';
export { WeeklyCalendar } from './domain/calendars/weekly-calendar';
export type { CatchUpOptions, CatchUpPolicy } from './domain/catch-up-policy';
export type { RunOrigin } from './domain/chain';
export type { CompletionInstruction } from './domain/completion';
export type { ConcurrencyLimit } from './domain/concurrency-limit';
export { CronExpression, type CronExpressionOptions } from './domain/cron/cron-expression';
export { CronSyntaxError } from './domain/cron/cron-syntax-error';
export { type DescribeCronOptions, describeCron } from './domain/cron/describe-cron';
export type { DeclaredSet, Prune } from './domain/declaration';
export type { ExecutionPolicy, HistoryMode } from './domain/execution-policy';
export type { TriggerFiring } from './domain/firing';
export type { JobData, JsonValue } from './domain/job-data';
export { JobDataMap } from './domain/job-data-map';
export type { JobDetail } from './domain/job-detail';
export type { JobKey, JobKeyLike, TriggerKey, TriggerKeyLike } from './domain/keys';
export { DEFAULT_GROUP, GroupMatcher, jobKey, triggerKey } from './domain/keys';
export type { NodeLoadInfo } from './domain/node-load';
export type { Occurrence, PartOfOccurrence, Shard } from './domain/occurrence';
export type { OverlapRule } from './domain/overlap';
export type { PauseTarget } from './domain/pause';
export type { LabelsLike, PlacementOptions, Preference, PreferenceOptions } from './domain/placement';
export type { RateLimit } from './domain/rate-limit';
export {
  FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS,
  FAILED_JOB_ORIGINAL_TRIGGER_GROUP,
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  FAILED_OVER_JOBS,
  RECOVERING_JOBS,
} from './domain/recovery';
export type { DurationLike, RetryOptions, RetryPolicy } from './domain/retry-policy';
export type { RunName, RunOutcome } from './domain/run';
export type { Percentiles } from './domain/run-statistics';
export type { ScheduleChange, ScheduleOutcome } from './domain/schedule-change';
export type { SchedulerEvent } from './domain/scheduler-event';
export type { ShardPolicy, SpreadPolicy } from './domain/spread-policy';
export type { TimeLimit, TimeLimitOptions, TimeLimitParts } from './domain/time-limit';
export { type MisfireInstruction, REPEAT_INDEFINITELY, type TimeOfDay } from './domain/trigger';
export type { TriggerState } from './domain/trigger-state';
export { currentJobContext } from './engine/job-middleware';
export {
  broadcastJobListener,
  broadcastSchedulerListener,
  broadcastTriggerListener,
  JobChainingJobListener,
} from './events/listeners';
export {
  allJobs,
  allTriggers,
  and,
  everything,
  inGroups,
  keyEquals,
  nameContains,
  nameEndsWith,
  nameEquals,
  nameStartsWith,
  not,
  or,
} from './events/matchers';
export { type JobInterruptMonitorOptions, jobInterruptMonitorPlugin } from './plugins/job-interrupt-monitor';
export type { JobHistoryMessages, TriggerHistoryMessages } from './plugins/logging-history';
export { loggingJobHistoryPlugin, loggingTriggerHistoryPlugin } from './plugins/logging-history';
export { type ScheduleFileSettings, scheduleFilePlugin } from './plugins/schedule-file-plugin';
export { type ShutdownHookOptions, shutdownHookPlugin } from './plugins/shutdown-hook';
export { type WebhookAlertsOptions, webhookAlertsPlugin } from './plugins/webhook-alerts';
export { createScheduler } from './scheduler/create-scheduler';
export type { CreateSchedulerOptions } from './scheduler/create-scheduler-options';
export type { MysqlPool } from './scheduler/node/given-database';
