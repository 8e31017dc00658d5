import type { EpochMs } from '../../base/clock';
import { type CronExpression, cronExpressionOf } from '../cron/cron-expression';
import { clockShape, dateShape } from '../time/day-shape';
import { timeZoneOf } from '../time/time-zone';
import type { CronTrigger } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { wallClockSequence } from './fire-time-sequence';
import { validateCommon } from './validation';

/** Behaviour of cron triggers: they fire at the times that match the expression, from the second of the start time on. The end time is inclusive. */
export const cronBehaviour: TriggerBehaviour<CronTrigger> = {
  validate(trigger) {
    validateCommon(trigger);
    expressionOf(trigger);
  },

  firstFireTime: (trigger) => fireTimeAfter(trigger, trigger.startTime - 1_000),

  fireTimeAfter,

  fireTimes(trigger) {
    const zone = timeZoneOf(trigger.timeZone);
    const expression = expressionOf(trigger);
    const dayShape = (day: EpochMs) =>
      `${clockShape(zone, day)} ${dateShape(day, (date) => expression.matchesDate(date))}`;
    const after = (time: EpochMs) => fireTimeAfter(trigger, time);
    return wallClockSequence({ after, dayShape, zone, endTime: null, unstableAfter: () => 0 });
  },

  finalFireTime: () => null,
};

function fireTimeAfter(trigger: CronTrigger, after: EpochMs): EpochMs | null {
  const { endTime } = trigger;
  const from = Math.max(after, wholeSecond(trigger.startTime) - 1_000);
  if (endTime !== null && from >= endTime) return null;
  const time = expressionOf(trigger).nextTimeAfter(from);
  return time === null || (endTime !== null && time > endTime) ? null : time;
}

/** Parses leniently, because a stored expression may come from Quartz. The builders parse strictly. */
function expressionOf({ cronExpression, timeZone }: CronTrigger): CronExpression {
  return cronExpressionOf(cronExpression, timeZone, { lenient: true });
}

/** Rounds a start time down to a whole second, as Quartz does. */
export function wholeSecond(time: EpochMs): EpochMs {
  return Math.floor(time / 1_000) * 1_000;
}
