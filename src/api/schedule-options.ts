import type { CatchUpOptions } from '../domain/catch-up-policy';
import type { ConcurrencyLimit } from '../domain/concurrency-limit';
import type { Prune } from '../domain/declaration';
import type { HistoryMode } from '../domain/execution-policy';
import type { JobData } from '../domain/job-data';
import type { JobKeyLike, TriggerKey } from '../domain/keys';
import type { OverlapRule } from '../domain/overlap';
import type { EditPolicy } from '../domain/override';
import type { LabelsLike, PreferenceOptions } from '../domain/placement';
import type { RateLimit } from '../domain/rate-limit';
import type { DurationLike, RetryOptions } from '../domain/retry-policy';
import type { ClockChanges } from '../domain/rules';
import type { SpreadPolicy } from '../domain/spread-policy';
import type { TimeLimitOptions } from '../domain/time-limit';
import type { ChainOutcome } from '../domain/trigger';

/** Options of `schedule`, except for the time. */
export interface ScheduleSettings<Data extends JobData = JobData> extends SchedulePolicy {
  /** Data of the job, available as `context.data`: a map of JSON values. Default: an empty map. */
  readonly data?: Data;
}

/** Options of `schedule`, except for the time and the data. */
export interface SchedulePolicy {
  /** IANA name of the time zone, such as 'Europe/Berlin'. Default: the scheduler's zone. */
  readonly timeZone?: string;
  /** Group of the job and the trigger, at most 190 characters. Default: DEFAULT. */
  readonly group?: string;
  /** Human-readable description, at most 250 characters. Default: none. */
  readonly description?: string;
  /**
   * Priority: a 32-bit integer (default 5, as in Quartz). If several triggers are due at the same time, the one with the highest priority fires
   * first.
   */
  readonly priority?: number;
  /** Earliest fire time: a Date or an ISO-8601 string. A string without an offset is in `timeZone`. Default: now. */
  readonly startAt?: Date | string;
  /** End of the schedule; there are no later fire times. Must be after `startAt`. Default: none. */
  readonly endAt?: Date | string;
  /** Name of a stored calendar. Fire times that the calendar excludes are skipped. Default: none. */
  readonly calendar?: string;
  /** Prevents concurrent runs of this job in the whole cluster. A firing during a run waits until the run has ended. Default: false. */
  readonly disallowConcurrentExecution?: boolean;
  /** Replaces the job's data with the value that each run returns. Default: false. */
  readonly persistJobDataAfterExecution?: boolean;
  /** Reruns the job on another node if the node that runs it dies. Default: false. */
  readonly requestsRecovery?: boolean;
  /**
   * Retries of a failed run. `R5/PT5M` (five retries, five minutes apart), a list of delays, an object of options, a number of retries, or false
   * for none. Default: from the scheduler's configuration.
   */
  readonly retry?: RetryOptions;
  /** Runs to record in the history. True means `all`, false means `none`. Default: from the scheduler's configuration. */
  readonly history?: HistoryMode | boolean;
  /** Maximum number of concurrent runs in the cluster: a number for this job, `{ key, limit }` for all jobs that share the key. Default: no limit. */
  readonly concurrency?: number | ConcurrencyLimit;
  /**
   * Rate limit `{ key, limit, per }`: at most `limit` starts within any period of length `per`, in the whole cluster. The limit applies to all jobs
   * that share the key; without a key, to this job alone. A run that exceeds the limit is deferred to the next free slot. Default: no limit.
   */
  readonly rate?: RateLimit;
  /**
   * Time limit of a run: `'30s'`, or `{ after: '30s', grace: '5s' }`. When a run reaches the limit, its signal aborts. After the grace period
   * (default 10 s), the run ends as `timedOut`, even if the job still runs. `deadline` counts from the scheduled time: a run that would start later
   * is skipped. Default: no limit.
   */
  readonly timeout?: TimeLimitOptions;
  /**
   * Maximum lateness of a start, in milliseconds (at least 1) or as a duration such as `PT5M`. A later firing is skipped (`firingSkipped`). Does
   * not apply to retries. Default: no limit.
   */
  readonly startWithin?: DurationLike;
  /**
   * Splits each occurrence into parts (shards), which run on any nodes with free workers. `{ shards: 8 }`: number of parts, from 1 to 1,000.
   * `params`: one value for each part. `broadcast`: one part on each node that can run the job. A part finds its number and value in `context.shard`.
   * Default: occurrences are not split.
   */
  readonly spread?: SpreadPolicy;
  /** Labels (`scheduler.labels`) that a node must have to run the job, at most 20. Default: any node that has the job type. */
  readonly runsOn?: LabelsLike;
  /** Labels of preferred nodes. Other nodes run the job only when its lateness exceeds `fallbackAfter` (default 5 s). Default: no preference. */
  readonly prefers?: PreferenceOptions;
  /**
   * Rule for a firing while an earlier run of the job executes anywhere in the cluster. `allow` (default): runs concurrently. `skip`: skips the
   * firing. `queueOne`, `{ queueAll: n }` (1 to 1,000): waits until the run has ended; skipped if one firing (or `n` firings) already waits.
   * `cancelRunning`: interrupts the earlier run, and waits like `queueOne`.
   */
  readonly overlap?: OverlapRule;
  /**
   * Catches up on missed fire times, instead of applying `misfire`. Runs the newest `max` (1 to 1,000, default 100) fire times missed in the last
   * `window` (default one day). Each fire time has its own run; the runs start at intervals of `pace` (default 0: all immediately). Default: no
   * catch-up; `misfire` applies.
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * Maximum time without a successful run, in milliseconds (at least 1) or as a duration such as `P1DT1H`. After this time, `overdue` is reported
   * once until the next success, even while the schedule is paused. The time counts from when the schedule was stored or first due, and restarts at
   * each success. Default: no limit.
   */
  readonly mustSucceedWithin?: DurationLike;
  /**
   * Maximum random delay of each scheduled time, in milliseconds or as a duration such as `PT5M`, at most 366 days. The delay is derived from the
   * key and the scheduled time, so it is the same on every node. `startWithin` counts from the delayed time. Manual runs and retries are not
   * delayed. Default: none.
   */
  readonly jitter?: DurationLike;
  /**
   * Effect of clock changes on `cron`. `quartz`: a skipped time of day does not fire, a repeated one fires at its second occurrence. `natural`: fixed
   * hours fire once, after the gap or at the first occurrence; hours written with `*` or `/` continue through both occurrences. Default: the
   * scheduler's (`scheduler.clockChanges`).
   */
  readonly clockChanges?: ClockChanges;
  /** Accepts a job type that no node has registered yet. By default, such a type is refused. */
  readonly registeredLater?: boolean;
  /**
   * Policy for missed fire times: `fire` once immediately, `skip` all of them, or run `all` of them. Default: Quartz's smart policy. For `cron`,
   * `at` and calendar intervals, the smart policy fires once immediately. For a fixed interval, it skips all missed times and continues at the next
   * regular time.
   */
  readonly misfire?: 'fire' | 'skip' | 'all';
}

/** Times of a schedule. Each schedule has exactly one of `cron`, `every`, `at` and `after`. */
export interface ScheduleTimes {
  /**
   * Cron expression in the Quartz dialect: six or seven fields, seconds first, such as '0 0 6 ? * MON-FRI'. With `dialect: 'unix'`, five fields, or
   * six with seconds first. `H` is replaced by a value derived from the trigger's key. Throws CRON_SYNTAX for an invalid expression.
   */
  readonly cron?: string;
  /** Dialect of `cron`: `quartz` (default) or `unix`. */
  readonly dialect?: 'quartz' | 'unix';
  /**
   * Interval: milliseconds (at least 1), a duration such as '5m' or '1h30m' (units ms, s, m, h, d), or an ISO-8601 duration such as 'PT5M' or 'P1D'.
   * Days are calendar days. The first fire time is `startAt`, by default now.
   */
  readonly every?: number | string;
  /** Time of a single firing. A past time fires immediately. */
  readonly at?: Date | string;
  /**
   * Fires each time a run of this job ends. For a list of up to 100 jobs, fires when each of them has ended since the last firing. A name without a
   * group is in the group DEFAULT. Cannot be combined with `startAt`, `endAt`, `calendar`, `timeZone` or `misfire`, because the trigger has no fire
   * times.
   */
  readonly after?: JobKeyLike | readonly JobKeyLike[];
  /** Run ends that count for `after`: successes (`success`, default), failures without further retries (`failure`), or both (`end`). */
  readonly on?: ChainOutcome;
}

/** Fields of one form of time, of which `Required` must be present. Fields of the other forms are excluded. */
type TimeForm<Required extends keyof ScheduleTimes, Optional extends keyof ScheduleTimes = never> = {
  readonly [Field in Required]-?: NonNullable<ScheduleTimes[Field]>;
} & { readonly [Field in Optional]?: NonNullable<ScheduleTimes[Field]> } & {
  readonly [Field in Exclude<keyof ScheduleTimes, Required | Optional>]?: never;
};

/** Time of a schedule: exactly one of `cron`, `every`, `at` and `after`. */
export type ScheduleTime = TimeForm<'cron', 'dialect'> | TimeForm<'every'> | TimeForm<'at'> | TimeForm<'after', 'on'>;

/** Time and options of a schedule. */
export type ScheduleOptions<Data extends JobData = JobData> = ScheduleSettings<Data> & ScheduleTime;

/** Options of `enqueue`, which runs a job once. */
export type EnqueueOptions = Omit<
  SchedulePolicy,
  'timeZone' | 'startAt' | 'endAt' | 'calendar' | 'catchUp' | 'misfire' | 'jitter' | 'clockChanges'
> & {
  /** Time of the run. Default: now. */
  readonly at?: Date;
  /** Name of the job and the trigger, at most 190 characters. `enqueue` fails with OBJECT_ALREADY_EXISTS if it is stored. Default: a unique name. */
  readonly name?: string;
};

/** Options of `declare` and `sync`. */
export interface DeclareOptions {
  /** Name of the set, at most 190 characters (default `default`). Programs that share a database must use different names. */
  readonly set?: string;
  /**
   * Deletion of undeclared triggers, which an earlier declaration of this set named and the current declaration does not. `all` or true: deletes all
   * of them. `group`: deletes only undeclared triggers in groups that the set names now. False: deletes none; undeclared triggers are reported and
   * continue to fire. Default: false for `declare`, `group` for `sync`. Triggers that this set never declared are not affected.
   */
  readonly prune?: Prune | true;
  /** Former name of the set. Triggers that were declared under that name then belong to this set. Default: none. */
  readonly renamedFrom?: string;
  /**
   * Policy for manual edits of declared schedules. `override`: the edit remains in effect. `codeWins`: the next declaration undoes the edit.
   * `refuse`: the edit is refused. Default: `scheduler.onDeclaredEdit` of the configuration.
   */
  readonly onDeclaredEdit?: EditPolicy;
  /**
   * Applies all changes or none, in one transaction, however many they are. By default (false), more than 200 changes are applied in portions, and
   * triggers fire between the portions. If a portion fails, earlier portions remain applied, and the error message states the number of their
   * changes.
   */
  readonly atomic?: boolean;
}

/** Result of a declaration. */
export interface DeclareReport {
  /** Next fire time of each schedule, by name. Null if the schedule has ended, or waits for other jobs. */
  readonly nextFireTimes: Readonly<Record<string, Date | null>>;
  /**
   * Triggers that an earlier declaration of the set named and this declaration does not. With `prune: 'group'`, only triggers in groups that the set
   * names now. The triggers were deleted, unless `prune` is false.
   */
  readonly undeclared: readonly TriggerKey[];
}

/** Options of `scheduleJobs`. */
export interface StoreJobsOptions extends StoreJobOptions {
  /** Stores all jobs and triggers or none, whatever their number (default false). Like `DeclareOptions.atomic`. */
  readonly atomic?: boolean;
}

/** Options of `addJob`. */
export interface AddJobOptions extends StoreJobOptions {
  /** Accepts a job that is not durable, because its trigger will be stored later (default false). */
  readonly storeNonDurableWhileAwaitingScheduling?: boolean;
}

/** Options of methods that store jobs. */
export interface StoreJobOptions {
  /** Replaces stored jobs and triggers that have the same keys. By default (false), they are refused with OBJECT_ALREADY_EXISTS. */
  readonly replace?: boolean;
  /** Accepts a job type that no node has registered yet. By default (false), it is refused: a job with a misspelt type would never run. */
  readonly registeredLater?: boolean;
}
