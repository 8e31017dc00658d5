import type { EpochMs } from '../../base/clock';
import type { TimeZone } from '../time/time-zone';
import { MAX_YEAR } from '../trigger';

/** Where fire times end. */
export const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/**
 * The fire times of a trigger, for searches that pass over many of them. As in Quartz they are defined by `after`, by going
 * from each to the next: near changes of the clocks, the time to begin with decides which follow.
 */
export interface FireTimeSequence {
  /** The fire time after another one; null when there is none. */
  after(time: EpochMs): EpochMs | null;
  /** A later fire time of those that follow `time`: the first one at or after `bound`, or one before it. Null when none is left. */
  leap(time: EpochMs, bound: EpochMs): EpochMs | null;
  /** Equal for two days of UTC, given by their first instants, if the trigger fires at the same times of both; null: unknown. */
  dayShape(day: EpochMs): string | null;
}

type FireTimeAfter = (after: EpochMs) => EpochMs | null;

const DAY_MS = 86_400_000;

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

interface WallClockFireTimes extends Pick<FireTimeSequence, 'after' | 'dayShape'> {
  readonly zone: TimeZone;
  /** Where `after` answers differently depending on where it begins; null if it does so nowhere. */
  readonly endTime: EpochMs | null;
  /** For how long after a change of the clocks it does so too: milliseconds, at most MOST_UNSETTLED_MS. */
  unsettledAfter(change: EpochMs): number;
}

/** No trigger looks further ahead than the same day of the next week. */
export const MOST_UNSETTLED_MS = 9 * DAY_MS;

/**
 * Fire times by a wall clock, of which `after` finds the same ones from wherever it begins, as long as the offset stays. So a
 * leap lands between two changes of the clocks, and what it finds there lies there too.
 */
export function wallClockSequence(fireTimes: WallClockFireTimes): FireTimeSequence {
  const { zone, endTime, after } = fireTimes;
  const leap = (time: EpochMs, bound: EpochMs) => {
    const target = endTime === null ? bound - 1 : Math.min(bound - 1, endTime - 2 * DAY_MS);
    for (let back = 0; target - back > time; back = back * 2 || 1_000) {
      const from = awayFromChange(fireTimes, target - back);
      if (from <= time) break;
      const next = after(from);
      if (next === null && endTime === null) return null;
      if (next !== null && next < zone.spanAt(from).settledUntil && (endTime === null || next <= endTime)) return next;
    }
    return after(time);
  };
  return { after, leap, dayShape: fireTimes.dayShape };
}

/** The last instant up to `time` that lies in no gap and no overlap, and in no time that is unsettled after one. */
function awayFromChange(fireTimes: WallClockFireTimes, time: EpochMs): EpochMs {
  const { zone } = fireTimes;
  const settled = Math.min(time, zone.spanAt(time).settledUntil - 1);
  for (let span = zone.spanAt(settled); settled < span.start + MOST_UNSETTLED_MS; ) {
    const before = zone.spanAt(span.start - 1);
    const isChange = before.offset !== span.offset;
    const unsettled = Math.max(
      Math.abs(span.offset - before.offset),
      isChange ? fireTimes.unsettledAfter(span.start) : 0,
    );
    if (settled < span.start + unsettled) return awayFromChange(fireTimes, span.start - 1);
    span = before;
  }
  return settled;
}
