import { invalidArgument } from './check-text';
import { type DurationLike, parseDuration } from './retry-policy';

/** Maximum duration of a run. At least one of `after` and `deadline` is set; of both, the earlier one applies. Milliseconds. */
export interface TimeLimit {
  /** Time after the start of the run at which its signal aborts. At most 366 days. */
  readonly after?: number;
  /** Additional time to stop; then the firing ends without the run. At most 366 days. */
  readonly grace: number;
  /** Time after the scheduled time at which the signal aborts; a run that would begin later is not started. At most 366 days. */
  readonly deadline?: number;
}

/** Fields of a time limit. */
export interface TimeLimitParts {
  /** Maximum duration of a run, from its start. Default: no limit. */
  readonly after?: DurationLike;
  /** Additional time to stop. Default: 10 seconds. */
  readonly grace?: DurationLike;
  /** Time after the scheduled time by which a run has to end. Default: no limit. */
  readonly deadline?: DurationLike;
}

/** Time limit as users write it: a duration, or `after`, `grace` and `deadline`, with at least one of `after` and `deadline`. */
export type TimeLimitOptions = DurationLike | TimeLimitParts;

const DEFAULT_GRACE_MS = 10_000;

/** Parses a time limit as users write it and returns a frozen copy. `owner` names its owner in messages. Throws INVALID_ARGUMENT. */
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
