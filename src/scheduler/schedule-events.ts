import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { Trigger } from '../domain/trigger';

/** An event without its time, which is added where it is published. */
export type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/** What happened, as its publisher says it. */
export type Happening = WithoutTime<SchedulerEvent>;

/** What one committed change has to tell scheduler listeners; nothing when it changed nothing. */
export function happeningsOf(change: ScheduleChange, outcome: ScheduleOutcome): readonly Happening[] {
  if (change.type === 'clear') return [{ type: 'schedulingDataCleared' }];
  return [...deletionsOf(outcome), ...storedBy(change, outcome)];
}

function storedBy(change: ScheduleChange, outcome: ScheduleOutcome): readonly Happening[] {
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
function deletionsOf(outcome: ScheduleOutcome): readonly Happening[] {
  return [
    ...outcome.deletedTriggers.map((triggerKey): Happening => ({ type: 'jobUnscheduled', triggerKey })),
    ...outcome.deletedJobs.map((jobKey): Happening => ({ type: 'jobDeleted', jobKey })),
  ];
}

function scheduled(trigger: Trigger, outcome: ScheduleOutcome): Trigger {
  return { ...trigger, nextFireTime: outcome.nextFireTime };
}
