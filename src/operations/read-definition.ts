import { ConfigurationError, type Problem as FileProblem } from '../config/problem';
import type { OperationContext } from './operation';
import { type FieldProblem, furtherProblems, invalidInput, MAX_PROBLEMS } from './problem';

/* Reads definitions with the readers for schedule files, and converts the errors of those readers to field problems. */

export function defaultsOf({ control }: OperationContext) {
  return { timeZone: control.timeZone, timeZoneDefaulted: control.timeZoneDefaulted, now: control.now() };
}

/** Calls `read` and returns its result. Converts a ConfigurationError to INVALID_INPUT with every invalid field. */
export function reading<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigurationError ? invalidInput(fieldsOfProblems(error.problems)) : error;
  }
}

function toField({ path, message, suggestion, line, column, offset }: FileProblem): FieldProblem {
  const hint = suggestion === null ? '' : `; did you mean '${suggestion}'?`;
  return {
    field: path,
    message: `${message}${hint}`,
    ...(line === null ? {} : { line, column: column ?? 1 }),
    ...(offset === undefined ? {} : { offset }),
  };
}

/** Converts problems in a schedule file to field problems. Returns at most 100, followed by one with the number of further problems. */
export function fieldsOfProblems(problems: readonly FileProblem[]): readonly FieldProblem[] {
  const fields = problems.slice(0, MAX_PROBLEMS).map(toField);
  const left = problems.length - fields.length;
  return left === 0 ? fields : [...fields, furtherProblems(left)];
}
