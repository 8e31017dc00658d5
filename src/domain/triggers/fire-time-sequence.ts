import type { EpochMs } from '../../base/clock';
import type { TimeZone } from '../time/time-zone';

/**
 * The fire times of a trigger, one after the other, for searches that pass over many of them. Which ones there are is defined by
 * `after`, as in Quartz: by going from each to the next. Near changes of the clocks, where one begins decides what comes.
 */
export interface FireTimeSequence {
  /** The fire time after another one; null when there is none. */
  after(time: EpochMs): EpochMs | null;
  /** A later fire time of those that follow `time`: the first one at or after `bound`, or one before it. Null when none is left. */
  leap(time: EpochMs, bound: EpochMs): EpochMs | null;
  /**
   * Equal for two days of UTC, named by the instants that begin them, if the trigger fires at the same times of both. Null when
   * nothing is known of them.
   */
  dayShape(day: EpochMs): string | null;
}

type FireTimeAfter = (after: EpochMs) => EpochMs | null;

const DAY = 86_400_000;

/** Fire times `interval` milliseconds apart, whatever clocks show. */
export function evenSequence(after: FireTimeAfter, startTime: EpochMs, interval: number): FireTimeSequence {
  return {
    after,
    leap: (time, bound) => after(Math.max(time, bound - 1)),
    dayShape: (day) => String((day - startTime) % interval),
  };
}

/** Fire times that leave something behind for those that follow: none can be left out. */
export function walkedSequence(after: FireTimeAfter): FireTimeSequence {
  const leap = (time: EpochMs, bound: EpochMs) => {
    let next = after(time);
    while (next !== null && next < bound) next = after(next);
    return next;
  };
  return { after, leap, dayShape: () => null };
}

/**
 * Fire times by a wall clock, of which `after` finds the same ones from wherever it begins, as long as the offset stays. So a
 * leap lands between two changes of the clocks, and what it finds there lies there too. `endTime`: where `after` answers
 * differently depending on where it begins; null if it does so nowhere.
 */
export function wallClockSequence(
  after: FireTimeAfter,
  dayShape: FireTimeSequence['dayShape'],
  { zone, endTime }: { readonly zone: TimeZone; readonly endTime: EpochMs | null },
): FireTimeSequence {
  const leap = (time: EpochMs, bound: EpochMs) => {
    const target = endTime === null ? bound - 1 : Math.min(bound - 1, endTime - 2 * DAY);
    for (let back = 0; target - back > time; back = back * 2 || 1_000) {
      const from = awayFromChange(zone, target - back);
      if (from <= time) break;
      const next = after(from);
      if (next === null && endTime === null) return null;
      if (next !== null && next < zone.spanAt(from).settledUntil && (endTime === null || next <= endTime)) return next;
    }
    return after(time);
  };
  return { after, leap, dayShape };
}

/** The last instant up to `time` that lies in no gap and no overlap, and not in as much time behind one. */
function awayFromChange(zone: TimeZone, time: EpochMs): EpochMs {
  const span = zone.spanAt(time);
  const before = zone.spanAt(span.start - 1);
  if (time < span.start + Math.abs(span.offset - before.offset)) return Math.min(span.start, before.settledUntil) - 1;
  return Math.min(time, span.settledUntil - 1);
}
