import type { SchedulerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { EventType } from './event-bus';

type Tell<Type extends EventType> = (
  listener: SchedulerListener,
  event: SchedulerEvent & { readonly type: Type },
) => unknown;

/** Which method hears of which event. Other events have no method in Quartz. */
const TELL = {
  jobScheduled: (listener, { trigger }) => listener.jobScheduled?.(toTrigger(trigger)),
  jobUnscheduled: (listener, { triggerKey }) => listener.jobUnscheduled?.(triggerKey),
  triggerFinalized: (listener, { trigger }) => listener.triggerFinalized?.(toTrigger(trigger)),
  triggerPaused: (listener, { triggerKey }) => listener.triggerPaused?.(triggerKey),
  triggersPaused: (listener, { matcher }) => listener.triggersPaused?.(matcher),
  triggerResumed: (listener, { triggerKey }) => listener.triggerResumed?.(triggerKey),
  triggersResumed: (listener, { matcher }) => listener.triggersResumed?.(matcher),
  jobAdded: (listener, { job }) => listener.jobAdded?.(job),
  jobDeleted: (listener, { jobKey }) => listener.jobDeleted?.(jobKey),
  jobPaused: (listener, { jobKey }) => listener.jobPaused?.(jobKey),
  jobsPaused: (listener, { matcher }) => listener.jobsPaused?.(matcher),
  jobResumed: (listener, { jobKey }) => listener.jobResumed?.(jobKey),
  jobsResumed: (listener, { matcher }) => listener.jobsResumed?.(matcher),
  schedulerError: (listener, { during, error }) =>
    listener.schedulerError?.(`Failed while ${during}: ${error.message}`, error),
  schedulerInStandbyMode: (listener) => listener.schedulerInStandbyMode?.(),
  schedulerStarting: (listener) => listener.schedulerStarting?.(),
  schedulerStarted: (listener) => listener.schedulerStarted?.(),
  schedulerShuttingDown: (listener) => listener.schedulerShuttingdown?.(),
  schedulerShutdown: (listener) => listener.schedulerShutdown?.(),
  schedulingDataCleared: (listener) => listener.schedulingDataCleared?.(),
} satisfies { readonly [Type in EventType]?: Tell<Type> };

/** The events that scheduler listeners have a method for. */
export const SCHEDULER_LISTENER_EVENTS = Object.keys(TELL) as readonly (keyof typeof TELL)[];

/** Calls the listener's method for the event, if it has one, and returns its answer; an event without one is ignored. */
export function tellSchedulerListener(listener: SchedulerListener, event: SchedulerEvent): unknown {
  const tell = (TELL as { readonly [type: string]: Tell<EventType> | undefined })[event.type];
  return tell?.(listener, event);
}
