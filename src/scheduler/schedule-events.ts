import { formatKey, type TriggerKey } from '../domain/keys';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { Trigger } from '../domain/trigger';

/** An event without its time, which is added where it is published. */
export type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/** What happened, as its publisher says it. */
export type EventInput = WithoutTime<SchedulerEvent>;

/** What one committed change has to tell scheduler listeners; nothing when it changed nothing. */
export function eventsOf(change: ScheduleChange, outcome: ScheduleOutcome): readonly EventInput[] {
  if (change.type === 'clear') return [{ type: 'schedulingDataCleared' }];
  return [...deletionsOf(outcome), ...storedBy(change, outcome), ...warningsOf(change, outcome)];
}

/** Schedules that a declared set held, and that are still stored. */
export function noLongerDeclared(set: string, keys: readonly TriggerKey[]): EventInput {
  const named = keys.slice(0, 5).map((key) => `'${formatKey(key)}'`);
  const more = keys.length > named.length ? ` and ${keys.length - named.length} more` : '';
  return {
    type: 'configurationWarning',
    message:
      `The declared set '${set}' no longer holds ${named.join(', ')}${more}, which stay stored and go on. Delete them with ` +
      "prune: 'group' or 'all', or with unscheduleJob.",
  };
}

/** New triggers of paused groups do not fire: one warning for each group. */
export function startingPaused(
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): readonly EventInput[] {
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
    const message = `${count} paused, because the group '${group}' is paused. Resume it with resumeTriggers, or \`quartz groups resume\`.`;
    return { type: 'configurationWarning', message };
  });
}

/** A zone that was named nowhere and differs from node to node is most likely a mistake. */
function warningsOf(change: ScheduleChange, { keptTimeZone }: ScheduleOutcome): readonly EventInput[] {
  const hasZone = (change.type === 'storeTrigger' || change.type === 'replaceTrigger') && 'timeZone' in change.trigger;
  if (!hasZone || keptTimeZone === undefined) return [];
  const { key, timeZone } = change.trigger as Trigger & { readonly timeZone: string };
  return [
    {
      type: 'configurationWarning',
      message:
        `The trigger '${formatKey(key)}' names no time zone: it stays in ${keptTimeZone}, in which it was stored, though this ` +
        `process is in ${timeZone}. Give it a timeZone, or set scheduler.timeZone on all nodes.`,
    },
  ];
}

function storedBy(change: ScheduleChange, outcome: ScheduleOutcome): readonly EventInput[] {
  const isWritten = outcome.status === 'created' || outcome.status === 'replaced';
  if (!isWritten) return [];
  switch (change.type) {
    case 'storeJob':
      return [{ type: 'jobAdded', job: change.job }];
    case 'storeTrigger':
    case 'replaceTrigger':
      return [{ type: 'jobScheduled', trigger: scheduled(change.trigger, outcome) }];
    default:
      return [];
  }
}

/** Triggers before jobs: a job is told of after everything that ran it. */
function deletionsOf(outcome: ScheduleOutcome): readonly EventInput[] {
  return [
    ...outcome.deletedTriggers.map((triggerKey): EventInput => ({ type: 'jobUnscheduled', triggerKey })),
    ...outcome.deletedJobs.map((jobKey): EventInput => ({ type: 'jobDeleted', jobKey })),
  ];
}

function scheduled(trigger: Trigger, outcome: ScheduleOutcome): Trigger {
  return { ...trigger, nextFireTime: outcome.nextFireTime };
}
