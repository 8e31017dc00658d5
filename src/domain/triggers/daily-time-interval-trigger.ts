import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import { clockShape, dateShape, movesTimeOfDay } from '../time/day-shape';
import { type LocalMs, type TimeZone, timeZoneOf } from '../time/time-zone';
import { atTimeOfDay, dayOf, dayOfWeekOf, plusDays } from '../time/wall-clock';
import { type DailyTimeIntervalTrigger, REPEAT_INDEFINITELY, type TimeOfDay } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { firstIncluded, LAST_TIME } from './calendar-search';
import { validateDailyTimeInterval } from './daily-time-interval-validation';
import { type FireTimeSequence, MOST_UNSETTLED, wallClockSequence } from './fire-time-sequence';
import { afterIntervalMisfire } from './interval-misfire';

const SECONDS = { SECOND: 1, MINUTE: 60, HOUR: 3_600 } as const;

/** Until when a day without an end lasts. */
const END_OF_DAY: TimeOfDay = { hour: 23, minute: 59, second: 59 };

/** Every so many seconds, minutes or hours between two times of day, on some days of the week. */
export const dailyTimeIntervalBehaviour: TriggerBehaviour<DailyTimeIntervalTrigger> = {
  validate: validateDailyTimeInterval,

  fireTimeAfter,

  fireTimes,

  finalFireTime(trigger) {
    const { endTime, endTimeOfDay, previousFireTime, nextFireTime } = trigger;
    const finished = previousFireTime !== null && nextFireTime === null;
    if (endTime === null || finished) return null;
    if (endTimeOfDay === null) return endTime;
    return Math.max(endTime, atTimeOfDay(timeZoneOf(trigger.timeZone), endTime, secondOf(endTimeOfDay)));
  },

  scheduled(trigger, calendar) {
    const first = fireTimeAfter(trigger, trigger.startTime - 1_000);
    return { ...trigger, nextFireTime: includedFrom(trigger, first, calendar) };
  },

  afterFiring(trigger, calendar) {
    const timesTriggered = trigger.timesTriggered + 1;
    const fireTime = trigger.nextFireTime;
    const finished = fireTime === null || isExhausted(trigger, timesTriggered);
    const next = finished ? null : uncountedFireTimeAfter(trigger, fireTime);
    return {
      ...trigger,
      timesTriggered,
      previousFireTime: fireTime,
      nextFireTime: includedFrom(trigger, next, calendar),
    };
  },

  afterMisfire(trigger, now, calendar) {
    return afterIntervalMisfire(trigger, now, () => includedFrom(trigger, fireTimeAfter(trigger, now), calendar));
  },

  sameSchedule(a, b) {
    return (
      a.repeatInterval === b.repeatInterval &&
      a.repeatIntervalUnit === b.repeatIntervalUnit &&
      secondOf(a.startTimeOfDay) === secondOf(b.startTimeOfDay) &&
      secondOf(a.endTimeOfDay ?? END_OF_DAY) === secondOf(b.endTimeOfDay ?? END_OF_DAY) &&
      a.daysOfWeek.join() === b.daysOfWeek.join() &&
      a.repeatCount === b.repeatCount &&
      a.timeZone === b.timeZone &&
      a.endTime === b.endTime &&
      a.calendarName === b.calendarName
    );
  },
};

function isExhausted({ repeatCount }: DailyTimeIntervalTrigger, timesTriggered: number): boolean {
  return repeatCount !== REPEAT_INDEFINITELY && timesTriggered > repeatCount;
}

function fireTimeAfter(trigger: DailyTimeIntervalTrigger, after: EpochMs): EpochMs | null {
  return isExhausted(trigger, trigger.timesTriggered) ? null : uncountedFireTimeAfter(trigger, after);
}

function includedFrom(
  trigger: DailyTimeIntervalTrigger,
  time: EpochMs | null,
  calendar: Calendar | null,
): EpochMs | null {
  return calendar === null ? time : firstIncluded(time, calendar, fireTimes(trigger));
}

function fireTimes(trigger: DailyTimeIntervalTrigger): FireTimeSequence {
  const zone = timeZoneOf(trigger.timeZone);
  // Fire times are whole seconds, and a fraction in `after` would hide the last one of a day.
  const after = (time: EpochMs) => uncountedFireTimeAfter(trigger, Math.floor(time / 1_000) * 1_000);
  const firesOn = (date: LocalMs) => trigger.daysOfWeek.includes(dayOfWeekOf(date));
  // Quartz looks for the next day to fire on from one opening to the next: one that is moved moves the next seven.
  const opening = secondOf(trigger.startTimeOfDay) * 1_000;
  const isMovedBy = (change: EpochMs) => movesTimeOfDay(zone, change, opening);
  const dayShape = (day: EpochMs) => {
    let shape = clockShape(zone, day);
    for (let at = zone.steadyUntil(day - MOST_UNSETTLED); at < day; at = zone.steadyUntil(at)) {
      if (isMovedBy(at)) shape += ` moved ${day - at} ${dateShape(day, firesOn, 9)}`;
    }
    return `${shape} ${dateShape(day, firesOn)}`;
  };
  const unsettledAfter = (change: EpochMs) => (isMovedBy(change) ? MOST_UNSETTLED : 0);
  return wallClockSequence({ after, dayShape, zone, endTime: trigger.endTime, unsettledAfter });
}

/** As `fireTimeAfter`, without regard to the repeat count. */
function uncountedFireTimeAfter(trigger: DailyTimeIntervalTrigger, after: EpochMs): EpochMs | null {
  const zone = timeZoneOf(trigger.timeZone);
  const earliest = Math.max(trigger.startTime, after + 1_000);
  if (earliest > LAST_TIME) return null;
  const endOfDay = secondOf(trigger.endTimeOfDay ?? END_OF_DAY);
  const startOfDay = secondOf(trigger.startTimeOfDay);

  const isPastEnd = trigger.endTimeOfDay !== null && earliest > atTimeOfDay(zone, earliest, endOfDay);
  const day = fireableDay(trigger, zone, { time: earliest, skipToday: isPastEnd });
  if (day === null) return null;

  const opening = atTimeOfDay(zone, day, startOfDay);
  if (day < opening) return opening;
  const closing = atTimeOfDay(zone, day, endOfDay);
  const interval = trigger.repeatInterval * SECONDS[trigger.repeatIntervalUnit];
  const time = opening + Math.ceil(Math.floor((day - opening) / 1_000) / interval) * interval * 1_000;
  if (time <= closing) return time;

  const isSameDay = dayOf(zone.localAt(time)) === dayOf(zone.localAt(closing));
  const nextDay = fireableDay(trigger, zone, { time, skipToday: isSameDay });
  return nextDay === null ? null : atTimeOfDay(zone, nextDay, startOfDay);
}

/**
 * The time itself when its day of the week is one to fire on, or else the opening of the next such day. Only here the
 * trigger's end is asked, as in Quartz: what fires later on a day that began before the end still fires.
 */
function fireableDay(
  trigger: DailyTimeIntervalTrigger,
  zone: TimeZone,
  { time, skipToday }: { readonly time: EpochMs; readonly skipToday: boolean },
): EpochMs | null {
  const { daysOfWeek, endTime } = trigger;
  const firesOn = (instant: EpochMs) => daysOfWeek.includes(dayOfWeekOf(zone.localAt(instant)));
  let day = time;
  if (skipToday || !firesOn(atTimeOfDay(zone, time, secondOf(trigger.startTimeOfDay)))) {
    day = atTimeOfDay(zone, time, secondOf(trigger.startTimeOfDay));
    let tries = 0;
    do day = plusDays(zone, day, 1);
    while (!firesOn(day) && ++tries < 7);
  }
  return endTime !== null && day > endTime ? null : day;
}

function secondOf({ hour, minute, second }: TimeOfDay): number {
  return hour * 3_600 + minute * 60 + second;
}
