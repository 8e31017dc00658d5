import type { ConcurrencyLimit } from '../../domain/concurrency-limit';
import type { ExecutionPolicy, HistoryMode, JobPolicyField } from '../../domain/execution-policy';
import type { OverlapRule } from '../../domain/overlap';
import type { PlacementOptions } from '../../domain/placement';
import type { RateLimit } from '../../domain/rate-limit';
import type { DurationLike, RetryOptions } from '../../domain/retry-policy';
import type { SpreadPolicy } from '../../domain/spread-policy';
import type { TimeLimitOptions } from '../../domain/time-limit';
import { checkObject } from './check-arguments';

/** Makes the compiler require a method for each policy field. `withPlacement` sets both fields of the placement. */
type PolicyMethods = {
  readonly [Field in Exclude<JobPolicyField, 'runsOn' | 'prefers'> as `with${Capitalize<Field>}`]: (
    value: never,
  ) => unknown;
};

type Check = (policy: unknown) => ExecutionPolicy | undefined;

/** Returns the policy that a builder has collected; undefined if no field is set. */
export let policyIn: (builder: PolicyBuilder) => ExecutionPolicy | undefined;
/** Replaces the whole policy of a builder, for a copy of an existing job or trigger. */
export let setPolicy: (builder: PolicyBuilder, policy: ExecutionPolicy | undefined) => void;

/**
 * Policy methods that job and trigger builders share. Null removes a field. A trigger without the field uses the value of its job. A job without the
 * field uses the scheduler's configuration. All methods throw INVALID_ARGUMENT for invalid values.
 */
export abstract class PolicyBuilder implements PolicyMethods {
  #policy: ExecutionPolicy | undefined;
  readonly #check: Check;

  static {
    policyIn = (builder) => builder.#policy;
    setPolicy = (builder, policy) => {
      builder.#policy = builder.#check(policy);
    };
  }

  /** `check` validates a policy and returns its canonical form. */
  constructor(check: Check) {
    this.#check = check;
  }

  /** Sets the given policy fields. A field that is null is removed. */
  protected withPolicy(part: { readonly [Field in keyof ExecutionPolicy]: unknown }): this {
    const given = Object.fromEntries(Object.entries(part).map(([field, value]) => [field, value ?? undefined]));
    this.#policy = this.#check({ ...this.#policy, ...given });
    return this;
  }

  /**
   * Sets the retries of a failed run: `R5/PT5M` (five retries, five minutes apart), a list of delays such as `['1m', '5m', '1h']`, an object of
   * options, or a number of retries. False: no retries.
   */
  withRetry(retry: RetryOptions | null): this {
    return this.withPolicy({ retry });
  }

  /** Sets which runs are recorded in the history. True means `all`, false means `none`. */
  withHistory(history: HistoryMode | boolean | null): this {
    return this.withPolicy({ history });
  }

  /**
   * Limits the number of concurrent runs in the cluster, from 1 to 10,000. A number limits the job alone. `{ key: 'customer-{data.id}', limit: 1 }`
   * limits all jobs and triggers that share the key. Placeholders in the key: `{data.…}`, `{job.name}`, `{job.group}`, `{trigger.name}` and
   * `{trigger.group}`. A firing that exceeds the limit is BLOCKED until another run ends. Default: no limit.
   */
  withConcurrency(concurrency: number | ConcurrencyLimit | null): this {
    return this.withPolicy({ concurrency });
  }

  /**
   * Limits the number of starts in any window of length `per`, in the cluster: `{ key: 'api-{data.host}', limit: 100, per: 'PT1M' }`. The limit
   * applies to all jobs and triggers that share the key. Without a key, it applies to the job alone. The key may contain the placeholders of
   * `withConcurrency`.
   *
   * `limit`: 1 to 10,000. `per`: a second to 366 days (`PT1M`, `1m` or milliseconds). `burst`: number of starts that may follow each other
   * immediately (default 1); otherwise starts are evenly spaced. Starts of retries count too. A firing that exceeds the limit is deferred to the next
   * free slot, by a trigger in the group DEFERRED_JOBS. Default: no limit.
   */
  withRate(rate: RateLimit | null): this {
    return this.withPolicy({ rate });
  }

  /**
   * Sets the time limit of a run: `'30s'`, or `{ after: '30s', grace: '5s' }`, at most 366 days each. When a run reaches the limit, its signal
   * aborts. After the grace period (default 10 s), the run ends as `timedOut`, and the thread of a `workerJob` is terminated. `deadline` counts from
   * the scheduled time: a run that would start later is skipped. A run that timed out is retried, unless its retries are exhausted or the deadline
   * has passed. Default: no limit.
   */
  withTimeout(timeout: TimeLimitOptions | null): this {
    return this.withPolicy({ timeout });
  }

  /**
   * Splits each occurrence into parts (shards), which run on any nodes. `{ shards: 8 }`: number of parts, from 1 to 1,000. `params`: one JSON value
   * for each part, at most 32 KiB in total. `broadcast`: one part on each node that can run the job.
   *
   * A part finds its number and value in `context.shard`. Each part is retried separately, and runs on another node if the node that runs it dies.
   * Default: occurrences are not split. Throws INVALID_JOB_DATA for params that are not JSON.
   */
  withSpread(spread: SpreadPolicy | null): this {
    return this.withPolicy({ spread });
  }

  /**
   * Sets the rule for a firing while an earlier run of the job executes anywhere in the cluster. `allow` (default): runs concurrently. `skip`: skips
   * the firing. `queueOne`, `{ queueAll: n }` (1 to 1,000): waits until the run has ended; skipped if one firing (or `n` firings) already waits.
   * `cancelRunning`: interrupts the earlier run, and waits like `queueOne`. Except with `allow`, retries and recoveries wait instead of being
   * skipped.
   */
  withOverlap(overlap: OverlapRule | null): this {
    return this.withPolicy({ overlap });
  }

  /**
   * Sets the maximum lateness of a first run, in milliseconds (at least 1) or as a duration such as `PT5M`. A firing that is later is skipped
   * (`firingSkipped`). Does not apply to retries. Default: no limit.
   */
  withStartWithin(startWithin: DurationLike | null): this {
    return this.withPolicy({ startWithin });
  }

  /**
   * Sets the nodes that run the job. `runsOn`: labels (`scheduler.labels`) that a node must have; `[]` means any node. `prefers`: labels of
   * preferred nodes. Other nodes run the job only when its lateness exceeds `fallbackAfter` (default 5 s). At most 20 labels of 200 characters
   * each. Default: any node that has the job type.
   */
  withPlacement(placement: PlacementOptions | null): this {
    const { runsOn, prefers } = checkObject(placement ?? {}, 'a placement, such as { runsOn: ["gpu"] }');
    return this.withPolicy({ runsOn, prefers });
  }

  /**
   * Sets the maximum time without a successful run, in milliseconds (at least 1) or as a duration such as `P1DT1H`. After this time, `overdue` is
   * reported once until the next success, even while the job is paused. The time counts from the first due time, and restarts at each success. A
   * limit on a trigger counts only that trigger's runs. Default: no limit.
   */
  withMustSucceedWithin(duration: DurationLike | null): this {
    return this.withPolicy({ mustSucceedWithin: duration });
  }
}
