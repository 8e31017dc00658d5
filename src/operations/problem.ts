import { type CodeMeaning, ERROR_CODES, type ErrorCode } from '../base/error-codes';

/** What can go wrong with an operation besides what the API says. Stable for ever. */
export const PROBLEM_CODES = {
  INVALID_INPUT: {
    status: 400,
    exit: 'USAGE',
    when: 'A field of the input is missing, unknown, or of the wrong type or range.',
  },
  UNAUTHENTICATED: { status: 401, exit: 'FORBIDDEN', when: 'Nobody has logged in, or the token is not known.' },
  FORBIDDEN: {
    status: 403,
    exit: 'FORBIDDEN',
    when: 'The role of who asks does not allow it, or the scheduler is shown read-only.',
  },
  NOT_FOUND: { status: 404, exit: 'NOT_FOUND', when: 'There is nothing under that key.' },
  NO_SUCH_PATH: { status: 404, exit: 'SERVER', when: 'Nothing is found under that path.' },
  NO_SUCH_METHOD: {
    status: 405,
    exit: 'SERVER',
    when: 'What is found under that path is asked for by another method; `Allow` names it.',
  },
  TOO_LARGE: { status: 413, exit: 'USAGE', when: 'The body is larger than is taken.' },
  NOT_JSON: { status: 415, exit: 'FAILURE', when: 'The body is not sent as `Content-Type: application/json`.' },
  TOO_MANY_REQUESTS: {
    status: 429,
    exit: 'FORBIDDEN',
    when: 'Too many attempts within a short time. `Retry-After` says when to try again.',
  },
  BODY_CONSUMED: {
    status: 500,
    exit: 'FAILURE',
    when: 'A body parser of the program has read the body before the console could: it is to be mounted before body parsers.',
  },
  INTERNAL: {
    status: 500,
    exit: 'FAILURE',
    when: 'Something that nobody foresaw. What it was is in the log, under the `id` of the problem.',
  },
  NOT_BUILT: {
    status: 503,
    exit: 'FAILURE',
    when: 'The page was not built: `npm run build` makes it, and the published package has it.',
  },
  NOT_RECORDED: {
    status: 503,
    exit: 'FAILURE',
    when: 'It was done, but the log of actions could not be written: nobody will find there who did it.',
  },
  CANCELLED: { status: 499, exit: 'FAILURE', when: 'Whoever asked has gone away.' },
} as const satisfies Readonly<Record<string, CodeMeaning>>;

/** One of the codes of `PROBLEM_CODES`. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** An operation cannot be done; every face shows code and message. */
export class Problem extends Error {
  /** Stable for ever: what went wrong. */
  readonly code: ProblemCode | ErrorCode;
  /** What is wrong in the input: the path of the field, and what was expected. */
  readonly fields: readonly FieldProblem[];
  /** How many seconds from now to try again; null: nothing is known of that. */
  readonly retryAfterS: number | null;

  constructor(
    code: ProblemCode | ErrorCode,
    message: string,
    options: ErrorOptions & { readonly fields?: readonly FieldProblem[]; readonly retryAfterS?: number | null } = {},
  ) {
    super(message, options);
    this.name = 'Problem';
    this.code = code;
    this.fields = options.fields ?? [];
    this.retryAfterS = options.retryAfterS ?? null;
  }
}

export interface FieldProblem {
  /** `schedule.cron`, `limit`. */
  readonly field: string;
  readonly message: string;
  /** Where in the text of the field, from 0, such as a place in a cron expression; absent: it is about the whole of it. */
  readonly offset?: number;
  /** Of a text with lines: the line and the column, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The most problems of one input that are reported: no one reads more, and an answer must not be many times as long as its request. */
export const MAX_PROBLEMS = 100;

/** Of an input with more problems than are reported. */
export function furtherProblems(count: number): FieldProblem {
  return { field: '', message: `and ${count} further problems` };
}

/** The meaning of any code. */
export function meaningOf<Code extends ProblemCode | ErrorCode>(code: Code) {
  return CODES[code];
}

const CODES = { ...ERROR_CODES, ...PROBLEM_CODES };
