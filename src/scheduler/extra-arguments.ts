import type { Scheduler } from '../api/scheduler';
import { badArgument, type SchedulerError } from '../base/errors';

type Method = (...given: readonly unknown[]) => unknown;

type Synchronous = {
  [Name in keyof Scheduler]: ReturnType<Scheduler[Name]> extends PromiseLike<unknown> ? never : Name;
}[keyof Scheduler];

/** Methods that throw synchronously. All other methods reject. */
const SYNCHRONOUS: Readonly<Record<Synchronous, true>> = {
  getSchedulerName: true,
  getSchedulerInstanceId: true,
  getContext: true,
  getMetaData: true,
  startDelayed: true,
  isStarted: true,
  isInStandbyMode: true,
  isShutdown: true,
  registerJob: true,
  setJobFactory: true,
  getCurrentlyExecutingJobs: true,
  withConnection: true,
  use: true,
  getListenerManager: true,
  subscribe: true,
};

/**
 * Makes the scheduler's methods reject or throw INVALID_ARGUMENT for extra arguments, such as a key passed as name and group, as in Java. The methods
 * must declare no default values and no rest parameters, so that `length` is the number of their parameters.
 */
export function refusingExtraArguments(scheduler: Scheduler): Scheduler {
  const methods = Object.entries(scheduler) as readonly [keyof Scheduler, Method][];
  const checked = methods.map(([name, method]): [string, Method] => [
    name,
    (...given) => {
      const error = extraArgument(name, method.length, given);
      if (error === null) return method(...given);
      if (name in SYNCHRONOUS) throw error;
      return Promise.reject(error);
    },
  ]);
  return Object.fromEntries(checked) as unknown as Scheduler;
}

function extraArgument(name: string, taken: number, given: readonly unknown[]): SchedulerError | null {
  if (given.slice(taken).every((each) => each === undefined)) return null;
  const expected = taken === 0 ? 'no arguments' : `at most ${taken}`;
  const advice = 'Pass a key as one object or string, and options as one object.';
  return badArgument(`Arguments of ${name}: expected ${expected}, found ${given.length}. ${advice}`);
}
