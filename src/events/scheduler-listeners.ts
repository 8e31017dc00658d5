import type { SchedulerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import type { SchedulerEvent, SchedulerEventOf } from '../domain/scheduler-event';
import type { EventType } from './event-bus';

/** Methods are named after their events; this one is spelled as in Quartz. */
type EventOf<Method> = Method extends 'schedulerShuttingdown' ? 'schedulerShuttingDown' : Method & EventType;
type Method = keyof SchedulerListener;

/** What each method is called with. Other events have no method in Quartz. */
const ARGUMENTS: {
  readonly [Name in Method]: (
    event: SchedulerEventOf<EventOf<Name>>,
  ) => Readonly<Parameters<NonNullable<SchedulerListener[Name]>>>;
} = {
  jobScheduled: ({ trigger }) => [toTrigger(trigger)],
  jobUnscheduled: ({ triggerKey }) => [triggerKey],
  triggerFinalized: ({ trigger }) => [toTrigger(trigger)],
  triggerPaused: ({ triggerKey }) => [triggerKey],
  triggersPaused: ({ matcher }) => [matcher],
  triggerResumed: ({ triggerKey }) => [triggerKey],
  triggersResumed: ({ matcher }) => [matcher],
  jobAdded: ({ job }) => [job],
  jobDeleted: ({ jobKey }) => [jobKey],
  jobPaused: ({ jobKey }) => [jobKey],
  jobsPaused: ({ matcher }) => [matcher],
  jobResumed: ({ jobKey }) => [jobKey],
  jobsResumed: ({ matcher }) => [matcher],
  schedulerError: ({ during, error }) => [`Failed while ${during}: ${error.message}`, error],
  schedulerInStandbyMode: () => [],
  schedulerStarting: () => [],
  schedulerStarted: () => [],
  schedulerShuttingdown: () => [],
  schedulerShutdown: () => [],
  schedulingDataCleared: () => [],
};

/** Every method that a scheduler listener may have. */
export const SCHEDULER_LISTENER_METHODS = Object.keys(ARGUMENTS) as readonly Method[];

const METHODS_BY_EVENT = new Map<EventType, Method>(
  SCHEDULER_LISTENER_METHODS.map((method) => [
    method === 'schedulerShuttingdown' ? 'schedulerShuttingDown' : method,
    method,
  ]),
);

/** The events that scheduler listeners have a method for. */
export const SCHEDULER_LISTENER_EVENTS: readonly EventType[] = [...METHODS_BY_EVENT.keys()];

/** Calls the listener's method for the event, if it has one, and returns its answer. */
export function notifySchedulerListener(listener: SchedulerListener, event: SchedulerEvent): unknown {
  const method = METHODS_BY_EVENT.get(event.type);
  if (method === undefined || listener[method] === undefined) return undefined;
  const toArguments = ARGUMENTS[method] as (event: SchedulerEvent) => readonly unknown[];
  const notify = listener[method] as (...args: readonly unknown[]) => unknown;
  return notify.apply(listener, [...toArguments(event)]);
}
