import type { EpochMs } from '../base/clock';
import { badTrigger, type SchedulerError } from '../base/errors';
import type { Calendar } from './calendars/calendar';
import { withoutSpans } from './carried-spans';
import { dueAfterChange, type MissedTime } from './due-after-change';
import { countedFrom, inPhaseWith } from './first-fire-time';
import { formatKey } from './keys';
import type { MisfireClock } from './misfire';
import { DEFAULT_RULES, type Rules } from './rules';
import { sameData } from './same-data';
import { firesNoMore, type SimpleTrigger, type Trigger } from './trigger';
import { includedFireTimeAfter, sameSchedule, scheduled } from './trigger-behaviour';
import { isHalted, isPaused, restingState, type TransitionContext, type TriggerState } from './trigger-state';
import { isExhausted } from './triggers/validation';

export interface RequestedTrigger {
  readonly trigger: Trigger;
  /** True if the caller set no start time. The stored start time then remains if the schedule is unchanged. */
  readonly startTimeDefaulted: boolean;
  /** True if the caller set no time zone. An unchanged schedule then keeps the stored one. Otherwise, nodes in different zones would overwrite it. */
  readonly timeZoneDefaulted?: boolean;
  /** True if an unchanged schedule keeps its next fire time, because other nodes have newer time zone data. */
  readonly keepsFireTime?: boolean;
}

export interface StoredRegistration {
  readonly trigger: Trigger;
  readonly state: TriggerState;
  /** Returns the calendar of the stored trigger; null: none, or it cannot be read. */
  readonly calendar: () => Calendar | null;
}

/** Time of the change, the misfire threshold, and the rules of the scheduler. */
type RegistrationTime = MisfireClock;

export interface RegistrationPlan {
  /** Effect of storing the trigger. `unchanged`: the stored trigger already equals the requested one. */
  readonly status: 'created' | 'replaced' | 'unchanged';
  readonly trigger: Trigger;
  /** Time zone that the stored trigger keeps although the caller's default time zone differs; absent otherwise. */
  readonly keptTimeZone?: string;
  /** Due fire time of the stored schedule that does not fire any more. Absent: none. */
  readonly missed?: MissedTime;
  /** One-shot triggers for due fire times that both schedules have, and that the trigger itself cannot keep. Absent: none. */
  readonly due?: readonly SimpleTrigger[];
}

/**
 * Plans how to store a trigger. `stored`: the trigger stored under the same key; null: none.
 * If the schedule is unchanged, the trigger keeps its next and previous fire times and its counts. A changed schedule restarts, but never at or
 * before the last fired time. Therefore, each fire time is dispatched at most once, however often the trigger is stored.
 * Under safe rules, a new or changed schedule counts from `now` (`first-fire-time.ts`), and due fire times that the new schedule has too stay due.
 * A trigger in state COMPLETE restarts. A trigger in state ERROR restarts only if its definition has changed: programs and files store the same
 * definition at every start, which repairs nothing. Throws INVALID_TRIGGER if a schedule has no fire time at all.
 */
export function planRegistration(
  given: RequestedTrigger,
  stored: StoredRegistration | null,
  calendar: Calendar | null,
  at: RegistrationTime,
): RegistrationPlan {
  if (stored === null) return { status: 'created', trigger: firstScheduled(given.trigger, calendar, at) };
  const keptTimeZone = zoneThatStays(given, stored.trigger);
  const requested = inZone(given, keptTimeZone);
  const { trigger, ...others } = replacement(requested, stored, calendar, at);
  const isUnchanged = sameData(untraced(trigger), untraced(stored.trigger));
  const kept = keptTimeZone === null ? {} : { keptTimeZone };
  return { status: isUnchanged ? 'unchanged' : 'replaced', trigger, ...kept, ...others };
}

/** Removes tracing spans, because of which each start of a program would store its schedule again. */
function untraced(trigger: Trigger): Trigger {
  const data = withoutSpans(trigger.data);
  return data === trigger.data ? trigger : { ...trigger, data };
}

/** Plans a replacement, as in Quartz's rescheduleJob. Unlike `planRegistration`, throws INVALID_TRIGGER if the trigger has no fire time left. */
export function planReplacement(
  requested: RequestedTrigger,
  stored: StoredRegistration,
  calendar: Calendar | null,
  at: RegistrationTime,
): RegistrationPlan {
  const plan = planRegistration(requested, stored, calendar, at);
  if (firesNoMore(plan.trigger) && plan.due === undefined) throw neverFires(plan.trigger, ' after its previous one');
  return plan;
}

/**
 * A change of a trigger changes no pause: a paused trigger stays paused, and one that was resumed in a paused group stays resumed. A new trigger, and one
 * that had ended or failed, follows its group. A paused trigger without a further fire time becomes COMPLETE only when it is resumed, because its
 * pause also holds its waiting runs. `stored`: previous state; null for a new trigger.
 */
export function stateAfterRegistration(
  trigger: Trigger,
  stored: TriggerState | null,
  { jobExecuting, groupPaused }: TransitionContext,
): TriggerState {
  const hadHalted = stored !== null && isHalted(stored);
  const isHeld = stored === null || hadHalted ? groupPaused : isPaused(stored);
  if (firesNoMore(trigger) && (hadHalted || !isHeld)) return 'COMPLETE';
  return restingState({ jobExecuting, groupPaused: isHeld });
}

type Replacement = Pick<RegistrationPlan, 'trigger' | 'missed' | 'due'>;

function replacement(
  requested: RequestedTrigger,
  stored: StoredRegistration,
  calendar: Calendar | null,
  at: RegistrationTime,
): Replacement {
  const isKept = keepsSchedule(requested, stored.trigger);
  if (isKept && (stored.state !== 'COMPLETE' || hasFiredItsCount(stored.trigger))) {
    const trigger = withProgressOf(stored.trigger, requested.trigger);
    return { trigger: requested.keepsFireTime === true ? trigger : withOwnFireTime(trigger, calendar, at) };
  }
  const { rules = DEFAULT_RULES } = at;
  if (rules === 'safe' && !isKept) return changedSchedule(requested, stored, calendar, at);
  // An unchanged trigger whose calendar leaves it no time stays as it is: a program that declares it at its start does not fail because of that.
  const first = isKept ? firstOrNone(requested.trigger, calendar, at) : firstScheduled(requested.trigger, calendar, at);
  const anew = scheduledAfter(stored.trigger, first, calendar, rules);
  return { trigger: isKept && firesNoMore(anew) ? withProgressOf(stored.trigger, requested.trigger) : anew };
}

/** Under safe rules. Throws INVALID_TRIGGER if the new schedule has no fire time left. */
function changedSchedule(
  { trigger, startTimeDefaulted }: RequestedTrigger,
  { trigger: stored, calendar: storedCalendar }: StoredRegistration,
  calendar: Calendar | null,
  clock: RegistrationTime,
): Replacement {
  const requested = startTimeDefaulted ? inPhaseWith(stored, trigger, clock.now) : trigger;
  const { nextFireTime, missed, due } = dueAfterChange({ stored, storedCalendar, requested, calendar, clock });
  const previous = stored.previousFireTime;
  const isOnce = requested.kind === 'SIMPLE' && requested.repeatCount === 0;
  const first = firstOrNone(requested, calendar, clock, previous);
  const changed = { ...first, previousFireTime: previous } as Trigger;
  const next = nextFireTime ?? first.nextFireTime;
  // A one-shot trigger that has already fired at or after its new time does not fire again.
  const isAfter = next === null || previous === null || next > previous;
  const isEnded = firesNoMore({ ...changed, nextFireTime: next } as Trigger) && due.length === 0;
  if (isEnded && !(isOnce && previous !== null)) {
    throw neverFires(requested, ' from now on');
  }
  return {
    trigger: { ...changed, nextFireTime: isAfter ? next : null },
    ...(missed !== null && { missed }),
    ...(due.length > 0 && { due }),
  };
}

/** Such a trigger must not restart: unlike for a simple trigger, its start time does not show that it has fired, so it would repeat all firings. */
function hasFiredItsCount(trigger: Trigger): boolean {
  return trigger.kind === 'DAILY_I' && isExhausted(trigger);
}

/** True if the requested schedule equals the stored schedule. The stored trigger then keeps its fire times. */
export function keepsSchedule(requested: RequestedTrigger, stored: Trigger): boolean {
  const { trigger, startTimeDefaulted } = inZone(requested, zoneThatStays(requested, stored));
  return sameSchedule(trigger, stored) && (startTimeDefaulted || trigger.startTime === stored.startTime);
}

/** Stored time zone if the caller set none and the schedules are otherwise equal. Null if the requested time zone applies. */
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
    ...('endTimeOfDay' in stored ? { endTimeOfDay: stored.endTimeOfDay } : {}), // null and the end of the day have the same meaning
  };
  // Both triggers are of the same kind, because their schedules are equal.
  return { ...requested, ...progress } as Trigger;
}

/**
 * Computes a coming fire time anew that the schedule does not have: the rules of its time zone have changed since it was stored. Not for triggers whose
 * fire times may be moved, by a calendar or by hours of the day.
 */
function withOwnFireTime(
  trigger: Trigger,
  calendar: Calendar | null,
  { now, rules = DEFAULT_RULES }: RegistrationTime,
): Trigger {
  const { kind, nextFireTime: next, previousFireTime: previous } = trigger;
  if (next === null || next <= now || calendar !== null || (kind !== 'CRON' && kind !== 'CAL_INT')) return trigger;
  if (includedFireTimeAfter(trigger, null, next - 1, rules) === next) return trigger;
  return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, null, Math.max(now, previous ?? now), rules) };
}

function firstScheduled(trigger: Trigger, calendar: Calendar | null, at: RegistrationTime): Trigger {
  const first = firstOrNone(trigger, calendar, at);
  if (!firesNoMore(first)) return first;
  throw neverFires(trigger, at.rules === 'quartz' ? '' : ' from now on');
}

function firstOrNone(
  trigger: Trigger,
  calendar: Calendar | null,
  { now, rules = DEFAULT_RULES }: RegistrationTime,
  previous: EpochMs | null = null,
): Trigger {
  const fresh = { ...trigger, previousFireTime: null } as Trigger;
  return rules === 'quartz' ? scheduled(fresh, calendar, rules) : countedFrom(fresh, calendar, now, previous);
}

function neverFires({ key }: Trigger, when = ''): SchedulerError {
  return badTrigger(
    `Expected the trigger '${formatKey(key)}' to fire, found no fire time${when}. ` +
      'Check its schedule against its start time, end time and calendar.',
  );
}

function scheduledAfter(stored: Trigger, first: Trigger, calendar: Calendar | null, rules: Rules): Trigger {
  const last = stored.previousFireTime;
  if (last === null) return first;
  const trigger = { ...first, previousFireTime: last };
  if (first.nextFireTime !== null && first.nextFireTime > last) return trigger;
  return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, calendar, last, rules) };
}
