import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import { type CronExpression, cronExpressionOf } from '../cron/cron-expression';
import { clockShape, dateShape } from '../time/day-shape';
import { timeZoneOf } from '../time/time-zone';
import type { CronTrigger } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { firstIncluded } from './calendar-search';
import { type FireTimeSequence, wallClockSequence } from './fire-time-sequence';
import { afterIntervalMisfire } from './interval-misfire';
import { validateCommon } from './validation';

/** The times of a Quartz cron expression, from the second of the start on; a fire time at the end itself still counts. */
export const cronBehaviour: TriggerBehaviour<CronTrigger> = {
  validate(trigger) {
    validateCommon(trigger);
    expressionOf(trigger);
  },

  fireTimeAfter,

  fireTimes,

  finalFireTime() {
    return null;
  },

  scheduled(trigger, calendar) {
    const startTime = wholeSecond(trigger.startTime);
    const first = fireTimeAfter(trigger, startTime - 1_000);
    return { ...trigger, startTime, nextFireTime: includedFrom(trigger, first, calendar) };
  },

  afterFiring(trigger, calendar) {
    const fireTime = trigger.nextFireTime;
    const next = fireTime === null ? null : fireTimeAfter(trigger, fireTime);
    return { ...trigger, previousFireTime: fireTime, nextFireTime: includedFrom(trigger, next, calendar) };
  },

  afterMisfire(trigger, now, calendar) {
    return afterIntervalMisfire(trigger, now, () => includedFrom(trigger, fireTimeAfter(trigger, now), calendar));
  },

  sameSchedule(a, b) {
    return (
      a.cronExpression === b.cronExpression &&
      a.timeZone === b.timeZone &&
      a.endTime === b.endTime &&
      a.calendarName === b.calendarName
    );
  },
};

function fireTimeAfter(trigger: CronTrigger, after: EpochMs): EpochMs | null {
  const { endTime } = trigger;
  const from = Math.max(after, wholeSecond(trigger.startTime) - 1_000);
  if (endTime !== null && from >= endTime) return null;
  const time = expressionOf(trigger).nextTimeAfter(from);
  return time === null || (endTime !== null && time > endTime) ? null : time;
}

function includedFrom(trigger: CronTrigger, time: EpochMs | null, calendar: Calendar | null): EpochMs | null {
  return calendar === null ? time : firstIncluded(time, calendar, fireTimes(trigger));
}

function fireTimes(trigger: CronTrigger): FireTimeSequence {
  const zone = timeZoneOf(trigger.timeZone);
  const expression = expressionOf(trigger);
  const dayShape = (day: EpochMs) =>
    `${clockShape(zone, day)} ${dateShape(day, (date) => expression.matchesDate(date))}`;
  const after = (time: EpochMs) => fireTimeAfter(trigger, time);
  return wallClockSequence({ after, dayShape, zone, endTime: null, unsettledAfter: () => 0 });
}

/** Lenient, because a stored expression may come from Quartz itself; builders are strict. */
function expressionOf({ cronExpression, timeZone }: CronTrigger): CronExpression {
  return cronExpressionOf(cronExpression, timeZone, { lenient: true });
}

function wholeSecond(time: EpochMs): EpochMs {
  return Math.floor(time / 1_000) * 1_000;
}
