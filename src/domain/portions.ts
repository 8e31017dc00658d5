import { SchedulerError, toError } from '../base/errors';
import { addAll } from '../base/lists';
import { type JobKey, keyText } from './keys';
import type { ScheduleChange } from './schedule-change';

/** A change set of at most so many changes is all or nothing; of a larger one, a job and as many of its triggers stay together. */
export const MAX_ATOMIC = 200;

/** The most changes of one transaction of a larger set. */
export const MAX_PORTION = 2_000;

/** A set with one of these is all or nothing whatever its size: they are about the whole of it. */
const WHOLE: readonly ScheduleChange['type'][] = ['expect', 'clear', 'replaceTrigger'];

/** Whether a change set may be applied in several transactions. */
export function isDivisible(changes: readonly ScheduleChange[]): boolean {
  return changes.length > MAX_ATOMIC && !changes.some(({ type }) => WHOLE.includes(type));
}

/**
 * The transactions in which a change set is applied, as positions in it. The order stays, except that a job is stored together with the
 * triggers of it that follow.
 */
export class Portions {
  readonly #units: Iterator<readonly number[]>;
  #left: readonly number[] | null;

  constructor(changes: readonly ScheduleChange[]) {
    this.#units = unitsOf(changes)[Symbol.iterator]();
    this.#left = this.#take();
  }

  /** The next at most `size` changes, and more only where they stay together; empty: none are left. */
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

/** What must not be told apart: a job with its triggers, as far as they are not very many, and every other change by itself. */
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

/** A job that is stored comes before triggers of it in other portions. */
function* inOrder(byJob: ReadonlyMap<string, readonly number[]>): Iterable<readonly number[]> {
  for (const unit of byJob.values())
    for (let first = 0; first < unit.length; first += MAX_ATOMIC) yield unit.slice(first, first + MAX_ATOMIC);
}

function storedJob(change: ScheduleChange): JobKey | null {
  if (change.type === 'storeJob') return change.job.key;
  return change.type === 'storeTrigger' ? change.trigger.jobKey : null;
}

/** The error of a portion of a large change set, with how much of the set had been applied before it. */
export function partlyApplied(thrown: unknown, applied: number, total: number): Error {
  const error = toError(thrown);
  if (applied === 0) return error;
  const message =
    `${error.message} ${applied} of ${total} changes were already applied, in earlier portions, and are kept; the others were not applied. ` +
    'Correct the cause and apply the set again with replace, or use atomic: true for all or nothing.';
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  return new SchedulerError(code, message, { cause: error });
}
