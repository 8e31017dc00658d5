import { changedTarget, type DeclarationTarget, declaredTarget, declares, targetName } from '../domain/declaration';
import { formatKey, type TriggerKey } from '../domain/keys';
import type { Author } from '../domain/override';
import { type RunName, SCHEDULE_CHANGED } from '../domain/run';
import type { ChangeSet, Outcomes, ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

export type EventInput = WithoutTime<SchedulerEvent>;

/** Returns the events of one committed change; an empty array if the change had no effect. */
export function eventsOf(change: ScheduleChange, outcome: ScheduleOutcome): readonly EventInput[] {
  if (change.type === 'clear') return [{ type: 'schedulingDataCleared' }];
  return [...deletionsOf(outcome), ...storedBy(change, outcome), ...warningsOf(change, outcome)];
}

/** Maximum number of runs that one event names. */
const MAX_RUNS = 200;

/** Returns events about waiting runs, such as retries, that were deleted and are now dead letters. Each event names at most 200 runs. */
export function deletedRunEvents(runs: readonly RunName[]): readonly EventInput[] {
  const events: EventInput[] = [];
  for (let start = 0; start < runs.length; start += MAX_RUNS)
    events.push({ type: 'waitingRunsDeleted', runs: runs.slice(start, start + MAX_RUNS) });
  return events;
}

/** Maximum length of each list of created, changed, deleted or overridden definitions in one event. */
const MAX_NAMES = 20;

/**
 * Returns the events of a change set that contains declarations or was made manually; otherwise, and if nothing changed, an empty array. Also empty
 * for a `schedule` or `enqueue` call that only creates a job and a trigger, because programs make many such calls.
 */
export function changeSetEvents(changes: ChangeSet, outcomes: Outcomes, author: Author | null): readonly EventInput[] {
  const declaring = changes.filter(declares);
  const byHand = author !== null && author.via !== 'program';
  if (declaring.length === 0 && !byHand) return [];
  const done = changes
    .map((change, index) => ({ change, outcome: outcomes[index] as ScheduleOutcome }))
    .filter(({ change }) => change.type !== 'expect'); // an `expect` change only checks the stored state
  const named = (status: ScheduleOutcome['status']) => done.filter((each) => each.outcome.status === status);
  const created = named('created').map(({ change }) => nameOf(change));
  const changed = named('replaced').map(({ change, outcome }) => withFields(nameOf(change), outcome.changedFields));
  const deleted = done.flatMap(({ change, outcome }) => [
    ...(change.type === 'deleteCalendar' && outcome.status === 'deleted' ? [nameOf(change)] : []),
    ...outcome.deletedTriggers.map((key) => `trigger ${formatKey(key)}`),
    ...outcome.deletedJobs.map((key) => `job ${formatKey(key)}`),
  ]);
  const overridden = done.flatMap(({ change, outcome }) =>
    outcome.overridden === undefined ? [] : [withFields(nameOf(change), outcome.overridden)],
  );
  const conflicts = done.flatMap(({ change, outcome }) => conflictOf(change, outcome));
  const set = declaring[0]?.declared.set ?? null;
  const isEnqueued = !byHand && set === null && changed.length + deleted.length + overridden.length === 0;
  const isQuiet = isEnqueued || created.length + changed.length + deleted.length === 0;
  const lists = { created, changed, deleted, overridden };
  const names = Object.fromEntries(
    Object.entries(lists).map(([what, list]) => [what, list.slice(0, MAX_NAMES)]),
  ) as unknown as typeof lists;
  const counts = {
    ...{ created: created.length, changed: changed.length, deleted: deleted.length, overridden: overridden.length },
    unchanged: done.length - created.length - changed.length - named('deleted').length,
  };
  const report = { type: 'scheduleChanged', by: author?.by ?? null, set, ...counts, names } as const;
  return [...(isQuiet ? [] : [report]), ...conflicts];
}

function conflictOf(change: ScheduleChange, { conflicts = [], dropped = [] }: ScheduleOutcome): readonly EventInput[] {
  if (conflicts.length + dropped.length === 0 || !declares(change)) return [];
  const { what, group, name } = declaredTarget(change);
  const event = { what, group: what === 'calendar' ? null : group, name, fields: conflicts, dropped };
  return [{ type: 'overrideConflict', ...event }];
}

const withFields = (name: string, fields: readonly string[] = []) =>
  fields.length === 0 ? name : `${name}: ${fields.join(', ')}`;

function nameOf(change: ScheduleChange): string {
  const target = changedTarget(change);
  return target === null ? change.type : `${target.what} ${targetName(target)}`;
}

/** Returns a warning about a large change set in one transaction. No trigger of the cluster fires until that transaction is committed. */
export function atomicWarning(count: number): EventInput {
  return {
    type: 'configurationWarning',
    message:
      `Applying ${count} changes of the schedule in one transaction (atomic). No trigger fires until it is committed. ` +
      'Without atomic, changes are applied in portions, and triggers fire in between.',
  };
}

/** Returns a warning about triggers that are still stored although their set no longer declares them. */
export function noLongerDeclared(set: string, keys: readonly TriggerKey[]): EventInput {
  const named = firstOf(keys.map((key) => `'${formatKey(key)}'`));
  const stays =
    keys.length === 1
      ? 'It stays stored and continues to fire. Delete it'
      : 'They stay stored and continue to fire. Delete them';
  return {
    type: 'configurationWarning',
    message: `The declared set '${set}' no longer contains ${named}. ${stays} with prune: 'group' or 'all', or with unscheduleJob.`,
  };
}

/** Lists the first five names, and the number of the others. */
function firstOf(names: readonly string[]): string {
  const shown = names.slice(0, 5);
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/** Returns one warning per paused group with new triggers. Such triggers do not fire until the group is resumed. */
export function startingPaused(changes: ChangeSet, outcomes: Outcomes): readonly EventInput[] {
  const byGroup = new Map<string, TriggerKey[]>();
  for (const [index, change] of changes.entries()) {
    if (!outcomes[index]?.startsPaused || !('trigger' in change)) continue;
    const { key } = change.trigger;
    const keys = byGroup.get(key.group) ?? [];
    byGroup.set(key.group, keys);
    keys.push(key);
  }
  return [...byGroup].map(([group, keys]) => {
    const count =
      keys.length === 1
        ? `The trigger '${formatKey(keys[0] as TriggerKey)}' starts`
        : `${keys.length} new triggers start`;
    const message = `${count} paused because the group '${group}' is paused. Resume it with resumeTriggers, or \`quartz groups resume\`.`;
    return { type: 'configurationWarning', message };
  });
}

/** Returns a warning about definitions that no set declares any more, in a set whose other definitions `set` has taken over. */
export function orphanedBy(
  set: string,
  orphaned: readonly (DeclarationTarget & { readonly set: string })[],
): EventInput {
  const named = firstOf(orphaned.map((each) => `${each.what} '${targetName(each)}'`));
  const former = [...new Set(orphaned.map((each) => `'${each.set}'`))];
  return {
    type: 'configurationWarning',
    message:
      `The set '${set}' takes over part of the set${former.length === 1 ? '' : 's'} ${former.join(', ')}. No set declares ${named} any more. ` +
      'If the set was renamed, give its former name as renamedFrom.',
  };
}

/** Returns a warning if a trigger without a time zone keeps a stored zone that differs from this process's default, most likely by mistake. */
function warningsOf(change: ScheduleChange, { keptTimeZone }: ScheduleOutcome): readonly EventInput[] {
  if (keptTimeZone === undefined || !('trigger' in change) || !('timeZone' in change.trigger)) return [];
  const { key, timeZone } = change.trigger;
  return [
    {
      type: 'configurationWarning',
      message:
        `The trigger '${formatKey(key)}' has no time zone. It keeps its stored time zone ${keptTimeZone}, although this ` +
        `process uses ${timeZone}. Give the trigger a timeZone, or set scheduler.timeZone on all nodes.`,
    },
  ];
}

function storedBy(change: ScheduleChange, outcome: ScheduleOutcome): readonly EventInput[] {
  const isWritten = outcome.status === 'created' || outcome.status === 'replaced';
  if (!isWritten) return [];
  if ('job' in change) return [{ type: 'jobAdded', job: change.job }];
  if (!('trigger' in change)) return [];
  const scheduled = {
    type: 'jobScheduled',
    trigger: { ...change.trigger, nextFireTime: outcome.nextFireTime },
  } as const;
  if (outcome.droppedTime === undefined) return [scheduled];
  const trigger = { ...change.trigger, nextFireTime: outcome.droppedTime };
  return [{ type: 'triggerMisfired', trigger, reason: SCHEDULE_CHANGED }, scheduled];
}

/** Returns the events of deletions: triggers first, then jobs. */
function deletionsOf(outcome: ScheduleOutcome): readonly EventInput[] {
  return [
    ...outcome.deletedTriggers.map((triggerKey): EventInput => ({ type: 'jobUnscheduled', triggerKey })),
    ...outcome.deletedJobs.map((jobKey): EventInput => ({ type: 'jobDeleted', jobKey })),
  ];
}
