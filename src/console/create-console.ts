import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Scheduler } from '../api/scheduler';
import { type Clock, SystemClock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { BASE_PATH } from '../base/host';
import { type RandomSource, systemRandom } from '../base/ids';
import { checkOptions } from '../domain/check-options';
import { Problem } from '../operations/problem';
import { buildApp, type ConsoleApp } from './app';
import type { FailedLogin } from './auth/account-authenticator';
import { authenticatorOf } from './auth/authenticator-of';
import { isSecure } from './auth/sessions';
import type { Console, ConsoleOptions } from './console-options';
import { Page } from './page';
import { type Connection, normalBasePath, placeOf } from './place';
import { answerFailure } from './problem-response';
import { serveSchedulers } from './served-schedulers';

/** What a console is made of besides its schedulers; tests give their own. */
export interface ConsoleParts {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Where the page was built to; absent: beside the compiled code. */
  readonly pageFolder?: string;
}

/**
 * Makes schedulers visible and steerable over HTTP: a page, an API and its OpenAPI document. What the options of a single scheduler's console do not
 * say, its configuration does (`console.tokens`, `console.readOnly` …). Without `tokens`, `users` or `auth` nobody is let in. Throws INVALID_ARGUMENT
 * for options, or for schedulers of the same name or that `createScheduler` has not made.
 */
export function createConsole(schedulers: Scheduler | readonly Scheduler[], options: ConsoleOptions = {}): Console {
  // Nothing here keeps a process alive.
  return assembleConsole(schedulers, options, { clock: new SystemClock({ keepsAlive: false }), random: systemRandom });
}

/** The same, of given parts. */
export function assembleConsole(
  schedulers: Scheduler | readonly Scheduler[],
  options: ConsoleOptions,
  parts: ConsoleParts,
): Console {
  const served = serveSchedulers(schedulers);
  const merged = withConfigured(options, served);
  const { readOnly, basePath } = readOptions(merged);
  const onFailed = (login: FailedLogin) => {
    for (const { control } of served) control.announceFailedLogin(login);
  };
  const auth = authenticatorOf(merged, { ...parts, onFailed });
  const fail = (thrown: unknown, during: string) =>
    answerFailure(thrown, {
      newId: () => parts.random.token(12),
      report: (what, error) => served[0].control.report(what, error),
      during,
    });
  const answerRequestFailure = (thrown: unknown, { method, url }: Request) =>
    fail(thrown, `answering ${method} ${new URL(url).pathname}`);
  const page = new Page(parts.pageFolder);
  // A program that lets people in itself may know every name.
  const knownHosts = merged.allowedHosts ?? (merged.auth === undefined ? [] : null);
  const app = buildApp({
    ...parts,
    served,
    auth,
    page,
    knownHosts,
    isReadOnly: readOnly,
    answerFailure: answerRequestFailure,
  });

  const answer = async (request: Request, connection: Connection): Promise<Response> => {
    const response = await route(app, { request, connection, basePath }).catch((error) =>
      answerRequestFailure(error, request),
    );
    if (isSecure(request)) response.headers.set('strict-transport-security', HSTS);
    for (const [name, value] of SECURITY_HEADERS) if (!response.headers.has(name)) response.headers.set(name, value);
    return response;
  };
  return {
    fetch: (request) => answer(request, {}),
    listener: nodeListener(answer, (error) => fail(error, 'reading a request')),
    close: () => app.close(),
  };
}

/** A browser that has been here over TLS does not come back without. Half a year; other names of the host are left alone. */
const HSTS = 'max-age=15552000';

/** Of every answer that does not say otherwise: nothing of it is run, framed, guessed at, kept or told to others. */
const SECURITY_HEADERS = [
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
] as const;

interface Routed {
  readonly request: Request;
  readonly connection: Connection;
  readonly basePath: string;
}

async function route(app: ConsoleApp, { request, connection, basePath }: Routed): Promise<Response> {
  const { inner, full } = placeOf(request, connection, basePath);
  if (inner === null) throw new Problem('NO_SUCH_PATH', `The console is below ${basePath}/.`);
  // What the page loads is named relative to it: without the slash that would be one level too high.
  if (inner === '/' && !full.endsWith('/')) {
    return new Response(null, { status: 308, headers: { location: `./${full.slice(full.lastIndexOf('/') + 1)}/` } });
  }
  return app.fetch(request, { ...connection, path: inner });
}

const NAMES: Readonly<Record<keyof ConsoleOptions, true>> = {
  readOnly: true,
  basePath: true,
  auth: true,
  tokens: true,
  users: true,
  allowedHosts: true,
  sessionLifetimeMs: true,
};

/** What the configuration of the scheduler says, where the program does not. Several schedulers may disagree: then the program alone says it. */
function withConfigured(given: ConsoleOptions, [{ control }, ...others]: Served): ConsoleOptions {
  if (others.length > 0) return given;
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ConsoleOptions;
  const { tokens, users, allowedHosts, readOnly, basePath, sessionLifetimeMs } = control.console;
  const saysWho = said.auth ?? said.tokens ?? said.users;
  return {
    ...{ readOnly, basePath, sessionLifetimeMs },
    ...(allowedHosts.length === 0 ? {} : { allowedHosts }),
    ...(saysWho === undefined ? { tokens, users } : {}),
    ...said,
  };
}

type Served = ReturnType<typeof serveSchedulers>;

function readOptions(options: ConsoleOptions) {
  const { readOnly = false, basePath = '' } = checkOptions(options, NAMES);
  if (typeof readOnly !== 'boolean') throw invalid('Expected readOnly to be true or false.');
  if (typeof basePath !== 'string' || !BASE_PATH.test(basePath))
    throw invalid('Expected basePath to be a path such as /admin.');
  return { readOnly, basePath: normalBasePath(basePath) };
}

function invalid(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}

/**
 * Requests of Node's http as those of `fetch`. Nothing global is replaced: the program around may have its own idea of a `Request`.
 * `answer` never rejects; `onUnreadable` answers what is no request at all, such as one without a host.
 */
export function nodeListener(
  answer: (request: Request, connection: Connection) => Promise<Response>,
  onUnreadable: (error: unknown) => Response,
): RequestListener {
  const listen = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as Required<Connection>;
      if (!isConsumed(incoming)) return answer(request, { incoming, outgoing });
      return onUnreadable(new Problem('BODY_CONSUMED', EXPLANATION));
    },
    {
      overrideGlobalObjects: false,
      errorHandler: () =>
        onUnreadable(new Problem('INVALID_INPUT', 'Expected an HTTP request with a host and a path.')),
    },
  );
  return (incoming, outgoing) => void listen(incoming, outgoing);
}

const EXPLANATION =
  'The body of this request was read before the console received it. Mount the console before body parsers: in Express before ' +
  'express.json(), in NestJS by app.use(…) before app.init() or app.listen(), in Fastify in a scope whose content type parser leaves ' +
  'the body alone.';

/** Whether somebody has begun to read a body that there is. A framework that keeps its bytes (`rawBody`) has lost nothing. */
function isConsumed(incoming: IncomingMessage & { readonly rawBody?: unknown }): boolean {
  const { headers, readableDidRead, rawBody } = incoming;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && readableDidRead && !(rawBody instanceof Buffer);
}
