import { DAY_MS } from '../base/clock';
import { checkCount, invalidArgument, refuseOthers } from './check-text';
import type { DurationLike } from './retry-policy';
import { checkDelay } from './time/duration';

/** Policy for missed fire times. Each missed fire time that is caught up gets its own run. */
export interface CatchUpPolicy {
  /** Maximum number of missed fire times to catch up, 1 to 1,000. The newest are caught up. */
  readonly max: number;
  /** Maximum age of a missed fire time that is caught up, in milliseconds, at least 1. */
  readonly window: number;
  /** Interval between the catch-up runs, in milliseconds. The first run starts immediately. 0: all runs start immediately. */
  readonly pace: number;
}

/** Catch-up policy as users specify it. Defaults: `max` 100, `window` one day, `pace` 0. */
export interface CatchUpOptions {
  /** Maximum number of missed fire times to catch up, 1 to 1,000. The newest are caught up. Default: 100. */
  readonly max?: number;
  /** Maximum age of a missed fire time that is caught up, at least one millisecond. Default: one day. */
  readonly window?: DurationLike;
  /** Interval between the catch-up runs. Default: 0, all runs start immediately. */
  readonly pace?: DurationLike;
}

export const CATCH_UP_LIMITS = { max: 1_000 } as const;

const DEFAULT_MAX = 100;

/** Validates a catch-up policy and returns it frozen, with defaults filled in. Throws INVALID_ARGUMENT. */
export function checkCatchUp(given: unknown, owner: string): CatchUpPolicy {
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(`{ max, window, pace } as the catchUp of ${owner}`, given);
  }
  const { max = DEFAULT_MAX, window = DAY_MS, pace = 0, ...others } = given as Readonly<Record<string, unknown>>;
  refuseOthers(others, `only max, window and pace in the catchUp of ${owner}`);
  const count = checkCount(max, `catchUp.max of ${owner}`, CATCH_UP_LIMITS.max);
  const windowMs = checkDelay(window, `catchUp.window of ${owner}`);
  if (windowMs < 1) throw invalidArgument(`at least 1 millisecond as catchUp.window of ${owner}`, window);
  return Object.freeze({ max: count, window: windowMs, pace: checkDelay(pace, `catchUp.pace of ${owner}`) });
}
