import { SchedulerError } from '../base/errors';
import { Problem } from './problem';

/** Converts an operation's error to a problem. Null if the error is unexpected; its text belongs only in the log. */
export function toProblem(thrown: unknown): Problem | null {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof SchedulerError) return new Problem(thrown.code, thrown.message, { cause: thrown });
  return null;
}
