import { DAY_MS, type EpochMs } from '../../base/clock';
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
 * Searches fire times in local time and converts the result to an instant. Clock changes follow Quartz:
 * - If a local time occurs twice (clocks set back), the later instant counts, so the first of the two hours never fires. A search that starts in the
 * first hour continues at the same local time of the second hour.
 * - If a local time is skipped (clocks set forward), it does not fire. Quartz advances one field after another. When a time that it reaches is in the
 * gap, Quartz moves this time forward by the length of the gap and continues there; `walk` repeats these steps.
 */

const EARLIEST: EpochMs = Date.UTC(FIRST_YEAR, 0, 1) - 2 * DAY_MS;
const LATEST: EpochMs = Date.UTC(MAX_YEAR + 1, 0, 1) + 2 * DAY_MS;

/** Returns the first fire time after `after`, or null if there is none up to MAX_YEAR. `after` may contain milliseconds. */
export function fireTimeAfter(table: CronTable, zone: TimeZone, after: EpochMs): EpochMs | null {
  if (!(after < LATEST)) return null;
  const start = (Math.floor((after < EARLIEST ? EARLIEST : after) / 1000) + 1) * 1000;
  const span = zone.spanAt(start);
  const from = (start + span.offset) / 1000;
  const local = nextMatch(table, from);
  if (local === NO_MATCH) return null;
  const instant = local * 1000 - span.offset;
  return instant < span.stableUntil ? instant : acrossChange(table, zone, from, local);
}

/** Returns the last fire time before `before`, or null if there is none since FIRST_YEAR. */
export function fireTimeBefore(table: CronTable, zone: TimeZone, before: EpochMs): EpochMs | null {
  if (!(before > EARLIEST)) return null;
  const end = Math.ceil(Math.min(before, LATEST) / 1000) * 1000;
  let local = zone.localAt(end) / 1000;
  for (;;) {
    local = previousMatch(table, local);
    if (local === NO_MATCH) return null;
    const instant = zone.instantOf(local * 1000);
    // Skips a local time in a gap, which has no instant. Also skips a local time that occurs twice if its instant is not before `before`.
    if (instant < end && zone.localAt(instant) === local * 1000) return instant;
  }
}

/** True if the second that contains `at` matches. As in Quartz, if the clocks are set back and an hour occurs twice, both occurrences match. */
export function isFireTime(table: CronTable, zone: TimeZone, at: EpochMs): boolean {
  if (!(at > EARLIEST && at < LATEST)) return false;
  return matches(table, zone.localAt(Math.floor(at / 1000) * 1000) / 1000);
}

/** Returns the exclusive end of the consecutive matching seconds that contain `at`, or the next change of the UTC offset if that is earlier. */
export function matchingUntil(table: CronTable, zone: TimeZone, at: EpochMs): EpochMs {
  const offset = zone.offsetAt(at);
  const end = zone.steadyUntil(at);
  let local = Math.floor((at + offset) / 1000);
  do local = endOfRun(table, local) + 1;
  while (local * 1000 - offset < end && matches(table, local));
  return Math.min(local * 1000 - offset, end);
}

/** Returns the first second after `after` that is not a fire time. */
export function noFireTimeAfter(table: CronTable, zone: TimeZone, after: EpochMs): EpochMs {
  const second = Math.floor(after / 1000) * 1000;
  if (!(after > EARLIEST && after < LATEST)) return second + 1000;
  let last = zone.instantOf(zone.localAt(second));
  for (let next = fireTimeAfter(table, zone, last); next === last + 1000; next = fireTimeAfter(table, zone, last)) {
    const span = zone.spanAt(next);
    const end = endOfRun(table, (next + span.offset) / 1000) * 1000 - span.offset;
    const stable = Math.ceil(span.stableUntil / 1000) * 1000 - 1000;
    last = Math.max(next, Math.min(end, stable));
  }
  return last + 1000;
}

/** Returns the fire time for the matching local time `local`, which is after the next change of the UTC offset. Null if no time matches. */
function acrossChange(table: CronTable, zone: TimeZone, from: LocalSeconds, local: LocalSeconds): EpochMs | null {
  const instant = zone.instantOf(local * 1000);
  const span = zone.spanAt(instant);
  const gap = span.offset - zone.offsetAt(span.start - 1);
  // Quartz's steps lead to a different result only in the gap, or within one gap length after it.
  const untouched = instant - span.start >= gap || from * 1000 >= span.start + span.offset;
  return untouched ? instant : walk(table, zone, from);
}

/** Repeats Quartz's steps until a time matches. Moves each step that ends in a gap forward out of the gap. Null if no time matches. */
function walk(table: CronTable, zone: TimeZone, from: LocalSeconds): EpochMs | null {
  for (let local = from; ; ) {
    const visit = quartzStep(table, local);
    if (visit === NO_MATCH) return null;
    const instant = zone.instantOf(visit * 1000);
    if (visit === local) return instant;
    local = zone.localAt(instant) / 1000;
  }
}
