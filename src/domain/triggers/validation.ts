import { MAX_TIME } from '../../base/clock';
import { badTrigger, type SchedulerError } from '../../base/errors';
import { describeValue, isNameIn } from '../check-text';
import { formatKey } from '../keys';
import { MISFIRE_CODES } from '../misfire-instructions';
import { MAX_INT, REPEAT_INDEFINITELY, type Trigger } from '../trigger';

export function invalidTrigger(trigger: Trigger, field: string, expected: string, found: unknown): SchedulerError {
  const key = typeof trigger.key?.name === 'string' ? ` '${formatKey(trigger.key)}'` : '';
  return badTrigger(`Expected ${field} of trigger${key} to be ${expected}, found ${describeValue(found)}.`);
}

/** Validates the fields that all trigger kinds have. Throws INVALID_TRIGGER. */
export function validateCommon(trigger: Trigger): void {
  const { key, jobKey, priority, startTime, endTime, misfireInstruction } = trigger;
  if (!isKey(key)) throw invalidTrigger(trigger, 'key', 'a non-empty name and group', key);
  if (!isKey(jobKey)) throw invalidTrigger(trigger, 'jobKey', 'a non-empty name and group', jobKey);
  requireInteger(trigger, 'priority', priority, { min: -MAX_INT - 1, max: MAX_INT });
  requireTime(trigger, 'startTime', startTime);
  if (endTime !== null) {
    requireTime(trigger, 'endTime', endTime);
    if (endTime < startTime) {
      throw invalidTrigger(trigger, 'endTime', `at or after startTime (${isoTime(startTime)})`, isoTime(endTime));
    }
  }
  if ('timesTriggered' in trigger)
    requireInteger(trigger, 'timesTriggered', trigger.timesTriggered, { min: 0, max: MAX_INT });
  const clockChanges = trigger.policy?.clockChanges;
  if (clockChanges !== undefined && trigger.kind !== 'CRON' && trigger.kind !== 'AFTER') {
    throw invalidTrigger(trigger, 'clockChanges', 'absent (only cron triggers have it)', clockChanges);
  }
  const instructions = MISFIRE_CODES[trigger.kind];
  if (!isNameIn(instructions, misfireInstruction)) {
    const known = Object.keys(instructions).join(', ');
    throw invalidTrigger(trigger, 'misfireInstruction', `one of ${known}`, misfireInstruction);
  }
}

/** Throws INVALID_TRIGGER unless the value is a whole number from `min` to `max`, inclusive. */
export function requireInteger(
  trigger: Trigger,
  field: string,
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return;
  throw invalidTrigger(trigger, field, `a whole number from ${min} to ${max}`, value);
}

/** True if a trigger with a repeat count has fired for the last time. */
export function isExhausted({ repeatCount, timesTriggered }: { repeatCount: number; timesTriggered: number }): boolean {
  return repeatCount !== REPEAT_INDEFINITELY && timesTriggered > repeatCount;
}

/** Earliest start time. For an earlier start time, the fire times of centuries might have to be computed. */
const MIN_TIME = Date.UTC(1900, 0, 1);

function isKey(key: unknown): boolean {
  const { name, group } = (key ?? {}) as { readonly name?: unknown; readonly group?: unknown };
  return typeof name === 'string' && name !== '' && typeof group === 'string' && group !== '';
}

function requireTime(trigger: Trigger, field: string, time: number): void {
  if (Number.isInteger(time) && time >= MIN_TIME && time <= MAX_TIME) return;
  throw invalidTrigger(trigger, field, 'a time in 1900 or later', time);
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
