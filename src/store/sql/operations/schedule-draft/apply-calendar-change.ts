import { ObjectAlreadyExistsError } from '../../../../base/errors';
import type { Calendar } from '../../../../domain/calendars/calendar';
import { calendarFrom } from '../../../../domain/calendars/calendar-from-data';
import type { StoredCalendar } from '../../../../domain/firing';
import { formatKey } from '../../../../domain/keys';
import { sameData } from '../../../../domain/same-data';
import type { ScheduleChange, ScheduleOutcome } from '../../../../domain/schedule-change';
import type { Trigger } from '../../../../domain/trigger';
import { withNewCalendar } from '../../../../domain/trigger-behaviour';
import type { ApplyOptions } from '../../../job-store';
import { outcome } from './outcomes';
import type { CalendarDraft, ScheduleDraft, TriggerDraft } from './schedule-draft';
import { calendarInUse, calendarNotFound } from './schedule-errors';

type StoreCalendar = Extract<ScheduleChange, { readonly type: 'storeCalendar' }>;

/** Stores a calendar; with `updateTriggers`, its triggers go on by it at once. Throws INVALID_CALENDAR. */
export function storeCalendar(draft: ScheduleDraft, change: StoreCalendar, options: ApplyOptions): ScheduleOutcome {
  const { name, ifExists, updateTriggers } = change;
  const stored = draft.calendars.get(name) as CalendarDraft;
  const wasPresent = stored.isPresent;
  if (wasPresent && ifExists === 'fail') throw new ObjectAlreadyExistsError('calendar', name);
  if (wasPresent && ifExists === 'keep') return outcome('kept');
  const calendar = calendarFrom(change.calendar);
  if (wasPresent && sameData(stored.now, change.calendar)) return outcome('unchanged');

  stored.now = change.calendar;
  stored.isPresent = true;
  if (updateTriggers) for (const trigger of usersOf(draft, name)) reschedule(draft, trigger, calendar, options);
  return outcome(wasPresent ? 'replaced' : 'created');
}

function reschedule(draft: ScheduleDraft, { now }: TriggerDraft, calendar: Calendar, options: ApplyOptions): void {
  if (now === null || now.trigger === null) return;
  // What has fired its last time stays finished, whatever the calendar now includes.
  if (now.state === 'COMPLETE' || now.trigger.nextFireTime === null) return;
  const trigger = withNewCalendar(now.trigger, calendar, options.now, options.misfireThreshold);
  if (trigger.nextFireTime === now.trigger.nextFireTime) return;
  if (trigger.nextFireTime === null) draft.putTrigger(trigger, 'COMPLETE');
  // A reservation was for another time, so it ends.
  else draft.putTrigger(trigger, now.state === 'ACQUIRED' ? 'WAITING' : now.state);
}

/** Throws CALENDAR_IN_USE while a trigger refers to it. */
export function deleteCalendar(draft: ScheduleDraft, name: string): ScheduleOutcome {
  const stored = draft.calendars.get(name) as CalendarDraft;
  if (!stored.isPresent) return outcome('notFound');
  const users = usersOf(draft, name);
  const [user] = users;
  if (user !== undefined) throw calendarInUse(name, users.length, formatKey(user.key));
  stored.now = null;
  stored.isPresent = false;
  return outcome('deleted');
}

/** The calendar a trigger names; null when it names none. Throws CALENDAR_NOT_FOUND. */
export function calendarOf(draft: ScheduleDraft, trigger: Trigger): StoredCalendar | null {
  if (trigger.calendarName === null) return null;
  const stored = draft.calendars.get(trigger.calendarName);
  if (stored === undefined || !stored.isPresent) throw calendarNotFound(trigger);
  // One that only Java reads is refused as malformed: what it excludes is not known here.
  return { calendar: calendarFrom(stored.now), data: stored.now as NonNullable<typeof stored.now> };
}

function usersOf(draft: ScheduleDraft, name: string): readonly TriggerDraft[] {
  return [...draft.triggers.values()].filter(({ now }) => now !== null && now.calendarName === name);
}
