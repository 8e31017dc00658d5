import { SchedulerError } from '../base/errors';
import {
  changedTarget,
  type Declaration,
  type DeclarationTarget,
  type DeclaringChange,
  declarationOf,
  declaredTarget,
  isDeclared,
  isDeclaredNow,
  planDeclaration,
  targetName,
  targetOf,
} from './declaration';
import { changedFields, type Definition } from './definition-fields';
import { type EditableSchedule, outcome } from './editable-schedule';
import { sameKey } from './keys';
import { type Author, type Edit, overrideAfterEdit, planOverridden } from './override';
import type { StoredRegistration } from './registration';
import type { ChangeOf, ScheduleChange, ScheduleOutcome } from './schedule-change';

/* Applies declarations of objects, and manual edits of declared objects. `declaration.ts` and `override.ts` contain the rules. */

/** Author and time of the changes, and the function that applies a change without the rules for declarations and edits. */
export interface Applying {
  readonly author: Author | null;
  readonly now: number;
  apply(change: ScheduleChange): ScheduleOutcome;
  /** Returns the trigger stored under the key of the change, as far as this node can read it; null if there is none. */
  registration(change: ChangeOf<'storeTrigger'>): StoredRegistration | null;
}

/** Returns the stored definition; null if there is none or this node cannot read it. */
function definitionIn(schedule: EditableSchedule, target: DeclarationTarget): Definition | null {
  if (target.what === 'calendar') {
    const calendar = schedule.calendar(target.name)?.data ?? null;
    return calendar && { what: 'calendar', calendar };
  }
  const { group, name } = target;
  if (target.what === 'job') {
    const job = schedule.job({ group, name })?.detail ?? null;
    return job && { what: 'job', job };
  }
  const trigger = schedule.trigger({ group, name })?.trigger ?? null;
  return trigger && { what: 'trigger', trigger };
}

function declaredDefinition(change: DeclaringChange): Definition {
  if (change.type === 'storeCalendar') return { what: 'calendar', calendar: change.calendar };
  if (change.type === 'storeJob') return { what: 'job', job: change.job };
  const { trigger, startTimeDefaulted, timeZoneDefaulted = false } = change;
  return { what: 'trigger', trigger, isStartDefaulted: startTimeDefaulted, isZoneDefaulted: timeZoneDefaulted };
}

function withDefinition(change: DeclaringChange, definition: Definition): DeclaringChange {
  if (change.type === 'storeCalendar' && definition.what === 'calendar') {
    return { ...change, calendar: definition.calendar };
  }
  if (change.type === 'storeJob' && definition.what === 'job') return { ...change, job: definition.job };
  if (change.type !== 'storeTrigger' || definition.what !== 'trigger') return change;
  const { trigger, isStartDefaulted = false, isZoneDefaulted = false } = definition;
  return { ...change, trigger, startTimeDefaulted: isStartDefaulted, timeZoneDefaulted: isZoneDefaulted };
}

/** Stores a declared object, but preserves the fields that were edited manually. */
export function applyDeclaration(
  schedule: EditableSchedule,
  change: DeclaringChange,
  applying: Applying,
): ScheduleOutcome {
  const target = declaredTarget(change);
  if (isOfDeletedJob(schedule, change)) return outcome('finished', { overridden: [] });
  const found = schedule.declaration(target);
  const isDropped = change.declared.dropsOverride === true || change.declared.onEdit === 'codeWins';
  const before =
    isDropped && found?.override
      ? { ...found, override: null, ...(found.override.deleted && { definition: null }) }
      : found;
  const ended = before !== found ? { overrideEnded: true as const } : {};
  const override = before?.override ?? null;
  const stored = definitionIn(schedule, target);
  if (override === null) {
    const done = storeDeclared(schedule, change, { ...applying, target, before });
    return { ...done, ...notes(stored, schedule, target, done), ...ended };
  }
  const plan = planOverridden(override, declaredDefinition(change), stored);
  const { conflicts, dropped } = plan;
  const conflictNotes = { conflicts, ...(dropped.length > 0 && { dropped }) };
  const kept = { overridden: Object.keys(plan.override?.fields ?? {}), ...conflictNotes };
  if (plan.apply === null) {
    const same = { isUnchanged: plan.conflicts.length === 0, by: applying.author?.by ?? null, at: applying.now };
    schedule.declare(target, { ...declarationOf(change, before, same), override: plan.override });
    return outcome('finished', kept);
  }
  const done = storeDeclared(schedule, withDefinition(change, plan.apply), {
    ...applying,
    target,
    before,
    declared: change,
  });
  const now = schedule.declaration(target);
  if (now !== null) schedule.declare(target, { ...now, override: plan.override });
  const rest = plan.override === null ? { overrideEnded: true as const, ...conflictNotes } : kept;
  return { ...done, ...notes(stored, schedule, target, done), ...rest };
}

/** True if the change declares a trigger whose job was deleted manually. The trigger is then not stored, because its job is missing. */
function isOfDeletedJob(schedule: EditableSchedule, change: DeclaringChange): boolean {
  if (change.type !== 'storeTrigger') return false;
  const { jobKey } = change.trigger;
  return schedule.job(jobKey) === null && schedule.declaration(targetOf('job', jobKey))?.override?.deleted != null;
}

interface Storing extends Applying {
  readonly target: DeclarationTarget;
  readonly before: Declaration | null;
  /** The change as declared, if an override changes the stored version. */
  readonly declared?: DeclaringChange;
}

/** Stores the object and its declaration. Does not store a trigger that has finished or was rescheduled after the same declaration was stored. */
function storeDeclared(schedule: EditableSchedule, change: DeclaringChange, storing: Storing): ScheduleOutcome {
  const { target, before, author, now, declared = change } = storing;
  const current = change.type === 'storeTrigger' ? storing.registration(change) : null;
  const plan = change.type === 'storeTrigger' ? planDeclaration(change, before, current) : 'store';
  const stored = definitionIn(schedule, target);
  const nextFireTime = plan === 'kept' ? (schedule.trigger(target)?.nextFireTime ?? null) : null;
  const done = plan === 'store' ? storing.apply(change) : outcome(plan, { nextFireTime });
  const isStated =
    change.type === 'storeTrigger'
      ? plan !== 'store' || isDeclaredNow(change, current, done)
      : done.status !== 'kept' || isSameDefinition(stored, declaredDefinition(change));
  if (!isStated) return done;
  const isUnchanged = done.status !== 'created' && done.status !== 'replaced';
  schedule.declare(target, declarationOf(declared, before, { isUnchanged, by: author?.by ?? null, at: now }));
  return done;
}

/** True if the definitions are equal, apart from their job data, which runs may have changed. */
function isSameDefinition(stored: Definition | null, declared: Definition): boolean {
  return stored !== null && changedFields(stored, declared).every((name) => name.startsWith('data.'));
}

function notes(
  before: Definition | null,
  schedule: EditableSchedule,
  target: DeclarationTarget,
  { status }: ScheduleOutcome,
) {
  return status === 'replaced' ? { changedFields: changedFields(before, definitionIn(schedule, target)) } : {};
}

function touchedBy(schedule: EditableSchedule, change: ScheduleChange): readonly DeclarationTarget[] {
  switch (change.type) {
    case 'replaceTrigger': {
      const old = targetOf('trigger', change.key);
      return sameKey(change.key, change.trigger.key) ? [old] : [old, targetOf('trigger', change.trigger.key)];
    }
    case 'deleteTrigger': {
      const jobKey = schedule.trigger(change.key)?.jobKey;
      return [targetOf('trigger', change.key), ...(jobKey === undefined ? [] : [targetOf('job', jobKey)])];
    }
    case 'deleteJob':
      return [targetOf('job', change.key), ...schedule.triggersOf(change.key).map((key) => targetOf('trigger', key))];
    default:
      return [changedTarget(change)].filter((target) => target !== null);
  }
}

/** Applies a manual edit. An edit of a declared object becomes an override. Throws DECLARED_ELSEWHERE if the declaration refuses edits. */
export function applyEdit(schedule: EditableSchedule, change: ScheduleChange, applying: Applying): ScheduleOutcome {
  const { author, now } = applying;
  const edit: Edit = { by: author?.by ?? null, via: author?.via ?? 'program', at: now };
  const touched = touchedBy(schedule, change).map((target) => ({ target, before: definitionIn(schedule, target) }));
  const job = touched.find(({ target }) => target.what === 'job')?.before ?? null;
  const done = applying.apply(change);
  let overridden: readonly string[] | undefined;
  for (const { target, before } of touched) {
    const after = definitionIn(schedule, target);
    if (before === null ? after === null : after !== null && changedFields(before, after).length === 0) continue;
    const declaration = schedule.declaration(target);
    const isOrphan = change.type === 'deleteTrigger' && target.what === 'job';
    if (isOrphan) schedule.declare(target, null);
    else if (isDeclared(declaration)) {
      refuseIfDeclared(target, declaration);
      const withJob = change.type === 'deleteTrigger' && job?.what === 'job' && !job.job.durable ? job.job : null;
      const override = overrideAfterEdit(declaration.override, { before, after, edit }, withJob);
      schedule.declare(target, { ...declaration, override });
      if (override !== null) overridden = [...(overridden ?? []), ...Object.keys(override.fields)];
    } else if (after === null) schedule.declare(target, null);
    else if (before === null) schedule.declare(target, storedByHand(after, edit));
  }
  const [first] = touched;
  const fields =
    first && done.status === 'replaced' ? changedFields(first.before, definitionIn(schedule, first.target)) : [];
  return {
    ...done,
    ...(fields.length > 0 && { changedFields: fields }),
    ...(overridden !== undefined && { overridden: [...new Set(overridden)] }),
  };
}

function storedByHand(after: Definition, { by, via, at }: Edit): Declaration | null {
  if (via === 'program') return null;
  const jobKey = after.what === 'calendar' ? null : after.what === 'job' ? after.job.key : after.trigger.jobKey;
  const owner = { kind: via, file: null, version: null, by, at, onEdit: 'override' } as const;
  return { jobKey, set: null, definition: null, owner, override: null };
}

function refuseIfDeclared(target: DeclarationTarget, { owner, set }: Declaration): void {
  if (owner.onEdit !== 'refuse') return;
  const place =
    owner.file === null ? `by code${set === null ? '' : ` in the set '${set}'`}` : `by the file '${owner.file}'`;
  throw new SchedulerError(
    'DECLARED_ELSEWHERE',
    `The ${target.what} '${targetName(target)}' is declared ${place} and can only be changed there, because its onDeclaredEdit is 'refuse'.`,
  );
}

/** True if a change affects a single job, trigger or calendar, except if a declared set deletes a trigger that it no longer contains. */
export function isEdit(change: ScheduleChange): boolean {
  if (change.type === 'deleteTrigger') return change.declaredIn === undefined;
  return ['storeJob', 'storeTrigger', 'replaceTrigger', 'deleteJob', 'storeCalendar', 'deleteCalendar'].includes(
    change.type,
  );
}
