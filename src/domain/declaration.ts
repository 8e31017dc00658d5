import type { EpochMs } from '../base/clock';
import { splitFields } from './cron/split-cron';
import { formatKey, type JobKey, keyText, sameKey, type TriggerKey } from './keys';
import type { Declarer, EditPolicy, Override } from './override';
import { keepsSchedule, type RequestedTrigger, type StoredRegistration } from './registration';
import { sameData } from './same-data';
import { type ChangeOf, type ChangeSet, groupsOf, type ScheduleChange, type ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';

/*
 * Every node declares its objects again at each start, but this must not restart a one-shot trigger that has already fired. Therefore, a store keeps
 * each declaration, even after its trigger is deleted. Only declarations change the stored declaration; firings never do.
 */

export interface DeclarationTarget {
  readonly what: 'job' | 'trigger' | 'calendar';
  /** Group of the job or trigger; empty for a calendar. */
  readonly group: string;
  readonly name: string;
}

export const targetOf = (what: 'job' | 'trigger', { group, name }: JobKey | TriggerKey): DeclarationTarget => ({
  what,
  group,
  name,
});

export const calendarTarget = (name: string): DeclarationTarget => ({ what: 'calendar', group: '', name });

/** Name of the object in messages: `group/name`, or the name of a calendar. */
export const targetName = (target: DeclarationTarget) => (target.what === 'calendar' ? target.name : formatKey(target));

/** Returns a string that is unique for the target. */
export const targetText = (target: DeclarationTarget) => `${target.what}\u0000${keyText(target)}`;

/** Compares targets by kind, then group, then name, by UTF-16 code units. */
export function compareTargets(a: DeclarationTarget, b: DeclarationTarget): number {
  const [one, other] = [targetText(a), targetText(b)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Origin of a declaration, or of an object that was stored manually. */
interface Owner {
  readonly kind: 'code' | 'file' | 'console' | 'http' | 'command';
  readonly file: string | null;
  /** Version of the program that first made the current declaration; null if unknown. */
  readonly version: string | null;
  /** User who stored the object manually or applied the file; null if unknown. */
  readonly by: string | null;
  /** Time at which the current declaration was first made. Epoch milliseconds. */
  readonly at: EpochMs;
  /** Effect of manual edits of the declared object. No effect on manually stored objects. */
  readonly onEdit: EditPolicy;
}

/** Information about a declared or manually stored job, trigger or calendar. Objects that Java or an API call stored have none. */
export interface Declaration {
  /** Job of the trigger, or the job's own key; null for a calendar. */
  readonly jobKey: JobKey | null;
  /** Declared set that the object belongs to; null: none. */
  readonly set: string | null;
  /** Schedule of a trigger that ends, as a string; null for a trigger that never ends, a job or a calendar. */
  readonly definition: string | null;
  readonly owner: Owner;
  /** Manually edited fields; null: none. */
  readonly override: Override | null;
}

export interface StoredDeclaration extends Declaration {
  readonly target: DeclarationTarget;
}

/** True if code or a file declares the object; false if a user stored it manually or there is no declaration. */
export function isDeclared(declaration: Declaration | null): declaration is Declaration {
  return declaration !== null && (declaration.owner.kind === 'code' || declaration.owner.kind === 'file');
}

export type DeclaringChange = ChangeOf<'storeJob' | 'storeTrigger' | 'storeCalendar'> & { readonly declared: Declarer };

export function declares(change: ScheduleChange): change is DeclaringChange {
  return 'declared' in change && change.declared !== undefined;
}

export const declaredTarget = (change: DeclaringChange) => changedTarget(change) as DeclarationTarget;

/** Returns the object that a change stores or deletes; null if the change concerns groups, or changes nothing itself. */
export function changedTarget(change: ScheduleChange): DeclarationTarget | null {
  switch (change.type) {
    case 'storeJob':
      return targetOf('job', change.job.key);
    case 'storeTrigger':
    case 'replaceTrigger':
      return targetOf('trigger', change.trigger.key);
    case 'deleteJob':
      return targetOf('job', change.key);
    case 'deleteTrigger':
      return targetOf('trigger', change.key);
    case 'storeCalendar':
    case 'deleteCalendar':
      return calendarTarget(change.name);
    default:
      return null;
  }
}

/** `before`: the stored declaration, or null. If the object and its source are unchanged, keeps the previous owner, except for `onEdit`. */
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

export function sameDeclaration(a: Declaration | null, b: Declaration | null): boolean {
  return sameData(a, b);
}

/** Triggers to delete when a declared set no longer contains them. `all`: all. `group`: only in groups that the set still contains. False: none. */
export type Prune = 'group' | 'all' | false;

/** A set of declared triggers, ready to be applied. */
export interface DeclaredSet {
  /** Name of the set, at most 190 characters. */
  readonly set: string;
  /** Selection of the triggers to delete when they are removed from the set. */
  readonly prune: Prune;
  /** Previous name of the set. The set takes over the triggers that were declared under this name. Default: none. */
  readonly renamedFrom?: string;
  /** Triggers that must not be deleted, because another set that is applied in the same call contains them. Default: none. */
  readonly namedElsewhere?: readonly TriggerKey[];
  /** Apply all changes in one transaction, regardless of their number. Default: false: a large set is applied in several transactions. */
  readonly atomic?: boolean;
}

export function triggersNamedIn(changes: ChangeSet): readonly TriggerKey[] {
  return changes.flatMap((change) => (change.type === 'storeTrigger' ? [change.trigger.key] : []));
}

/**
 * Returns the triggers that an earlier version of the set declared and the new version omits. With `prune: 'group'`, returns only triggers in groups
 * that the new version still contains.
 */
export function noLongerNamed(
  declared: readonly TriggerKey[],
  named: readonly TriggerKey[],
  { prune, namedElsewhere = [] }: DeclaredSet,
): readonly TriggerKey[] {
  const kept = new Set([...named, ...namedElsewhere].map(keyText));
  const groups = new Set(named.map(({ group }) => group));
  return declared.filter((key) => !kept.has(keyText(key)) && (prune !== 'group' || groups.has(key.group)));
}

/** True if the change deletes a trigger on behalf of a declared set to which the trigger does not, or no longer, belong. */
export function isOfAnotherSet({ declaredIn }: ChangeOf<'deleteTrigger'>, declared: Declaration | null): boolean {
  return declaredIn !== undefined && declared?.set !== declaredIn;
}

/** Target of a declaration; for a trigger or job, also the key of the job that the target depends on. */
export interface DeclaredKeys {
  readonly target: DeclarationTarget;
  readonly jobKey: JobKey | null;
}

/** Returns a predicate for the declarations that the change deletes with their object or its job, so that it can be declared again. Null: none. */
export function forgottenBy(change: ScheduleChange): ((declared: DeclaredKeys) => boolean) | null {
  const isOf = (selected: DeclarationTarget) => (declared: DeclaredKeys) =>
    targetText(selected) === targetText(declared.target);
  switch (change.type) {
    case 'deleteTrigger':
      return isOf(targetOf('trigger', change.key));
    case 'deleteCalendar':
      return isOf(calendarTarget(change.name));
    case 'replaceTrigger':
      return sameKey(change.key, change.trigger.key) ? null : isOf(targetOf('trigger', change.key));
    case 'deleteJob':
      return ({ jobKey }) => jobKey !== null && sameKey(change.key, jobKey);
    case 'deleteTriggersInGroup': {
      const isSelected = groupsOf(change);
      return ({ target }) => target.what === 'trigger' && isSelected(target.group);
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

/** True if the stored trigger matches its declaration after the change. */
export function isDeclaredNow(
  change: ChangeOf<'storeTrigger'>,
  stored: Pick<StoredRegistration, 'trigger' | 'state'> | null,
  outcome: ScheduleOutcome,
): boolean {
  return outcome.status !== 'kept' || (stored !== null && keepsSchedule(change, stored.trigger));
}

/**
 * Decides whether a declared trigger is stored. `finished`: the same declaration was stored before, and its trigger has ended or was deleted. `kept`:
 * the same declaration was stored before, and the trigger was rescheduled since; storing the trigger again could repeat firings.
 */
export function planDeclaration(
  change: ChangeOf<'storeTrigger'>,
  declared: Declaration | null,
  stored: Pick<StoredRegistration, 'trigger' | 'state'> | null,
): 'store' | 'finished' | 'kept' {
  const definition = change.declared === undefined ? null : definitionOf(change);
  if (definition === null || declared === null || declared.definition !== definition) return 'store';
  if (stored === null || stored.state === 'COMPLETE') return 'finished';
  return keepsSchedule(change, stored.trigger) ? 'store' : 'kept';
}

/**
 * Returns the definition of a trigger that ends, otherwise null. The format must not change, because stores contain it: finished one-shot triggers
 * would then fire again.
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

/** True if the trigger ends: it has an end time, a repeat count, or a cron expression with years. */
function comesToAnEnd(trigger: Trigger): boolean {
  if (trigger.endTime !== null) return true;
  if (trigger.kind === 'CAL_INT' || trigger.kind === 'AFTER') return false;
  if (trigger.kind !== 'CRON') return trigger.repeatCount >= 0;
  return (splitFields(trigger.cronExpression)[6]?.text ?? '*') !== '*';
}
