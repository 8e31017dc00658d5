import { type EpochMs, MAX_TIME } from '../../base/clock';
import { MAX_INT, REPEAT_INDEFINITELY, type SimpleTrigger } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { evenSequence } from './fire-time-sequence';
import { invalidTrigger, isExhausted, requireInteger, validateCommon } from './validation';

function validate(trigger: SimpleTrigger): void {
  const { repeatCount, repeatInterval } = trigger;
  validateCommon(trigger);
  requireInteger(trigger, 'repeatCount', repeatCount, { min: REPEAT_INDEFINITELY, max: MAX_INT });
  requireInteger(trigger, 'repeatInterval', repeatInterval, { min: 0, max: MAX_TIME });
  if (repeatCount !== 0 && repeatInterval === 0) {
    throw invalidTrigger(trigger, 'repeatInterval', 'at least 1 ms for a trigger that repeats', repeatInterval);
  }
}

/** Simple triggers under Quartz's rules: they fire at the start time and then at a fixed interval. The end time is exclusive. */
export const quartzSimpleBehaviour: TriggerBehaviour<SimpleTrigger> = {
  validate,

  firstFireTime: ({ startTime }) => startTime,

  fireTimeAfter: fireTimeBeforeEnd,

  fireTimes(trigger) {
    return evenSequence((after) => fireTimeBeforeEnd(trigger, after), trigger.startTime, trigger.repeatInterval);
  },

  finalFireTime({ startTime, endTime, repeatCount, repeatInterval }) {
    if (repeatCount === 0) return startTime;
    if (repeatCount !== REPEAT_INDEFINITELY) {
      const last = startTime + repeatCount * repeatInterval;
      if (endTime === null || last < endTime) return last;
    }
    // As in Quartz, the result may be the end time itself, although the trigger does not fire at that time.
    if (endTime === null || endTime < startTime) return null;
    return startTime + intervalsBetween(startTime, endTime, repeatInterval) * repeatInterval;
  },
};

/** Simple triggers under safe rules: the same fire times, but the end time is inclusive. */
export const simpleBehaviour: TriggerBehaviour<SimpleTrigger> = {
  validate,

  firstFireTime: ({ startTime, endTime }) => (endTime !== null && startTime > endTime ? null : startTime),

  fireTimeAfter: fireTimeUpToEnd,

  fireTimes(trigger) {
    return evenSequence((after) => fireTimeUpToEnd(trigger, after), trigger.startTime, trigger.repeatInterval);
  },

  finalFireTime({ startTime, endTime, repeatCount, repeatInterval }) {
    if (endTime !== null && endTime < startTime) return null;
    if (repeatCount === 0 || repeatInterval < 1) return startTime;
    const last = repeatCount === REPEAT_INDEFINITELY ? null : startTime + repeatCount * repeatInterval;
    if (endTime === null || (last !== null && last <= endTime)) return last;
    return startTime + intervalsBetween(startTime, endTime, repeatInterval) * repeatInterval;
  },
};

function fireTimeUpToEnd(trigger: SimpleTrigger, after: EpochMs): EpochMs | null {
  const time = endlessFireTimeAfter(trigger, after);
  return time === null || (trigger.endTime !== null && time > trigger.endTime) ? null : time;
}

function fireTimeBeforeEnd(trigger: SimpleTrigger, after: EpochMs): EpochMs | null {
  const { startTime, endTime } = trigger;
  if (endTime !== null && endTime <= after) return null;
  const time = endlessFireTimeAfter(trigger, after);
  // As in Quartz, the start time fires even if it is not before the end time.
  return time === null || (endTime !== null && endTime <= time && time !== startTime) ? null : time;
}

/** Ignores the end time. */
function endlessFireTimeAfter(trigger: SimpleTrigger, after: EpochMs): EpochMs | null {
  const { startTime, repeatCount, repeatInterval } = trigger;
  if (isExhausted(trigger)) return null;
  if (after < startTime) return startTime;
  // A stored row may have an interval of 0; such a trigger fires once.
  if (repeatCount === 0 || repeatInterval < 1) return null;

  const count = intervalsBetween(startTime, after, repeatInterval) + 1;
  if (repeatCount !== REPEAT_INDEFINITELY && count > repeatCount) return null;
  const time = startTime + count * repeatInterval;
  return time > MAX_TIME ? null : time;
}

/** Returns the number of whole intervals between two times; 0 if the interval is less than 1 ms. */
export function intervalsBetween(from: EpochMs, to: EpochMs, repeatInterval: number): number {
  return repeatInterval < 1 ? 0 : Math.trunc((to - from) / repeatInterval);
}
