import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import { timeZoneOf } from '../time/time-zone';
import { plusDays, plusMonths } from '../time/wall-clock';
import type { CalendarIntervalTrigger, IntervalUnit } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { daySequence, dayWalk, type FireTimes, monthWalk } from './calendar-interval-walk';
import { firstIncluded } from './calendar-search';
import { evenSequence, type FireTimeSequence, walkedSequence } from './fire-time-sequence';
import { afterIntervalMisfire } from './interval-misfire';
import { invalidTrigger, MAX_INT, MAX_TIME, requireInteger, validateCommon } from './validation';

const UNITS: readonly IntervalUnit[] = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'];

/** A unit is elapsed time, a number of days, or a number of months. */
const SECONDS = { SECOND: 1, MINUTE: 60, HOUR: 3_600 } as const;
const DAYS = { DAY: 1, WEEK: 7 } as const;
const MONTHS = { MONTH: 1, YEAR: 12 } as const;

/** The start, and every so many seconds … years after it on the wall clock of the zone; the end is not included. */
export const calendarIntervalBehaviour: TriggerBehaviour<CalendarIntervalTrigger> = {
  validate(trigger) {
    validateCommon(trigger);
    requireInteger(trigger, 'repeatInterval', trigger.repeatInterval, { min: 1, max: MAX_INT });
    if (!UNITS.includes(trigger.repeatIntervalUnit)) {
      throw invalidTrigger(trigger, 'repeatIntervalUnit', `one of ${UNITS.join(', ')}`, trigger.repeatIntervalUnit);
    }
    timeZoneOf(trigger.timeZone);
  },

  fireTimeAfter(trigger, after) {
    return fireTimesOf(trigger)(after);
  },

  fireTimes,

  finalFireTime(trigger) {
    const { endTime } = trigger;
    if (endTime === null) return null;
    const time = unendingFireTimes(trigger)(endTime - 1_000);
    return time === null || time === endTime ? time : plusIntervals(trigger, time, -1);
  },

  scheduled(trigger, calendar) {
    return { ...trigger, nextFireTime: includedFrom(trigger, trigger.startTime, calendar) };
  },

  afterFiring(trigger, calendar) {
    const fireTime = trigger.nextFireTime;
    const next = fireTime === null ? null : fireTimesOf(trigger)(fireTime);
    return {
      ...trigger,
      timesTriggered: trigger.timesTriggered + 1,
      previousFireTime: fireTime,
      nextFireTime: includedFrom(trigger, next, calendar),
    };
  },

  afterMisfire(trigger, now, calendar) {
    return afterIntervalMisfire(trigger, now, () => includedFrom(trigger, fireTimesOf(trigger)(now), calendar));
  },

  sameSchedule(a, b) {
    return (
      a.repeatInterval === b.repeatInterval &&
      a.repeatIntervalUnit === b.repeatIntervalUnit &&
      a.timeZone === b.timeZone &&
      a.preserveHourOfDayAcrossDaylightSavings === b.preserveHourOfDayAcrossDaylightSavings &&
      a.skipDayIfHourDoesNotExist === b.skipDayIfHourDoesNotExist &&
      a.endTime === b.endTime &&
      a.calendarName === b.calendarName
    );
  },
};

function includedFrom(
  trigger: CalendarIntervalTrigger,
  time: EpochMs | null,
  calendar: Calendar | null,
): EpochMs | null {
  return calendar === null ? time : firstIncluded(time, calendar, fireTimes(trigger));
}

function fireTimes(trigger: CalendarIntervalTrigger): FireTimeSequence {
  const { startTime, repeatInterval, repeatIntervalUnit: unit } = trigger;
  const after = fireTimesOf(trigger);
  switch (unit) {
    case 'SECOND':
    case 'MINUTE':
    case 'HOUR':
      return evenSequence(after, startTime, repeatInterval * SECONDS[unit] * 1_000);
    case 'DAY':
    case 'WEEK':
      return daySequence(trigger, after);
    case 'MONTH':
    case 'YEAR':
      return walkedSequence(after);
  }
}

/** `fireTimeAfter` for times asked in ascending order: cheaper than one by one. As in Quartz, the start is not asked for the end. */
function fireTimesOf(trigger: CalendarIntervalTrigger): FireTimes {
  const { startTime, endTime } = trigger;
  const fireTimeAfter = unendingFireTimes(trigger);
  if (endTime === null) return fireTimeAfter;
  return (after) => {
    const time = after < endTime ? fireTimeAfter(after) : null;
    return time === null || (time >= endTime && time !== startTime) ? null : time;
  };
}

/** As `fireTimes`, without regard to the end. */
function unendingFireTimes(trigger: CalendarIntervalTrigger): FireTimes {
  const { repeatInterval, repeatIntervalUnit: unit } = trigger;
  switch (unit) {
    case 'SECOND':
    case 'MINUTE':
    case 'HOUR':
      return (after) => elapsedFireTimeAfter(trigger.startTime, repeatInterval * SECONDS[unit], after);
    case 'DAY':
    case 'WEEK':
      return dayWalk(trigger, repeatInterval * DAYS[unit]);
    case 'MONTH':
    case 'YEAR':
      return monthWalk(trigger, repeatInterval * MONTHS[unit]);
  }
}

function elapsedFireTimeAfter(startTime: EpochMs, seconds: number, after: EpochMs): EpochMs | null {
  if (after < startTime) return startTime;
  const secondsAfterStart = 1 + Math.floor((after - startTime) / 1_000);
  const time = startTime + Math.ceil(secondsAfterStart / seconds) * seconds * 1_000;
  return time > MAX_TIME ? null : time;
}

function plusIntervals(trigger: CalendarIntervalTrigger, time: EpochMs, count: number): EpochMs {
  const { repeatIntervalUnit: unit } = trigger;
  const intervals = count * trigger.repeatInterval;
  switch (unit) {
    case 'SECOND':
    case 'MINUTE':
    case 'HOUR':
      return time + intervals * SECONDS[unit] * 1_000;
    case 'DAY':
    case 'WEEK':
      return plusDays(timeZoneOf(trigger.timeZone), time, intervals * DAYS[unit]);
    case 'MONTH':
    case 'YEAR':
      return plusMonths(timeZoneOf(trigger.timeZone), time, intervals * MONTHS[unit]);
  }
}
