import type { EpochMs } from '../../base/clock';
import { type CronExpression, cronExpressionOf } from '../cron/cron-expression';
import { lastBefore } from '../cron/last-before';
import type { Rules } from '../rules';
import { clockShape, dateShape } from '../time/day-shape';
import { timeZoneOf } from '../time/time-zone';
import type { CronTrigger } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { wallClockSequence } from './fire-time-sequence';
import { validateCommon } from './validation';

/** Returns the behaviour of cron triggers: they fire at the times that match the expression, from the second of the start time to the end time. */
function cronBehaviour(rules: Rules): TriggerBehaviour<CronTrigger> {
  const fireTimeAfter = (trigger: CronTrigger, after: EpochMs): EpochMs | null => {
    const { endTime } = trigger;
    const from = Math.max(after, wholeSecond(trigger.startTime) - 1_000);
    if (endTime !== null && from >= endTime) return null;
    const time = expressionOf(trigger, rules).nextTimeAfter(from);
    return time === null || (endTime !== null && time > endTime) ? null : time;
  };

  return {
    validate(trigger) {
      validateCommon(trigger);
      expressionOf(trigger, rules);
    },

    firstFireTime: (trigger) => fireTimeAfter(trigger, trigger.startTime - 1_000),

    fireTimeAfter,

    fireTimes(trigger) {
      const zone = timeZoneOf(trigger.timeZone);
      const expression = expressionOf(trigger, rules);
      const dayShape = (day: EpochMs) =>
        `${clockShape(zone, day)} ${dateShape(day, (date) => expression.matchesDate(date))}`;
      const after = (time: EpochMs) => fireTimeAfter(trigger, time);
      if (rules === 'quartz')
        return wallClockSequence({ after, dayShape, zone, endTime: null, unstableAfter: () => 0 });
      return { after, dayShape, leap: (time, bound) => after(Math.max(time, bound - 1)) };
    },

    finalFireTime(trigger) {
      const { startTime, endTime } = trigger;
      if (rules === 'quartz' || endTime === null) return null;
      return lastBefore((after) => fireTimeAfter(trigger, after), endTime + 1, wholeSecond(startTime) - 1_000);
    },
  };
}

export const safeCronBehaviour = cronBehaviour('safe');
export const quartzCronBehaviour = cronBehaviour('quartz');

/** Parses leniently, because a stored expression may come from Quartz. The builders parse strictly. */
function expressionOf({ cronExpression, timeZone, policy }: CronTrigger, rules: Rules): CronExpression {
  const clockChanges = policy?.clockChanges ?? 'quartz';
  return cronExpressionOf(cronExpression, timeZone, { lenient: true, rules, clockChanges });
}

/** Rounds a start time down to a whole second, as Quartz does. */
export function wholeSecond(time: EpochMs): EpochMs {
  return Math.floor(time / 1_000) * 1_000;
}
