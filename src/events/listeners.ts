import type { JobExecutionContext, JobListener, SchedulerListener, TriggerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import { checkText } from '../domain/check-text';
import { type JobKey, type JobKeyLike, keyText } from '../domain/keys';
import { checkKey, LIMITS } from '../domain/limits';
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
  const toArguments = ARGUMENTS[method] as (event: SchedulerEvent) => readonly [unknown?, unknown?];
  const notify = listener[method] as (...args: readonly unknown[]) => unknown;
  return notify.call(listener, ...toArguments(event));
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

/**
 * A job listener that runs one job after another, as Quartz's does: when the first has been executed, well or not, the second is
 * triggered. Each run counts, also one again at once. The link is of this scheduler's memory: a node that dies between the two jobs does
 * not run the second.
 */
export class JobChainingJobListener implements JobListener {
  /** Of the listener: unique among job listeners. */
  readonly name: string;
  readonly #links = new Map<string, JobKey>();

  /** Throws INVALID_ARGUMENT for a name that is none. */
  constructor(name: string) {
    this.name = checkText(name, 'the name of a job listener', LIMITS.name);
  }

  /** Triggers `second` whenever `first` has been executed; a further link of the same first job takes its place. Throws INVALID_ARGUMENT. */
  addJobChainLink(first: JobKeyLike, second: JobKeyLike): void {
    this.#links.set(keyText(toJobKey(first)), toJobKey(second));
  }

  /** Rejects when the second job cannot be triggered, such as JOB_NOT_FOUND: the scheduler reports it as `schedulerError`. */
  async jobWasExecuted({ jobDetail, scheduler }: JobExecutionContext): Promise<void> {
    const second = this.#links.get(keyText(jobDetail.key));
    if (second !== undefined) await scheduler.triggerJob(second);
  }
}

function toJobKey(key: JobKeyLike): JobKey {
  return checkKey(key, 'job');
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
