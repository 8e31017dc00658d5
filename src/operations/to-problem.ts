import { SchedulerError } from '../base/errors';
import { Problem } from './problem';

/** Converts the error of an operation to a problem. Returns null for an unexpected error, whose message may appear only in the log. */
export function toProblem(thrown: unknown): Problem | null {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof SchedulerError) return new Problem(thrown.code, thrown.message, { cause: thrown });
  return null;
}
