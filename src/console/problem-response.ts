import { maskText } from '../base/secrets';
import { meaningOf, type Problem } from '../operations/problem';
import { toProblem } from '../operations/to-problem';

/** A problem document (RFC 9457), as it is sent. */
export interface ProblemDocument {
  /** A name, not an address: `urn:quartz-ts:problem:not-found`. */
  readonly type: string;
  readonly code: string;
  /** The same for every problem of the code. */
  readonly title: string;
  readonly status: number;
  /** What it is this time; absent: it is for the log alone. */
  readonly detail?: string;
  /** What is wrong in the input. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  /** Under which it is found in the log. */
  readonly id?: string;
}

export interface FailureReport {
  /** Makes the id of a problem that is reported. */
  readonly newId: () => string;
  /** Tells the log. */
  readonly report: (during: string, error: unknown) => void;
  /** `POST /api/…`: what was being done. */
  readonly during: string;
}

/** What was thrown, as an answer. Of what is no mistake of whoever asked, the text is for the log alone. */
export function answerFailure(thrown: unknown, { newId, report, during }: FailureReport): Response {
  const problem = toProblem(thrown);
  const code = problem?.code ?? 'INTERNAL';
  // Whoever sets a server up reads these where they are shown.
  const isForReader = code === 'BODY_CONSUMED' || code === 'NOT_BUILT' || meaningOf(code).status < 500;
  if (problem !== null && isForReader) {
    const { retryAfterS } = problem;
    return problemResponse(problem, retryAfterS === null ? {} : { headers: { 'retry-after': `${retryAfterS}` } });
  }
  const id = newId();
  report(`${during} (problem ${id})`, thrown);
  if (code === 'STORE_FAILURE') return problemResponse({ code, message: outageText(problem) }, { id });
  return problemResponse({ code: meaningOf(code).status === 500 ? 'INTERNAL' : code }, { id });
}

/** What may be told of a store that failed: the code of the driver or the system, such as ECONNREFUSED. */
function outageText(problem: Problem | null): string {
  const codes = causesOf(problem).map((cause) => (cause as { readonly code?: unknown }).code);
  const code = codes.find((each) => typeof each === 'string' && /^E[A-Z0-9_]{2,60}$/.test(each));
  return `The database does not answer, or refused the operation${code === undefined ? '' : ` (${code})`}.`;
}

/** The chain of causes, at most ten. */
function causesOf(thrown: Error | null): readonly Error[] {
  const causes: Error[] = [];
  for (let cause: unknown = thrown; cause instanceof Error && causes.length < 10; cause = cause.cause)
    causes.push(cause);
  return causes;
}

export function problemResponse(
  problem: Pick<Problem, 'code'> & Partial<Pick<Problem, 'message' | 'fields'>>,
  extra: { readonly id?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { code, message, fields = [] } = problem;
  const { id, headers = {} } = extra;
  const status = meaningOf(code).status;
  const document: ProblemDocument = {
    type: typeOf(code),
    code,
    title: meaningOf(code).when,
    status,
    ...(message === undefined ? {} : { detail: maskText(message) }),
    ...(fields.length === 0 ? {} : { errors: fields.map((each) => ({ ...each, message: maskText(each.message) })) }),
    ...(id === undefined ? {} : { id }),
  };
  return new Response(JSON.stringify(document), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

export function typeOf(code: string): string {
  return `urn:quartz-ts:problem:${code.toLowerCase().replaceAll('_', '-')}`;
}
