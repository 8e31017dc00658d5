import type { EpochMs } from '../../base/clock';
import { MAX_YEAR } from '../trigger';

/**
 * Days, times or cron runs one search may look at, over the whole chain. A holiday calendar alone gets 27 years far;
 * the longest search a test found takes under 20 ms.
 */
const MOST_STEPS = 10_000;

/** Cron ends with the last day of the last year; in the easternmost zone that day begins on the day before. */
const LAST_TIME = Date.UTC(MAX_YEAR, 11, 31);

/** What one search has left to spend. A chain that includes nothing would otherwise be searched for ever. */
export class SearchSteps {
  #left = MOST_STEPS;

  /** Pays for looking at `time` in a chain of `depth` calendars; false when the search has to give up. */
  mayLookAt(time: EpochMs, depth: number): boolean {
    this.#left -= depth;
    return this.#left >= 0 && time < LAST_TIME;
  }
}
