import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import express, { type RequestHandler } from 'express';
import type { Console } from '../../src/console/console-options';
import { closeAll, serve, testConsole, testScheduler } from './support';

/** Express with handlers in order, each below a path. */
function expressWith(...used: readonly (readonly [string, RequestHandler])[]): express.Express {
  const app = express();
  for (const [path, handler] of used) app.use(path, handler);
  return app;
}

/** Express with a route, which does not strip its path. */
const routed = (handler: RequestListener) => express().all(['/admin', '/admin/*splat'], handler);

const MOUNTS: readonly (readonly [
  string,
  string,
  (admin: Console['listener']) => RequestListener,
  string | undefined,
])[] = [
  ['plain http at the root', '', (listener) => listener, undefined],
  ['plain http below a path', '/admin/quartz', (listener) => listener, '/admin/quartz'],
  ['app.use of Express', '/admin/quartz', (listener) => expressWith(['/admin/quartz', listener]), undefined],
  ['app.use of Express with the option basePath', '/admin', (listener) => expressWith(['/admin', listener]), 'admin/'],
  ['app.use of Express at /api', '/api', (listener) => expressWith(['/api', listener]), '/api'],
  [
    'a router below a router of Express',
    '/a/b',
    (listener) => expressWith(['/a', express.Router().use('/b', listener)]),
    undefined,
  ],
  ['a route of Express', '/admin', routed, '/admin'],
];

describe.each(MOUNTS)('the console mounted by %s', (_, prefix, mount, basePath) => {
  afterEach(closeAll);

  const started = async () => {
    const scheduler = await testScheduler();
    await scheduler.start();
    const shown = testConsole(scheduler, basePath === undefined ? {} : { basePath }, {
      pageFolder: `${__dirname}/page`,
    });
    const { url } = await serve(mount(shown.listener));
    return { url: `${url}${prefix}`, instanceId: scheduler.getSchedulerInstanceId() };
  };

  it('answers reads and changes', async () => {
    const { url, instanceId } = await started();
    const nodes = `${url}/api/schedulers/Reports/nodes`;
    expect(await (await fetch(`${nodes}?`)).json()).toMatchObject({ items: [{ instanceId }] });
    const headers = { 'content-type': 'application/json' };
    const drained = await fetch(`${nodes}/${encodeURIComponent(instanceId)}/drain`, {
      method: 'POST',
      body: '{}',
      headers,
    });
    expect(await drained.json()).toMatchObject({ drained: true });
    const unknown = await fetch(`${url}/api/nothing`);
    expect(await unknown.json()).toMatchObject({ code: 'NO_SUCH_PATH' });
  });

  it('serves its page at a path with a final slash, and redirects a path without it', async () => {
    const { url } = await started();
    const response = await fetch(`${url}?x=1`);
    expect({ status: response.status, url: response.url.replace(/\?.*/, '') }).toEqual({ status: 200, url: `${url}/` });
    expect(await response.text()).toContain('<title>A page</title>');
  });
});

describe('the console behind a body parser', () => {
  afterEach(closeAll);

  const post = async (listener: RequestListener, body: string) => {
    const { url } = await serve(listener);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/schedulers/Reports/nodes/x/drain`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };

  const NO_SUCH_NODE = { status: 404, body: { code: 'NOT_FOUND' } };
  const keepsBytes = express.json({ verify: (request, _, bytes) => void Object.assign(request, { rawBody: bytes }) });
  const readsAway: RequestHandler = (request, _, next) => void request.on('end', next).resume();

  it.each([
    ['express.json()', express.json(), '{}'],
    ['express.json() and an empty body', express.json(), ''],
    ['a parser that keeps the bytes', keepsBytes, '{}'],
    ['express.text()', express.text({ type: 'application/json' }), '{}'],
    ['express.raw()', express.raw({ type: 'application/json' }), '{}'],
    ['a parser of another type', express.urlencoded(), '{}'],
  ])('takes the body from %s', async (_, parser, body) => {
    const { listener } = testConsole(await testScheduler());
    expect(await post(expressWith(['/', parser], ['/', listener]), body)).toMatchObject(NO_SUCH_NODE);
  });

  it('checks a parsed body like an unread one', async () => {
    const { listener } = testConsole(await testScheduler());
    const large = express.json({ limit: '8mb' });
    const { status, body } = await post(expressWith(['/', large], ['/', listener]), `{"a":"${'x'.repeat(1_100_000)}"}`);
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'TOO_LARGE' });
    const unknown = await post(expressWith(['/', express.json()], ['/', listener]), '{"node":1}');
    expect(unknown).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
  });

  it('explains what to do if the body was consumed and not kept', async () => {
    const shown = testConsole(await testScheduler());
    const explained = await post(expressWith(['/', readsAway], ['/', shown.listener]), '{}');
    expect(explained).toMatchObject({ status: 500, body: { code: 'BODY_CONSUMED' } });
    expect(explained.body.detail).toContain('Keep the parsed body in request.body');
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://localhost/api/schedulers/Reports/nodes/x/drain', {
      method: 'POST',
      body: '{}',
      headers,
    });
    await request.text();
    expect(await (await shown.fetch(request)).json()).toMatchObject({ code: 'BODY_CONSUMED' });
  });
});

describe('the listener', () => {
  afterEach(closeAll);

  it('does not change globals', async () => {
    const before = [globalThis.Request, globalThis.Response];
    testConsole(await testScheduler());
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('answers invalid requests with a problem', async () => {
    const { url } = await serve(testConsole(await testScheduler()).listener);
    const port = Number(new URL(url).port);
    const answers = await Promise.all(
      ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 'GET / HTTP/1.0\r\n\r\n', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'].map(
        (text) =>
          new Promise<string>((resolve) => {
            const socket = connect(port, '127.0.0.1', () => socket.write(text));
            socket.once('data', (data) => {
              resolve(data.toString());
              socket.destroy();
            });
          }),
      ),
    );
    for (const answer of answers)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*application\/problem\+json[\s\S]*"code":/);
  });

  it('aborts an operation when its client disconnects', async () => {
    const scheduler = await testScheduler();
    const errors: unknown[] = [];
    scheduler.subscribe((event) => errors.push(event), ['schedulerError']);
    const { listener } = testConsole(scheduler);
    let ended: (() => void) | undefined;
    const over = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const server = createServer((request, response) => {
      response.on('close', () => ended?.());
      listener(request, response);
    });
    const { url } = await serve((request, response) => server.emit('request', request, response));
    const asked = new Promise<void>((resolve) => {
      scheduler.listNodes = async () => {
        resolve();
        await over;
        throw new Error('given up');
      };
    });
    const request = httpRequest(`${url}/api/schedulers/Reports/nodes`);
    request.on('error', () => {});
    request.end();
    await asked;
    request.destroy();
    await over;
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
  });
});
