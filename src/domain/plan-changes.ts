import { atOnce, mapping, type Steps } from '../base/steps';
import { applyingChanges, type ChangeContext } from './apply-changes';
import type { CalendarData } from './calendars/calendar';
import { withoutSpans } from './carried-spans';
import type { EditableSchedule } from './editable-schedule';
import type { JsonValue } from './job-data';
import type { JobDetail } from './job-detail';
import { type JobKey, keyText, type TriggerKey } from './keys';
import { sameData } from './same-data';
import type { ScheduleChange, ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';
import type { TriggerState } from './trigger-state';

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
  /** Set for a new trigger that would start paused because its group is paused. */
  readonly startsPaused?: true;
  /** Manually edited fields that keep their edited values. Empty if the object was deleted manually or has ended. Absent if it has no override. */
  readonly overridden?: readonly string[];
  /** Manually edited fields whose declared values have changed. */
  readonly conflicts?: readonly string[];
}

interface PlanTarget {
  readonly what: PlannedChange['what'];
  readonly group: string | null;
  readonly name: string;
}

/** Fields of a job, trigger or calendar to compare; null if the object is not stored. */
type View = Readonly<Record<string, unknown>> | null;

/** Applies changes to `schedule`, which must then be discarded, and compares the objects. Throws the error of the first change that fails. */
export function planChanges(
  schedule: EditableSchedule,
  changes: readonly ScheduleChange[],
  context: ChangeContext,
): readonly PlannedChange[] {
  return atOnce(planningChanges(schedule, changes, context));
}

/** Plans changes like `planChanges`, but yields between objects and between changes. A large set then does not block the event loop. */
export function* planningChanges(
  schedule: EditableSchedule,
  changes: readonly ScheduleChange[],
  context: ChangeContext,
): Steps<readonly PlannedChange[]> {
  const named = changes.flatMap(targetsOf);
  const users = changes.flatMap((change) => (change.type === 'storeCalendar' ? schedule.usersOf(change.name) : []));
  const moved = distinct(users.map(({ key }) => ofKey('trigger', key)));
  const views = yield* mapping([...named, ...moved], (target) => [textOf(target), viewOf(schedule, target)] as const);
  const before = new Map(views);
  const outcomes = yield* applyingChanges(schedule, changes, context);
  const deleted = deletedBy(outcomes);
  const goneNow = deleted.filter((target) => viewOf(schedule, target) === null);
  const isRemade = new Set(deleted.map(textOf));
  const known = new Set(named.map(textOf));
  const pausedFromStart = new Set(
    changes.flatMap((change, index) => (outcomes[index]?.startsPaused ? targetsOf(change).map(textOf) : [])),
  );
  const planned = yield* mapping(distinct(named), (target) => {
    const text = textOf(target);
    const compared = compare(target, before.get(text) ?? null, {
      after: viewOf(schedule, target),
      isRemade: isRemade.has(text),
    });
    return pausedFromStart.has(text) ? compared.map((each) => ({ ...each, startsPaused: true as const })) : compared;
  });
  const overridden = overriddenBy(changes, outcomes);
  const others = moved.filter((target) => !known.has(textOf(target)) && !isRemade.has(textOf(target)));
  const recomputed = yield* mapping(others, (target) =>
    compare(target, before.get(textOf(target)) ?? null, { after: viewOf(schedule, target), isRemade: false }),
  );
  const deletions = distinct(goneNow).map((target) => ({ ...target, action: 'delete', fields: [] }) as const);
  const noted = planned.flat().map((each) => ({ ...each, ...overridden.get(textOf(each)) }));
  return [...noted, ...recomputed.flat().filter(({ action }) => action !== 'unchanged'), ...deletions];
}

/** Returns the manually edited fields and the conflicts of each object, by the object's `textOf` string. */
function overriddenBy(changes: readonly ScheduleChange[], outcomes: readonly ScheduleOutcome[]) {
  return new Map(
    changes.flatMap((change, index) => {
      const { overridden, conflicts = [] } = outcomes[index] ?? {};
      const [target] = targetsOf(change);
      return overridden === undefined || target === undefined
        ? []
        : [[textOf(target), { overridden, conflicts }] as const];
    }),
  );
}

/** Returns the object that a change stores. The outcome, and not this function, lists deleted objects. */
function targetsOf(change: ScheduleChange): readonly PlanTarget[] {
  switch (change.type) {
    case 'storeJob':
      return [ofKey('job', change.job.key)];
    case 'storeTrigger':
    case 'replaceTrigger':
      return [ofKey('trigger', change.trigger.key)];
    case 'storeCalendar':
      return [{ what: 'calendar', group: null, name: change.name }];
    default:
      return [];
  }
}

function deletedBy(outcomes: readonly ScheduleOutcome[]): readonly PlanTarget[] {
  return outcomes.flatMap(({ deletedTriggers, deletedJobs }) => [
    ...deletedTriggers.map((key) => ofKey('trigger', key)),
    ...deletedJobs.map((key) => ofKey('job', key)),
  ]);
}

function ofKey(what: 'job' | 'trigger', { group, name }: JobKey | TriggerKey): PlanTarget {
  return { what, group, name };
}

const textOf = ({ what, group, name }: PlanTarget) => `${what}\u0000${keyText({ group: group ?? '', name })}`;

function distinct(targets: readonly PlanTarget[]): readonly PlanTarget[] {
  return [...new Map(targets.map((target) => [textOf(target), target])).values()];
}

function viewOf(schedule: EditableSchedule, { what, group, name }: PlanTarget): View {
  const key = { group: group ?? '', name };
  if (what === 'calendar') {
    const calendar = schedule.calendar(name);
    return calendar && calendarView(calendar.data);
  }
  if (what === 'job') {
    const job = schedule.job(key);
    return job && jobView(job.detail);
  }
  const stored = schedule.trigger(key);
  return stored && triggerView(stored.trigger, stored.state);
}

const UNREADABLE: View = { unreadable: true };

const jobView = (detail: JobDetail | null): View => (detail === null ? UNREADABLE : { ...detail, key: undefined });

const calendarView = (data: CalendarData | null): View => (data === null ? UNREADABLE : { ...data });

/** Includes the states ERROR and COMPLETE, but not waiting, paused and blocked states, which are not part of the schedule. */
function triggerView(trigger: Trigger | null, state: TriggerState): View {
  if (trigger === null) return UNREADABLE;
  const isHalted = state === 'ERROR' || state === 'COMPLETE';
  return { ...trigger, data: withoutSpans(trigger.data), key: undefined, ...(isHalted ? { state } : {}) };
}

function compare(
  target: PlanTarget,
  before: View,
  { after, isRemade }: { readonly after: View; readonly isRemade: boolean },
): readonly PlannedChange[] {
  if (before === null)
    return after === null && isRemade
      ? []
      : [{ ...target, action: after === null ? 'unchanged' : 'create', fields: [] }];
  if (after === null) return []; // included in the deletions
  const fields = before === UNREADABLE ? [] : differences(before, after);
  const isChanged = fields.length > 0 || isRemade || (before === UNREADABLE && after !== UNREADABLE);
  return [{ ...target, action: isChanged ? 'replace' : 'unchanged', fields }];
}

function differences(before: NonNullable<View>, after: NonNullable<View>): readonly ChangedField[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((field) => !sameData(before[field], after[field]))
    .map((field) => ({ field, before: before[field] as JsonValue, after: after[field] as JsonValue }));
}
