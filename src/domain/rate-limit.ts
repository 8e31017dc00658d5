import { invalidArgument } from './check-text';
import { checkKeyTemplate } from './concurrency-limit';
import { parseDuration } from './retry-policy';

/** Maximum number of firings with a common key that may begin within a time, in the whole cluster, across all jobs. */
export interface RateLimit {
  /** The key, with placeholders for fields of the firing: `api-{data.host}`, `{job.group}`. Default: the job alone. */
  readonly key?: string;
  /** Number of firings, 1 to 10,000. No more begin in any time of the length `per`. */
  readonly limit: number;
  /** Length of the time window: ISO-8601 (`PT1M`), short (`1m`) or milliseconds, from a second to 366 days. */
  readonly per: string | number;
  /** Number of firings that may begin at the same time after a pause, 1 to `limit`. The others are spread evenly. Default: 1. */
  readonly burst?: number;
}

/** A rate with all its fields. */
export interface CheckedRate extends Required<RateLimit> {
  /** Length of the time window in milliseconds. */
  readonly per: number;
}

const MAX_LIMIT = 10_000;
/** Minimum length of the time window, in milliseconds. */
const MIN_SPAN = 1_000;

/** Validates a rate and returns a frozen copy. `owner` names its owner in messages. Throws INVALID_ARGUMENT. */
export function checkRate(given: unknown, owner: string): CheckedRate {
  const parts = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const { key, limit, per, burst = 1, ...others } = parts;
  if (limit === undefined || per === undefined || Object.keys(others).length > 0) {
    throw invalidArgument(`{ key, limit, per, burst } as the rate of ${owner}`, given);
  }
  const span = parseDuration(per, `per of the rate of ${owner}`);
  if (span < MIN_SPAN) throw invalidArgument(`a duration of at least 1 second as per of the rate of ${owner}`, per);
  const most = checkCount(limit, `the limit of the rate of ${owner}`, MAX_LIMIT);
  const atOnce = checkCount(burst, `the burst of the rate of ${owner}`, most);
  return Object.freeze({ key: checkKeyTemplate(key, `the rate of ${owner}`), limit: most, per: span, burst: atOnce });
}

function checkCount(count: unknown, what: string, most: number): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw invalidArgument(`a whole number from 1 to ${most} as ${what}`, count);
}

/** Fields that decide when the next firing may begin. */
export type RateRule = Pick<CheckedRate, 'limit' | 'per' | 'burst'>;
