import type { EpochMs } from '../../base/clock';
import { MAX_YEAR } from '../trigger';

/**
 * Days, times or cron runs one search may look at, over the whole chain. A holiday calendar alone gets 27 years far;
 * the longest search a test found takes under 20 ms.
 */
const MOST_STEPS = 10_000;

/** No included time is searched for after the last year that has fire times. */
const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1);

/** What one search has left to spend. A chain that includes nothing would otherwise be searched for ever. */
export class SearchSteps {
  #left = MOST_STEPS;

  /** Pays for looking at `time` in a chain of `depth` calendars; false when the search has to give up. */
  mayLookAt(time: EpochMs, depth: number): boolean {
    this.#left -= depth;
    return this.#left >= 0 && time < LAST_TIME;
  }
}
