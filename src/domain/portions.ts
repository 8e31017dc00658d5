import { SchedulerError, toError } from '../base/errors';
import { type JobKey, keyText } from './keys';
import type { ScheduleChange } from './schedule-change';

/** The most changes of one transaction of a large set, except that a job and its triggers stay together. */
export const MAX_PORTION = 2_000;

/** A set with one of these is all or nothing whatever its size: they are about the whole of it. */
const WHOLE: readonly ScheduleChange['type'][] = ['expect', 'clear', 'replaceTrigger'];

/**
 * The transactions in which a change set is applied, as positions in it: one for a set of at most `size` changes. The order stays, except that a
 * job is stored together with all triggers of it that follow.
 */
export function portionsOf(changes: readonly ScheduleChange[], size = MAX_PORTION): readonly (readonly number[])[] {
  const all = changes.map((_, index) => index);
  if (changes.length <= size || changes.some(({ type }) => WHOLE.includes(type))) return [all];
  const portions: number[][] = [];
  let portion: number[] = [];
  for (const unit of unitsOf(changes)) {
    if (portion.length > 0 && portion.length + unit.length > size) {
      portions.push(portion);
      portion = [];
    }
    for (const index of unit) portion.push(index);
  }
  return [...portions, portion];
}

/** What must not be told apart: a job with its triggers, and every other change by itself. */
function* unitsOf(changes: readonly ScheduleChange[]): Iterable<readonly number[]> {
  let byJob = new Map<string, number[]>();
  for (const [index, change] of changes.entries()) {
    const job = storedJob(change);
    if (job === null) {
      yield* byJob.values();
      byJob = new Map();
      yield [index];
      continue;
    }
    const text = keyText(job);
    const unit = byJob.get(text);
    if (unit === undefined) byJob.set(text, [index]);
    else unit.push(index);
  }
  yield* byJob.values();
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
    `${error.message} ${applied} of ${total} changes have been applied before, in portions, and stay; the others have not been. ` +
    'Correct the cause and apply the set again with replace, or use atomic: true for all or nothing.';
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  return new SchedulerError(code, message, { cause: error });
}
