import { SchedulerError } from '../base/errors';
import { type Path, type Position, pathText, type SourceDocument } from './source-document';

/** A problem in a configuration or schedule file, with its position. */
export interface Problem {
  /** File name as the operator gave it, or a description of the source if there is no file. */
  readonly file: string;
  /** Line number from 1, or null if there is no source text. */
  readonly line: number | null;
  /** Column number from 1, or null if there is no source text. */
  readonly column: number | null;
  /** Path in the document, such as `jobs[2].data`. Empty for the whole document. */
  readonly path: string;
  /** Full message, without the position and the suggestion. */
  readonly message: string;
  /** Expected value, or null if `message` describes it. */
  readonly expected: string | null;
  /** Value that was found, never a secret, or null if `message` describes it. */
  readonly found: string | null;
  /** Nearest valid name, or null if no name is near. */
  readonly suggestion: string | null;
  /** Offset of the problem in the value, from 0. Absent if it concerns the whole value. */
  readonly offset?: number;
}

/** Input for a problem: either `message`, or `expected` and `found`, from which the message is built. */
export interface ProblemInput {
  readonly path: Path;
  /** Part whose position is reported. Default: the value. */
  readonly at?: 'key' | 'value';
  readonly message?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly suggestion?: string | null;
  readonly offset?: number;
}

/** Creates a problem for a whole text, or for a position without a path. */
export function textProblem(file: string, position: Position | null, message: string): Problem {
  const { line = null, column = null } = position ?? {};
  return { file, line, column, path: '', message, expected: null, found: null, suggestion: null };
}

/** Creates a problem at a path of a document. For a missing path, the position is that of its nearest parent. */
export function problemAt(document: SourceDocument, input: ProblemInput): Problem {
  const { path, at = 'value', expected, found } = input;
  const position = document.position(path, at);
  return {
    file: document.file,
    line: position?.line ?? null,
    column: position?.column ?? null,
    path: pathText(path),
    message: input.message ?? `expected ${expected ?? 'nothing'}, found ${found ?? 'nothing'}`,
    expected: expected ?? null,
    found: found ?? null,
    suggestion: input.suggestion ?? null,
    ...(input.offset === undefined ? {} : { offset: input.offset }),
  };
}

/** Formats a problem as `file:line:column path: expected …, found …; did you mean …?`. Editors and terminals can link this form. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message, suggestion } = problem;
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  const subject = path === '' ? '' : ` ${path}`;
  const hint = suggestion === null ? '' : `; did you mean '${suggestion}'?`;
  return `${place}${subject}: ${message}${hint}`;
}

/** Maximum number of problems listed in a message; `problems` holds all of them. */
const MAX_LISTED = 100;

/** Error for an invalid configuration or schedule file, with every problem found. */
export class ConfigurationError extends SchedulerError {
  /** All problems, in the order of the text. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    const heading = sorted.length === 1 ? '' : `${sorted.length} problems:\n`;
    const more = sorted.length > MAX_LISTED ? `\n(and ${sorted.length - MAX_LISTED} more)` : '';
    super('CONFIGURATION', heading + sorted.slice(0, MAX_LISTED).map(formatProblem).join('\n') + more, options);
    this.problems = sorted;
  }
}
