import { type CodeMeaning, ERROR_CODES, type ErrorCode } from '../base/error-codes';

/** Error codes of operations, in addition to the codes of the API. Codes never change. */
export const PROBLEM_CODES = {
  INVALID_INPUT: {
    status: 400,
    exit: 'USAGE',
    when: 'A field of the input is missing, unknown, or of the wrong type or range.',
  },
  UNAUTHENTICATED: { status: 401, exit: 'FORBIDDEN', when: 'The request has no login, or its token is unknown.' },
  FORBIDDEN: {
    status: 403,
    exit: 'FORBIDDEN',
    when: "The caller's role does not allow the operation, or the API is read-only.",
  },
  NOT_FOUND: { status: 404, exit: 'NOT_FOUND', when: 'Nothing is stored under that key.' },
  NO_SUCH_PATH: { status: 404, exit: 'SERVER', when: 'The path does not exist.' },
  NO_SUCH_METHOD: {
    status: 405,
    exit: 'SERVER',
    when: 'The path does not support this method; the `Allow` header lists the supported ones.',
  },
  TOO_LARGE: { status: 413, exit: 'USAGE', when: 'The body exceeds the size limit.' },
  NOT_JSON: { status: 415, exit: 'FAILURE', when: 'The request lacks `Content-Type: application/json`.' },
  TOO_MANY_REQUESTS: {
    status: 429,
    exit: 'FORBIDDEN',
    when: 'Too many attempts in a short time. Try again after the time in `Retry-After`.',
  },
  BODY_CONSUMED: {
    status: 500,
    exit: 'FAILURE',
    when: 'The program read the body before the console, and kept neither the parsed body nor its bytes.',
  },
  INTERNAL: { status: 500, exit: 'FAILURE', when: "Unexpected error. See the server log under this problem's `id`." },
  NOT_BUILT: {
    status: 503,
    exit: 'FAILURE',
    when: 'The console page is missing from this build. Run `npm run build`; the published package contains it.',
  },
  NOT_RECORDED: {
    status: 503,
    exit: 'FAILURE',
    when: 'The operation succeeded, but it could not be recorded in the action log.',
  },
  CANCELLED: { status: 499, exit: 'FAILURE', when: 'The client disconnected before the response.' },
} as const satisfies Readonly<Record<string, CodeMeaning>>;

/** One of the codes of `PROBLEM_CODES`. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Error of an operation. Every interface shows its code and message. */
export class Problem extends Error {
  /** Error code, which never changes. */
  readonly code: ProblemCode | ErrorCode;
  /** Invalid fields of the input, each with its path and a message. */
  readonly fields: readonly FieldProblem[];
  /** Time to wait before a retry, in seconds. Null if unknown. */
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
  /** Path of the field, such as `schedule.cron` or `limit`. Empty for the whole input. */
  readonly field: string;
  readonly message: string;
  /** Position within the field's value, from 0, for example in a cron expression. Absent if the problem concerns the whole value. */
  readonly offset?: number;
  /** Line and column within a value of several lines, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Creates the problem of an input with invalid fields. Its message names each of them. */
export function invalidInput(fields: readonly FieldProblem[]): Problem {
  const text = ({ field, message }: FieldProblem) => (field === '' ? message : `${field}: ${message}`);
  return new Problem('INVALID_INPUT', fields.map(text).join('; '), { fields });
}

export function invalidField(field: string, message: string): Problem {
  return invalidInput([{ field, message }]);
}

/** Maximum number of invalid fields to report, so that a response cannot be many times longer than its request. */
export const MAX_PROBLEMS = 100;

export function furtherProblems(count: number): FieldProblem {
  return { field: '', message: `and ${count} more ${count === 1 ? 'problem' : 'problems'}` };
}

export function meaningOf<Code extends ProblemCode | ErrorCode>(code: Code) {
  return CODES[code];
}

const CODES = { ...ERROR_CODES, ...PROBLEM_CODES };
