import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { Calendar } from './calendars/calendar';
import { calendarFrom } from './calendars/calendar-from-data';
import type { ChangeContext } from './change-context';
import type { EditableSchedule, EditedTrigger } from './editable-schedule';
import { formatKey, type TriggerKey } from './keys';
import { newCalendarTimes } from './new-calendar';
import type { Rules } from './rules';
import type { ChangeOf, ChangeSet, Outcomes, ScheduleOutcome } from './schedule-change';
import { firesNoMore, type Trigger } from './trigger';

/* Triggers that use a changed calendar. A change after which one of them would never fire again is refused, unless the caller allows it. */

type TimeOf = (trigger: Trigger) => EpochMs | null;

/** True if the trigger has no further fire time, so that a change of its calendar may give it one. */
function isEnded({ trigger }: Pick<EditedTrigger, 'trigger'>): boolean {
  return trigger !== null && firesNoMore(trigger);
}

/**
 * True if a trigger gets a new fire time after its calendar was replaced: always with `updateTriggers`, or if the calendar had ended the trigger.
 * Under safe rules also if the new calendar excludes its next fire time, because nothing fires at an excluded time.
 */
export function followsCalendar(
  user: Pick<EditedTrigger, 'trigger'>,
  calendar: Calendar,
  { updateTriggers, rules }: { readonly updateTriggers: boolean; readonly rules?: Rules | undefined },
): boolean {
  if (updateTriggers || isEnded(user)) return true;
  const next = user.trigger?.nextFireTime ?? null;
  return rules !== 'quartz' && next !== null && !calendar.isIncluded(next);
}

/** True if the trigger has a fire time now, and has none under the new calendar. `timeOf`: next fire time under the new calendar. */
export function endsBy({ trigger, state }: Pick<EditedTrigger, 'trigger' | 'state'>, timeOf: TimeOf): boolean {
  if (trigger === null || trigger.nextFireTime === null || state === 'COMPLETE') return false;
  return timeOf(trigger) === null;
}

/**
 * Checks the triggers that the calendars of a set end, after all its changes are applied: a later change may have rescheduled or deleted such a
 * trigger. Returns the outcomes with the triggers that really end. Throws CALENDAR_ENDS_TRIGGERS for the first calendar that must not end them.
 */
export function refuseEnding(
  schedule: EditableSchedule,
  changes: ChangeSet,
  outcomes: Outcomes,
  context: ChangeContext,
): Outcomes {
  return outcomes.map(({ endedTriggers = [], ...outcome }, index): ScheduleOutcome => {
    const change = changes[index];
    if (change?.type !== 'storeCalendar' || endedTriggers.length === 0) return outcome;
    const ended = stillEnded(schedule, change.name, endedTriggers, context);
    if (ended.length === 0) return outcome;
    if (!mayEnd(change) && context.isPlan !== true) throw endsTriggers(change.name, ended);
    return { ...outcome, endedTriggers: ended };
  });
}

export function mayEnd({ allowEnding = false }: Pick<ChangeOf<'storeCalendar'>, 'allowEnding'>): boolean {
  return allowEnding;
}

function stillEnded(
  schedule: EditableSchedule,
  name: string,
  keys: readonly TriggerKey[],
  { now, misfireThreshold, rules }: ChangeContext,
): readonly TriggerKey[] {
  const data = schedule.calendar(name)?.data ?? null;
  if (data === null) return [];
  const timeOf = newCalendarTimes(calendarFrom(data, rules), now, misfireThreshold, rules);
  return keys.filter((key) => {
    const user = schedule.trigger(key);
    return user?.trigger?.calendarName === name && (isEnded(user) || endsBy(user, timeOf));
  });
}

/** Maximum number of triggers that the message names. */
const MAX_NAMED = 10;

/** Returns the error of a calendar after whose change these triggers would never fire again. */
export function endsTriggers(name: string, keys: readonly TriggerKey[]): SchedulerError {
  const named = keys.slice(0, MAX_NAMED).map((key) => `'${formatKey(key)}'`);
  const rest = keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : '';
  const count = keys.length === 1 ? '1 trigger' : `${keys.length} triggers`;
  return new SchedulerError(
    'CALENDAR_ENDS_TRIGGERS',
    `Expected the calendar '${name}' to leave each trigger that uses it a fire time, found none for ${count}: ${named.join(', ')}${rest}. ` +
      'Correct the calendar, or set allowEnding to store it; these triggers then fire again when the calendar is changed.',
  );
}
