import type { EpochMs } from '../base/clock';
import { splitFields } from './cron/split-cron';
import { type JobKey, keyText, sameKey, type TriggerKey } from './keys';
import type { Declarer, EditPolicy, Override } from './override';
import { keepsSchedule, type RequestedTrigger, type StoredRegistration } from './registration';
import { sameData } from './same-data';
import { type ChangeOf, groupsOf, type ScheduleChange, type ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';

/*
 * What is declared is declared again at every start, by every node, and that must not begin a one-shot again that has fired. So a
 * store remembers beside each declared trigger what was declared, also when the trigger itself is gone. It is written with the
 * declaration and never when something fires.
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

/** A text that no other subject has. */
export const subjectText = (subject: Subject) => `${subject.what}\u0000${keyText(subject)}`;

/** By kind, group and name, in the order of their characters. */
export function compareSubjects(a: Subject, b: Subject): number {
  const [one, other] = [a, b].map(({ what, group, name }) => [what, group, name]) as [string[], string[]];
  const index = one.findIndex((part, at) => part !== other[at]);
  if (index < 0) return 0;
  return (one[index] as string) < (other[index] as string) ? -1 : 1;
}

/** Who declared something, or stored it by hand. */
export interface Owner {
  readonly kind: 'code' | 'file' | 'console' | 'http' | 'command';
  readonly file: string | null;
  /** The version of the program that declared it first as it is declared now. */
  readonly version: string | null;
  /** Who stored it by hand, or applied the file. */
  readonly by: string | null;
  /** Since when it is declared as it is now. */
  readonly at: EpochMs;
  /** What becomes of edits; of what was stored by hand it says nothing. */
  readonly onEdit: EditPolicy;
}

/** What a store remembers of a job, trigger or calendar that was declared, or stored by hand. What Java or an API call stored has nothing. */
export interface Declaration {
  /** Of a trigger; of a job its own key; null: a calendar. */
  readonly jobKey: JobKey | null;
  /** The declared set it belongs to; null: none. */
  readonly set: string | null;
  /** The schedule of a trigger that comes to an end, as a text; null: it goes on for ever, or it is no trigger. */
  readonly definition: string | null;
  readonly owner: Owner;
  /** What was edited of it; null: nothing. */
  readonly override: Override | null;
}

/** A declaration and what it is about. */
export interface StoredDeclaration extends Declaration {
  readonly subject: Subject;
}

/** Whether code or a file declares it, and it is not only stored by hand. */
export function isDeclared(declaration: Declaration | null): declaration is Declaration {
  return declaration !== null && (declaration.owner.kind === 'code' || declaration.owner.kind === 'file');
}

/** A change that stores something declared. */
export type DeclaringChange = ChangeOf<'storeJob' | 'storeTrigger' | 'storeCalendar'> & { readonly declared: Declarer };

/** Whether the change declares what it stores. */
export function declares(change: ScheduleChange): change is DeclaringChange {
  return 'declared' in change && change.declared !== undefined;
}

/** What a declaring change is about. */
export function declaredSubject(change: DeclaringChange): Subject {
  if (change.type === 'storeCalendar') return calendarSubject(change.name);
  return change.type === 'storeJob' ? subjectOf('job', change.job.key) : subjectOf('trigger', change.trigger.key);
}

/** What is to be remembered of the declaration. `before`: what is remembered now; its owner stays where nothing differs. */
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

/** Whether both are equal. */
export function sameDeclaration(a: Declaration | null, b: Declaration | null): boolean {
  return sameData(a, b);
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
  /** The name that it had before: what that set holds is adopted. Default: none. */
  readonly renamedFrom?: string;
  /** Triggers that are not deleted, because something that is applied next to this names them. Default: none. */
  readonly namedElsewhere?: readonly TriggerKey[];
  /** All or nothing, however many changes it makes. Default: a large set is applied in portions. */
  readonly atomic?: boolean;
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

/** What a declaration is about, and the job that it hangs on. */
export interface DeclaredKeys {
  readonly subject: Subject;
  readonly jobKey: JobKey | null;
}

/** Whose declarations the change ends, so that the next one begins anew: whatever deletes something or its job. Null: nobody's. */
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
  const definition = change.declared === undefined ? null : definitionOf(change);
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
