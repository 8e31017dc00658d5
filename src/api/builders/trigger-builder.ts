import { systemRandom } from '../../base/ids';
import type { CatchUpOptions } from '../../domain/catch-up-policy';
import { checkJobData } from '../../domain/check-job-data';
import { checkOptions } from '../../domain/check-options';
import { invalidArgument } from '../../domain/check-text';
import { checkPolicy, type JobPolicyField, type PolicyField } from '../../domain/execution-policy';
import { type JobData, type JsonValue, NO_DATA } from '../../domain/job-data';
import type { JobDetail } from '../../domain/job-detail';
import { type JobKey, type JobKeyLike, jobKey, type TriggerKey, triggerKey } from '../../domain/keys';
import { checkCalendarName, checkDescription, checkKey } from '../../domain/limits';
import type { DurationLike } from '../../domain/retry-policy';
import type { ClockChanges } from '../../domain/rules';
import { type ChainOutcome, DEFAULT_PRIORITY, MAX_INT } from '../../domain/trigger';
import { validateTrigger } from '../../domain/trigger-behaviour';
import { waitingFor } from '../../domain/triggers/after-trigger';
import { type AfterTrigger, fromTrigger, type SimpleTrigger, type Trigger } from '../trigger';
import { checkDate, checkObject, checkOneOf, checkWhole } from './check-arguments';
import { PolicyBuilder, policyIn, setPolicy } from './policy-builder';
import type { ScheduleBuilder, ScheduleOf } from './schedule-builder';
import { simpleSchedule } from './simple-schedule-builder';

/** Options of a trigger that fires when runs of other jobs end. */
export interface AfterOptions {
  /** Run ends that count: successes (`success`, default), failures without further retries (`failure`), or both (`end`). */
  readonly on?: ChainOutcome;
  /** Data of the trigger, which overrides the data of the job. */
  readonly data?: JobData;
}

/** Makes the compiler require a method for each policy field that only triggers have. */
type TriggerPolicyMethods = {
  readonly [Field in Exclude<PolicyField, JobPolicyField> as `with${Capitalize<Field>}`]: (value: never) => unknown;
};

/**
 * Builder of a trigger: `newTrigger().withIdentity('hourly').withSchedule(repeatHourlyForever()).forJob('report').build()`. All methods throw
 * INVALID_ARGUMENT for invalid values.
 */
export class TriggerBuilder<T extends Trigger = SimpleTrigger> extends PolicyBuilder implements TriggerPolicyMethods {
  #key: TriggerKey | null = null;
  #jobKey: JobKey | null = null;
  #description: string | null = null;
  #data: JobData = NO_DATA;
  #priority = DEFAULT_PRIORITY;
  #startTime: Date | null = null;
  #endTime: Date | null = null;
  #calendarName: string | null = null;
  #schedule: ScheduleBuilder = simpleSchedule();

  constructor() {
    super((policy) => checkPolicy(policy, 'a trigger'));
  }

  /** Sets the key of the trigger. Default: a unique name in the group DEFAULT. */
  withIdentity(key: TriggerKey): this;
  withIdentity(name: string, group?: string): this;
  withIdentity(name: TriggerKey | string, group?: string): this {
    this.#key = checkKey(typeof name === 'string' ? triggerKey(name, group) : name, 'trigger');
    return this;
  }

  /** Sets a human-readable description, at most 250 characters. The length is checked when the trigger is stored. */
  withDescription(description: string | null): this {
    this.#description = checkDescription(description);
    return this;
  }

  /**
   * Sets the priority: a 32-bit integer (default 5). If several triggers have the same fire time, the one with the highest priority fires first.
   * Throws INVALID_ARGUMENT for any other value.
   */
  withPriority(priority: number): this {
    this.#priority = checkWhole(priority, 'the priority', -MAX_INT - 1);
    return this;
  }

  /** Sets the name of a stored calendar. Fire times that the calendar excludes are skipped. Null: no calendar. */
  modifiedByCalendar(calendarName: string | null): this {
    this.#calendarName = calendarName === null ? null : checkCalendarName(calendarName);
    return this;
  }

  /** Sets the earliest fire time. The intervals of simple and calendar-interval schedules count from it. */
  startAt(startTime: Date): this {
    this.#startTime = checkDate(startTime, 'the start');
    return this;
  }

  /** Sets the start to the time at which the trigger is scheduled. This is the default. */
  startNow(): this {
    this.#startTime = null;
    return this;
  }

  /** Sets the end. The trigger does not fire at or after the end. Exception: a cron schedule may fire exactly at the end. Null: no end. */
  endAt(endTime: Date | null): this {
    this.#endTime = endTime === null ? null : checkDate(endTime, 'the end');
    return this;
  }

  /** Sets the schedule. Default: the trigger fires once, at its start. */
  withSchedule<S extends Trigger>(schedule: ScheduleBuilder<S>): TriggerBuilder<S> {
    if (typeof schedule?.build !== 'function') {
      throw invalidArgument("a schedule such as cronSchedule('0 0 6 * * ?')", schedule);
    }
    this.#schedule = schedule as unknown as ScheduleBuilder;
    return this as unknown as TriggerBuilder<S>;
  }

  /**
   * Fires each time a run of the given job ends, instead of on a schedule: `startAfter('extract')`. `on`: only after a success (default), only after
   * a failure without further retries (`failure`), or after both (`end`). `data`: as for `usingJobData`. Runs that were skipped, vetoed, misfired or
   * lost with their node do not count. Throws INVALID_ARGUMENT for invalid values.
   */
  startAfter(job: JobKeyLike, options: AfterOptions = {}): TriggerBuilder<AfterTrigger> {
    return this.afterAll([job], options);
  }

  /**
   * Fires when each of the given jobs (1 to 100 different ones) has ended since the last firing. If a job ends several times before that, the surplus
   * ends count towards later firings. Otherwise like `startAfter`. Throws INVALID_ARGUMENT for invalid values.
   */
  afterAll(jobs: Iterable<JobKeyLike>, options: AfterOptions = {}): TriggerBuilder<AfterTrigger> {
    const { on = 'success', data } = checkOptions(options, { on: true, data: true });
    const schedule = afterSchedule(jobs, on);
    if (data !== undefined) this.usingJobData(data);
    return this.withSchedule(schedule);
  }

  /** Sets the job that the trigger runs. Not needed if the trigger is scheduled together with the job. */
  forJob(job: JobDetail | JobKey): this;
  forJob(name: string, group?: string): this;
  forJob(job: JobDetail | JobKey | string, group?: string): this {
    this.#jobKey = checkKey(typeof job === 'string' ? jobKey(job, group) : keyOf(job), 'job');
    return this;
  }

  /** Adds an object or a single value to the data that overrides the job's. Throws INVALID_JOB_DATA if the data is not JSON or exceeds 60 KiB. */
  usingJobData(data: JobData): this;
  usingJobData(key: string, value: JsonValue): this;
  usingJobData(dataOrKey: JobData | string, value?: JsonValue): this {
    const added = typeof dataOrKey === 'string' ? { [dataOrKey]: value } : dataOrKey;
    this.#data = checkJobData({ ...this.#data, ...checkJobData(added, 'a trigger') }, 'a trigger');
    return this;
  }

  /**
   * Catches up on missed fire times, instead of applying the misfire instruction. Runs the newest `max` (1 to 1,000, default 100) fire times missed
   * in the last `window` (default one day). Each has its own run; the runs start `pace` apart (default 0: all immediately). The trigger then
   * continues at its next regular time. Default: no catch-up.
   */
  withCatchUp(catchUp: CatchUpOptions | null): this {
    return this.withPolicy({ catchUp });
  }

  /**
   * Sets the maximum random delay of each run, in milliseconds or as a duration such as `PT5M`, at most 366 days. The delay is derived from the
   * trigger's key and the scheduled time, so it is the same on every node. `startWithin` counts from the delayed time. Retries are not delayed.
   * Default: none.
   */
  withJitter(jitter: DurationLike | null): this {
    return this.withPolicy({ jitter });
  }

  /**
   * Sets the effect of clock changes on a cron trigger. `quartz`: a skipped time of day does not fire, a repeated one fires at its second occurrence.
   * `natural`: fixed hours fire once, after the gap or at the first occurrence; hours written with `*` or `/` continue through both occurrences.
   * Default: the scheduler's (`scheduler.clockChanges`).
   */
  withClockChanges(clockChanges: ClockChanges | null): this {
    return this.withPolicy({ clockChanges });
  }

  /** Builds the trigger. Throws INVALID_TRIGGER if settings contradict each other. */
  build(): T {
    const key = this.#key ?? triggerKey(systemRandom.token(24));
    const schedule: ScheduleOf<Trigger> = this.#schedule.build(key);
    const policy = policyIn(this);
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
      ...(policy !== undefined && { policy }),
      ...schedule,
    } as Trigger;
    validate(trigger);
    return trigger as T;
  }
}

/** Returns a builder of a trigger. */
export function newTrigger(): TriggerBuilder {
  return new TriggerBuilder();
}

/** Returns a builder with all fields of an existing trigger, except for its firing history (Quartz: getTriggerBuilder). */
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

/** Validates the trigger, with placeholders for the fields that are filled in when it is scheduled. */
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
