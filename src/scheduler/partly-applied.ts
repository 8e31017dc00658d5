import { SchedulerError, toError } from '../base/errors';
import type { EventInput } from './schedule-events';

/** The error of a portion of a large change set, with how much of the set had been applied before it. */
export function partlyApplied(thrown: unknown, applied: number, total: number): Error {
  const error = toError(thrown);
  if (applied === 0) return error;
  const message =
    `${error.message} The first ${applied} of ${total} changes have been applied, in portions, and stay; the others have not. ` +
    'Correct the cause and apply the set again with replace, or use atomic: true for all or nothing.';
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  return new SchedulerError(code, message, { cause: error });
}

/** A large change set in one transaction keeps the lock of the cluster until it is stored. */
export function atomicWarning(count: number): EventInput {
  return {
    type: 'configurationWarning',
    message:
      `${count} changes of the schedule are applied in one transaction (atomic): no trigger fires until all of them are stored. ` +
      'Without atomic they are applied in portions, between which triggers fire.',
  };
}
