import type { EpochMs } from '../base/clock';
import type { Steps } from '../base/steps';
import type { Calendar } from './calendars/calendar';
import { makeUpTime } from './make-up-time';
import { isGroupOfFurtherRuns } from './occurrence';
import type { Rules } from './rules';
import type { Trigger } from './trigger';
import { fireTimeAfter, fireTimesOf } from './trigger-behaviour';
import { searchIncluded } from './triggers/fire-time-sequence';

/** Largest change of a zone's offset by which an occurrence is still recognised as the same, in milliseconds. */
const MAX_SHIFT_MS = 3 * 3_600_000;

interface RecomputingClock {
  readonly now: EpochMs;
  readonly rules: Rules;
}

/**
 * Returns the next fire time of a trigger by the present time zone data, after newer data were installed. A time that is due stays due, and a trigger is
 * never ended: without a later fire time, it keeps its own. An occurrence whose time moves runs once, never twice and never not at all.
 */
export function* recomputedFireTime(
  trigger: Trigger,
  calendar: Calendar | null,
  { now, rules }: RecomputingClock,
): Steps<EpochMs | null> {
  const { nextFireTime: next, previousFireTime: previous, startTime } = trigger;
  if (next === null || next <= now || trigger.kind === 'AFTER') return next;
  if (trigger.kind === 'SIMPLE' && calendar === null) return next;
  if (isMoved(trigger, calendar, rules)) return movedTime(trigger, calendar, rules) ?? next;
  const fireTimes = fireTimesOf(trigger, rules);
  const after = (time: EpochMs) => searchIncluded(fireTimeAfter(trigger, time, rules), calendar, fireTimes);
  if (previous !== null && (yield* after(previous)) === next) return next;
  const first = yield* after(Math.max(now, previous ?? now));
  if (first === null) return next;
  if (first > next) {
    const own = yield* after(Math.max(previous ?? startTime - 1, next - MAX_SHIFT_MS));
    // The new data put the occurrence before now, and it has not run: it runs at its stored time.
    return own !== null && own <= now ? next : first;
  }
  const isSameAsPrevious =
    previous !== null &&
    first - previous <= MAX_SHIFT_MS &&
    next - first > MAX_SHIFT_MS &&
    fireTimeAfter(trigger, previous - 1, rules) !== previous;
  return isSameAsPrevious ? ((yield* after(first)) ?? next) : first; // the previous run was the occurrence of `first`
}

/**
 * True if the next fire time is not computed from the schedule: a one-shot or further run, and under safe rules a missed firing that was moved to the
 * time at which its calendar begins to include.
 */
function isMoved(trigger: Trigger, calendar: Calendar | null, rules: Rules): boolean {
  const { kind, key, nextFireTime } = trigger;
  if (kind === 'SIMPLE' && (trigger.repeatCount === 0 || isGroupOfFurtherRuns(key.group))) return true;
  if (rules === 'quartz' || calendar === null || nextFireTime === null) return false;
  if (fireTimeAfter(trigger, nextFireTime - 1, rules) === nextFireTime) return false;
  return kind === 'SIMPLE' || makeUpTime(trigger, calendar, nextFireTime - 1) === nextFireTime;
}

/** Returns the fire time of a moved firing: nothing fires at a time that its calendar excludes by the present data. */
function movedTime(trigger: Trigger, calendar: Calendar | null, rules: Rules): EpochMs | null {
  const { nextFireTime, endTime } = trigger;
  if (rules === 'quartz' || nextFireTime === null) return nextFireTime;
  return makeUpTime(trigger, calendar, nextFireTime, endTime ?? undefined);
}
