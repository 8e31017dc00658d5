import { SchedulerError } from '../base/errors';
import { sharedClass } from '../base/shared-class';
import { type Path, type Position, pathText, type SourceDocument } from './source-document';

/** A problem in a configuration or schedule file, with its position. */
export interface Problem {
  /** File name as the operator wrote it, or a description of the source if there is no file. */
  readonly file: string;
  /** Line number, from 1. Null if there is no source text. */
  readonly line: number | null;
  /** Column number, from 1. Null if there is no source text. */
  readonly column: number | null;
  /** Path in the document, such as `jobs[2].data`. Empty for the whole document. */
  readonly path: string;
  /** Complete message, without position or suggestion. */
  readonly message: string;
  /** Expected value. Null if only `message` describes it. */
  readonly expected: string | null;
  /** Value that was found. Secrets are masked. Null if only `message` describes it. */
  readonly found: string | null;
  /** Most similar valid name, or null if none is similar. */
  readonly suggestion: string | null;
  /** Offset of the problem within the value, from 0. Absent if the problem concerns the whole value. */
  readonly offset?: number;
}

/** Input for a problem: either a `message`, or `expected` and `found` to build the message from. */
export interface ProblemInput {
  readonly path: Path;
  /** Part of the entry whose position to report. Default: `value`. */
  readonly at?: 'key' | 'value';
  readonly message?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly suggestion?: string | null;
  readonly offset?: number;
}

/** Creates a problem at a position, without a path. A null position means the whole text. */
export function textProblem(file: string, position: Position | null, message: string): Problem {
  const { line = null, column = null } = position ?? {};
  return { file, line, column, path: '', message, expected: null, found: null, suggestion: null };
}

/** Creates a problem at a path of a document. If the path does not exist, uses the position of its nearest parent. */
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

/** Formats a problem as `file:line:column path: expected …, found …; did you mean …?`, a form that editors and terminals link to the file. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message, suggestion } = problem;
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  const field = path === '' ? '' : ` ${path}`;
  const hint = suggestion === null ? '' : `; did you mean '${suggestion}'?`;
  return `${place}${field}: ${message}${hint}`;
}

/** Maximum number of problems in the error message. The property `problems` contains all of them. */
const MAX_LISTED = 100;

/** Error for an invalid configuration or schedule file. */
export class ConfigurationError extends SchedulerError {
  static {
    sharedClass(ConfigurationError, 'ConfigurationError');
  }

  /** All problems, in the order of the file. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    const heading = sorted.length === 1 ? '' : `${sorted.length} problems:\n`;
    const more = sorted.length > MAX_LISTED ? `\n(and ${sorted.length - MAX_LISTED} more)` : '';
    super('CONFIGURATION', heading + sorted.slice(0, MAX_LISTED).map(formatProblem).join('\n') + more, options);
    this.problems = sorted;
  }
}
