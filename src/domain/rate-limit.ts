import { refuseUndefined } from './check-options';
import { checkCount, describeFields, invalidArgument, refuseOthers, unmet } from './check-text';
import { checkKeyTemplate } from './concurrency-limit';
import { checkDelay } from './time/duration';

/** Limit on the number of firings with the same key that start within a period, across all jobs and nodes of the cluster. */
export interface RateLimit {
  /** Key of the limit, with placeholders for fields of the firing: `api-{data.host}`, `{job.group}`. Default: a separate key for each job. */
  readonly key?: string;
  /** Maximum number of firings that start within any period of length `per`, 1 to 10,000. */
  readonly limit: number;
  /** Length of the period as ISO-8601 (`PT1M`), short form (`1m`) or milliseconds, from one second to 366 days. */
  readonly per: string | number;
  /** Number of firings that may start at the same time after an idle period, 1 to `limit`. Further firings are evenly spaced. Default: 1. */
  readonly burst?: number;
}

export interface CheckedRate extends Required<RateLimit> {
  /** Length of the period in milliseconds. */
  readonly per: number;
}

const MAX_LIMIT = 10_000;
/** Minimum length of the period, in milliseconds. */
const MIN_SPAN = 1_000;

/** Validates a rate limit and returns it frozen, with defaults filled in. `owner`: its job or trigger in messages. Throws INVALID_ARGUMENT. */
export function checkRate(given: unknown, owner: string): CheckedRate {
  const parts = typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const { key, limit, per, burst = 1, ...others } = parts;
  refuseOthers(others, `only key, limit, per and burst in the rate of ${owner}`);
  refuseUndefined(parts, { key: 'a limit of each job for itself' });
  if (limit === undefined || per === undefined)
    throw unmet(`an object with limit and per as the rate of ${owner}`, describeFields(given));
  const span = checkDelay(per, `rate.per of ${owner}`);
  if (span < MIN_SPAN) throw invalidArgument(`a duration of at least 1 second as rate.per of ${owner}`, per);
  const max = checkCount(limit, `rate.limit of ${owner}`, MAX_LIMIT);
  const atOnce = checkCount(burst, `rate.burst of ${owner}`, max);
  return Object.freeze({ key: checkKeyTemplate(key, `the rate of ${owner}`), limit: max, per: span, burst: atOnce });
}

/** Values that determine when the next firing may start. */
export type RateRule = Pick<CheckedRate, 'limit' | 'per' | 'burst'>;
