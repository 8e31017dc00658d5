import { Hono } from 'hono';
import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import { collectMetrics } from '../operations/metrics/collect';
import { LoopLag } from '../operations/metrics/loop-lag';
import { prometheusText } from '../operations/metrics/metric-registry';
import { metricsOf } from '../operations/metrics/node-metrics';
import type { Actor } from '../operations/operation';
import { Problem } from '../operations/problem';
import type { Authenticator } from './authenticator';
import { EventHub, type OpenOptions } from './events/event-hub';
import { RunFeeds } from './events/run-feeds';
import { addHealth } from './health';
import { openApiDocument, withSecurity } from './openapi';
import { methodsAt, operationRoutes, SCHEDULER_PATH } from './operation-routes';
import type { Page } from './page';
import type { Connection } from './place';
import { problemResponse } from './problem-response';
import { findServed, type ServedScheduler } from './served-schedulers';
import { SharedAnswers } from './shared-answers';

interface AppParts {
  readonly served: readonly [ServedScheduler, ...ServedScheduler[]];
  readonly auth: Authenticator;
  readonly isReadOnly: boolean;
  /** Host names under which browsers may reach the console, in addition to `localhost` and IP addresses. Null: every name. */
  readonly knownHosts: readonly string[] | null;
  readonly page: Page;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly answerFailure: (thrown: unknown, request: Request) => Response;
}

/** Connection of a request, and the request's path within the console. */
interface Arrival extends Connection {
  readonly path: string;
}

interface Environment {
  Bindings: Arrival;
  Variables: { actor: Actor };
}

type App = Hono<Environment>;

interface Streamed extends ServedScheduler {
  readonly hub: EventHub;
  readonly feeds: RunFeeds;
}

export interface ConsoleApp {
  /** May reject with a value that is not an `Error`. */
  fetch(request: Request, arrival: Arrival): Response | Promise<Response>;
  close(): Promise<void>;
}

/** Builds the app with all routes. All paths under `/api/`, even unknown ones, require authentication, except login and logout. */
export function buildApp(parts: AppParts): ConsoleApp {
  const streamed = parts.served.map((served) => ({
    ...served,
    hub: new EventHub({ ...parts, served, newEpoch: () => parts.random.token(8) }),
    feeds: new RunFeeds(served, parts.clock),
  }));
  const app: App = new Hono<Environment>({ getPath: (_, options) => options?.env?.path ?? '/' });
  app.onError((error, { req }) => parts.answerFailure(error, req.raw));
  app.get('/', () => parts.page.index());
  app.get('/assets/:file', ({ req }) => parts.page.asset(req.param('file')));
  addHealth(app, parts);
  addMetrics(app, parts);
  addSession(app, parts);
  addStreams(app, parts, streamed);
  addOperations(app, parts);
  return {
    fetch: (request, arrival) => app.fetch(request, arrival),
    close: async () => {
      for (const { feeds } of streamed) feeds.close();
      await Promise.all(streamed.map(({ hub }) => hub.close()));
    },
  };
}

function addSession(app: App, { auth, served, isReadOnly }: AppParts): void {
  app.on(['POST', 'DELETE'], '/api/session', ({ req, env }) => {
    if (auth.session !== undefined) return auth.session(req.raw, addressOf(env));
    throw new Problem('NO_SUCH_PATH', 'This console has no sessions. Send credentials with each request.');
  });
  app.use('/api/*', async (context, next) => {
    const actor = await auth.authenticate(context.req.raw, addressOf(context.env), context.env.incoming ?? null);
    if (actor === null) return unauthenticated(auth);
    context.set('actor', actor);
    return next();
  });
  app.get('/api/session', ({ req, var: { actor } }) =>
    json({
      name: actor.name,
      role: actor.role,
      isReadOnly,
      schedulers: served.map(({ name }) => name),
      csrf: auth.csrfToken?.(req.raw) ?? null,
    }),
  );
}

function addMetrics(app: App, { auth, served, clock }: AppParts): void {
  const metrics = new MetricsText(served, clock);
  app.get('/metrics', async ({ req, env }) => {
    const actor = await auth.authenticate(req.raw, addressOf(env), env.incoming ?? null);
    return actor === null ? unauthenticated(auth) : metrics.answer();
  });
}

function unauthenticated({ challenge }: Authenticator): Response {
  const headers: Readonly<Record<string, string>> = challenge === undefined ? {} : { 'www-authenticate': challenge };
  return problemResponse({ code: 'UNAUTHENTICATED' }, { headers });
}

function addStreams(app: App, { auth }: AppParts, streamed: readonly Streamed[]): void {
  app.get(`${SCHEDULER_PATH}/events`, ({ req, env, var: { actor } }) => {
    const { hub } = findServed(streamed, req.param('scheduler'));
    const lastEventId = req.header('last-event-id') ?? null;
    return streamTo(req.raw, () => hub.open({ lastEventId, actor: actor.name, ...clientOf(auth, req.raw, env) }));
  });
  app.get(`${SCHEDULER_PATH}/firings/:runId/lines`, ({ req, env, var: { actor } }) => {
    const { feeds } = findServed(streamed, req.param('scheduler'));
    // A browser that reconnects sends `Last-Event-ID`. Other clients can send the position as `after` in the query.
    const after = Number(/^\d{1,9}$/.exec(req.header('last-event-id') ?? req.query('after') ?? '')?.[0] ?? 0);
    const options = { after, actor: actor.name, ...clientOf(auth, req.raw, env) };
    return streamTo(req.raw, () => feeds.open(req.param('runId'), options));
  });
}

/** Responds with a stream. The body of a response to HEAD is never read, so that a stream would stay open. */
async function streamTo({ method }: Request, open: () => OpenStream | Promise<OpenStream>): Promise<Response> {
  return new Response(method === 'HEAD' ? null : await open(), { headers: STREAM_HEADERS });
}

type OpenStream = ReadableStream<Uint8Array>;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Without this header, nginx delays events until its buffer is full.
  'x-accel-buffering': 'no',
} as const;

function clientOf(
  auth: Authenticator,
  request: Request,
  env: Arrival,
): Pick<OpenOptions, 'isStillAllowed' | 'disconnect'> {
  return {
    isStillAllowed: async () => (await auth.authenticate(request, addressOf(env), env.incoming ?? null)) !== null,
    ...(env.outgoing === undefined ? {} : { disconnect: () => void env.outgoing?.destroy() }),
  };
}

function addOperations(app: App, { auth, served, isReadOnly, clock }: AppParts): void {
  const routes = operationRoutes({ isReadOnly, shared: new SharedAnswers(clock) });
  app.get('/api/openapi.json', ({ req }) =>
    json(withSecurity(openApiDocument(), auth.sessionCookie?.(req.raw) ?? null)),
  );
  for (const route of routes) {
    app.on(route.method, route.path, ({ req, var: { actor } }) => {
      const { scheduler, ...path } = req.param() as Record<string, string>;
      return route.answer({ served: findServed(served, scheduler ?? ''), actor, request: req.raw, path });
    });
  }
  app.notFound(({ req, env }) => {
    const methods = methodsAt(app.routes, env.path);
    if (methods.length === 0)
      throw new Problem('NO_SUCH_PATH', 'The path does not exist. api/openapi.json lists all paths.');
    const message = `Expected ${methods.join(' or ')}, found ${req.method}.`;
    return problemResponse({ code: 'NO_SUCH_METHOD', message }, { headers: { allow: methods.join(', ') } });
  });
}

function json(body: unknown): Response {
  return new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}

function addressOf({ incoming }: Connection): string | null {
  return incoming?.socket.remoteAddress ?? null;
}

/** Time in milliseconds for which scrapers share one response, because each new response reads from the store. */
const KEPT_MS = 1_000;

/** Metrics of all schedulers in the Prometheus text format. Counters start at 0 when this object is created. */
class MetricsText {
  readonly #served: readonly ServedScheduler[];
  readonly #clock: Clock;
  readonly #lag = new LoopLag();
  #kept: { readonly until: number; readonly text: Promise<string> } | null = null;

  constructor(served: readonly ServedScheduler[], clock: Clock) {
    this.#served = served;
    this.#clock = clock;
    for (const { scheduler } of served) metricsOf(scheduler);
  }

  /** Returns the metrics. Never rejects: metrics that cannot be read are omitted. */
  async answer(): Promise<Response> {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(await this.#text(), { headers });
  }

  #text(): Promise<string> {
    const now = this.#clock.monotonic();
    if (this.#kept === null || now >= this.#kept.until) this.#kept = { until: now + KEPT_MS, text: this.#read() };
    return this.#kept.text;
  }

  async #read(): Promise<string> {
    const collected = await Promise.all(
      this.#served.map(async ({ name, scheduler, control }) => {
        const { registry } = await collectMetrics(scheduler, control);
        return { scheduler: name, registry };
      }),
    );
    this.#lag.setIn(collected.map(({ registry }) => registry));
    return prometheusText(collected);
  }
}
