import { systemRandom } from '../../base/ids';
import type { CatchUpOptions } from '../../domain/catch-up-policy';
import { checkJobData } from '../../domain/check-job-data';
import { checkOptions } from '../../domain/check-options';
import { invalidArgument } from '../../domain/check-text';
import type { ConcurrencyLimit } from '../../domain/concurrency-limit';
import { checkPolicy, type ExecutionPolicy, type HistoryMode } from '../../domain/execution-policy';
import { type JobData, type JsonValue, NO_DATA } from '../../domain/job-data';
import type { JobDetail } from '../../domain/job-detail';
import { type JobKey, type JobKeyLike, jobKey, type TriggerKey, triggerKey } from '../../domain/keys';
import { checkCalendarName, checkDescription, checkKey } from '../../domain/limits';
import type { OverlapRule } from '../../domain/overlap';
import type { PlacementOptions } from '../../domain/placement';
import type { RateLimit } from '../../domain/rate-limit';
import type { DurationLike, RetryOptions } from '../../domain/retry-policy';
import type { SpreadPolicy } from '../../domain/spread-policy';
import type { TimeLimitOptions } from '../../domain/time-limit';
import { type ChainOutcome, DEFAULT_PRIORITY, MAX_INT } from '../../domain/trigger';
import { validateTrigger } from '../../domain/trigger-behaviour';
import { waitingFor } from '../../domain/triggers/after-trigger';
import { type AfterTrigger, fromTrigger, type SimpleTrigger, type Trigger } from '../trigger';
import { checkDate, checkObject, checkOneOf, checkWhole, placedBy, policyWith } from './check-arguments';
import type { ScheduleBuilder, ScheduleOf } from './schedule-builder';
import { simpleSchedule } from './simple-schedule-builder';

/** Which ends of other jobs a trigger waits for, and what its firings find. */
export interface AfterOptions {
  /** Those that succeeded (default), those that failed for good, or both. */
  readonly on?: ChainOutcome;
  /** Overrides the data of the job. */
  readonly data?: JobData;
}

/** Gives a builder a whole policy, whatever its fields: no copy of a trigger loses one. */
let setPolicy: (builder: TriggerBuilder, policy: ExecutionPolicy | undefined) => void;

/** Describes a trigger: `newTrigger().withIdentity('hourly').withSchedule(repeatHourlyForever()).forJob('report').build()`. */
export class TriggerBuilder<T extends Trigger = SimpleTrigger> {
  #key: TriggerKey | null = null;
  #jobKey: JobKey | null = null;
  #description: string | null = null;
  #data: JobData = NO_DATA;
  #priority = DEFAULT_PRIORITY;
  #startTime: Date | null = null;
  #endTime: Date | null = null;
  #calendarName: string | null = null;
  #policy: ExecutionPolicy | undefined;

  static {
    setPolicy = (builder, policy) => {
      builder.#policy = checkPolicy(policy, 'a trigger');
    };
  }
  #schedule: ScheduleBuilder = simpleSchedule();

  /** The trigger's key; without one, a unique name in the group DEFAULT. All methods throw INVALID_ARGUMENT. */
  withIdentity(key: TriggerKey): this;
  withIdentity(name: string, group?: string): this;
  withIdentity(name: TriggerKey | string, group?: string): this {
    this.#key = checkKey(typeof name === 'string' ? triggerKey(name, group) : name, 'trigger');
    return this;
  }

  /** For people; at most 250 characters, which is checked where the trigger is stored. */
  withDescription(description: string | null): this {
    this.#description = checkDescription(description);
    return this;
  }

  /** Among triggers of the same fire time the higher goes first: a whole number of 32 bits (default 5). Throws INVALID_ARGUMENT. */
  withPriority(priority: number): this {
    this.#priority = checkWhole(priority, 'the priority', -MAX_INT - 1);
    return this;
  }

  /** The name of a stored calendar whose excluded times are skipped; null for none. */
  modifiedByCalendar(calendarName: string | null): this {
    this.#calendarName = calendarName === null ? null : checkCalendarName(calendarName);
    return this;
  }

  /** No firing before this; a simple or calendar-interval schedule counts from it. */
  startAt(startTime: Date): this {
    this.#startTime = checkDate(startTime, 'the start');
    return this;
  }

  /** Starts at the moment it is scheduled: the default. */
  startNow(): this {
    this.#startTime = null;
    return this;
  }

  /** No firing from here on (a cron schedule may still fire at this very time); null for no end. */
  endAt(endTime: Date | null): this {
    this.#endTime = endTime === null ? null : checkDate(endTime, 'the end');
    return this;
  }

  /** When to fire; without a schedule once, at the start. */
  withSchedule<S extends Trigger>(schedule: ScheduleBuilder<S>): TriggerBuilder<S> {
    if (typeof schedule?.build !== 'function') {
      throw invalidArgument("a schedule such as cronSchedule('0 0 6 * * ?')", schedule);
    }
    this.#schedule = schedule as unknown as ScheduleBuilder;
    return this as unknown as TriggerBuilder<S>;
  }

  /**
   * Fires each time that the other job has ended, not by any time: `startAfter('extract')`. `on`: only when it succeeded (default), only
   * when it failed for good (`failure`: no retry follows), or both (`end`). `data`: as `usingJobData`. What is not run (skipped, vetoed,
   * misfired) and what is lost with its node has not ended. Takes the place of a schedule. Throws INVALID_ARGUMENT.
   */
  startAfter(job: JobKeyLike, options: AfterOptions = {}): TriggerBuilder<AfterTrigger> {
    return this.afterAll([job], options);
  }

  /**
   * Fires each time that every one of the jobs has ended so since it fired last: from 1 to 100 jobs, none twice. Their ends are counted, so
   * that none is missed. Else as `startAfter`. Throws INVALID_ARGUMENT.
   */
  afterAll(jobs: Iterable<JobKeyLike>, options: AfterOptions = {}): TriggerBuilder<AfterTrigger> {
    const { on = 'success', data } = checkOptions(options, { on: true, data: true });
    const schedule = afterSchedule(jobs, on);
    if (data !== undefined) this.usingJobData(data);
    return this.withSchedule(schedule);
  }

  /** The job to run; not needed when the trigger is scheduled together with its job. */
  forJob(job: JobDetail | JobKey): this;
  forJob(name: string, group?: string): this;
  forJob(job: JobDetail | JobKey | string, group?: string): this {
    this.#jobKey = checkKey(typeof job === 'string' ? jobKey(job, group) : keyOf(job), 'job');
    return this;
  }

  /** Adds to the data that overrides the job's: a whole object, or one value. Throws INVALID_JOB_DATA. */
  usingJobData(data: JobData): this;
  usingJobData(key: string, value: JsonValue): this;
  usingJobData(dataOrKey: JobData | string, value?: JsonValue): this {
    const added = typeof dataOrKey === 'string' ? { [dataOrKey]: value } : dataOrKey;
    this.#data = checkJobData({ ...this.#data, ...checkJobData(added, 'a trigger') }, 'a trigger');
    return this;
  }

  /**
   * Whether, how often and when a run that failed is tried again: `R5/PT5M` (five times, five minutes apart), a list of pauses such as
   * `['1m', '5m', '1h']`, the parts by name, how many times, or false for never. Null: as its job says (default).
   */
  withRetry(retry: RetryOptions | null): this {
    this.#policy = policyWith(this.#policy, 'retry', retry, 'a trigger');
    return this;
  }

  /** Which of its runs are recorded; true is `all`, false `none`. Null: as its job says (default). */
  withHistory(history: HistoryMode | boolean | null): this {
    this.#policy = policyWith(this.#policy, 'history', history, 'a trigger');
    return this;
  }

  /**
   * At most so many firings at once in the whole cluster, of all jobs and triggers that share the key: `{ key: 'customer-{data.id}',
   * limit: 1 }`; a number limits the job alone. In the key, `{data.…}`, `{job.name}`, `{job.group}`, `{trigger.name}` and
   * `{trigger.group}` stand for what the firing has. What finds its key full is BLOCKED, and goes on when another one ends. From 1 to
   * 10,000. Null: as its job says (default). Throws INVALID_ARGUMENT.
   */
  withConcurrency(concurrency: number | ConcurrencyLimit | null): this {
    this.#policy = policyWith(this.#policy, 'concurrency', concurrency, 'a trigger');
    return this;
  }

  /**
   * Never more than `limit` firings in any time of the length of `per`, in the whole cluster, of all jobs and triggers that share the key:
   * `{ key: 'api-{data.host}', limit: 100, per: 'PT1M' }`; without a key of the job alone. The key is as for `withConcurrency`. They begin
   * evenly spread, or up to `burst` of them at once; each run counts, retries too. What finds no slot begins in the next free one, by a
   * trigger of the group DEFERRED_JOBS. `limit` from 1 to 10,000, `per` from a second to 366 days (`PT1M`, `1m`, milliseconds). Null: the job's
   * (default). Throws INVALID_ARGUMENT.
   */
  withRate(rate: RateLimit | null): this {
    this.#policy = policyWith(this.#policy, 'rate', rate, 'a trigger');
    return this;
  }

  /**
   * How long a run may take: `'30s'`, or `{ after: '30s', grace: '5s' }`. After that its signal aborts; when it has not ended after the
   * grace either (default 10 s), its firing ends without it, as `timedOut`; a job of a file (`workerJob`) is stopped. With a `deadline` it
   * has to end so long after its scheduled time, and what would begin later is not run. It is tried again if its retries say so, and its
   * deadline allows it. At most 366 days each. Null: as its job says (default). Throws INVALID_ARGUMENT.
   */
  withTimeout(timeout: TimeLimitOptions | null): this {
    this.#policy = policyWith(this.#policy, 'timeout', timeout, 'a trigger');
    return this;
  }

  /**
   * Which of the fire times that it missed, late or paused, are made up for, in place of the misfire instruction: the newest `max` (1 to 1,000,
   * default 100) of those at most `window` ago (default a day) are run once each, `pace` apart (default 0: at once), and it goes on with its
   * next time. Null: the misfire instruction decides (default). Throws INVALID_ARGUMENT.
   */
  withCatchUp(catchUp: CatchUpOptions | null): this {
    this.#policy = policyWith(this.#policy, 'catchUp', catchUp, 'a trigger');
    return this;
  }

  /**
   * Runs each occurrence in parts, on whichever nodes have room: `{ shards: 8 }`, with `params` of as many values, one for each. A part finds
   * its number and its value in `context.shard`, is tried again by itself, and is moved when its node dies. Shards: 1 to 1,000; params: JSON
   * of at most 32 KiB together. `broadcast`: one part on each node that can run the job. Null: as its job says (default). Throws INVALID_ARGUMENT, or
   * INVALID_JOB_DATA for params that are no JSON.
   */
  withSpread(spread: SpreadPolicy | null): this {
    this.#policy = policyWith(this.#policy, 'spread', spread, 'a trigger');
    return this;
  }

  /**
   * Each of its occurrences begins at a moment of its own up to so long after its scheduled time, drawn from the trigger's key and that time:
   * milliseconds or a duration such as `PT5M`, at most 366 days. `startWithin` counts from there; retries are not put off. Null: none
   * (default). Throws INVALID_ARGUMENT.
   */
  withJitter(jitter: DurationLike | null): this {
    this.#policy = policyWith(this.#policy, 'jitter', jitter, 'a trigger');
    return this;
  }

  /**
   * What becomes of a firing while an earlier run of its job executes, anywhere in the cluster: `allow` it beside that, `skip` it, let it wait
   * for the end unless one (`queueOne`) or n (`{ queueAll: n }`, 1 to 1,000) wait already, or `cancelRunning` and run when that has ended.
   * Retries and recoveries wait. Null: as its job says (default). Throws INVALID_ARGUMENT.
   */
  withOverlap(overlap: OverlapRule | null): this {
    this.#policy = policyWith(this.#policy, 'overlap', overlap, 'a trigger');
    return this;
  }

  /**
   * The latest that a run may begin after its scheduled time, at least 1 millisecond or a duration such as `PT5M`: what comes later is
   * skipped (`firingSkipped`). Retries are never late. Null: as its job says (default).
   */
  withStartWithin(startWithin: DurationLike | null): this {
    this.#policy = policyWith(this.#policy, 'startWithin', startWithin, 'a trigger');
    return this;
  }

  /**
   * Where it runs: `runsOn` names labels of nodes (`scheduler.labels`), of which all are needed; `prefers` such to which other nodes leave it
   * until it is late by more than the patience (default 5 s). At most 20 labels of 200 characters each. What is not named, and null: as
   * its job says (default); no labels (`[]`): anywhere, whatever the job says. Throws INVALID_ARGUMENT.
   */
  withPlacement(placement: PlacementOptions | null): this {
    this.#policy = placedBy(this.#policy, placement, 'a trigger');
    return this;
  }

  /**
   * How long it may go without a run that this trigger fires that succeeds, at least 1 millisecond or a duration such as `P1DT1H`: then it is `overdue`, once for
   * each such lapse, also while it is paused. Counts from when it was stored or first due, then from each success. Null: none of its own (default).
   * Throws INVALID_ARGUMENT.
   */
  withMustSucceedWithin(duration: DurationLike | null): this {
    this.#policy = policyWith(this.#policy, 'mustSucceedWithin', duration, 'a trigger');
    return this;
  }

  /** Throws INVALID_TRIGGER when its parts contradict each other. */
  build(): T {
    const key = this.#key ?? triggerKey(systemRandom.token(24));
    const schedule: ScheduleOf<Trigger> = this.#schedule.build(key);
    const trigger = {
      key,
      jobKey: this.#jobKey,
      description: this.#description,
      data: this.#data,
      priority: this.#priority,
      startTime: this.#startTime,
      endTime: this.#endTime,
      calendarName: this.#calendarName,
      nextFireTime: null,
      previousFireTime: null,
      ...(this.#policy !== undefined && { policy: this.#policy }),
      ...schedule,
    } as Trigger;
    validate(trigger);
    return trigger as T;
  }
}

/** A trigger to be described. */
export function newTrigger(): TriggerBuilder {
  return new TriggerBuilder();
}

/** A builder that starts from a trigger there is, without what it has fired (Quartz: getTriggerBuilder). */
export function toTriggerBuilder<T extends Trigger>(trigger: T): TriggerBuilder<T> {
  const { key, jobKey, startTime } = checkObject(trigger, 'a trigger');
  const builder = new TriggerBuilder()
    .withIdentity(key)
    .withDescription(trigger.description)
    .withPriority(trigger.priority)
    .modifiedByCalendar(trigger.calendarName)
    .endAt(trigger.endTime)
    .usingJobData(trigger.data);
  setPolicy(builder, trigger.policy);
  if (jobKey !== null) builder.forJob(jobKey);
  if (startTime !== null) builder.startAt(startTime);
  return builder.withSchedule({ build: () => scheduleOf(trigger) });
}

const CHAIN_OUTCOMES: readonly ChainOutcome[] = ['success', 'failure', 'end'];

function afterSchedule(jobs: Iterable<JobKeyLike>, on: ChainOutcome): ScheduleBuilder<AfterTrigger> {
  const isList = typeof jobs === 'object' && jobs !== null && Symbol.iterator in jobs;
  if (!isList) throw invalidArgument("a list of jobs, such as ['extract', 'transform']", jobs);
  const keys = [...jobs].map((job) => checkKey(job, 'job'));
  const schedule = waitingFor(keys, checkOneOf(on, 'on', CHAIN_OUTCOMES));
  return { build: () => schedule };
}

function keyOf(job: JobDetail | JobKey): JobKey {
  return typeof job === 'object' && job !== null && 'key' in job ? job.key : job;
}

/** What is open until it is scheduled stands here for anything that fits. */
function validate(trigger: Trigger): void {
  const startTime = trigger.endTime?.getTime() ?? 0;
  const jobKey = trigger.jobKey ?? trigger.key;
  validateTrigger(fromTrigger({ ...trigger, jobKey }, { startTime, timeZone: 'UTC' }));
}

function scheduleOf<T extends Trigger>(trigger: T): ScheduleOf<T> {
  const { key, jobKey, description, data, priority, policy, ...rest } = trigger;
  const { startTime, endTime, calendarName, nextFireTime, previousFireTime, ...schedule } = rest;
  const anew = 'timesTriggered' in schedule ? { ...schedule, timesTriggered: 0 } : schedule;
  return (trigger.kind === 'AFTER' ? { ...anew, ended: trigger.ended.map(() => 0) } : anew) as ScheduleOf<T>;
}
