import type { Scheduler } from '../api/scheduler';
import { checkText } from '../domain/check-text';
import { LIMITS } from '../domain/limits';
import { checkFunction, toJobKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Executions = Pick<
  Scheduler,
  | 'registerJob'
  | 'setJobFactory'
  | 'getCurrentlyExecutingJobs'
  | 'interrupt'
  | 'interruptFireInstance'
  | 'getListenerManager'
  | 'subscribe'
>;

/** The part of the scheduler that knows what runs here: job types, executions, and who hears of them. */
export function executions({ registry, engine, lifecycle, listeners, bus }: SchedulerParts): Executions {
  return {
    registerJob: (jobType, job) => registry.register(checkText(jobType, 'a job type', LIMITS.jobType), job),
    setJobFactory: (factory) => registry.setFactory(factory),
    getCurrentlyExecutingJobs: () => engine.getCurrentlyExecutingJobs(),
    async interrupt(key) {
      lifecycle.assertUsable();
      return engine.interruptJob(toJobKey(key));
    },
    async interruptFireInstance(fireInstanceId) {
      lifecycle.assertUsable();
      return engine.interruptFireInstance(fireInstanceId);
    },
    getListenerManager: () => listeners,
    subscribe: (subscriber) => bus.subscribe(checkFunction(subscriber, 'subscriber')),
  };
}
