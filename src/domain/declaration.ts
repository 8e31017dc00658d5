import type { EpochMs } from '../base/clock';
import { splitFields } from './cron/split-cron';
import { type JobKey, keyText, sameKey, type TriggerKey } from './keys';
import type { Declarer, EditPolicy, Override } from './override';
import { keepsSchedule, type RequestedTrigger, type StoredRegistration } from './registration';
import { sameData } from './same-data';
import { type ChangeOf, groupsOf, type ScheduleChange, type ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';

/*
 * Every node declares its objects again at each start, which must not restart a one-shot trigger that has fired. A store therefore keeps
 * what was declared for each trigger, even when the trigger itself has been deleted. It is written only by a declaration, never by a firing.
 */

/** A job, a trigger or a calendar. */
export interface Subject {
  readonly what: 'job' | 'trigger' | 'calendar';
  /** Empty for a calendar. */
  readonly group: string;
  readonly name: string;
}

export const subjectOf = (what: 'job' | 'trigger', { group, name }: JobKey | TriggerKey): Subject => ({
  what,
  group,
  name,
});

export const calendarSubject = (name: string): Subject => ({ what: 'calendar', group: '', name });

/** Returns a text that is unique for the subject. */
export const subjectText = (subject: Subject) => `${subject.what}\u0000${keyText(subject)}`;

/** Compares by kind, group and name, in the order of their characters. */
export function compareSubjects(a: Subject, b: Subject): number {
  const [one, other] = [a, b].map(({ what, group, name }) => [what, group, name]) as [string[], string[]];
  const index = one.findIndex((part, at) => part !== other[at]);
  if (index < 0) return 0;
  return (one[index] as string) < (other[index] as string) ? -1 : 1;
}

/** Author of a declaration, or of an object that was stored manually. */
export interface Owner {
  readonly kind: 'code' | 'file' | 'console' | 'http' | 'command';
  readonly file: string | null;
  /** First version of the program that made the current declaration. */
  readonly version: string | null;
  /** User who stored the object manually, or applied the file. */
  readonly by: string | null;
  /** Time since which the current declaration applies. */
  readonly at: EpochMs;
  /** Policy for edits. No effect for objects that were stored manually. */
  readonly onEdit: EditPolicy;
}

/** Stored information about a declared or manually stored job, trigger or calendar. Objects stored by Java or an API call have none. */
export interface Declaration {
  /** Job of a trigger, or a job's own key; null for a calendar. */
  readonly jobKey: JobKey | null;
  /** The declared set it belongs to; null: none. */
  readonly set: string | null;
  /** Schedule of a trigger that ends, as text; null if the trigger never ends, or if this is not a trigger. */
  readonly definition: string | null;
  readonly owner: Owner;
  /** Edited fields; null if there are none. */
  readonly override: Override | null;
}

/** A declaration and its subject. */
export interface StoredDeclaration extends Declaration {
  readonly subject: Subject;
}

/** True if code or a file declares the object, false if it was only stored manually. */
export function isDeclared(declaration: Declaration | null): declaration is Declaration {
  return declaration !== null && (declaration.owner.kind === 'code' || declaration.owner.kind === 'file');
}

/** A change that declares the object that it stores. */
export type DeclaringChange = ChangeOf<'storeJob' | 'storeTrigger' | 'storeCalendar'> & { readonly declared: Declarer };

/** True if the change declares the object that it stores. */
export function declares(change: ScheduleChange): change is DeclaringChange {
  return 'declared' in change && change.declared !== undefined;
}

/** Returns the subject of a declaring change. */
export function declaredSubject(change: DeclaringChange): Subject {
  if (change.type === 'storeCalendar') return calendarSubject(change.name);
  return change.type === 'storeJob' ? subjectOf('job', change.job.key) : subjectOf('trigger', change.trigger.key);
}

/** Returns the declaration to store. `before`: the stored declaration; its owner is kept if nothing differs. */
export function declarationOf(
  change: DeclaringChange,
  before: Declaration | null,
  { isUnchanged, by, at }: { readonly isUnchanged: boolean; readonly by: string | null; readonly at: EpochMs },
): Declaration {
  const { set, kind = 'code', file = null, version = null, onEdit = 'override' } = change.declared;
  const isSame = isUnchanged && before !== null && before.set === set && before.owner.kind === kind;
  const owner: Owner =
    isSame && before.owner.file === file ? { ...before.owner, onEdit } : { kind, file, version, by, at, onEdit };
  const jobKey =
    change.type === 'storeCalendar' ? null : change.type === 'storeJob' ? change.job.key : change.trigger.jobKey;
  const definition = change.type === 'storeTrigger' ? definitionOf(change) : null;
  return { jobKey, set, definition, owner, override: before?.override ?? null };
}

/** True if both declarations are equal. */
export function sameDeclaration(a: Declaration | null, b: Declaration | null): boolean {
  return sameData(a, b);
}

/** Rule for triggers that a set no longer names: delete all of them, delete only the ones in groups that the set still names, or delete none. */
export type Prune = 'group' | 'all' | false;

/** A set of declared triggers, ready to be applied. */
export interface DeclaredSet {
  /** Name, at most 190 characters. */
  readonly set: string;
  /** Rule for triggers that the set contained before and no longer contains. */
  readonly prune: Prune;
  /** Previous name of the set, whose triggers it adopts. Default: none. */
  readonly renamedFrom?: string;
  /** Triggers that are kept because another set, applied together with this one, names them. Default: none. */
  readonly namedElsewhere?: readonly TriggerKey[];
  /** Apply all changes in one transaction, however many there are. Default: a large set is applied in portions. */
  readonly atomic?: boolean;
}

/** Returns the keys of the triggers that the changes store. */
export function triggersNamedIn(changes: readonly ScheduleChange[]): readonly TriggerKey[] {
  return changes.flatMap((change) => (change.type === 'storeTrigger' ? [change.trigger.key] : []));
}

/** Returns the triggers declared in the set that it no longer names. With `group`, only in the groups that it names. */
export function noLongerNamed(
  declared: readonly TriggerKey[],
  named: readonly TriggerKey[],
  { prune, namedElsewhere = [] }: DeclaredSet,
): readonly TriggerKey[] {
  const kept = new Set([...named, ...namedElsewhere].map(keyText));
  const groups = new Set(named.map(({ group }) => group));
  return declared.filter((key) => !kept.has(keyText(key)) && (prune !== 'group' || groups.has(key.group)));
}

/** True if a trigger that should be deleted as part of a declared set does not, or no longer, belong to it. */
export function isOfAnotherSet({ declaredIn }: ChangeOf<'deleteTrigger'>, declared: Declaration | null): boolean {
  return declaredIn !== undefined && declared?.set !== declaredIn;
}

/** Subject of a declaration, and the job that it depends on. */
export interface DeclaredKeys {
  readonly subject: Subject;
  readonly jobKey: JobKey | null;
}

/**
 * Returns a predicate for the declarations that the change ends, because it deletes the object or its job. The next declaration then stores
 * the object again. Null if the change ends none.
 */
export function forgottenBy(change: ScheduleChange): ((declared: DeclaredKeys) => boolean) | null {
  const isOf = (selected: Subject) => (declared: DeclaredKeys) =>
    subjectText(selected) === subjectText(declared.subject);
  switch (change.type) {
    case 'deleteTrigger':
      return isOf(subjectOf('trigger', change.key));
    case 'deleteCalendar':
      return isOf(calendarSubject(change.name));
    case 'replaceTrigger':
      return sameKey(change.key, change.trigger.key) ? null : isOf(subjectOf('trigger', change.key));
    case 'deleteJob':
      return ({ jobKey }) => jobKey !== null && sameKey(change.key, jobKey);
    case 'deleteTriggersInGroup': {
      const isSelected = groupsOf(change);
      return ({ subject }) => subject.what === 'trigger' && isSelected(subject.group);
    }
    case 'deleteJobsInGroup': {
      const isSelected = groupsOf(change);
      return ({ jobKey }) => jobKey !== null && isSelected(jobKey.group);
    }
    case 'clear':
      return () => true;
    default:
      return null;
  }
}

/** True if the outcome means that the stored trigger is now the declared one. */
export function isDeclaredNow(
  change: ChangeOf<'storeTrigger'>,
  stored: StoredRegistration | null,
  outcome: ScheduleOutcome,
): boolean {
  return outcome.status !== 'kept' || (stored !== null && keepsSchedule(change, stored.trigger));
}

/**
 * Outcome of a declaration. `finished`: the same declaration was stored before and its trigger has ended; there is nothing to do. `kept`: the same
 * declaration was stored before and the trigger was rescheduled since; storing it again could repeat firings.
 */
export function planDeclaration(
  change: ChangeOf<'storeTrigger'>,
  declared: Declaration | null,
  stored: StoredRegistration | null,
): 'store' | 'finished' | 'kept' {
  const definition = change.declared === undefined ? null : definitionOf(change);
  if (definition === null || declared === null || declared.definition !== definition) return 'store';
  if (stored === null || stored.state === 'COMPLETE') return 'finished';
  return keepsSchedule(change, stored.trigger) ? 'store' : 'kept';
}

/**
 * Returns the schedule of a trigger that ends, without defaults; null for others. It is stored: a changed text makes finished one-shots fire again.
 */
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

/** True if the trigger ends: by an end time, a count, or the years of a cron expression. */
function comesToAnEnd(trigger: Trigger): boolean {
  if (trigger.endTime !== null) return true;
  if (trigger.kind === 'CAL_INT' || trigger.kind === 'AFTER') return false;
  if (trigger.kind !== 'CRON') return trigger.repeatCount >= 0;
  const years = splitFields(trigger.cronExpression)[6]?.text ?? '*';
  return years !== '*';
}
