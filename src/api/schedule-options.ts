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
  /**
   * Of two triggers that are due at the same time, the one with the higher priority fires first. A whole number of 32 bits; default 5, as
   * in Quartz.
   */
  readonly priority?: number;
  /** The first fire time is not before it: a Date, or an ISO-8601 text, read on the clock of `timeZone` where it has no offset. Default: now. */
  readonly startAt?: Date | string;
  /** No fire time is after it. Must be after `startAt`. Default: none, for ever. */
  readonly endAt?: Date | string;
  /** Name of a stored calendar whose excluded times are passed over; it must exist. Default: none. */
  readonly calendar?: string;
  /** Never two runs of this job at the same time, on whichever nodes; the next fire time waits. Default: false. */
  readonly disallowConcurrentExecution?: boolean;
  /** What the job returns becomes its data for the next run. Default: false. */
  readonly persistJobDataAfterExecution?: boolean;
  /** A run that is cut off by the death of its node is run again on another one. Default: false. */
  readonly requestsRecovery?: boolean;
  /**
   * Whether, how often and when a run that failed is tried again: `R5/PT5M` (five times, five minutes apart), a list of pauses, the parts by
   * name, how many times, or false for never. Default: as the scheduler's configuration says.
   */
  readonly retry?: RetryOptions;
  /** Which of its runs are recorded; true is `all`, false `none`. Default: as the scheduler's configuration says. */
  readonly history?: HistoryMode | boolean;
  /**
   * At most so many of its runs at once in the whole cluster, together with all other jobs that share the key: `{ key, limit }`; a number
   * limits this job alone. Default: no limit.
   */
  readonly concurrency?: number | ConcurrencyLimit;
  /**
   * Never more than `limit` of its runs in any time of the length of `per`, in the whole cluster, together with all other jobs that share the
   * key: `{ key, limit, per }`; without a key of this job alone. What finds no slot begins in the next free one. Default: as often as it fires.
   */
  readonly rate?: RateLimit;
  /**
   * How long a run may take: `'30s'`, or `{ after: '30s', grace: '5s' }`. Then its signal aborts, and after the grace (10 s) its firing ends
   * without it. `deadline` counts from its scheduled time: what would begin later is not run. Default: as long as it takes.
   */
  readonly timeout?: TimeLimitOptions;
  /**
   * The latest that a run may begin after its scheduled time, at least 1 millisecond or a duration such as `PT5M`: what comes later is
   * skipped (`firingSkipped`). Retries are never late. Default: any time.
   */
  readonly startWithin?: DurationLike;
  /**
   * Runs each occurrence in parts, on whichever nodes have room: `{ shards: 8 }`, with `params` of as many values, one for each; `broadcast`:
   * one part on each node that can run the job. A part finds its number and its value in `context.shard`. Shards: 1 to 1,000. Default: each
   * is run as a whole.
   */
  readonly spread?: SpreadPolicy;
  /** Only nodes that have all these labels (`scheduler.labels`) run it; at most 20. Default: every node that has its type. */
  readonly runsOn?: LabelsLike;
  /** The labels of the nodes to which the others leave it, until it is late by more than `fallbackAfter` (5 s). Default: none. */
  readonly prefers?: PreferenceOptions;
  /**
   * What becomes of a firing while an earlier run of the job executes, anywhere in the cluster: `allow` it beside that, `skip` it, let it wait
   * for the end unless one (`queueOne`) or n (`{ queueAll: n }`, 1 to 1,000) wait already, or `cancelRunning` and run when that has ended.
   * Default: `allow`.
   */
  readonly overlap?: OverlapRule;
  /**
   * Which missed fire times are made up for, in place of `misfire`: the newest `max` (1 to 1,000, default 100) of those at most `window` ago
   * (default a day), each by a run of its own, `pace` apart (default 0: at once). Default: as `misfire` says.
   */
  readonly catchUp?: CatchUpOptions;
  /**
   * How long it may go without a run that succeeds, at least 1 millisecond or a duration such as `P1DT1H`: then it is `overdue`, once for each
   * such lapse, also while it is paused. Counts from when it was stored or first due, then from each success. Default: nothing is expected.
   */
  readonly mustSucceedWithin?: DurationLike;
  /**
   * Each scheduled time begins at a moment of its own up to so long after it, drawn from the job's key and that time: milliseconds or a
   * duration such as `PT5M`, at most 366 days. `startWithin` counts from there; runs by hand and retries are not put off. Default: none.
   */
  readonly jitter?: DurationLike;
  /** The job will be registered later, or on another node: a name that no node knows is refused otherwise. */
  readonly registeredLater?: boolean;
  /**
   * What to do with missed fire times: `fire` one at once, `skip` them, or `all` of them. Default: Quartz's smart policy, which fires one at once
   * for `cron`, `at` and calendar intervals, and none for an interval on the clock, which keeps its phase.
   */
  readonly misfire?: 'fire' | 'skip' | 'all';
}

/** When to run, in the short form: one of `cron`, `every`, `at` and `after`. */
export type ScheduleTime =
  | {
      /**
       * A Quartz expression, seconds first, such as '0 0 6 ? * MON-FRI'; `H` stands for a value drawn from the trigger's key. Throws
       * CRON_SYNTAX for one that is none.
       */
      readonly cron: string;
      /** The dialect of `cron`. Default: `quartz`. */
      readonly dialect?: 'quartz';
      readonly every?: never;
      readonly at?: never;
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /** An expression of five fields, or six with seconds first. Throws CRON_SYNTAX for one that is none. */
      readonly cron: string;
      /** The dialect of `cron`. */
      readonly dialect: 'unix';
      readonly every?: never;
      readonly at?: never;
      readonly after?: never;
      readonly on?: never;
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
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /** Once, at this time; at once where it is past. */
      readonly at: Date | string;
      readonly cron?: never;
      readonly dialect?: never;
      readonly every?: never;
      readonly after?: never;
      readonly on?: never;
    }
  | {
      /**
       * Each time that this job has ended; of a list of up to 100, each time that every one of them has since it fired last. A plain name is
       * of the group DEFAULT. Neither `startAt`, `endAt`, `calendar`, `timeZone` nor `misfire` goes with it: it has no times.
       */
      readonly after: JobKeyLike | readonly JobKeyLike[];
      /** Which ends count: those that succeeded (default), those that failed for good (`failure`), or both (`end`). */
      readonly on?: ChainOutcome;
      readonly cron?: never;
      readonly dialect?: never;
      readonly every?: never;
      readonly at?: never;
    };

/** When to run, and how, in the short form. */
export type ScheduleOptions<Data extends JobData = JobData> = ScheduleSettings<Data> & ScheduleTime;

/** How a job runs that is enqueued: once, without a schedule of its own. */
export type EnqueueOptions = Omit<
  ScheduleSettings,
  'data' | 'timeZone' | 'startAt' | 'endAt' | 'calendar' | 'catchUp' | 'misfire' | 'jitter'
> & {
  /** When it runs. Default: now. */
  readonly at?: Date;
  /** Name of its job and its trigger, at most 190 characters; OBJECT_ALREADY_EXISTS if it is stored. Default: a unique name. */
  readonly name?: string;
};

/** How a set of schedules is declared. */
export interface DeclareOptions {
  /** The name of the set, at most 190 characters (default `default`); programs that share a schedule have one each. */
  readonly set?: string;
  /**
   * What becomes of triggers that the set held before and holds no longer. `all`, or true: they are deleted. `group`: those in the groups
   * that the set names now are deleted, the others left alone. False: they are reported, and go on. Default: false for `declare`,
   * `group` for `sync`. Nothing that was not declared in this set is ever deleted.
   */
  readonly prune?: Prune | true;
  /** The former name of the set: what that one held is adopted, and pruned or reported as if it had been declared here. Default: none. */
  readonly renamedFrom?: string;
  /**
   * What becomes of an edit by hand of what the set declares: it stays (`override`), the next declaration undoes it (`codeWins`), or it is
   * refused (`refuse`). Default: as `scheduler.onDeclaredEdit` of the configuration says.
   */
  readonly onDeclaredEdit?: EditPolicy;
  /**
   * All or nothing in one transaction, whatever the size (default false: more than 200 changes are applied in portions, between which triggers
   * fire; if one is refused, those before it stay, and the error says how many).
   */
  readonly atomic?: boolean;
}

/** What a declaration came to. */
export interface DeclareReport {
  /** By name; null: it has come to its end. */
  readonly nextFireTimes: Readonly<Record<string, Date | null>>;
  /** What the set held before and holds no longer, with `group` in the groups that it names; with `prune` it is deleted now. */
  readonly undeclared: readonly TriggerKey[];
}

/** Options of `scheduleJobs`. */
export interface StoreJobsOptions extends StoreJobOptions {
  /** As `DeclareOptions.atomic`. */
  readonly atomic?: boolean;
}

/** Options of `addJob`. */
export interface AddJobOptions extends StoreJobOptions {
  /** Also a job that is not durable, to which a trigger is added later (default false). */
  readonly storeNonDurableWhileAwaitingScheduling?: boolean;
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
