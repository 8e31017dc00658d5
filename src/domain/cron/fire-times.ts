import type { EpochMs } from '../../base/clock';
import { FIRST_YEAR } from '../time/months';
import type { TimeZone } from '../time/time-zone';
import { MAX_YEAR } from '../trigger';
import {
  type CronTable,
  endOfRun,
  type LocalSeconds,
  matches,
  NO_MATCH,
  nextMatch,
  previousMatch,
  quartzStep,
} from './cron-table';

/*
 * The search works on wall-clock readings and converts the result to an instant. Daylight saving is handled as in Quartz:
 *  - A reading that occurs twice (clocks set back) means the later instant, so the first pass never fires. A search that starts inside the
 *    first pass continues at the same reading of the second.
 *  - A reading that is skipped (clocks set forward) does not fire. Quartz sets one field after another. If that leads into the gap, it
 *    continues from the reading moved forward by the gap: `walk` repeats this step by step.
 */

const DAY_MS = 86_400_000;
const EARLIEST: EpochMs = Date.UTC(FIRST_YEAR, 0, 1) - 2 * DAY_MS;
const LATEST: EpochMs = Date.UTC(MAX_YEAR + 1, 0, 1) + 2 * DAY_MS;

/** The first fire time after `after`, which may carry milliseconds; null when there is none up to MAX_YEAR. */
export function fireTimeAfter(table: CronTable, zone: TimeZone, after: EpochMs): EpochMs | null {
  if (!(after < LATEST)) return null;
  const start = (Math.floor((after < EARLIEST ? EARLIEST : after) / 1000) + 1) * 1000;
  const span = zone.spanAt(start);
  const from = (start + span.offset) / 1000;
  const local = nextMatch(table, from);
  if (local === NO_MATCH) return null;
  const instant = local * 1000 - span.offset;
  return instant < span.settledUntil ? instant : acrossChange(table, zone, from, local);
}

/** The last fire time before `before`; null when there is none since FIRST_YEAR. */
export function fireTimeBefore(table: CronTable, zone: TimeZone, before: EpochMs): EpochMs | null {
  if (!(before > EARLIEST)) return null;
  const end = Math.ceil(Math.min(before, LATEST) / 1000) * 1000;
  let local = zone.localAt(end) / 1000;
  for (;;) {
    local = previousMatch(table, local);
    if (local === NO_MATCH) return null;
    const instant = zone.instantOf(local * 1000);
    // A reading in a gap has no instant. A reading of a first pass may have a later instant than `before`.
    if (instant < end && zone.localAt(instant) === local * 1000) return instant;
  }
}

/** True if the second that contains `at` matches. The first pass of a repeated hour counts as the second, as in Quartz. */
export function isFireTime(table: CronTable, zone: TimeZone, at: EpochMs): boolean {
  if (!(at > EARLIEST && at < LATEST)) return false;
  return matches(table, zone.localAt(Math.floor(at / 1000) * 1000) / 1000);
}

/** Returns the end of the run of matching seconds that contains `at`, or an earlier time, because a run ends where the offset changes. */
export function matchingUntil(table: CronTable, zone: TimeZone, at: EpochMs): EpochMs {
  const offset = zone.offsetAt(at);
  const end = zone.steadyUntil(at);
  let local = Math.floor((at + offset) / 1000);
  do local = endOfRun(table, local) + 1;
  while (local * 1000 - offset < end && matches(table, local));
  return Math.min(local * 1000 - offset, end);
}

/** Returns the first second after `after` that is not a fire time: the end of the run of fire times that begins in the next second. */
export function noFireTimeAfter(table: CronTable, zone: TimeZone, after: EpochMs): EpochMs {
  const second = Math.floor(after / 1000) * 1000;
  if (!(after > EARLIEST && after < LATEST)) return second + 1000;
  let last = zone.instantOf(zone.localAt(second));
  for (let next = fireTimeAfter(table, zone, last); next === last + 1000; next = fireTimeAfter(table, zone, last)) {
    const span = zone.spanAt(next);
    const end = endOfRun(table, (next + span.offset) / 1000) * 1000 - span.offset;
    const settled = Math.ceil(span.settledUntil / 1000) * 1000 - 1000;
    last = Math.max(next, Math.min(end, settled));
  }
  return last + 1000;
}

/** Returns the instant of a reading that is outside of the span in which the search began. */
function acrossChange(table: CronTable, zone: TimeZone, from: LocalSeconds, local: LocalSeconds): EpochMs | null {
  const instant = zone.instantOf(local * 1000);
  const span = zone.spanAt(instant);
  const gap = span.offset - zone.offsetAt(span.start - 1);
  // Walking can only give another result for a reading in the gap, or behind it by less than its length.
  const untouched = instant - span.start >= gap || from * 1000 >= span.start + span.offset;
  return untouched ? instant : walk(table, zone, from);
}

/** Repeats Quartz's own steps from one reading to the next, each moved out of the gap. */
function walk(table: CronTable, zone: TimeZone, from: LocalSeconds): EpochMs | null {
  for (let local = from; ; ) {
    const visit = quartzStep(table, local);
    if (visit === NO_MATCH) return null;
    const instant = zone.instantOf(visit * 1000);
    if (visit === local) return instant;
    local = zone.localAt(instant) / 1000;
  }
}
