import type { EpochMs } from '../../base/clock';
import type { TimeZone } from '../time/time-zone';
import { type CronTable, type LocalSeconds, NO_MATCH, nextMatch } from './cron-table';

/** Greatest amount by which a local time is ahead of UTC. */
const MAX_EAST_MS = 14 * 3_600_000;

interface FoundInSpan {
  readonly found: EpochMs | null;
  /** Next matching local time of the current offset. */
  readonly local: LocalSeconds;
  /** Instant from which the search may continue. */
  readonly end: EpochMs;
  /** True if the clock is set back at `end`. */
  readonly isRepeated: boolean;
}

/**
 * Fire times of a cron expression if clock changes are treated naturally.
 * - Hours written with `*` or `/`: every instant whose local time matches. In a repeated hour, both passes fire; a gap fires nothing.
 * - All other hours: each matching local time fires exactly once. A skipped one fires later by the length of the gap, a repeated one fires first.
 */
export class NaturalTimes {
  readonly #table: CronTable;
  readonly #zone: TimeZone;
  readonly #isFixed: boolean;

  /** `hours`: the field of hours, as written. */
  constructor(table: CronTable, zone: TimeZone, hours: string) {
    this.#table = table;
    this.#zone = zone;
    this.#isFixed = !/[*/]/.test(hours);
  }

  /** Returns the first fire time at or after `start`, or null. */
  from(start: EpochMs): EpochMs | null {
    for (let at = start; ; ) {
      const { found, local, end, isRepeated } = this.#inSpan(at);
      if (found !== null || local === NO_MATCH) return found;
      // Between here and the match, no local time matches. Times that a clock change at `end` repeats are earlier, so they are searched again.
      at = isRepeated ? end : Math.max(end, local * 1_000 - MAX_EAST_MS);
    }
  }

  /** Searches up to the next clock change. */
  #inSpan(at: EpochMs): FoundInSpan {
    const { start, offset } = this.#zone.spanAt(at);
    const end = this.#zone.steadyUntil(at);
    const before = this.#isFixed ? this.#zone.offsetAt(start - 1) : offset;
    const moved = at < start + offset - before ? this.#moved(at + before, start + offset, before) : null;
    // In the second pass of a repeated hour, fixed times have fired in the first pass.
    const first = at < start + before - offset ? start + before : at + offset;
    const local = nextMatch(this.#table, Math.ceil(first / 1_000));
    const found = local === NO_MATCH || local * 1_000 - offset >= end ? null : local * 1_000 - offset;
    const isRepeated = this.#zone.offsetAt(end) < offset;
    return {
      found: found === null || (moved !== null && moved < found) ? (moved ?? found) : found,
      local,
      end,
      isRepeated,
    };
  }

  /** Returns the first time from a gap, which ends at the local time `end`. */
  #moved(from: number, end: number, before: number): EpochMs | null {
    const local = nextMatch(this.#table, Math.ceil(from / 1_000));
    return local === NO_MATCH || local * 1_000 >= end ? null : local * 1_000 - before;
  }
}
