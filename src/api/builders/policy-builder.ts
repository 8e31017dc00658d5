import type { ConcurrencyLimit } from '../../domain/concurrency-limit';
import type { ExecutionPolicy, HistoryMode, JobPolicyField } from '../../domain/execution-policy';
import type { OverlapRule } from '../../domain/overlap';
import type { PlacementOptions } from '../../domain/placement';
import type { RateLimit } from '../../domain/rate-limit';
import type { DurationLike, RetryOptions } from '../../domain/retry-policy';
import type { SpreadPolicy } from '../../domain/spread-policy';
import type { TimeLimitOptions } from '../../domain/time-limit';
import { checkObject } from './check-arguments';

/** Requires a method for each field: without it, the code does not compile. `withPlacement` sets both fields of the placement. */
type PolicyMethods = {
  readonly [Field in Exclude<JobPolicyField, 'runsOn' | 'prefers'> as `with${Capitalize<Field>}`]: (
    value: never,
  ) => unknown;
};

type Check = (policy: unknown) => ExecutionPolicy | undefined;

/** Returns the policy of a builder. */
export let policyIn: (builder: PolicyBuilder) => ExecutionPolicy | undefined;
/** Replaces the whole policy of a builder, so that a copy of a job or trigger loses no field. */
export let setPolicy: (builder: PolicyBuilder, policy: ExecutionPolicy | undefined) => void;

/**
 * Policy methods of jobs and triggers. Null removes a field. A trigger then uses its job's value, and a job uses the scheduler's
 * configuration. All methods throw INVALID_ARGUMENT.
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

  /** `check` returns the canonical form of a policy. */
  constructor(check: Check) {
    this.#check = check;
  }

  /** Sets a part of the policy; null removes it. */
  protected withPolicy(part: { readonly [Field in keyof ExecutionPolicy]: unknown }): this {
    const given = Object.fromEntries(Object.entries(part).map(([field, value]) => [field, value ?? undefined]));
    this.#policy = this.#check({ ...this.#policy, ...given });
    return this;
  }

  /**
   * Retries of a failed run: `R5/PT5M` (five times, five minutes apart), a list of delays such as `['1m', '5m', '1h']`, an object, a number
   * of retries, or false for none.
   */
  withRetry(retry: RetryOptions | null): this {
    return this.withPolicy({ retry });
  }

  /** Runs to record; true is `all`, false `none`. */
  withHistory(history: HistoryMode | boolean | null): this {
    return this.withPolicy({ history });
  }

  /**
   * Maximum number of concurrent runs in the cluster, from 1 to 10,000, for all jobs and triggers that share the key:
   * `{ key: 'customer-{data.id}', limit: 1 }`; a number limits the job alone. Placeholders in the key: `{data.…}`, `{job.name}`,
   * `{job.group}`, `{trigger.name}` and `{trigger.group}`. A firing whose key is full is BLOCKED until another run ends. Default: no limit.
   */
  withConcurrency(concurrency: number | ConcurrencyLimit | null): this {
    return this.withPolicy({ concurrency });
  }

  /**
   * Maximum number of starts in any window of the length `per`, in the cluster, for all jobs and triggers that share the key:
   * `{ key: 'api-{data.host}', limit: 100, per: 'PT1M' }`; without a key, for the job alone. Placeholders as for `withConcurrency`. Starts are
   * evenly spaced, or up to `burst` at once; retries count. A firing without a free slot starts in the next one, from a trigger of the group
   * DEFERRED_JOBS. `limit` from 1 to 10,000, `per` from a second to 366 days (`PT1M`, `1m`, milliseconds). Default: no limit.
   */
  withRate(rate: RateLimit | null): this {
    return this.withPolicy({ rate });
  }

  /**
   * Maximum duration of a run: `'30s'`, or `{ after: '30s', grace: '5s' }`, at most 366 days each. Then its signal aborts; after the grace
   * (default 10 s) the firing ends as `timedOut`, and a job of a file (`workerJob`) is stopped. `deadline` counts from the scheduled time; a
   * run that would start after it is skipped. A timed-out run is retried if its retries and its deadline allow it. Default: no limit.
   */
  withTimeout(timeout: TimeLimitOptions | null): this {
    return this.withPolicy({ timeout });
  }

  /**
   * Runs each occurrence in parts on any nodes: `{ shards: 8 }` (1 to 1,000), with `params` of as many values (JSON, at most 32 KiB together).
   * A part finds its number and value in `context.shard`, is retried by itself, and moves when its node dies. `broadcast`: one part on each
   * node that can run the job. Default: one run. Throws INVALID_JOB_DATA for params that are not JSON.
   */
  withSpread(spread: SpreadPolicy | null): this {
    return this.withPolicy({ spread });
  }

  /**
   * Firings during an earlier run of the job, anywhere in the cluster: `allow`, `skip`, `queueOne`, `{ queueAll: n }` (at most n wait, 1 to
   * 1,000), or `cancelRunning`, which interrupts that run and starts when it has ended. Retries and recoveries wait. Default: `allow`.
   */
  withOverlap(overlap: OverlapRule | null): this {
    return this.withPolicy({ overlap });
  }

  /**
   * Maximum lateness of a first run: at least 1 millisecond, or a duration such as `PT5M`. Later runs are skipped (`firingSkipped`); retries
   * are never late. Default: no limit.
   */
  withStartWithin(startWithin: DurationLike | null): this {
    return this.withPolicy({ startWithin });
  }

  /**
   * Nodes that run the job. `runsOn`: labels (`scheduler.labels`) that a node must have. `prefers`: labels of preferred nodes. Other nodes
   * leave a run to the preferred ones until its lateness exceeds `fallbackAfter` (default 5 s). At most 20 labels of 200 characters each;
   * `[]`: any node. Default: every node that has the job type.
   */
  withPlacement(placement: PlacementOptions | null): this {
    const { runsOn, prefers } = checkObject(placement ?? {}, 'a placement, such as { runsOn: ["gpu"] }');
    return this.withPolicy({ runsOn, prefers });
  }

  /**
   * Maximum time without a successful run, also while paused: at least 1 millisecond, or a duration such as `P1DT1H`. Then `overdue` is
   * reported, once for each lapse. Counts from the first due time, then from each success; of a trigger, only its own runs count. Default: no
   * limit.
   */
  withMustSucceedWithin(duration: DurationLike | null): this {
    return this.withPolicy({ mustSucceedWithin: duration });
  }
}
