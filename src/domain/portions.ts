import { SchedulerError, toError } from '../base/errors';
import { addAll } from '../base/lists';
import { type JobKey, keyText } from './keys';
import type { ScheduleChange } from './schedule-change';

/** A change set of at most this many changes is applied in one transaction. In a larger one, a job and this many of its triggers stay together. */
export const MAX_ATOMIC = 200;

/** Maximum number of changes in one transaction of a larger set. */
export const MAX_PORTION = 2_000;

/** Changes that concern the whole set. A set with one of these is applied in one transaction, regardless of its size. */
const WHOLE: readonly ScheduleChange['type'][] = ['expect', 'clear', 'replaceTrigger'];

/** True if a change set may be applied in several transactions. */
export function isDivisible(changes: readonly ScheduleChange[]): boolean {
  return changes.length > MAX_ATOMIC && !changes.some(({ type }) => WHOLE.includes(type));
}

/** Splits a change set into transactions, as positions in it. The order stays, except that a job is stored together with its triggers that follow. */
export class Portions {
  readonly #units: Iterator<readonly number[]>;
  #left: readonly number[] | null;

  constructor(changes: readonly ScheduleChange[]) {
    this.#units = unitsOf(changes)[Symbol.iterator]();
    this.#left = this.#take();
  }

  /** Returns at most `size` next changes, or more if they must stay together; empty if none are left. */
  next(size: number): readonly number[] {
    const portion: number[] = [];
    while (this.#left !== null && (portion.length === 0 || portion.length + this.#left.length <= size)) {
      addAll(portion, this.#left);
      this.#left = this.#take();
    }
    return portion;
  }

  #take(): readonly number[] | null {
    const { done, value } = this.#units.next();
    return done ? null : value;
  }
}

/** Yields groups of changes that must stay together: a job with up to `MAX_ATOMIC` of its triggers. Every other change is alone. */
function* unitsOf(changes: readonly ScheduleChange[]): Iterable<readonly number[]> {
  let byJob = new Map<string, number[]>();
  for (const [index, change] of changes.entries()) {
    const job = storedJob(change);
    if (job === null) {
      yield* inOrder(byJob);
      byJob = new Map();
      yield [index];
      continue;
    }
    const text = keyText(job);
    const unit = byJob.get(text);
    if (unit === undefined) byJob.set(text, [index]);
    else unit.push(index);
  }
  yield* inOrder(byJob);
}

/** Yields a job before its triggers that are in other portions. */
function* inOrder(byJob: ReadonlyMap<string, readonly number[]>): Iterable<readonly number[]> {
  for (const unit of byJob.values())
    for (let first = 0; first < unit.length; first += MAX_ATOMIC) yield unit.slice(first, first + MAX_ATOMIC);
}

function storedJob(change: ScheduleChange): JobKey | null {
  if (change.type === 'storeJob') return change.job.key;
  return change.type === 'storeTrigger' ? change.trigger.jobKey : null;
}

/** Returns the error of a portion of a large change set, including the number of changes applied before it. */
export function partlyApplied(thrown: unknown, applied: number, total: number): Error {
  const error = toError(thrown);
  if (applied === 0) return error;
  const message =
    `${error.message} ${applied} of ${total} changes were already applied, in earlier portions, and are kept; the others were not applied. ` +
    'Correct the cause and apply the set again with replace, or use atomic: true for all or nothing.';
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  return new SchedulerError(code, message, { cause: error });
}
