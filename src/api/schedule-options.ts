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
import type { SpreadPolicy } from '../domain/spread-policy';
import type { TimeLimitOptions } from '../domain/time-limit';
import type { ChainOutcome } from '../domain/trigger';

/** Options of `schedule` other than the time. */
export interface ScheduleSettings<Data extends JobData = JobData> {
  /** IANA name of the time zone of `cron`, such as 'Europe/Berlin'. Default: the scheduler's zone. */
  readonly timeZone?: string;
  /** Group of job and trigger, at most 190 characters. Default: DEFAULT. */
  readonly group?: string;
  /** Data of the job, found in `context.data`: a map of JSON values. Default: an empty map. */
  readonly data?: Data;
  /** Human-readable description, at most 250 characters. Default: none. */
  readonly description?: string;
  /** Priority among triggers that are due at the same time: the higher fires first. A 32-bit integer; default 5, as in Quartz. */
  readonly priority?: number;
  /** Earliest fire time: a Date, or an ISO-8601 text, in `timeZone` if it has no offset. Default: now. */
  readonly startAt?: Date | string;
  /** End of the schedule: no fire time is later. Must be after `startAt`. Default: none. */
  readonly endAt?: Date | string;
  /** Name of a stored calendar whose excluded times are skipped; it must exist. Default: none. */
  readonly calendar?: string;
  /** Never runs this job twice at the same time, in the whole cluster. A fire time during a run waits. Default: false. */
  readonly disallowConcurrentExecution?: boolean;
  /** Replaces the job's data with the value that each run returns. Default: false. */
  readonly persistJobDataAfterExecution?: boolean;
  /** Recovers a run on another node if its node dies. Default: false. */
  readonly requestsRecovery?: boolean;
  /**
   * Retries of a failed run: `R5/PT5M` (five times, five minutes apart), a list of delays, an object of options, a number of retries, or
   * false for none. Default: the scheduler's configuration.
   */
  readonly retry?: RetryOptions;
  /** Runs to record. True is `all`, false is `none`. Default: the scheduler's configuration. */
  readonly history?: HistoryMode | boolean;
  /**
   * Maximum number of concurrent runs in the whole cluster, for all jobs that share the key: `{ key, limit }`. A number limits this job
   * alone. Default: no limit.
   */
  readonly concurrency?: number | ConcurrencyLimit;
  /**
   * Rate limit: at most `limit` runs within any period of length `per`, in the whole cluster, for all jobs that share the key: `{ key,
   * limit, per }`. Without a key it limits this job alone. A run that finds no free slot begins in the next one. Default: no limit.
   */
  readonly rate?: RateLimit;
  /**
   * Time limit of a run: `'30s'`, or `{ after: '30s', grace: '5s' }`. When it is reached, the run's signal aborts; after the grace (10 s)
   * the run ends without the job. `deadline` counts from the scheduled time: a run that would begin later is skipped. Default: no limit.
   */
  readonly timeout?: TimeLimitOptions;
  /**
   * Maximum start lateness after the scheduled time, at least 1 millisecond or a duration such as `PT5M`. A later firing is skipped
   * (`firingSkipped`). Does not apply to retries. Default: no limit.
   */
  readonly startWithin?: DurationLike;
  /**
   * Runs each occurrence in parts, on any nodes with free workers: `{ shards: 8 }` (1 to 1,000), with `params` of as many values, one for each
   * part. `broadcast`: one part on each node that can run the job. A part finds its number and its value in `context.shard`. Default: each
   * occurrence runs as a whole.
   */
  readonly spread?: SpreadPolicy;
  /** Labels (`scheduler.labels`) that a node needs to run it, all of them; at most 20. Default: every node that has the job type. */
  readonly runsOn?: LabelsLike;
  /** Labels of preferred nodes. Other nodes leave the run to them until its lateness exceeds `fallbackAfter` (5 s). Default: none. */
  readonly prefers?: PreferenceOptions;
  /**
   * What happens to a firing while an earlier run of the job executes anywhere in the cluster. `allow`: runs concurrently; `skip`: skipped.
   * `queueOne` or `{ queueAll: n }` (1 to 1,000): waits for the end, unless one or n already wait. `cancelRunning`: cancels the earlier
   * run, and runs when that has ended. Default: `allow`.
   */
  readonly overlap?: OverlapRule;
  /**
   * Catches up on missed fire times, instead of `misfire`: the newest `max` (1 to 1,000, default 100) within the last `window` (default one
   * day). Each has its own run, `pace` apart (default 0: immediately). Default: as set by `misfire`.
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * Maximum time without a successful run, at least 1 millisecond or a duration such as `P1DT1H`. When it is exceeded, `overdue` is
   * reported once per lapse, even while paused. It counts from when the schedule was stored or first due, then from each success. Default:
   * no limit.
   */
  readonly mustSucceedWithin?: DurationLike;
  /**
   * Random delay of each scheduled time, up to this long, derived from the job's key and that time: milliseconds or a duration such as
   * `PT5M`, at most 366 days. `startWithin` counts from the delayed time. Manual runs and retries are not delayed. Default: none.
   */
  readonly jitter?: DurationLike;
  /** Accepts a job type that is registered later, or on another node. By default, a type that no node has is refused. */
  readonly registeredLater?: boolean;
  /**
   * Policy for missed fire times: `fire` one immediately, `skip` them, or run `all` of them. Default: Quartz's smart policy. It fires one
   * immediately for `cron`, `at` and calendar intervals, and none for a fixed interval, which keeps its phase.
   */
  readonly misfire?: 'fire' | 'skip' | 'all';
}

/** Time of a schedule in the short form: one of `cron`, `every`, `at` and `after`. */
export type ScheduleTime =
  | {
      /**
       * A Quartz expression, seconds first, such as '0 0 6 ? * MON-FRI'. `H` stands for a value drawn from the trigger's key. Throws
       * CRON_SYNTAX for an invalid expression.
       */
      readonly cron: string;
      /** Dialect of `cron`. Default: `quartz`. */
      readonly dialect?: 'quartz';
      readonly every?: never;
      readonly at?: never;
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /** An expression with five fields, or six with seconds first. Throws CRON_SYNTAX for an invalid expression. */
      readonly cron: string;
      /** Dialect of `cron`. */
      readonly dialect: 'unix';
      readonly every?: never;
      readonly at?: never;
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /**
       * Interval: milliseconds (at least 1), a duration such as '5m' or '1h30m' (ms, s, m, h), or an ISO-8601 duration such as 'PT5M' or 'P1D'. The
       * first fire time is `startAt`, or now.
       */
      readonly every: number | string;
      readonly cron?: never;
      readonly dialect?: never;
      readonly at?: never;
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /** Time of a single firing. A past time fires immediately. */
      readonly at: Date | string;
      readonly cron?: never;
      readonly dialect?: never;
      readonly every?: never;
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /**
       * Fires each time this job has ended. For a list of up to 100 jobs, fires each time all of them have ended since its last firing. A plain
       * name is in the group DEFAULT. Cannot be combined with `startAt`, `endAt`, `calendar`, `timeZone` or `misfire`, because it has no times.
       */
      readonly after: JobKeyLike | readonly JobKeyLike[];
      /** Run ends that count: success (default), failure without further retries (`failure`), or both (`end`). */
      readonly on?: ChainOutcome;
      readonly cron?: never;
      readonly dialect?: never;
      readonly every?: never;
      readonly at?: never;
    };

/** Time and options of a schedule, in the short form. */
export type ScheduleOptions<Data extends JobData = JobData> = ScheduleSettings<Data> & ScheduleTime;

/** Options of an enqueued job, which runs once, without its own schedule. */
export type EnqueueOptions = Omit<
  ScheduleSettings,
  'data' | 'timeZone' | 'startAt' | 'endAt' | 'calendar' | 'catchUp' | 'misfire' | 'jitter'
> & {
  /** Time of the run. Default: now. */
  readonly at?: Date;
  /** Name of its job and trigger, at most 190 characters. OBJECT_ALREADY_EXISTS if it is already stored. Default: a unique name. */
  readonly name?: string;
};

/** Options for declaring a set of schedules. */
export interface DeclareOptions {
  /** Name of the set, at most 190 characters (default `default`). Programs that share a database need different names. */
  readonly set?: string;
  /**
   * Triggers to delete that the set no longer names. `all` or true: all of them. `group`: only in groups that the set names now. False: none;
   * they are reported and continue to fire. Default: false for `declare`, `group` for `sync`. Triggers that were not declared in this set are
   * never deleted.
   */
  readonly prune?: Prune | true;
  /** Former name of the set. Its schedules are adopted, and pruned or reported as if they had been declared in this set. Default: none. */
  readonly renamedFrom?: string;
  /**
   * Policy for manual edits of declared schedules. `override`: the edit is kept. `codeWins`: the next declaration undoes it. `refuse`: the edit
   * is refused. Default: `scheduler.onDeclaredEdit` of the configuration.
   */
  readonly onDeclaredEdit?: EditPolicy;
  /**
   * Applies everything or nothing in one transaction of any size. By default (false), more than 200 changes are applied in portions, and
   * triggers fire between them. If a portion is refused, the earlier ones are kept, and the error gives the number of their changes.
   */
  readonly atomic?: boolean;
}

/** Result of a declaration. */
export interface DeclareReport {
  /** Next fire times by name; null if the schedule has ended. */
  readonly nextFireTimes: Readonly<Record<string, Date | null>>;
  /** Triggers that the set no longer names; with `group`, only in the groups that it names. With `prune` they were deleted. */
  readonly undeclared: readonly TriggerKey[];
}

/** Options of `scheduleJobs`. */
export interface StoreJobsOptions extends StoreJobOptions {
  /** Like `DeclareOptions.atomic`. */
  readonly atomic?: boolean;
}

/** Options of `addJob`. */
export interface AddJobOptions extends StoreJobOptions {
  /** Accepts a job that is not durable and gets its trigger later (default false). */
  readonly storeNonDurableWhileAwaitingScheduling?: boolean;
}

/** Options of storing jobs. */
export interface StoreJobOptions {
  /** Replaces a stored job with the same key (default false: refuses it). */
  readonly replace?: boolean;
  /**
   * Accepts a job type that is registered later, here or on another node. By default (false), a type that no node has is refused, because a
   * misspelt one would wait without end.
   */
  readonly registeredLater?: boolean;
}
