import { SchedulerError } from '../base/errors';
import { Problem } from './problem';

/** What an operation rejected with, as a problem; null: it is none that was foreseen, and its text is for the log alone. */
export function toProblem(thrown: unknown): Problem | null {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof SchedulerError) return new Problem(thrown.code, thrown.message, { cause: thrown });
  return null;
}
