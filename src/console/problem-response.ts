import { maskText } from '../base/secrets';
import { meaningOf, type Problem } from '../operations/problem';
import { toProblem } from '../operations/to-problem';

/** A problem document (RFC 9457). */
interface ProblemDocument {
  /** URN of the problem's code, such as `urn:quartz-ts:problem:not-found`. It is not a URL. */
  readonly type: string;
  readonly code: string;
  /** Title of the code, which is the same for every problem with this code. */
  readonly title: string;
  readonly status: number;
  /** Explanation of this problem. Absent if there is none, or if it was only written to the log. */
  readonly detail?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  /** Id under which the log contains the details. Absent if nothing was logged. */
  readonly id?: string;
}

interface FailureReport {
  readonly newId: () => string;
  readonly report: (during: string, error: unknown) => void;
  /** Method and path of the request, such as `POST /api/…`. */
  readonly during: string;
}

/** Converts a thrown value to a response. The message of a server error (5xx) is only written to the log, except for BODY_CONSUMED and NOT_BUILT. */
export function answerFailure(thrown: unknown, { newId, report, during }: FailureReport): Response {
  const problem = toProblem(thrown);
  const code = problem?.code ?? 'INTERNAL';
  // The messages of BODY_CONSUMED and NOT_BUILT help the developer who mounts the console, and contain no internals.
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

/** Returns the message of a store failure, which contains only the error code of the driver or system, such as ECONNREFUSED. */
function outageText(problem: Problem | null): string {
  const codes = causesOf(problem).map((cause) => (cause as { readonly code?: unknown }).code);
  const code = codes.find((each) => typeof each === 'string' && /^E[A-Z0-9_]{2,60}$/.test(each));
  return `The database did not answer or rejected the operation${code === undefined ? '' : ` (${code})`}. See the server log under this problem's \`id\`.`;
}

/** Returns the error followed by its causes, at most 10 errors in total. */
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

function typeOf(code: string): string {
  return `urn:quartz-ts:problem:${code.toLowerCase().replaceAll('_', '-')}`;
}
