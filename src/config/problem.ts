import { SchedulerError } from '../base/errors';
import { type Path, type Position, pathText, type SourceDocument } from './source-document';

/** One thing wrong in a file of the operator's, and where. */
export interface Problem {
  /** The file as it was named; how the configuration was given when there is no file. */
  readonly file: string;
  /** From 1; null when there is no text to point into. */
  readonly line: number | null;
  /** Of the line, from 1; null: not in a text. */
  readonly column: number | null;
  /** Where in the document: `jobs[2].data`; empty for the document as a whole. */
  readonly path: string;
  /** The whole sentence, without the place and the suggestion. */
  readonly message: string;
  /** What was expected; null where the message says it all. */
  readonly expected: string | null;
  /** What was found, never a secret; null where the message says it all. */
  readonly found: string | null;
  /** The nearest name that would have been right. */
  readonly suggestion: string | null;
  /** Where in the text that stands there, from 0; absent: it is about the whole of it. */
  readonly offset?: number;
}

/** What a problem is made of: either a `message`, or `expected` and `found`, from which the message is written. */
export interface ProblemInput {
  readonly path: Path;
  /** Point at the key instead of its value. */
  readonly at?: 'key' | 'value';
  readonly message?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly suggestion?: string | null;
  readonly offset?: number;
}

/** A problem of a whole text, or of a place in it that has no path. */
export function textProblem(file: string, position: Position | null, message: string): Problem {
  const { line = null, column = null } = position ?? {};
  return { file, line, column, path: '', message, expected: null, found: null, suggestion: null };
}

/** A problem at a path of a document. A path that is not there is placed at its nearest parent. */
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

/** `file:line:column path: expected …, found …; did you mean …?`, the form editors and terminals can follow. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message, suggestion } = problem;
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  const subject = path === '' ? '' : ` ${path}`;
  const hint = suggestion === null ? '' : `; did you mean '${suggestion}'?`;
  return `${place}${subject}: ${message}${hint}`;
}

/** How many problems a message spells out; `problems` holds all of them. */
const MAX_LISTED = 100;

/** A configuration or schedule file is wrong. Carries every problem found, not just the first. */
export class ConfigurationError extends SchedulerError {
  /** All of them, in the order of the text. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    const heading = sorted.length === 1 ? '' : `${sorted.length} problems:\n`;
    const more = sorted.length > MAX_LISTED ? `\n(and ${sorted.length - MAX_LISTED} more)` : '';
    super('CONFIGURATION', heading + sorted.slice(0, MAX_LISTED).map(formatProblem).join('\n') + more, options);
    this.problems = sorted;
  }
}
