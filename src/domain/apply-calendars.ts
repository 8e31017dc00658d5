import { ObjectAlreadyExistsError, SchedulerError } from '../base/errors';
import { endsBy, followsCalendar } from './calendar-users';
import { calendarFrom } from './calendars/calendar-from-data';
import type { ChangeContext } from './change-context';
import { type EditableSchedule, outcome, reschedule } from './editable-schedule';
import { formatKey, type TriggerKey } from './keys';
import { newCalendarTimes } from './new-calendar';
import { sameData } from './same-data';
import type { ChangeOf, ScheduleOutcome } from './schedule-change';
import { isAsRead } from './trigger-behaviour';

/* Changes of calendars, as `applyChanges` applies them. */

/** Stores a calendar, and recalculates the next fire times of the triggers that follow it (`followsCalendar`). Throws INVALID_CALENDAR. */
export function storeCalendar(
  schedule: EditableSchedule,
  change: ChangeOf<'storeCalendar'>,
  at: ChangeContext,
): ScheduleOutcome {
  const { name, ifExists, updateTriggers } = change;
  const stored = schedule.calendar(name);
  if (stored !== null && ifExists === 'fail') throw new ObjectAlreadyExistsError('calendar', name);
  if (stored !== null && ifExists === 'keep') return outcome('kept');
  const calendar = calendarFrom(change.calendar, at.rules);
  if (stored !== null && sameData(stored.data, change.calendar)) return outcome('unchanged');

  schedule.putCalendar(name, change.calendar, calendar);
  if (change.usersLater === true) return outcome('replaced');
  const timeOf = newCalendarTimes(calendar, at.now, at.misfireThreshold, at.rules);
  const endedTriggers: TriggerKey[] = [];
  for (const user of schedule.usersOf(name)) {
    if (endsBy(user, timeOf)) endedTriggers.push(user.key);
    if (followsCalendar(user, calendar, { updateTriggers, rules: at.rules })) reschedule(schedule, user, timeOf);
  }
  const ended = endedTriggers.length > 0 && { endedTriggers };
  return outcome(stored === null ? 'created' : 'replaced', { ...ended });
}

export function followCalendar(
  schedule: EditableSchedule,
  { name, calendar: expected, triggers }: ChangeOf<'followCalendar'>,
  { now, misfireThreshold, rules }: ChangeContext,
): ScheduleOutcome {
  const stored = schedule.calendar(name);
  if (stored === null || !sameData(stored.data, expected)) return outcome('kept');
  const timeOf = newCalendarTimes(calendarFrom(expected, rules), now, misfireThreshold, rules);
  for (const { read, nextFireTime } of triggers) {
    const user = schedule.trigger(read.key);
    if (user?.trigger?.calendarName !== name) continue;
    reschedule(schedule, user, (trigger) => (isAsRead(trigger, read) ? nextFireTime : timeOf(trigger)));
  }
  return outcome('replaced');
}

/** Sets a next fire time that newer time zone data give, unless the trigger or its calendar has changed since it was read, or is due. */
export function setFireTime(
  schedule: EditableSchedule,
  { read, calendar, nextFireTime }: ChangeOf<'setFireTime'>,
  { now }: ChangeContext,
): ScheduleOutcome {
  const user = schedule.trigger(read.key);
  const { trigger = null } = user ?? {};
  if (user === null || trigger === null || !isAsRead(trigger, read)) return outcome('kept');
  if (trigger.nextFireTime === null || trigger.nextFireTime <= now) return outcome('kept');
  const stored = trigger.calendarName === null ? null : schedule.calendar(trigger.calendarName);
  if (!sameData(stored?.data ?? null, calendar)) return outcome('kept');
  reschedule(schedule, user, () => nextFireTime);
  return outcome('replaced', { nextFireTime });
}

/** Deletes a calendar. Throws CALENDAR_IN_USE if a trigger refers to it. */
export function deleteCalendar(schedule: EditableSchedule, name: string): ScheduleOutcome {
  if (schedule.calendar(name) === null) return outcome('notFound');
  const users = schedule.usersOf(name);
  const [user] = users;
  if (user !== undefined) {
    const [rest, them] = users.length === 1 ? ['', 'it'] : [` and ${users.length - 1} more`, 'them'];
    throw new SchedulerError(
      'CALENDAR_IN_USE',
      `Expected no trigger to refer to the calendar '${name}', found '${formatKey(user.key)}'${rest}. Delete or reschedule ${them} first.`,
    );
  }
  schedule.removeCalendar(name);
  return outcome('deleted');
}
