import { systemRandom } from '../../base/ids';
import { checkJobData } from '../../domain/check-job-data';
import { checkText } from '../../domain/check-text';
import type { ConcurrencyLimit } from '../../domain/concurrency-limit';
import { checkJobPolicy, type ExecutionPolicy, type HistoryMode } from '../../domain/execution-policy';
import { type JobData, NO_DATA } from '../../domain/job-data';
import type { JobDetail } from '../../domain/job-detail';
import { type JobKey, jobKey } from '../../domain/keys';
import { checkDescription, checkFlag, checkKey, LIMITS } from '../../domain/limits';
import type { OverlapRule } from '../../domain/overlap';
import type { PlacementOptions } from '../../domain/placement';
import type { RateLimit } from '../../domain/rate-limit';
import type { DurationLike, RetryOptions } from '../../domain/retry-policy';
import type { SpreadPolicy } from '../../domain/spread-policy';
import type { TimeLimitOptions } from '../../domain/time-limit';
import { checkObject, placedBy, policyWith } from './check-arguments';

/** Gives a builder a whole policy, whatever its fields: no copy of a job loses one. */
let setPolicy: (builder: JobBuilder, policy: ExecutionPolicy | undefined) => void;

/** Describes a job: `newJob('send-report').withIdentity('daily').build()`. */
export class JobBuilder<Data extends JobData = JobData> {
  #jobType: string;
  #key: JobKey | null = null;
  #description: string | null = null;
  #data: JobData = NO_DATA;
  #durable = false;
  #disallowConcurrentExecution = false;
  #persistJobDataAfterExecution = false;
  #requestsRecovery = false;
  #policy: ExecutionPolicy | undefined;

  static {
    setPolicy = (builder, policy) => {
      builder.#policy = checkJobPolicy(policy, 'a job');
    };
  }

  /** Throws INVALID_ARGUMENT; so do all the methods. */
  constructor(jobType: string) {
    this.#jobType = checkJobType(jobType);
  }

  /** The name under which the code is registered. */
  ofType(jobType: string): this {
    this.#jobType = checkJobType(jobType);
    return this;
  }

  /** The job's key; without one, a unique name in the group DEFAULT. */
  withIdentity(key: JobKey): this;
  withIdentity(name: string, group?: string): this;
  withIdentity(name: JobKey | string, group?: string): this {
    this.#key = checkKey(typeof name === 'string' ? jobKey(name, group) : name, 'job');
    return this;
  }

  /** For people; at most 250 characters, which is checked where the job is stored. */
  withDescription(description: string | null): this {
    this.#description = checkDescription(description);
    return this;
  }

  /** Run again, marked as recovering, when the node that ran it died (default false). */
  requestRecovery(requested = true): this {
    this.#requestsRecovery = checkFlag(requested, 'requestRecovery');
    return this;
  }

  /** Stays stored when its last trigger is gone (default false). */
  storeDurably(durable = true): this {
    this.#durable = checkFlag(durable, 'storeDurably');
    return this;
  }

  /** At most one execution of this job at a time, in the whole cluster (default false). */
  disallowConcurrentExecution(disallowed = true): this {
    this.#disallowConcurrentExecution = checkFlag(disallowed, 'disallowConcurrentExecution');
    return this;
  }

  /** What the job returns replaces its stored data (default false). Best together with `disallowConcurrentExecution`. */
  persistJobDataAfterExecution(persisted = true): this {
    this.#persistJobDataAfterExecution = checkFlag(persisted, 'persistJobDataAfterExecution');
    return this;
  }

  /**
   * Whether, how often and when a run that failed is tried again: `R5/PT5M` (five times, five minutes apart), a list of pauses such as
   * `['1m', '5m', '1h']`, the parts by name, how many times, or false for never. Its triggers may say otherwise. Null: as the scheduler's
   * configuration says (default).
   */
  withRetry(retry: RetryOptions | null): this {
    this.#policy = policyWith(this.#policy, 'retry', retry, 'a job');
    return this;
  }

  /** Which of its runs are recorded; true is `all`, false `none`. Null: as the scheduler's configuration says (default). */
  withHistory(history: HistoryMode | boolean | null): this {
    this.#policy = policyWith(this.#policy, 'history', history, 'a job');
    return this;
  }

  /**
   * At most so many firings at once in the whole cluster, of all jobs and triggers that share the key: `{ key: 'customer-{data.id}',
   * limit: 1 }`; a number limits the job alone. In the key, `{data.…}`, `{job.name}`, `{job.group}`, `{trigger.name}` and
   * `{trigger.group}` stand for what the firing has. What finds its key full is BLOCKED, and goes on when another one ends. From 1 to
   * 10,000. Null: no limit (default). Throws INVALID_ARGUMENT.
   */
  withConcurrency(concurrency: number | ConcurrencyLimit | null): this {
    this.#policy = policyWith(this.#policy, 'concurrency', concurrency, 'a job');
    return this;
  }

  /**
   * Never more than `limit` firings in any time of the length of `per`, in the whole cluster, of all jobs and triggers that share the key:
   * `{ key: 'api-{data.host}', limit: 100, per: 'PT1M' }`; without a key of the job alone. The key is as for `withConcurrency`. They begin
   * evenly spread, or up to `burst` of them at once; each run counts, retries too. What finds no slot begins in the next free one, by a
   * trigger of the group DEFERRED_JOBS. `limit` from 1 to 10,000, `per` from a second to 366 days (`PT1M`, `1m`, milliseconds). Null: no rate
   * (default). Throws INVALID_ARGUMENT.
   */
  withRate(rate: RateLimit | null): this {
    this.#policy = policyWith(this.#policy, 'rate', rate, 'a job');
    return this;
  }

  /**
   * How long a run may take: `'30s'`, or `{ after: '30s', grace: '5s' }`. After that its signal aborts; when it has not ended after the
   * grace either (default 10 s), its firing ends without it, as `timedOut`; a job of a file (`workerJob`) is stopped. With a `deadline` it
   * has to end so long after its scheduled time, and what would begin later is not run. It is tried again if its retries say so, and its
   * deadline allows it. At most 366 days each. Null: none (default). Throws INVALID_ARGUMENT.
   */
  withTimeout(timeout: TimeLimitOptions | null): this {
    this.#policy = policyWith(this.#policy, 'timeout', timeout, 'a job');
    return this;
  }

  /**
   * Runs each occurrence in parts, on whichever nodes have room: `{ shards: 8 }`, with `params` of as many values, one for each. A part finds
   * its number and its value in `context.shard`, is tried again by itself, and is moved when its node dies. Shards: 1 to 1,000; params: JSON
   * of at most 32 KiB together. `broadcast`: one part on each node that can run the job. Null: each is run as a whole (default). Throws INVALID_ARGUMENT, or
   * INVALID_JOB_DATA for params that are no JSON.
   */
  withSpread(spread: SpreadPolicy | null): this {
    this.#policy = policyWith(this.#policy, 'spread', spread, 'a job');
    return this;
  }

  /**
   * What becomes of a firing while an earlier run of its job executes, anywhere in the cluster: `allow` it beside that, `skip` it, let it wait
   * for the end unless one (`queueOne`) or n (`{ queueAll: n }`, 1 to 1,000) wait already, or `cancelRunning` and run when that has ended.
   * Retries and recoveries wait. Null: `allow` (default). Throws INVALID_ARGUMENT.
   */
  withOverlap(overlap: OverlapRule | null): this {
    this.#policy = policyWith(this.#policy, 'overlap', overlap, 'a job');
    return this;
  }

  /**
   * The latest that a run may begin after its scheduled time, at least 1 millisecond or a duration such as `PT5M`: what comes later is
   * skipped (`firingSkipped`). Retries are never late. Null: any time (default).
   */
  withStartWithin(startWithin: DurationLike | null): this {
    this.#policy = policyWith(this.#policy, 'startWithin', startWithin, 'a job');
    return this;
  }

  /**
   * Where it runs: `runsOn` names labels of nodes (`scheduler.labels`), of which all are needed; `prefers` such to which other nodes leave it
   * until it is late by more than the patience (default 5 s). At most 20 labels of 200 characters each. What is not named, and null: as
   * any job, on every node that has its type (default). Throws INVALID_ARGUMENT.
   */
  withPlacement(placement: PlacementOptions | null): this {
    this.#policy = placedBy(this.#policy, placement, 'a job');
    return this;
  }

  /**
   * How long it may go without a run of it that succeeds, at least 1 millisecond or a duration such as `P1DT1H`: then it is `overdue`, once for
   * each such lapse, also while it is paused. Counts from when it was stored or first due, then from each success. Null: none (default).
   * Throws INVALID_ARGUMENT.
   */
  withMustSucceedWithin(duration: DurationLike | null): this {
    this.#policy = policyWith(this.#policy, 'mustSucceedWithin', duration, 'a job');
    return this;
  }

  /** Adds to the job's data: a whole object, or one value. Throws INVALID_JOB_DATA. */
  usingJobData(data: Data): this;
  usingJobData<Key extends keyof Data & string>(key: Key, value: Data[Key]): this;
  usingJobData(dataOrKey: JobData | string, value?: unknown): this {
    const added = typeof dataOrKey === 'string' ? { [dataOrKey]: value } : dataOrKey;
    this.#data = checkJobData({ ...this.#data, ...checkJobData(added, 'a job') }, 'a job');
    return this;
  }

  /** Replaces the job's data. Throws INVALID_JOB_DATA. */
  setJobData(data: Data): this {
    this.#data = checkJobData(data, 'a job');
    return this;
  }

  /** The job detail, frozen. A job without an identity gets a random name in the group DEFAULT. */
  build(): JobDetail {
    const job: JobDetail = {
      key: this.#key ?? jobKey(systemRandom.token(24)),
      jobType: this.#jobType,
      description: this.#description,
      data: this.#data,
      durable: this.#durable,
      disallowConcurrentExecution: this.#disallowConcurrentExecution,
      persistJobDataAfterExecution: this.#persistJobDataAfterExecution,
      requestsRecovery: this.#requestsRecovery,
    };
    return this.#policy === undefined ? job : { ...job, policy: this.#policy };
  }
}

/** A job to be described. `jobType` is the name under which its code is registered; `Data` types its job data. Throws INVALID_ARGUMENT. */
export function newJob<Data extends JobData = JobData>(jobType: string): JobBuilder<Data> {
  return new JobBuilder<Data>(jobType);
}

/** A builder that starts from a job there is (Quartz: getJobBuilder). */
export function toJobBuilder(job: JobDetail): JobBuilder {
  const builder = new JobBuilder(checkObject(job, 'a job detail').jobType)
    .withIdentity(job.key)
    .withDescription(job.description)
    .setJobData(job.data)
    .storeDurably(job.durable)
    .disallowConcurrentExecution(job.disallowConcurrentExecution)
    .persistJobDataAfterExecution(job.persistJobDataAfterExecution)
    .requestRecovery(job.requestsRecovery);
  setPolicy(builder, job.policy);
  return builder;
}

function checkJobType(jobType: string): string {
  return checkText(jobType, 'the job type', LIMITS.jobType);
}
