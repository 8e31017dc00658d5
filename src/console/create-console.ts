import type { Scheduler } from '../api/scheduler';
import { type Clock, SystemClock } from '../base/clock';
import { badArgument } from '../base/errors';
import { given } from '../base/given';
import { BASE_PATH } from '../base/host';
import { type RandomSource, systemRandom } from '../base/ids';
import { checkOptions, refuseUndefined } from '../domain/check-options';
import { Problem } from '../operations/problem';
import { buildApp, type ConsoleApp } from './app';
import type { FailedLogin } from './auth/account-authenticator';
import { authenticatorOf } from './auth/authenticator-of';
import { isSecure } from './auth/sessions';
import type { Console, ConsoleOptions } from './console-options';
import { nodeListener } from './node-listener';
import { Page } from './page';
import { type Connection, normalBasePath, placeOf } from './place';
import { answerFailure } from './problem-response';
import { serveSchedulers } from './served-schedulers';

export interface ConsoleParts {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Folder of the built page. Default: next to the compiled code. */
  readonly pageFolder?: string;
}

/**
 * Creates a web console for schedulers: a page, and an API with an OpenAPI document. Without `tokens`, `users` or `auth`, every request is rejected.
 *
 * For a single scheduler, options that you omit are taken from its configuration (`console.tokens`, `console.readOnly` …). Throws INVALID_ARGUMENT
 * for invalid options, for two schedulers with the same name, and for schedulers that were not created by `createScheduler`.
 */
export function createConsole(schedulers: Scheduler | readonly Scheduler[], options: ConsoleOptions = {}): Console {
  refuseUndefined(options, OMITTED);
  // Timers of the console must not keep the process alive.
  return assembleConsole(schedulers, options, { clock: new SystemClock({ keepsAlive: false }), random: systemRandom });
}

/** Creates a console from the given dependencies. Throws the errors of `createConsole`. */
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
  const auth = authenticatorOf(merged, { ...parts, sessions: served[0].control, onFailed });
  const fail = (thrown: unknown, during: string) =>
    answerFailure(thrown, {
      newId: () => parts.random.token(12),
      report: (what, error) => served[0].control.report(what, error),
      during,
    });
  const answerRequestFailure = (thrown: unknown, { method, url }: Request) =>
    fail(thrown, `answering ${method} ${new URL(url).pathname}`);
  const page = new Page(parts.pageFolder);
  // If the program has its own `auth`, every host name is allowed by default.
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
    const response = await route(app, request, connection, basePath).catch((error) =>
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

/** Browsers that have used TLS must use it for 180 days. Subdomains are not included. */
const HSTS = 'max-age=15552000';

/** Default headers of every response. They forbid scripts, frames, type sniffing, referrers, caching, and use by other origins. */
const SECURITY_HEADERS = [
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
] as const;

async function route(app: ConsoleApp, request: Request, connection: Connection, basePath: string): Promise<Response> {
  const { inner, full } = placeOf(request, connection, basePath);
  if (inner === null) throw new Problem('NO_SUCH_PATH', `The console is served under ${basePath}/.`);
  // The URLs in the page are relative. Without the trailing slash, they would resolve one level too high.
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

const CONFIGURED = 'what the configuration of the scheduler sets';

/** Options whose absence changes who may do what. */
const OMITTED = { auth: CONFIGURED, tokens: CONFIGURED, users: CONFIGURED, readOnly: CONFIGURED } as const;

/** Adds omitted options from the scheduler's configuration. Ignores the configurations of several schedulers, which may differ. */
function withConfigured(options: ConsoleOptions, [{ control }, ...others]: Served): ConsoleOptions {
  if (others.length > 0) return options;
  const setOptions: ConsoleOptions = given(options);
  const { tokens, users, allowedHosts, readOnly, basePath, sessionLifetimeMs } = control.console;
  const accessRules = setOptions.auth ?? setOptions.tokens ?? setOptions.users;
  return {
    ...{ readOnly, basePath, sessionLifetimeMs },
    ...(allowedHosts.length === 0 ? {} : { allowedHosts }),
    ...(accessRules === undefined ? { tokens, users } : {}),
    ...setOptions,
  };
}

type Served = ReturnType<typeof serveSchedulers>;

function readOptions(options: ConsoleOptions) {
  const { readOnly = false, basePath = '' } = checkOptions(options, NAMES);
  if (typeof readOnly !== 'boolean') throw badArgument('Expected readOnly to be true or false.');
  if (typeof basePath !== 'string' || !BASE_PATH.test(basePath))
    throw badArgument('Expected basePath to be a path such as /admin.');
  return { readOnly, basePath: normalBasePath(basePath) };
}
