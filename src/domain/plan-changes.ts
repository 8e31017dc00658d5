import { atOnce, mapping, type Steps } from '../base/steps';
import { applyingChanges } from './apply-changes';
import { withoutSpans } from './carried-spans';
import type { ChangeContext } from './change-context';
import { changedTarget, type DeclarationTarget, targetOf, targetText } from './declaration';
import { namesIn } from './definition-fields';
import type { EditableSchedule } from './editable-schedule';
import type { JsonValue } from './job-data';
import { firstOfEach } from './keys';
import { sameData } from './same-data';
import type { ChangeSet, Outcomes, ScheduleChange } from './schedule-change';
import type { Trigger } from './trigger';
import { isHalted, type TriggerState } from './trigger-state';

/** A field that the planned changes would modify. Times are in epoch milliseconds. */
export interface ChangedField {
  readonly field: string;
  /** Value before the change; undefined if the field had no value. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

export interface PlannedChange {
  readonly action: 'create' | 'replace' | 'unchanged' | 'delete';
  readonly what: 'job' | 'trigger' | 'calendar';
  /** Group of the job or trigger; null for calendars. */
  readonly group: string | null;
  readonly name: string;
  /** Fields that a `replace` changes. Empty if the object is deleted and recreated unchanged, or if this node cannot read the stored object. */
  readonly fields: readonly ChangedField[];
  /** Set for a trigger that would never fire again, because the changed calendar excludes all its fire times. */
  readonly endedByCalendar?: string;
  /** Set for a new trigger that would start paused because its group is paused. */
  readonly startsPaused?: true;
  /** Manually edited fields that keep their edited values. Empty if the object was deleted manually or has ended. Absent if it has no override. */
  readonly overridden?: readonly string[];
  /** Manually edited fields whose declared values have changed. */
  readonly conflicts?: readonly string[];
}

/** Fields of a job, trigger or calendar to compare; null if the object is not stored. */
type View = Readonly<Record<string, unknown>> | null;

/** Applies changes to `schedule`, which must then be discarded, and compares the objects. Throws the error of the first change that fails. */
export function planChanges(
  schedule: EditableSchedule,
  changes: ChangeSet,
  context: ChangeContext,
): readonly PlannedChange[] {
  return atOnce(planningChanges(schedule, changes, context));
}

/** Plans changes like `planChanges`, but yields between objects and between changes. A large set then does not block the event loop. */
export function* planningChanges(
  schedule: EditableSchedule,
  changes: ChangeSet,
  context: ChangeContext,
): Steps<readonly PlannedChange[]> {
  const named = changes.flatMap(targetsOf);
  const users = changes.flatMap((change) => (change.type === 'storeCalendar' ? schedule.usersOf(change.name) : []));
  const moved = distinct(users.map(({ key }) => targetOf('trigger', key)));
  const views = yield* mapping(
    [...named, ...moved],
    (target) => [targetText(target), viewOf(schedule, target)] as const,
  );
  const before = new Map(views);
  const outcomes = yield* applyingChanges(schedule, changes, { ...context, isPlan: true });
  const endedBy = endingCalendars(changes, outcomes);
  const deleted = deletedBy(outcomes);
  const goneNow = deleted.filter((target) => viewOf(schedule, target) === null);
  const isRemade = new Set(deleted.map(targetText));
  const known = new Set(named.map(targetText));
  const pausedFromStart = new Set(
    changes.flatMap((change, index) => (outcomes[index]?.startsPaused ? targetsOf(change).map(targetText) : [])),
  );
  const overridden = overriddenBy(changes, outcomes);
  const planned = yield* mapping(distinct(named), (target) => {
    const text = targetText(target);
    const views = { before: before.get(text) ?? null, after: viewOf(schedule, target), isRemade: isRemade.has(text) };
    const startsPaused = pausedFromStart.has(text) && { startsPaused: true as const };
    return compare(target, views).map((each) => ({
      ...each,
      ...startsPaused,
      ...overridden.get(text),
      ...endedBy.get(text),
    }));
  });
  const others = moved.filter((target) => !known.has(targetText(target)) && !isRemade.has(targetText(target)));
  const recomputed = yield* mapping(others, (target) =>
    compare(target, {
      before: before.get(targetText(target)) ?? null,
      after: viewOf(schedule, target),
      isRemade: false,
    }).map((each) => ({ ...each, ...endedBy.get(targetText(target)) })),
  );
  const deletions = distinct(goneNow).map((target) => plannedOf(target, 'delete'));
  const isShown = ({ action, endedByCalendar }: PlannedChange) =>
    action !== 'unchanged' || endedByCalendar !== undefined;
  return [...planned.flat(), ...recomputed.flat().filter(isShown), ...deletions];
}

/** Returns the calendars that end triggers, by the `targetText` of the trigger. */
function endingCalendars(changes: ChangeSet, outcomes: Outcomes) {
  return new Map(
    changes.flatMap((change, index) => {
      const ended = change.type === 'storeCalendar' ? (outcomes[index]?.endedTriggers ?? []) : [];
      const name = change.type === 'storeCalendar' ? change.name : '';
      return ended.map((key) => [targetText(targetOf('trigger', key)), { endedByCalendar: name }] as const);
    }),
  );
}

/** Returns the manually edited fields and the conflicts of each object, by the object's `targetText`. */
function overriddenBy(changes: ChangeSet, outcomes: Outcomes) {
  return new Map(
    changes.flatMap((change, index) => {
      const { overridden, conflicts = [] } = outcomes[index] ?? {};
      const [target] = targetsOf(change);
      return overridden === undefined || target === undefined
        ? []
        : [[targetText(target), { overridden, conflicts }] as const];
    }),
  );
}

/** Returns the object that a change stores. The outcome, and not this function, lists deleted objects. */
function targetsOf(change: ScheduleChange): readonly DeclarationTarget[] {
  const target = change.type.startsWith('delete') ? null : changedTarget(change);
  return target === null ? [] : [target];
}

function deletedBy(outcomes: Outcomes): readonly DeclarationTarget[] {
  return outcomes.flatMap(({ deletedTriggers, deletedJobs }) => [
    ...deletedTriggers.map((key) => targetOf('trigger', key)),
    ...deletedJobs.map((key) => targetOf('job', key)),
  ]);
}

const distinct = (targets: readonly DeclarationTarget[]) => firstOfEach(targets, targetText);

function viewOf(schedule: EditableSchedule, { what, group, name }: DeclarationTarget): View {
  if (what === 'calendar') {
    const calendar = schedule.calendar(name);
    return calendar && (calendar.data === null ? UNREADABLE : { ...calendar.data });
  }
  if (what === 'job') {
    const job = schedule.job({ group, name });
    return job && (job.detail === null ? UNREADABLE : { ...job.detail, key: undefined });
  }
  const stored = schedule.trigger({ group, name });
  return stored && triggerView(stored.trigger, stored.state);
}

const UNREADABLE: View = { unreadable: true };

/** Includes the states ERROR and COMPLETE, but not waiting, paused and blocked states, which are not part of the schedule. */
function triggerView(trigger: Trigger | null, state: TriggerState): View {
  if (trigger === null) return UNREADABLE;
  return { ...trigger, data: withoutSpans(trigger.data), key: undefined, ...(isHalted(state) ? { state } : {}) };
}

function compare(
  target: DeclarationTarget,
  { before, after, isRemade }: { readonly before: View; readonly after: View; readonly isRemade: boolean },
): readonly PlannedChange[] {
  if (before === null && after !== null) return [plannedOf(target, 'create')];
  if (before === null) return isRemade ? [] : [plannedOf(target, 'unchanged')];
  if (after === null) return []; // included in the deletions
  const fields = before === UNREADABLE ? [] : differences(before, after);
  const isChanged = fields.length > 0 || isRemade || (before === UNREADABLE && after !== UNREADABLE);
  return [plannedOf(target, isChanged ? 'replace' : 'unchanged', fields)];
}

function plannedOf(
  { what, group, name }: DeclarationTarget,
  action: PlannedChange['action'],
  fields: readonly ChangedField[] = [],
): PlannedChange {
  return { action, what, group: what === 'calendar' ? null : group, name, fields };
}

function differences(before: NonNullable<View>, after: NonNullable<View>): readonly ChangedField[] {
  return namesIn(before, after)
    .filter((field) => !sameData(before[field], after[field]))
    .map((field) => ({ field, before: before[field] as JsonValue, after: after[field] as JsonValue }));
}
