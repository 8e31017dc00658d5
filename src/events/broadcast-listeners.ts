import type { JobListener, SchedulerListener, TriggerListener } from '../api/scheduler';

/**
 * One job listener that stands for several and tells them in their order, so that they share a name, matchers and time.
 * All are told, even when one fails; the first failure is passed on.
 */
export function broadcastJobListener(name: string, ...listeners: readonly JobListener[]): JobListener {
  return {
    name,
    jobToBeExecuted: (context) => tellAll(listeners, (each) => each.jobToBeExecuted?.(context)),
    jobExecutionVetoed: (context) => tellAll(listeners, (each) => each.jobExecutionVetoed?.(context)),
    jobWasExecuted: (context, error) => tellAll(listeners, (each) => each.jobWasExecuted?.(context, error)),
  };
}

/** As `broadcastJobListener`. All are asked for their veto; one is enough. */
export function broadcastTriggerListener(name: string, ...listeners: readonly TriggerListener[]): TriggerListener {
  return {
    name,
    triggerFired: (trigger, context) => tellAll(listeners, (each) => each.triggerFired?.(trigger, context)),
    async vetoJobExecution(trigger, context) {
      let vetoed = false;
      const ask = async (each: TriggerListener) => {
        if ((await each.vetoJobExecution?.(trigger, context)) === true) vetoed = true;
      };
      const asked = tellAll(listeners, ask);
      // A veto counts although another listener failed: passing the failure on would lose it.
      return asked.then(
        () => vetoed,
        (failure) => (vetoed ? true : Promise.reject(failure)),
      );
    },
    triggerMisfired: (trigger) => tellAll(listeners, (each) => each.triggerMisfired?.(trigger)),
    triggerComplete: (trigger, context, instruction) =>
      tellAll(listeners, (each) => each.triggerComplete?.(trigger, context, instruction)),
  };
}

const SCHEDULER_METHODS: Readonly<Record<keyof SchedulerListener, true>> = {
  jobScheduled: true,
  jobUnscheduled: true,
  triggerFinalized: true,
  triggerPaused: true,
  triggersPaused: true,
  triggerResumed: true,
  triggersResumed: true,
  jobAdded: true,
  jobDeleted: true,
  jobPaused: true,
  jobsPaused: true,
  jobResumed: true,
  jobsResumed: true,
  schedulerError: true,
  schedulerInStandbyMode: true,
  schedulerStarting: true,
  schedulerStarted: true,
  schedulerShuttingdown: true,
  schedulerShutdown: true,
  schedulingDataCleared: true,
};

/** As `broadcastJobListener`, for scheduler listeners, which have no name: added and removed as one. */
export function broadcastSchedulerListener(...listeners: readonly SchedulerListener[]): SchedulerListener {
  type Tell = (...heard: readonly unknown[]) => unknown;
  const forward =
    (method: string) =>
    (...heard: readonly unknown[]) =>
      tellAll(listeners as readonly Readonly<Record<string, Tell | undefined>>[], (each) => each[method]?.(...heard));
  return Object.fromEntries(Object.keys(SCHEDULER_METHODS).map((method) => [method, forward(method)]));
}

async function tellAll<Listener>(listeners: readonly Listener[], tell: (listener: Listener) => unknown): Promise<void> {
  const failures: unknown[] = [];
  for (const listener of listeners) {
    try {
      await tell(listener);
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw failures[0];
}
