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
  /** True if the caller named no start time. The stored start time is then kept as long as the schedule is unchanged. */
  readonly startTimeDefaulted: boolean;
  /** Same for the time zone. Otherwise nodes on machines in different zones would take turns in changing a trigger. */
  readonly timeZoneDefaulted?: boolean;
}

/** The registration stored under the key. */
export interface StoredRegistration {
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

/** Outcome of storing a trigger under its key. */
export interface RegistrationPlan {
  /** `unchanged`: the stored trigger already equals the request. */
  readonly status: 'created' | 'replaced' | 'unchanged';
  readonly trigger: Trigger;
  /** Zone of the stored trigger, if it is kept instead of a different default. */
  readonly keptTimeZone?: string;
}

/**
 * Plans to store a trigger in place of the one stored under its key (null: none).
 * An unchanged schedule keeps its next and previous fire times and counts. A changed one starts afresh, but never at or before the last fired time.
 * So each fire time is dispatched at most once, across any number of registrations.
 * A trigger restarts if it is COMPLETE, or if it is in ERROR and its definition has changed. A trigger in ERROR that is stored unchanged stays in
 * ERROR: programs and files store the same at every start, which repairs nothing. Throws INVALID_TRIGGER if a schedule has no fire time at all.
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

/** Ignores tracing spans when triggers are compared. Otherwise each start of a program would store its schedule again. */
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

/** Returns the state of a trigger after its registration. A pause is kept; any other state is reset. `stored`: null if new. */
export function stateAfterRegistration(
  trigger: Trigger,
  stored: TriggerState | null,
  { jobExecuting, groupPaused }: TransitionContext,
): TriggerState {
  if (firesNoMore(trigger)) return 'COMPLETE';
  const isPaused = groupPaused || stored === 'PAUSED' || stored === 'PAUSED_BLOCKED';
  return restingState({ jobExecuting, groupPaused: isPaused });
}

/** True if two versions of a trigger are the same registration, regardless of firings in between. */
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

/**
 * True for a daily trigger that has used up its count. Unlike a simple trigger's start time, its start time does not show this. If it started again,
 * it would repeat all its firings.
 */
function hasFiredItsCount(trigger: Trigger): boolean {
  return trigger.kind === 'DAILY_I' && isExhausted(trigger);
}

/** True if the stored trigger continues its schedule. */
export function keepsSchedule(requested: RequestedTrigger, stored: Trigger): boolean {
  const { trigger, startTimeDefaulted } = inZone(requested, zoneThatStays(requested, stored));
  return sameSchedule(trigger, stored) && (startTimeDefaulted || trigger.startTime === stored.startTime);
}

/** Returns the stored trigger's zone, if the caller set none and only the zone differs. Null: the request's zone applies. */
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
    ...('endTimeOfDay' in stored ? { endTimeOfDay: stored.endTimeOfDay } : {}), // null also means the end of the day
  };
  // Both have the same kind, because their schedules are equal.
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
