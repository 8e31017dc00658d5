import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { REPEAT_INDEFINITELY, type Trigger } from './trigger';
import { includedFireTimeAfter, scheduled } from './trigger-behaviour';
import { countDailyFireTimes } from './triggers/daily-time-interval-trigger';
import { intervalsBetween } from './triggers/simple-trigger';

/*
 * First fire time of a new or changed schedule under safe rules. A schedule counts from the time it was stored: a start in the past gives the phase
 * of an interval, but adds no earlier fire times. Only a backfill makes them up.
 */

/** A start that lies at most this long before the change counts as being at it: `startNow()`, `startAt: new Date()`, long transactions. */
const START_TOLERANCE_MS = 60_000;

/**
 * Returns a trigger at its first fire time from `now` on, and after `previous`, its last fired time. A one-shot trigger in the past is due at once.
 * Repeats that lie before `now` count as used. `nextFireTime` is null if there is none.
 */
export function countedFrom(
  trigger: Trigger,
  calendar: Calendar | null,
  now: EpochMs,
  previous: EpochMs | null,
): Trigger {
  if (trigger.kind === 'AFTER') return scheduled(trigger, calendar, 'safe');
  const { startTime, endTime } = trigger;
  if (endTime !== null && endTime < now) return { ...scheduled(trigger, null, 'safe'), nextFireTime: null };
  const isOnce = trigger.kind === 'SIMPLE' && trigger.repeatCount === 0;
  const from = isOnce || startTime >= now - START_TOLERANCE_MS ? startTime : now;
  const after = Math.max(from - 1, previous ?? Number.NEGATIVE_INFINITY);
  const first = scheduled(trigger, calendar, 'safe');
  if (isOnce || (first.nextFireTime !== null && first.nextFireTime > after)) return first;
  const counted = withUsedRepeats(first, after);
  return { ...counted, nextFireTime: includedFireTimeAfter(counted, calendar, after, 'safe') };
}

/** Counts the fire times up to `after` as repeats that have been used. */
function withUsedRepeats(trigger: Trigger, after: EpochMs): Trigger {
  if (trigger.kind === 'SIMPLE' && trigger.repeatCount !== REPEAT_INDEFINITELY && after >= trigger.startTime) {
    const used = intervalsBetween(trigger.startTime, after, trigger.repeatInterval) + 1;
    return { ...trigger, timesTriggered: Math.min(used, trigger.repeatCount + 1) };
  }
  if (trigger.kind === 'DAILY_I' && trigger.repeatCount !== REPEAT_INDEFINITELY) {
    const used = countDailyFireTimes(trigger, trigger.startTime, after);
    return { ...trigger, timesTriggered: Math.min(used, trigger.repeatCount + 1) };
  }
  return trigger;
}

/**
 * Returns the trigger with the phase of the stored one, if the caller gave no start time and it fires at an interval: it counts from the last fire
 * time, or from the stored start if the trigger has not fired yet. A trigger with a repeat count starts at the first such time from `now` on, so
 * that it has all its repeats.
 */
export function inPhaseWith(stored: Trigger, requested: Trigger, now: EpochMs): Trigger {
  const isInterval = requested.kind === 'CAL_INT' || (requested.kind === 'SIMPLE' && requested.repeatCount !== 0);
  if (!isInterval) return requested;
  const startTime =
    stored.previousFireTime ?? (stored.kind === requested.kind ? stored.startTime : requested.startTime);
  if (requested.kind !== 'SIMPLE' || requested.repeatCount === REPEAT_INDEFINITELY) return { ...requested, startTime };
  const { repeatInterval } = requested;
  const passed = Math.max(0, Math.ceil((now - startTime) / repeatInterval));
  return { ...requested, startTime: startTime + passed * repeatInterval };
}
