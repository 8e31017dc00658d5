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
import { type ChainOutcome, DEFAULT_PRIORITY, MAX_INT } from '../../domain/trigger';
import { validateTrigger } from '../../domain/trigger-behaviour';
import { waitingFor } from '../../domain/triggers/after-trigger';
import { type AfterTrigger, fromTrigger, type SimpleTrigger, type Trigger } from '../trigger';
import { checkDate, checkObject, checkOneOf, checkWhole } from './check-arguments';
import { PolicyBuilder, policyIn, setPolicy } from './policy-builder';
import type { ScheduleBuilder, ScheduleOf } from './schedule-builder';
import { simpleSchedule } from './simple-schedule-builder';

/** Options of a trigger that waits for the ends of other jobs. */
export interface AfterOptions {
  /** Run ends that count: successes (default), failures without further retries, or both. */
  readonly on?: ChainOutcome;
  /** Data of its firings, which overrides the data of the job. */
  readonly data?: JobData;
}

/** Requires a method for each policy field that only triggers have: without it, the code does not compile. */
type TriggerPolicyMethods = {
  readonly [Field in Exclude<PolicyField, JobPolicyField> as `with${Capitalize<Field>}`]: (value: never) => unknown;
};

/** Builds a trigger: `newTrigger().withIdentity('hourly').withSchedule(repeatHourlyForever()).forJob('report').build()`. */
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

  /** Sets the key of the trigger. Default: a unique name in the group DEFAULT. All methods throw INVALID_ARGUMENT. */
  withIdentity(key: TriggerKey): this;
  withIdentity(name: string, group?: string): this;
  withIdentity(name: TriggerKey | string, group?: string): this {
    this.#key = checkKey(typeof name === 'string' ? triggerKey(name, group) : name, 'trigger');
    return this;
  }

  /** Sets a human-readable description of at most 250 characters. The length is checked when the trigger is stored. */
  withDescription(description: string | null): this {
    this.#description = checkDescription(description);
    return this;
  }

  /**
   * Sets the priority among triggers with the same fire time, of which the highest fires first: a 32-bit integer (default 5). Throws
   * INVALID_ARGUMENT.
   */
  withPriority(priority: number): this {
    this.#priority = checkWhole(priority, 'the priority', -MAX_INT - 1);
    return this;
  }

  /** Sets the stored calendar whose excluded times are skipped, by name; null for none. */
  modifiedByCalendar(calendarName: string | null): this {
    this.#calendarName = calendarName === null ? null : checkCalendarName(calendarName);
    return this;
  }

  /** Sets the earliest fire time. Simple and calendar-interval schedules count from it. */
  startAt(startTime: Date): this {
    this.#startTime = checkDate(startTime, 'the start');
    return this;
  }

  /** Starts when it is scheduled: the default. */
  startNow(): this {
    this.#startTime = null;
    return this;
  }

  /** Sets the end, from which on the trigger does not fire. A cron schedule may still fire at this exact time. Null: no end. */
  endAt(endTime: Date | null): this {
    this.#endTime = endTime === null ? null : checkDate(endTime, 'the end');
    return this;
  }

  /** Sets the schedule. A trigger without one fires once, at its start. */
  withSchedule<S extends Trigger>(schedule: ScheduleBuilder<S>): TriggerBuilder<S> {
    if (typeof schedule?.build !== 'function') {
      throw invalidArgument("a schedule such as cronSchedule('0 0 6 * * ?')", schedule);
    }
    this.#schedule = schedule as unknown as ScheduleBuilder;
    return this as unknown as TriggerBuilder<S>;
  }

  /**
   * Fires each time the other job ends, instead of at scheduled times: `startAfter('extract')`. `on`: only after a success (default), only after
   * a failure without further retries (`failure`), or both (`end`). `data`: as in `usingJobData`. Skipped, vetoed and misfired runs, and runs
   * lost with their node, do not count as ended. Replaces a schedule. Throws INVALID_ARGUMENT.
   */
  startAfter(job: JobKeyLike, options: AfterOptions = {}): TriggerBuilder<AfterTrigger> {
    return this.afterAll([job], options);
  }

  /**
   * Fires each time all of the jobs have ended since its last firing: 1 to 100 jobs, without duplicates. Ends are counted, so that none is
   * missed. Otherwise like `startAfter`. Throws INVALID_ARGUMENT.
   */
  afterAll(jobs: Iterable<JobKeyLike>, options: AfterOptions = {}): TriggerBuilder<AfterTrigger> {
    const { on = 'success', data } = checkOptions(options, { on: true, data: true });
    const schedule = afterSchedule(jobs, on);
    if (data !== undefined) this.usingJobData(data);
    return this.withSchedule(schedule);
  }

  /** Sets the job to run. Not needed if the trigger is scheduled together with its job. */
  forJob(job: JobDetail | JobKey): this;
  forJob(name: string, group?: string): this;
  forJob(job: JobDetail | JobKey | string, group?: string): this {
    this.#jobKey = checkKey(typeof job === 'string' ? jobKey(job, group) : keyOf(job), 'job');
    return this;
  }

  /** Adds a whole object, or one value, to the data that overrides the job's. Throws INVALID_JOB_DATA. */
  usingJobData(data: JobData): this;
  usingJobData(key: string, value: JsonValue): this;
  usingJobData(dataOrKey: JobData | string, value?: JsonValue): this {
    const added = typeof dataOrKey === 'string' ? { [dataOrKey]: value } : dataOrKey;
    this.#data = checkJobData({ ...this.#data, ...checkJobData(added, 'a trigger') }, 'a trigger');
    return this;
  }

  /**
   * Missed fire times to run, in place of the misfire instruction: the newest `max` (1 to 1,000, default 100) of those at most `window` ago
   * (default a day), once each, `pace` apart (default 0: at once). Then the trigger continues with its next time. Default: the misfire
   * instruction decides.
   */
  withCatchUp(catchUp: CatchUpOptions | null): this {
    return this.withPolicy({ catchUp });
  }

  /**
   * Maximum random delay of each run after its scheduled time, drawn from the trigger's key and that time: milliseconds or a duration such as
   * `PT5M`, at most 366 days. `startWithin` counts from the delayed time; retries are not delayed. Default: none.
   */
  withJitter(jitter: DurationLike | null): this {
    return this.withPolicy({ jitter });
  }

  /** Builds the trigger. Throws INVALID_TRIGGER if its settings contradict each other. */
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

/** Returns a builder that starts from an existing trigger, without its firing history (Quartz: getTriggerBuilder). */
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

/** Validates with placeholder values for fields that are open until the trigger is scheduled. */
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
