import type { Scheduler } from '../api/scheduler';
import { badArgument } from '../base/errors';
import { Problem } from '../operations/problem';
import { controlOf, type SchedulerControl } from '../scheduler/control';

export interface ServedScheduler {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly control: SchedulerControl;
}

/** Returns the schedulers with their names. Throws INVALID_ARGUMENT for none, duplicate names, or schedulers not created by `createScheduler`. */
export function serveSchedulers(
  given: Scheduler | readonly Scheduler[],
): readonly [ServedScheduler, ...ServedScheduler[]] {
  const served = (Array.isArray(given) ? given : [given]).map(serve);
  const names = served.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw badArgument(
      `Expected schedulers with different names, found two named ${twice}. Pass only one node of a cluster: all its nodes show the same.`,
    );
  }
  const [first, ...rest] = served;
  if (first === undefined) throw badArgument('Expected at least one scheduler, found none.');
  return [first, ...rest];
}

function serve(scheduler: Scheduler): ServedScheduler {
  const control = controlOf(scheduler);
  if (control !== null) return { name: scheduler.getSchedulerName(), scheduler, control };
  throw badArgument('Expected schedulers created with createScheduler, found another object.');
}

/** Returns the scheduler with this name. Throws NOT_FOUND if there is none. */
export function findServed<Served extends ServedScheduler>(served: readonly Served[], name: string): Served {
  const found = served.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new Problem('NOT_FOUND', 'This console serves no scheduler with that name.');
}
