import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { caughtUpRuns, oneShotAt } from './catch-up';
import { ignoresMisfires, type MisfireClock, misfireTime, skipsMissed } from './misfire';
import type { SimpleTrigger, Trigger } from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';

/*
 * A change of a schedule drops nothing that was due. A fire time up to the change that has not fired, and that the new schedule has too, stays due
 * and follows the misfire instruction. Fire times up to the change that only one of the two schedules has do not fire.
 */

/** Fire times of one schedule that are compared. Later ones are treated as fire times of the new schedule alone. */
const MAX_COMPARED = 10_000;

/** Maximum number of due fire times that become one-shot triggers, as for catch-ups. */
const MAX_DUE = 1_000;

/** Due fire time that does not fire. `isDropped`: only the stored schedule has it; otherwise the misfire instruction skips it. */
export interface MissedTime {
  readonly time: EpochMs;
  readonly isDropped: boolean;
}

interface DueAfterChange {
  /** Due fire time that the trigger keeps; null: none. */
  readonly nextFireTime: EpochMs | null;
  /** Earliest due fire time, if it no longer fires. Null: it fires, or none is due. */
  readonly missed: MissedTime | null;
  /** One-shot triggers for the other due fire times, if the trigger itself would fire at times in between that only the new schedule has. */
  readonly due: readonly SimpleTrigger[];
}

const NONE: DueAfterChange = { nextFireTime: null, missed: null, due: [] };

interface ScheduleTimes {
  readonly stored: Trigger;
  /** Returns the calendar of the stored trigger. Called only if a fire time is due. */
  readonly storedCalendar: () => Calendar | null;
  readonly requested: Trigger;
  /** Calendar of the requested trigger. */
  readonly calendar: Calendar | null;
  readonly clock: MisfireClock;
}

/** Compares the due fire times of both schedules, each under its calendar. */
export function dueAfterChange(times: ScheduleTimes): DueAfterChange {
  const { stored, requested, calendar, clock } = times;
  const pending = stored.nextFireTime;
  if (pending === null || pending > clock.now) return NONE;
  if (requested.startTime > clock.now || (requested.endTime !== null && requested.endTime < pending)) {
    return { ...NONE, missed: { time: pending, isDropped: true } };
  }
  const { common, hasOthers } = comparedTimes(times, pending);
  const [first] = common;
  const missed = first === pending ? null : { time: pending, isDropped: true };
  if (first === undefined) return { ...NONE, missed };
  // The trigger fires for its due time itself, unless it would then also fire at times that only the new schedule has.
  if (!hasOthers) return { nextFireTime: first, missed, due: [] };
  const due = dueRuns(requested, calendar, common, clock);
  const skipped = due.length === 0 ? { time: pending, isDropped: false } : null;
  return { nextFireTime: null, missed: missed ?? skipped, due };
}

/** Applies the misfire instruction of the changed trigger to its due fire times, which are ascending. */
function dueRuns(
  trigger: Trigger,
  calendar: Calendar | null,
  times: readonly EpochMs[],
  clock: MisfireClock,
): readonly SimpleTrigger[] {
  const isMisfired = (times[0] as EpochMs) < misfireTime(clock);
  const isEach = !isMisfired || ignoresMisfires(trigger);
  if (isEach) return times.slice(-MAX_DUE).map((time) => oneShotAt(trigger, time, { startTime: clock.now }));
  const catchUp = trigger.policy?.catchUp;
  if (catchUp !== undefined) {
    const newest = times.filter((time) => time >= clock.now - catchUp.window).slice(-catchUp.max);
    return caughtUpRuns(trigger, calendar, newest, clock);
  }
  if (skipsMissed(trigger) || (trigger.endTime !== null && trigger.endTime < clock.now)) return [];
  return caughtUpRuns(trigger, calendar, times.slice(-1), clock);
}

/**
 * Due times of both schedules, ascending, and whether the new schedule has others after the first of them. Times that the new calendar excludes count as
 * others: the calendar may change before the trigger fires.
 */
function comparedTimes(
  { stored, storedCalendar, requested, calendar, clock: { now } }: ScheduleTimes,
  pending: EpochMs,
) {
  const common: EpochMs[] = [];
  let hasOthers = false;
  // The start of the new schedule does not limit what was due before: only its phase counts.
  const phase =
    requested.kind === 'CRON' ? { ...requested, startTime: Math.min(requested.startTime, pending) } : requested;
  const calendarBefore = storedCalendar();
  const timeAfter = (after: EpochMs) => includedFireTimeAfter(phase, hasOthers ? calendar : null, after, 'safe');
  let old: EpochMs | null = pending;
  let time = timeAfter(pending - 1);
  for (let step = 0; time !== null && time <= now && step < MAX_COMPARED; step++) {
    while (old !== null && old < time) old = includedFireTimeAfter(stored, calendarBefore, old, 'safe');
    if (old !== time) hasOthers ||= common.length > 0;
    else if (calendar === null || calendar.isIncluded(time)) common.push(time);
    time = timeAfter(time);
  }
  const isIncomplete = common.length > 0 && time !== null && time <= now;
  // The trigger could not continue from its first due time to the next one.
  const isBeforeStart = common[1] !== undefined && common[1] < requested.startTime;
  return { common, hasOthers: hasOthers || isIncomplete || isBeforeStart };
}
