import type { EpochMs } from '../base/clock';
import type { SchedulerError } from '../base/errors';
import { type RandomSource, randomFraction } from '../base/ids';
import { invalidArgument, refuseOthers } from './check-text';
import { checkDelay, MAX_DELAY_MS } from './time/duration';

/** Number and delays of the retries of a failed occurrence. Durations are in milliseconds. */
export interface RetryPolicy {
  /** Maximum number of retries. 0: none, even if the scheduler's default policy has retries. */
  readonly max: number;
  /** Delays before the first, second and further retries. The last delay applies to all further retries. Empty only if `max` is 0. */
  readonly delays: readonly number[];
  /** Multiplier of the last delay each time it is repeated. Default: 1. */
  readonly factor?: number;
  /** Fraction, 0 to 1, by which a delay varies randomly in both directions. Default: 0. */
  readonly jitter?: number;
  /** Maximum time from the scheduled time to the start of a retry, in milliseconds; absent: no limit. */
  readonly maxAge?: number;
  /** `ignore`: a retry also starts at a time that the trigger's calendar excludes. Absent: it waits for the next included time. */
  readonly calendar?: 'ignore';
  /**
   * Set after a manual rerun, so that the rerun has all its retries. Attempts then count from `attempt`, and the age from `time`. Absent: attempts
   * count from the first attempt, and the age from the scheduled time.
   */
  readonly from?: { readonly attempt: number; readonly time: EpochMs };
}

/** True if a failed attempt may be followed by another one, by the policy or because a person has rerun the occurrence. */
export function mayRetry({ max, from }: RetryPolicy): boolean {
  return max > 0 || from !== undefined;
}

/** A duration as users specify it: milliseconds, `5m`, or `PT5M`. */
export type DurationLike = number | string;

/**
 * A retry policy as users specify it. `R5/PT5M`: five retries, five minutes apart. A list of delays: one retry per delay. A number: that many
 * retries, one minute apart. False: no retries.
 */
export type RetryOptions =
  | string
  | number
  | false
  | readonly DurationLike[]
  | {
      /** Maximum number of retries, 0 to 1,000. */
      readonly max: number;
      /** Delay before the first retry, at most 366 days. Default: one minute. */
      readonly delay?: DurationLike;
      /** Multiplier for each further delay, 1 to 100. Default: 1. */
      readonly factor?: number;
      /** Fraction by which a delay varies randomly, 0 to 1. Default: 0. */
      readonly jitter?: number;
      /** Maximum time from the scheduled time to the start of a retry. Default: no limit. */
      readonly maxAge?: DurationLike;
      /**
       * `follow` (default): a retry that would start at a time that the trigger's calendar excludes waits for the next included time. `ignore`: it
       * starts after its delay. With `scheduler.rules: quartz`, retries ignore calendars.
       */
      readonly calendar?: 'follow' | 'ignore';
    };

export const RETRY_LIMITS = { max: 1_000, delays: 100, delayMs: MAX_DELAY_MS, factor: 100 } as const;

const DEFAULT_DELAY_MS = 60_000;

/** Policy without retries. On a job or trigger, it overrides the scheduler's default policy. */
export const NO_RETRY: RetryPolicy = Object.freeze({ max: 0, delays: Object.freeze([]) });

const REPEATED = /^R(\d+)\/(P.+)$/;

/** Parses and validates a retry policy. `owner` names the job or trigger in error messages. Throws INVALID_ARGUMENT. */
export function parseRetryPolicy(options: unknown, owner: string): RetryPolicy {
  if (options === false) return NO_RETRY;
  if (typeof options === 'number') return fromParts({ max: options }, owner);
  if (typeof options === 'string') {
    const [, count, delay] = REPEATED.exec(options) ?? [];
    if (count === undefined) throw refused('R5/PT5M, a list of delays, { max, delay, … } or false', options, owner);
    return fromParts({ max: Number(count), delay }, owner);
  }
  if (Array.isArray(options)) return fromDelays(options, owner);
  if (typeof options === 'object' && options !== null) return fromParts(options, owner);
  throw refused('R5/PT5M, a list of delays, { max, delay, … } or false', options, owner);
}

/** Returns the policy with this maximum of retries, 0 to 1,000. Without delays, they are one minute apart. Throws INVALID_ARGUMENT. */
export function withMaxRetries({ from: _, ...policy }: RetryPolicy, max: number): RetryPolicy {
  const { delays } = parseRetryPolicy(max, 'setRetries');
  return policy.delays.length === 0 ? { ...policy, max, delays } : { ...policy, max };
}

function fromDelays(delays: readonly unknown[], owner: string): RetryPolicy {
  if (delays.length === 0 || delays.length > RETRY_LIMITS.delays) {
    throw refused(`1 to ${RETRY_LIMITS.delays} delays`, delays.length, owner);
  }
  const pauses = delays.map((delay) => checkDelay(delay, `a delay of the retries of ${owner}`));
  return Object.freeze({ max: pauses.length, delays: Object.freeze(pauses) });
}

const given = (value: unknown) => value !== undefined && value !== null;

/** Parses the object form. Also accepts a policy that `parseRetryPolicy` returned. */
function fromParts(parts: object, owner: string): RetryPolicy {
  const { max, delay, delays, factor, jitter, maxAge, calendar, from, ...others } = parts as Readonly<
    Record<string, unknown>
  >;
  refuseOthers(others, `only max, delay, factor, jitter, maxAge and calendar for the retries of ${owner}`);
  const count = checkNumber(max, { what: 'max', from: 0, to: RETRY_LIMITS.max, isWhole: true, owner });
  if (given(calendar) && calendar !== 'follow' && calendar !== 'ignore')
    throw refused("'follow' or 'ignore' as calendar", calendar, owner);
  const start = from === undefined ? {} : { from: checkStart(from, owner) };
  if (count === 0) return Object.freeze({ ...NO_RETRY, ...start });
  const pauses = Array.isArray(delays)
    ? fromDelays(delays, owner).delays
    : Object.freeze([checkDelay(delay ?? DEFAULT_DELAY_MS, `delay of the retries of ${owner}`)]);
  return Object.freeze({
    max: count,
    delays: pauses,
    ...start,
    ...(given(factor) && { factor: checkNumber(factor, { what: 'factor', from: 1, to: RETRY_LIMITS.factor, owner }) }),
    ...(given(jitter) && { jitter: checkNumber(jitter, { what: 'jitter', from: 0, to: 1, owner }) }),
    ...(calendar === 'ignore' && { calendar: 'ignore' as const }),
    ...(given(maxAge) && { maxAge: checkDelay(maxAge, `maxAge of the retries of ${owner}`) }),
  });
}

function checkStart(from: unknown, owner: string): NonNullable<RetryPolicy['from']> {
  const { attempt, time } = (from ?? {}) as Readonly<Record<string, unknown>>;
  const isFine = Number.isSafeInteger(attempt) && (attempt as number) >= 1 && Number.isSafeInteger(time);
  if (isFine) return Object.freeze({ attempt: attempt as number, time: time as EpochMs });
  throw refused('{ attempt, time } as from', from, owner);
}

function checkNumber(
  value: unknown,
  bounds: { what: string; from: number; to: number; isWhole?: boolean; owner: string },
): number {
  const { what, from, to, isWhole = false, owner } = bounds;
  const isFine = typeof value === 'number' && value >= from && value <= to && (!isWhole || Number.isInteger(value));
  if (!isFine) throw refused(`a ${isWhole ? 'whole ' : ''}number from ${from} to ${to} as ${what}`, value, owner);
  return value;
}

function refused(expected: string, found: unknown, owner: string): SchedulerError {
  return invalidArgument(`${expected} for the retries of ${owner}`, found);
}

/** Returns the delay before the next retry, in milliseconds. `attempt`: number of failed attempts, at least 1. */
export function retryDelay(policy: RetryPolicy, attempt: number, random: RandomSource): number {
  const { delays, factor = 1, jitter = 0 } = policy;
  const last = delays.length - 1;
  const repeats = Math.max(0, attempt - 1 - last);
  const growth = Math.min(factor ** repeats, Number.MAX_VALUE); // finite, because 0 times Infinity is NaN
  const delay = (delays[Math.min(attempt - 1, last)] ?? 0) * growth;
  const bounded = Math.round(Math.min(delay, RETRY_LIMITS.delayMs));
  return jitter === 0 ? bounded : Math.round(bounded * (1 + jitter * (2 * randomFraction(random) - 1)));
}
