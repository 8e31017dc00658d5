import { describeFields, invalidArgument, refuseOthers, unmet } from './check-text';
import type { DurationLike } from './retry-policy';
import { checkDelay } from './time/duration';

/** Time limit of a run, in milliseconds. At least one of `after` and `deadline` is set. If both are set, the earlier one applies. */
export interface TimeLimit {
  /** Time from the start of the run until its signal is aborted. At most 366 days. */
  readonly after?: number;
  /** Grace period: how long the job may take to stop after its signal is aborted, at most 366 days. Then the firing is completed anyway. */
  readonly grace: number;
  /** Time from the scheduled time until the signal is aborted. A run that would start later is skipped. At most 366 days. */
  readonly deadline?: number;
}

/** Time limit in object form. */
export interface TimeLimitParts {
  /** Maximum duration of a run from its start. Default: no limit. */
  readonly after?: DurationLike;
  /** Grace period: how long the job may take to stop after its signal is aborted. Default: 10 seconds. */
  readonly grace?: DurationLike;
  /** Maximum time from the scheduled time to the end of a run. Default: no limit. */
  readonly deadline?: DurationLike;
}

/** Time limit as users specify it: a duration, or an object with at least one of `after` and `deadline`. */
export type TimeLimitOptions = DurationLike | TimeLimitParts;

const DEFAULT_GRACE_MS = 10_000;

/** Parses and validates a time limit and returns a frozen copy. `owner` names the job or trigger in error messages. Throws INVALID_ARGUMENT. */
export function parseTimeLimit(given: unknown, owner: string): TimeLimit {
  const parts = typeof given === 'object' && given !== null ? given : { after: given };
  const { after, grace = DEFAULT_GRACE_MS, deadline, ...others } = parts as Readonly<Record<string, unknown>>;
  refuseOthers(others, `only after, grace and deadline in the time limit of ${owner}`);
  if (after === undefined && deadline === undefined) {
    throw unmet(`a duration, or after or deadline, as the time limit of ${owner}`, describeFields(given));
  }
  return Object.freeze({
    ...(after === undefined ? {} : { after: positive(after, `the time limit of ${owner}`) }),
    grace: checkDelay(grace, `the grace of ${owner}`),
    ...(deadline === undefined ? {} : { deadline: positive(deadline, `the deadline of ${owner}`) }),
  });
}

function positive(duration: unknown, what: string): number {
  const milliseconds = checkDelay(duration, what);
  if (milliseconds > 0) return milliseconds;
  throw invalidArgument(`a duration of more than 0 ms as ${what}`, duration);
}
