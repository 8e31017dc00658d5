import { invalidArgument } from './check-text';
import { type DurationLike, parseDuration } from './retry-policy';

/** Which of the fire times that a trigger missed are made up for, each by a run of its own. */
export interface CatchUpPolicy {
  /** How many: the newest. 1 to 1,000. */
  readonly max: number;
  /** How long before now they may have been, in milliseconds, at least 1. */
  readonly window: number;
  /** How far apart they run, from now on, in milliseconds; 0: at once. */
  readonly pace: number;
}

/** The same as users write it: `max` 100, `window` a day and `pace` 0 where they are left out. */
export interface CatchUpOptions {
  /** How many missed times are run at most: the newest. 1 to 1,000 (default 100). */
  readonly max?: number;
  /** How long before now they may have been, at least a millisecond (default a day). */
  readonly window?: DurationLike;
  /** How far apart they run (default 0: at once). */
  readonly pace?: DurationLike;
}

/** Bounds of what a policy may say. */
export const CATCH_UP_LIMITS = { max: 1_000 } as const;

const DAY_MS = 86_400_000;
const DEFAULT_MAX = 100;

/** A frozen copy of what a user wrote. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function checkCatchUp(given: unknown, owner: string): CatchUpPolicy {
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(`{ max, window, pace } as the catchUp of ${owner}`, given);
  }
  const { max = DEFAULT_MAX, window = DAY_MS, pace = 0, ...others } = given as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(`max, window and pace in the catchUp of ${owner}`, unknown);
  if (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > CATCH_UP_LIMITS.max) {
    throw invalidArgument(`a whole number from 1 to ${CATCH_UP_LIMITS.max} as max of the catchUp of ${owner}`, max);
  }
  const windowMs = parseDuration(window, `window of the catchUp of ${owner}`);
  if (windowMs < 1) throw invalidArgument(`at least 1 millisecond as window of the catchUp of ${owner}`, window);
  return Object.freeze({ max, window: windowMs, pace: parseDuration(pace, `pace of the catchUp of ${owner}`) });
}
