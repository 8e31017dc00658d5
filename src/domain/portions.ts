import { SchedulerError, toError } from '../base/errors';
import { addAll } from '../base/lists';
import { type JobKey, keyText } from './keys';
import type { ChangeSet, ScheduleChange } from './schedule-change';

/** Maximum number of changes in a set that is always atomic. In a larger set, up to this number of a job's triggers are applied with the job. */
export const MAX_ATOMIC = 200;

/** Maximum number of changes per transaction of a larger set. */
export const MAX_PORTION = 2_000;

/** A set with a change of these types, which affect the whole schedule or depend on other changes, is applied in one transaction. */
const WHOLE: readonly ScheduleChange['type'][] = ['expect', 'clear', 'replaceTrigger'];

/** True if a change set may be applied in several transactions. */
export function isDivisible(changes: ChangeSet): boolean {
  return changes.length > MAX_ATOMIC && !changes.some(({ type }) => WHOLE.includes(type));
}

/** Splits changes into portions (lists of indices), one per transaction, in order, except that later triggers of a job move next to the job. */
export class Portions {
  readonly #units: Iterator<readonly number[]>;
  #left: readonly number[] | null;

  constructor(changes: ChangeSet) {
    this.#units = unitsOf(changes)[Symbol.iterator]();
    this.#left = this.#take();
  }

  /** Returns at most `size` changes, or more if a group of changes that must stay together is larger. Empty when no changes are left. */
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

/** Yields the groups of changes that need one transaction: a job with up to `MAX_ATOMIC` of its triggers, or a single change of another type. */
function* unitsOf(changes: ChangeSet): Iterable<readonly number[]> {
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

/** Yields the groups in order. If a job has too many triggers for one group, splits them into several groups; the first group contains the job. */
function* inOrder(byJob: ReadonlyMap<string, readonly number[]>): Iterable<readonly number[]> {
  for (const unit of byJob.values())
    for (let first = 0; first < unit.length; first += MAX_ATOMIC) yield unit.slice(first, first + MAX_ATOMIC);
}

function storedJob(change: ScheduleChange): JobKey | null {
  if (change.type === 'storeJob') return change.job.key;
  return change.type === 'storeTrigger' ? change.trigger.jobKey : null;
}

/** Returns the error for a failed portion. If earlier portions were applied, the message states the number of applied changes. */
export function partlyApplied(thrown: unknown, applied: number, total: number): Error {
  const error = toError(thrown);
  if (applied === 0) return error;
  const message =
    `${error.message} Earlier portions applied ${applied} of ${total} changes and are kept; the other changes were not applied. ` +
    'Correct the cause and apply the set again with replace, or use atomic: true for all or nothing.';
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  return new SchedulerError(code, message, { cause: error });
}
