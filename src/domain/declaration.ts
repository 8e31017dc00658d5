import { splitFields } from './cron/split-cron';
import { type JobKey, keyText, sameKey, type TriggerKey } from './keys';
import { keepsSchedule, type RequestedTrigger, type StoredRegistration } from './registration';
import { type ChangeOf, groupsOf, type ScheduleChange, type ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';

/*
 * What is declared is declared again at every start, by every node, and that must not begin a one-shot again that has fired. So a
 * store remembers beside each declared trigger what was declared, also when the trigger itself is gone. It is written with the
 * declaration and never when something fires.
 */

/** What a store remembers of a declared trigger. */
export interface Declaration {
  readonly jobKey: JobKey;
  /** The declared set it belongs to; null: none. */
  readonly set: string | null;
  /** The schedule of a trigger that comes to an end, as a text; null: it goes on for ever. */
  readonly definition: string | null;
}

/** What is to be remembered of the declaration; null: nothing. */
export function declarationOf(change: ChangeOf<'storeTrigger'>): Declaration | null {
  if (change.declared === undefined) return null;
  const declaration = { jobKey: change.trigger.jobKey, set: change.declared.set, definition: definitionOf(change) };
  return declaration.set === null && declaration.definition === null ? null : declaration;
}

/** Whether both are equal. */
export function sameDeclaration(a: Declaration | null, b: Declaration | null): boolean {
  if (a === null || b === null) return a === b;
  return a.set === b.set && a.definition === b.definition && sameKey(a.jobKey, b.jobKey);
}

/**
 * What becomes of the triggers of a set that it no longer names: all of them are deleted, those in the groups that it still names, or
 * none.
 */
export type Prune = 'group' | 'all' | false;

/** A set of declared triggers, as it is applied. */
export interface DeclaredSet {
  /** Its name, at most 190 characters. */
  readonly set: string;
  /** What becomes of triggers that the set held before and holds no longer. */
  readonly prune: Prune;
  /** Triggers that are not deleted, because something that is applied next to this names them. Default: none. */
  readonly namedElsewhere?: readonly TriggerKey[];
}

/** The triggers that the changes store. */
export function triggersNamedIn(changes: readonly ScheduleChange[]): readonly TriggerKey[] {
  return changes.flatMap((change) => (change.type === 'storeTrigger' ? [change.trigger.key] : []));
}

/** Of the triggers that were declared in the set, those that it does not name any more; with `group`, only in the groups that it names. */
export function noLongerNamed(
  declared: readonly TriggerKey[],
  named: readonly TriggerKey[],
  { prune, namedElsewhere = [] }: DeclaredSet,
): readonly TriggerKey[] {
  const kept = new Set([...named, ...namedElsewhere].map(keyText));
  const groups = new Set(named.map(({ group }) => group));
  return declared.filter((key) => !kept.has(keyText(key)) && (prune !== 'group' || groups.has(key.group)));
}

/** Whether a trigger that is to be deleted as one of a declared set does not belong to it (any more). */
export function isOfAnotherSet({ declaredIn }: ChangeOf<'deleteTrigger'>, declared: Declaration | null): boolean {
  return declaredIn !== undefined && declared?.set !== declaredIn;
}

/** A declared trigger and its job. */
export interface DeclaredKeys {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
}

/** Whose declarations the change ends, so that the next one begins anew: whatever deletes a trigger or its job. Null: nobody's. */
export function forgottenBy(change: ScheduleChange): ((declared: DeclaredKeys) => boolean) | null {
  switch (change.type) {
    case 'deleteTrigger':
      return ({ key }) => sameKey(change.key, key);
    case 'replaceTrigger':
      return sameKey(change.key, change.trigger.key) ? null : ({ key }) => sameKey(change.key, key);
    case 'deleteJob':
      return ({ jobKey }) => sameKey(change.key, jobKey);
    case 'deleteTriggersInGroup': {
      const isMeant = groupsOf(change);
      return ({ key }) => isMeant(key.group);
    }
    case 'deleteJobsInGroup': {
      const isMeant = groupsOf(change);
      return ({ jobKey }) => isMeant(jobKey.group);
    }
    case 'clear':
      return () => true;
    default:
      return null;
  }
}

/** Whether what was done says that the trigger as declared is the one that is stored now. */
export function isDeclaredNow(
  change: ChangeOf<'storeTrigger'>,
  stored: StoredRegistration | null,
  outcome: ScheduleOutcome,
): boolean {
  return outcome.status !== 'kept' || (stored !== null && keepsSchedule(change, stored.trigger));
}

/**
 * What a declaration comes to. `finished`: the same was declared before and has come to its end; nothing is to be done. `kept`: the
 * same was declared before, and somebody has rescheduled the trigger since; to store it again could fire again what has fired.
 */
export function planDeclaration(
  change: ChangeOf<'storeTrigger'>,
  declared: Declaration | null,
  stored: StoredRegistration | null,
): 'store' | 'finished' | 'kept' {
  const definition = declarationOf(change)?.definition ?? null;
  if (definition === null || declared === null || declared.definition !== definition) return 'store';
  if (stored === null || stored.state === 'COMPLETE') return 'finished';
  return keepsSchedule(change, stored.trigger) ? 'store' : 'kept';
}

/** The schedule of a trigger that ends, without defaults; null for others. Stored: a changed text makes finished one-shots fire again. */
function definitionOf({ trigger, startTimeDefaulted, timeZoneDefaulted = false }: RequestedTrigger): string | null {
  if (!comesToAnEnd(trigger)) return null;
  const { kind, startTime, endTime, calendarName } = trigger;
  const times = [startTimeDefaulted ? null : startTime, endTime, calendarName];
  const zone = 'timeZone' in trigger && !timeZoneDefaulted ? trigger.timeZone : null;
  return JSON.stringify([kind, ...times, zone, ...scheduleOf(trigger)]);
}

function scheduleOf(trigger: Trigger): readonly (string | number | boolean | null)[] {
  switch (trigger.kind) {
    case 'AFTER':
      return [trigger.on, ...trigger.after.map(keyText)];
    case 'SIMPLE':
      return [trigger.repeatCount, trigger.repeatInterval];
    case 'CRON':
      return [trigger.cronExpression];
    case 'CAL_INT': {
      const { preserveHourOfDayAcrossDaylightSavings: isHourKept, skipDayIfHourDoesNotExist: isDaySkipped } = trigger;
      return [trigger.repeatInterval, trigger.repeatIntervalUnit, isHourKept, isDaySkipped];
    }
    case 'DAILY_I': {
      const { startTimeOfDay, endTimeOfDay, daysOfWeek, repeatCount } = trigger;
      const hours = [startTimeOfDay, endTimeOfDay].map(
        (time) => time && [time.hour, time.minute, time.second].join(':'),
      );
      return [trigger.repeatInterval, trigger.repeatIntervalUnit, ...hours, daysOfWeek.join(), repeatCount];
    }
  }
}

/** By an end time, a count, or the years of a cron expression. */
function comesToAnEnd(trigger: Trigger): boolean {
  if (trigger.endTime !== null) return true;
  if (trigger.kind === 'CAL_INT' || trigger.kind === 'AFTER') return false;
  if (trigger.kind !== 'CRON') return trigger.repeatCount >= 0;
  const years = splitFields(trigger.cronExpression)[6]?.text ?? '*';
  return years !== '*';
}
