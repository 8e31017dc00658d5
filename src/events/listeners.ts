import type { JobListener, SchedulerListener, TriggerListener } from '../api/scheduler';
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
const SCHEDULER_LISTENER_METHODS = Object.keys(ARGUMENTS) as readonly Method[];

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

/**
 * One job listener that stands for several and notifies them in their order, so that they share a name, matchers and time.
 * All are notified, even when one fails; the first failure is passed on.
 */
export function broadcastJobListener(name: string, ...listeners: readonly JobListener[]): JobListener {
  return {
    name,
    jobToBeExecuted: (context) => notifyAll(listeners, (each) => each.jobToBeExecuted?.(context)),
    jobExecutionVetoed: (context) => notifyAll(listeners, (each) => each.jobExecutionVetoed?.(context)),
    jobWasExecuted: (context, error) => notifyAll(listeners, (each) => each.jobWasExecuted?.(context, error)),
  };
}

/** As `broadcastJobListener`. All are asked for their veto; one is enough. */
export function broadcastTriggerListener(name: string, ...listeners: readonly TriggerListener[]): TriggerListener {
  return {
    name,
    triggerFired: (trigger, context) => notifyAll(listeners, (each) => each.triggerFired?.(trigger, context)),
    async vetoJobExecution(trigger, context) {
      let vetoed = false;
      try {
        await notifyAll(listeners, async (each) => {
          if ((await each.vetoJobExecution?.(trigger, context)) === true) vetoed = true;
        });
      } catch (failure) {
        // A veto counts although another listener failed: passing the failure on would lose it.
        if (!vetoed) throw failure;
      }
      return vetoed;
    },
    triggerMisfired: (trigger) => notifyAll(listeners, (each) => each.triggerMisfired?.(trigger)),
    triggerComplete: (trigger, context, instruction) =>
      notifyAll(listeners, (each) => each.triggerComplete?.(trigger, context, instruction)),
  };
}

/** As `broadcastJobListener`, for scheduler listeners, which have no name: added and removed as one. */
export function broadcastSchedulerListener(...listeners: readonly SchedulerListener[]): SchedulerListener {
  type Notify = (...args: readonly unknown[]) => unknown;
  const forward =
    (method: string): Notify =>
    (...args) =>
      notifyAll(listeners as readonly Readonly<Record<string, Notify | undefined>>[], (each) =>
        each[method]?.(...args),
      );
  return Object.fromEntries(SCHEDULER_LISTENER_METHODS.map((method) => [method, forward(method)]));
}

async function notifyAll<Listener>(
  listeners: readonly Listener[],
  notify: (listener: Listener) => unknown,
): Promise<void> {
  const failures: unknown[] = [];
  for (const listener of listeners) {
    try {
      await notify(listener);
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw failures[0];
}
