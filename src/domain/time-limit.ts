import { invalidArgument } from './check-text';
import { type DurationLike, parseDuration } from './retry-policy';

/** How long a run may take: of `after` and `deadline` at least one, of both what comes first. Milliseconds. */
export interface TimeLimit {
  /** So long after its beginning its signal aborts. At most 366 days. */
  readonly after?: number;
  /** So much longer it may take to stop; then its firing ends without it. At most 366 days. */
  readonly grace: number;
  /** So long after its scheduled time its signal aborts; a run that would begin later does not. At most 366 days. */
  readonly deadline?: number;
}

/** A time limit by its parts. */
export interface TimeLimitParts {
  /** How long a run may take from its beginning. Default: any time. */
  readonly after?: DurationLike;
  /** How much longer it may take to stop. Default: 10 seconds. */
  readonly grace?: DurationLike;
  /** How long after its scheduled time a run has to end. Default: any time. */
  readonly deadline?: DurationLike;
}

/** A time limit as people write it: a duration, or `after`, `grace` and `deadline`, with one of `after` and `deadline` at least. */
export type TimeLimitOptions = DurationLike | TimeLimitParts;

const DEFAULT_GRACE_MS = 10_000;

/** A frozen time limit out of what a user wrote. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function parseTimeLimit(given: unknown, owner: string): TimeLimit {
  const parts = typeof given === 'object' && given !== null ? given : { after: given };
  const { after, grace = DEFAULT_GRACE_MS, deadline, ...others } = parts as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(`after, grace and deadline in the time limit of ${owner}`, unknown);
  if (after === undefined && deadline === undefined) {
    throw invalidArgument(`a duration, or after or deadline, as the time limit of ${owner}`, given);
  }
  return Object.freeze({
    ...(after === undefined ? {} : { after: positive(after, `the time limit of ${owner}`) }),
    grace: parseDuration(grace, `the grace of ${owner}`),
    ...(deadline === undefined ? {} : { deadline: positive(deadline, `the deadline of ${owner}`) }),
  });
}

function positive(duration: unknown, what: string): number {
  const milliseconds = parseDuration(duration, what);
  if (milliseconds > 0) return milliseconds;
  throw invalidArgument(`more than 0 ms as ${what}`, duration);
}
