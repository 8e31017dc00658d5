import type { JobListener, SchedulerListener, TriggerListener } from '../api/scheduler';
import { SCHEDULER_LISTENER_METHODS } from './scheduler-listeners';

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
