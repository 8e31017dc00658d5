import type { JobExecutionContext, JobListener, SchedulerListener, TriggerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import { checkText } from '../domain/check-text';
import { type JobKey, type JobKeyLike, keyText } from '../domain/keys';
import { checkKey, LIMITS } from '../domain/limits';
import type { SchedulerEvent, SchedulerEventOf } from '../domain/scheduler-event';
import type { EventType } from './event-bus';

/** Event of a listener method. Methods have the names of their events, except for one that is spelled as in Quartz. */
type EventOf<Method> = Method extends 'schedulerShuttingdown' ? 'schedulerShuttingDown' : Method & EventType;
type Method = keyof SchedulerListener;

/** Arguments of each method. Other events have no method in Quartz. */
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

/** All methods of scheduler listeners. */
const SCHEDULER_LISTENER_METHODS = Object.keys(ARGUMENTS) as readonly Method[];

const METHODS_BY_EVENT = new Map<EventType, Method>(
  SCHEDULER_LISTENER_METHODS.map((method) => [
    method === 'schedulerShuttingdown' ? 'schedulerShuttingDown' : method,
    method,
  ]),
);

/** Events for which scheduler listeners have a method. */
export const SCHEDULER_LISTENER_EVENTS: readonly EventType[] = [...METHODS_BY_EVENT.keys()];

/** Calls the listener's method for the event, if it has one, and returns the result. */
export function notifySchedulerListener(listener: SchedulerListener, event: SchedulerEvent): unknown {
  const method = METHODS_BY_EVENT.get(event.type);
  if (method === undefined || listener[method] === undefined) return undefined;
  const toArguments = ARGUMENTS[method] as (event: SchedulerEvent) => readonly [unknown?, unknown?];
  const notify = listener[method] as (...args: readonly unknown[]) => unknown;
  return notify.call(listener, ...toArguments(event));
}

/**
 * Creates one job listener from several, which share a name, matchers and timeout. It notifies them in order. All are
 * notified, even if one fails. The first failure is then thrown.
 */
export function broadcastJobListener(name: string, ...listeners: readonly JobListener[]): JobListener {
  return {
    name,
    jobToBeExecuted: (context) => notifyAll(listeners, (each) => each.jobToBeExecuted?.(context)),
    jobExecutionVetoed: (context) => notifyAll(listeners, (each) => each.jobExecutionVetoed?.(context)),
    jobWasExecuted: (context, error) => notifyAll(listeners, (each) => each.jobWasExecuted?.(context, error)),
  };
}

/**
 * Same as `broadcastJobListener`, for trigger listeners. Calls all of them, and vetoes if at least one of them does.
 */
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
        // A veto counts even if another listener failed. Throwing the failure would lose it.
        if (!vetoed) throw failure;
      }
      return vetoed;
    },
    triggerMisfired: (trigger) => notifyAll(listeners, (each) => each.triggerMisfired?.(trigger)),
    triggerComplete: (trigger, context, instruction) =>
      notifyAll(listeners, (each) => each.triggerComplete?.(trigger, context, instruction)),
  };
}

/** Same as `broadcastJobListener`, for scheduler listeners, which have no name. They are added and removed together. */
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
 * A job listener that chains jobs, as in Quartz: after each execution of the first job, successful or not, it triggers
 * the second. Immediate refires count as executions. Links exist only in this scheduler's memory: if the node fails
 * between the two jobs, the second does not run.
 */
export class JobChainingJobListener implements JobListener {
  /** Name of the listener, unique among job listeners. */
  readonly name: string;
  readonly #links = new Map<string, JobKey>();

  /** Throws INVALID_ARGUMENT for an invalid name. */
  constructor(name: string) {
    this.name = checkText(name, 'the name of a job listener', LIMITS.name);
  }

  /**
   * Triggers `second` after every execution of `first`. Replaces an earlier link of the same first job. Throws
   * INVALID_ARGUMENT.
   */
  addJobChainLink(first: JobKeyLike, second: JobKeyLike): void {
    this.#links.set(keyText(toJobKey(first)), toJobKey(second));
  }

  /**
   * Rejects if the second job cannot be triggered, for example with JOB_NOT_FOUND. The scheduler reports this as
   * `schedulerError`.
   */
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
