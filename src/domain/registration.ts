import { SchedulerError } from '../base/errors';
import type { Calendar } from './calendars/calendar';
import { withoutSpans } from './carried-spans';
import { formatKey, sameKey } from './keys';
import { sameData } from './same-data';
import { firesNoMore, type Trigger } from './trigger';
import { includedFireTimeAfter, sameSchedule, scheduled } from './trigger-behaviour';
import { restingState, type TransitionContext, type TriggerState } from './trigger-state';
import { isExhausted } from './triggers/validation';

/** A trigger as the caller wants it stored. */
export interface RequestedTrigger {
  readonly trigger: Trigger;
  /** The caller named no start time: that of the stored trigger stays as long as the schedule does. */
  readonly startTimeDefaulted: boolean;
  /** The same of its time zone: nodes whose machines are in different zones must not take turns in changing a trigger. */
  readonly timeZoneDefaulted?: boolean;
}

/** What is stored under the key. */
export interface StoredRegistration {
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

/** What storing a trigger under its key comes to. */
export interface RegistrationPlan {
  /** `unchanged`: what is stored already is what was asked for. */
  readonly status: 'created' | 'replaced' | 'unchanged';
  readonly trigger: Trigger;
  /** The zone of the stored trigger, where it stays in the place of another default. */
  readonly keptTimeZone?: string;
}

/**
 * Plans to store a trigger, in the place of what is stored under its key (null: nothing).
 *
 * An unchanged schedule keeps its next and previous fire times and counts. A changed one starts afresh, but never at or
 * before the time that was fired last: each fire time is dispatched at most once, across any number of registrations.
 * A trigger that is COMPLETE, or in ERROR and stored with another definition, starts again. One in ERROR that is stored unchanged stays in
 * ERROR: programs and files store the same at every start, and that repairs nothing. Throws INVALID_TRIGGER if a schedule has no fire time at all.
 */
export function planRegistration(
  asked: RequestedTrigger,
  stored: StoredRegistration | null,
  calendar: Calendar | null,
): RegistrationPlan {
  if (stored === null) return { status: 'created', trigger: firstScheduled(asked.trigger, calendar) };
  const keptTimeZone = zoneThatStays(asked, stored.trigger);
  const requested = inZone(asked, keptTimeZone);
  const trigger = replacement(requested, stored, calendar);
  const isUnchanged = sameData(untraced(trigger), untraced(stored.trigger));
  const kept = keptTimeZone === null ? {} : { keptTimeZone };
  return { status: isUnchanged ? 'unchanged' : 'replaced', trigger, ...kept };
}

/** In which spans it was scheduled makes no other trigger of it, or each start of a program would store its schedule anew. */
function untraced(trigger: Trigger): Trigger {
  const data = withoutSpans(trigger.data);
  return data === trigger.data ? trigger : { ...trigger, data };
}

/** Plans Quartz's rescheduleJob: a registration that must leave something to fire. Throws INVALID_TRIGGER when nothing is left. */
export function planReplacement(
  requested: RequestedTrigger,
  stored: StoredRegistration,
  calendar: Calendar | null,
): RegistrationPlan {
  const plan = planRegistration(requested, stored, calendar);
  if (firesNoMore(plan.trigger)) throw neverFires(plan.trigger, ' after its previous one');
  return plan;
}

/** The state of a trigger after its registration: a pause outlives it, all else begins anew. `stored`: null when new. */
export function stateAfterRegistration(
  trigger: Trigger,
  stored: TriggerState | null,
  { jobExecuting, groupPaused }: TransitionContext,
): TriggerState {
  if (firesNoMore(trigger)) return 'COMPLETE';
  const isPaused = groupPaused || stored === 'PAUSED' || stored === 'PAUSED_BLOCKED';
  return restingState({ jobExecuting, groupPaused: isPaused });
}

/** Whether two versions of a trigger are one registration, whatever has been fired meanwhile. */
export function sameRegistration(a: Trigger, b: Trigger): boolean {
  return sameKey(a.jobKey, b.jobKey) && a.startTime === b.startTime && sameSchedule(a, b);
}

function replacement(requested: RequestedTrigger, stored: StoredRegistration, calendar: Calendar | null): Trigger {
  const isKept = keepsSchedule(requested, stored.trigger);
  if (isKept && (stored.state !== 'COMPLETE' || hasFiredItsCount(stored.trigger))) {
    return withProgressOf(stored.trigger, requested.trigger);
  }
  const anew = scheduledAfter(stored.trigger, firstScheduled(requested.trigger, calendar), calendar);
  return isKept && anew.nextFireTime === null ? withProgressOf(stored.trigger, requested.trigger) : anew;
}

/** Its start says nothing of how often a daily trigger has fired, unlike that of a simple one: begun anew, it would fire as often again. */
function hasFiredItsCount(trigger: Trigger): boolean {
  return trigger.kind === 'DAILY_I' && isExhausted(trigger);
}

/** Whether the stored trigger goes on with its schedule. */
export function keepsSchedule(requested: RequestedTrigger, stored: Trigger): boolean {
  const { trigger, startTimeDefaulted } = inZone(requested, zoneThatStays(requested, stored));
  return sameSchedule(trigger, stored) && (startTimeDefaulted || trigger.startTime === stored.startTime);
}

/** The zone of the stored trigger, if the caller named none and nothing but the zone differs; null: that of the request. */
function zoneThatStays({ trigger, timeZoneDefaulted = false }: RequestedTrigger, stored: Trigger): string | null {
  if (!timeZoneDefaulted || !('timeZone' in trigger && 'timeZone' in stored)) return null;
  if (trigger.timeZone === stored.timeZone) return null;
  return sameSchedule({ ...trigger, timeZone: stored.timeZone }, stored) ? stored.timeZone : null;
}

function inZone(requested: RequestedTrigger, timeZone: string | null): RequestedTrigger {
  return timeZone === null ? requested : { ...requested, trigger: { ...requested.trigger, timeZone } as Trigger };
}

function withProgressOf(stored: Trigger, requested: Trigger): Trigger {
  const progress = {
    startTime: stored.startTime,
    nextFireTime: stored.nextFireTime,
    previousFireTime: stored.previousFireTime,
    ...('timesTriggered' in stored ? { timesTriggered: stored.timesTriggered } : {}),
    ...('ended' in stored ? { ended: stored.ended } : {}),
    ...('endTimeOfDay' in stored ? { endTimeOfDay: stored.endTimeOfDay } : {}), // null is another word for the end of the day
  };
  // Both are of one kind, or their schedules would differ.
  return { ...requested, ...progress } as Trigger;
}

function firstScheduled(trigger: Trigger, calendar: Calendar | null): Trigger {
  const first = scheduled({ ...trigger, previousFireTime: null }, calendar);
  if (!firesNoMore(first)) return first;
  throw neverFires(trigger);
}

function neverFires({ key }: Trigger, when = ''): SchedulerError {
  return new SchedulerError(
    'INVALID_TRIGGER',
    `Expected the trigger '${formatKey(key)}' to fire, found no fire time${when}. ` +
      'Check its schedule against its start time, end time and calendar.',
  );
}

function scheduledAfter(stored: Trigger, first: Trigger, calendar: Calendar | null): Trigger {
  const last = stored.previousFireTime;
  if (last === null) return first;
  const trigger = { ...first, previousFireTime: last };
  if (first.nextFireTime !== null && first.nextFireTime > last) return trigger;
  return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, calendar, last) };
}
