import type { JobExecutionContext, JobListener, SchedulerListener, TriggerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import { checkText } from '../domain/check-text';
import type { CompletionInstruction } from '../domain/completion';
import { type JobKey, type JobKeyLike, keyText } from '../domain/keys';
import { checkKey, LIMITS } from '../domain/limits';
import type { SchedulerEvent, SchedulerEventOf } from '../domain/scheduler-event';
import type { EventType } from './event-bus';

/** Event type of a listener method. Method and event have the same name, except for one method that is spelled as in Quartz. */
type EventOf<Method> = Method extends 'schedulerShuttingdown' ? 'schedulerShuttingDown' : Method & EventType;
type Method = keyof SchedulerListener;

/** Functions that convert an event to the arguments of the listener method. Events that are missing here have no listener method, as in Quartz. */
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

const SCHEDULER_LISTENER_METHODS = Object.keys(ARGUMENTS) as readonly Method[];

const METHODS_BY_EVENT = new Map<EventType, Method>(
  SCHEDULER_LISTENER_METHODS.map((method) => [
    method === 'schedulerShuttingdown' ? 'schedulerShuttingDown' : method,
    method,
  ]),
);

export const SCHEDULER_LISTENER_EVENTS: readonly EventType[] = [...METHODS_BY_EVENT.keys()];

/** Calls the listener's method for the event and returns its result. Returns undefined if the listener has no such method. */
export function notifySchedulerListener(listener: SchedulerListener, event: SchedulerEvent): unknown {
  const method = METHODS_BY_EVENT.get(event.type);
  if (method === undefined || listener[method] === undefined) return undefined;
  const toArguments = ARGUMENTS[method] as (event: SchedulerEvent) => readonly [unknown?, unknown?];
  const notify = listener[method] as (...args: readonly unknown[]) => unknown;
  return notify.call(listener, ...toArguments(event));
}

/** Combines job listeners into one with a common name, matchers and timeout. Calls all in order, even if some fail, then throws the first error. */
export function broadcastJobListener(name: string, ...listeners: readonly JobListener[]): JobListener {
  return {
    name,
    jobToBeExecuted: (context) => notifyAll(listeners, (each) => each.jobToBeExecuted?.(context)),
    jobExecutionVetoed: (context) => notifyAll(listeners, (each) => each.jobExecutionVetoed?.(context)),
    jobWasExecuted: (context, error, instruction) =>
      notifyAll(listeners, (each) => each.jobWasExecuted?.(context, error, instruction)),
  };
}

/** Like `broadcastJobListener`, for trigger listeners. A veto by at least one listener vetoes the run. */
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
        // A veto counts even if another listener failed, so that error is dropped.
        if (!vetoed) throw failure;
      }
      return vetoed;
    },
    triggerMisfired: (trigger) => notifyAll(listeners, (each) => each.triggerMisfired?.(trigger)),
    triggerComplete: (trigger, context, instruction) =>
      notifyAll(listeners, (each) => each.triggerComplete?.(trigger, context, instruction)),
  };
}

/** Like `broadcastJobListener`, for scheduler listeners, which have no names. The listeners are added and removed together. */
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
 * Job listener that chains jobs. After each run of the first job, successful or not, the listener triggers the second job once. Unlike in Quartz, it
 * waits for the last immediate refire. The links are stored only in memory: if the node fails between the two jobs, the second job does not run.
 */
export class JobChainingJobListener implements JobListener {
  /** Name of the listener, unique among job listeners. */
  readonly name: string;
  readonly #links = new Map<string, JobKey>();

  /** Throws INVALID_ARGUMENT for an invalid name. */
  constructor(name: string) {
    this.name = checkText(name, 'the name of a job listener', LIMITS.name);
  }

  /** Triggers `second` after every run of `first`. Replaces an existing link of `first`. Throws INVALID_ARGUMENT for an invalid key. */
  addJobChainLink(first: JobKeyLike, second: JobKeyLike): void {
    this.#links.set(keyText(toJobKey(first)), toJobKey(second));
  }

  /** Triggers the linked job. Rejects if it cannot be triggered, for example with JOB_NOT_FOUND; the scheduler reports that as `schedulerError`. */
  async jobWasExecuted(
    { jobDetail, scheduler }: JobExecutionContext,
    _error: Error | null,
    instruction: CompletionInstruction,
  ): Promise<void> {
    if (instruction === 'RE_EXECUTE_JOB') return; // the job is executed again within this run
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
