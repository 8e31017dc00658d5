import { atOnce, mapping, type Steps } from '../base/steps';
import { applyingChanges, type Moment } from './apply-changes';
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

/** A field that would change. Times are epoch milliseconds. */
export interface ChangedField {
  readonly field: string;
  /** Value before; undefined: none. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Planned change of one job, trigger or calendar. */
export interface PlannedChange {
  readonly action: 'create' | 'replace' | 'unchanged' | 'delete';
  readonly what: 'job' | 'trigger' | 'calendar';
  /** Group; null for calendars. */
  readonly group: string | null;
  readonly name: string;
  /** Changed fields of a `replace`. Empty if the object is deleted and recreated unchanged, or if the stored object is unreadable here. */
  readonly fields: readonly ChangedField[];
  /** True for a new trigger that would start paused, because its group is paused; otherwise absent. */
  readonly startsPaused?: true;
  /** Manually edited fields that an override keeps. Empty if the object was manually deleted, or has ended. Absent: there is no override. */
  readonly overridden?: readonly string[];
  /** Overridden fields whose declaration has changed. */
  readonly conflicts?: readonly string[];
}

interface Subject {
  readonly what: PlannedChange['what'];
  readonly group: string | null;
  readonly name: string;
}

/** Fields of a subject to compare; null if it does not exist. */
type View = Readonly<Record<string, unknown>> | null;

/**
 * Plans a change set: applies it to the schedule, which the caller then discards, and compares. Throws the error of the first change that is
 * impossible.
 */
export function planChanges(
  schedule: EditableSchedule,
  changes: readonly ScheduleChange[],
  moment: Moment,
): readonly PlannedChange[] {
  return atOnce(planningChanges(schedule, changes, moment));
}

/** Same as `planChanges`, in steps for each subject and change. */
export function* planningChanges(
  schedule: EditableSchedule,
  changes: readonly ScheduleChange[],
  moment: Moment,
): Steps<readonly PlannedChange[]> {
  const named = changes.flatMap(subjectOf);
  const users = changes.flatMap((change) => (change.type === 'storeCalendar' ? schedule.usersOf(change.name) : []));
  const moved = distinct(users.map(({ key }) => ofKey('trigger', key)));
  const views = yield* mapping(
    [...named, ...moved],
    (subject) => [textOf(subject), viewOf(schedule, subject)] as const,
  );
  const before = new Map(views);
  const outcomes = yield* applyingChanges(schedule, changes, moment);
  const deleted = deletedBy(outcomes);
  const goneNow = deleted.filter((subject) => viewOf(schedule, subject) === null);
  const isRemade = new Set(deleted.map(textOf));
  const known = new Set(named.map(textOf));
  const pausedFromStart = new Set(
    changes.flatMap((change, index) => (outcomes[index]?.startsPaused ? subjectOf(change).map(textOf) : [])),
  );
  const planned = yield* mapping(distinct(named), (subject) => {
    const text = textOf(subject);
    const compared = compare(subject, before.get(text) ?? null, {
      after: viewOf(schedule, subject),
      isRemade: isRemade.has(text),
    });
    return pausedFromStart.has(text) ? compared.map((each) => ({ ...each, startsPaused: true as const })) : compared;
  });
  const overridden = overriddenBy(changes, outcomes);
  const others = moved.filter((subject) => !known.has(textOf(subject)) && !isRemade.has(textOf(subject)));
  const recomputed = yield* mapping(others, (subject) =>
    compare(subject, before.get(textOf(subject)) ?? null, { after: viewOf(schedule, subject), isRemade: false }),
  );
  const deletions = distinct(goneNow).map((subject) => ({ ...subject, action: 'delete', fields: [] }) as const);
  const noted = planned.flat().map((each) => ({ ...each, ...overridden.get(textOf(each)) }));
  return [...noted, ...recomputed.flat().filter(({ action }) => action !== 'unchanged'), ...deletions];
}

/** Returns the overridden fields, by the texts of the subjects. */
function overriddenBy(changes: readonly ScheduleChange[], outcomes: readonly ScheduleOutcome[]) {
  return new Map(
    changes.flatMap((change, index) => {
      const { overridden, conflicts = [] } = outcomes[index] ?? {};
      const [subject] = subjectOf(change);
      return overridden === undefined || subject === undefined
        ? []
        : [[textOf(subject), { overridden, conflicts }] as const];
    }),
  );
}

/** Returns the subject that a change stores. The outcome lists the deleted ones. */
function subjectOf(change: ScheduleChange): readonly Subject[] {
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

function deletedBy(outcomes: readonly ScheduleOutcome[]): readonly Subject[] {
  return outcomes.flatMap(({ deletedTriggers, deletedJobs }) => [
    ...deletedTriggers.map((key) => ofKey('trigger', key)),
    ...deletedJobs.map((key) => ofKey('job', key)),
  ]);
}

function ofKey(what: 'job' | 'trigger', { group, name }: JobKey | TriggerKey): Subject {
  return { what, group, name };
}

const textOf = ({ what, group, name }: Subject) => `${what}\u0000${keyText({ group: group ?? '', name })}`;

function distinct(subjects: readonly Subject[]): readonly Subject[] {
  return [...new Map(subjects.map((subject) => [textOf(subject), subject])).values()];
}

function viewOf(schedule: EditableSchedule, { what, group, name }: Subject): View {
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

/**
 * Returns the fields of a trigger to compare. ERROR and COMPLETE are part of it; waiting, paused and blocked are not, because they do not belong to
 * the schedule.
 */
function triggerView(trigger: Trigger | null, state: TriggerState): View {
  if (trigger === null) return UNREADABLE;
  const isHalted = state === 'ERROR' || state === 'COMPLETE';
  return { ...trigger, data: withoutSpans(trigger.data), key: undefined, ...(isHalted ? { state } : {}) };
}

function compare(
  subject: Subject,
  before: View,
  { after, isRemade }: { readonly after: View; readonly isRemade: boolean },
): readonly PlannedChange[] {
  if (before === null)
    return after === null && isRemade
      ? []
      : [{ ...subject, action: after === null ? 'unchanged' : 'create', fields: [] }];
  if (after === null) return []; // listed among the deletions
  const fields = before === UNREADABLE ? [] : differences(before, after);
  const isChanged = fields.length > 0 || isRemade || (before === UNREADABLE && after !== UNREADABLE);
  return [{ ...subject, action: isChanged ? 'replace' : 'unchanged', fields }];
}

function differences(before: NonNullable<View>, after: NonNullable<View>): readonly ChangedField[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((field) => !sameData(before[field], after[field]))
    .map((field) => ({ field, before: before[field] as JsonValue, after: after[field] as JsonValue }));
}
