import { invalidArgument } from './check-text';
import { checkKeyTemplate } from './concurrency-limit';
import { parseDuration } from './retry-policy';

/** How many firings that share a key may begin within a time, in the whole cluster, of whichever jobs. */
export interface RateLimit {
  /** The key, with places for what a firing has: `api-{data.host}`, `{job.group}`. Default: the job alone. */
  readonly key?: string;
  /** A count of firings, 1 to 10,000: never more begin in any time of the length of `per`. */
  readonly limit: number;
  /** ISO-8601 (`PT1M`), short (`1m`) or milliseconds; from a second to 366 days. */
  readonly per: string | number;
  /** How many may begin at once after a pause, 1 to `limit`; the others are spread evenly. Default: 1. */
  readonly burst?: number;
}

/** A rate with everything said. */
export interface CheckedRate extends Required<RateLimit> {
  /** Milliseconds. */
  readonly per: number;
}

const MAX_LIMIT = 10_000;
/** Milliseconds. */
const MIN_SPAN = 1_000;

/** A frozen copy of a rate. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
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

/** What decides when the next firing may begin. */
export type RateRule = Pick<CheckedRate, 'limit' | 'per' | 'burst'>;
