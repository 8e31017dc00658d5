import { invalidArgument } from './check-text';
import { type DurationLike, parseDuration } from './retry-policy';

/** How long a run may take. Milliseconds. */
export interface TimeLimit {
  /** Then its signal aborts. At most 366 days. */
  readonly after: number;
  /** So much longer it may take to stop; then its firing ends without it. At most 366 days. */
  readonly grace: number;
}

/** A time limit as people write it: a duration, or `{ after, grace }`; the grace is 10 seconds unless it is given. */
export type TimeLimitOptions = DurationLike | { readonly after: DurationLike; readonly grace?: DurationLike };

const DEFAULT_GRACE_MS = 10_000;

/** A frozen time limit out of what a user wrote. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function parseTimeLimit(given: unknown, owner: string): TimeLimit {
  const parts = typeof given === 'object' && given !== null ? given : { after: given };
  const { after, grace = DEFAULT_GRACE_MS, ...others } = parts as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(`after and grace in the time limit of ${owner}`, unknown);
  const limit = {
    after: parseDuration(after, `the time limit of ${owner}`),
    grace: parseDuration(grace, `the grace of ${owner}`),
  };
  if (limit.after > 0) return Object.freeze(limit);
  throw invalidArgument(`more than 0 ms as the time limit of ${owner}`, after);
}
