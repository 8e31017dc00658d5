import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import type { Console } from '../../src/console/console-options';
import { closeAll, serve, testConsole, testScheduler } from './support';

type Next = () => void;
type Middleware = (request: IncomingMessage, response: ServerResponse, next: Next) => void;

/**
 * What `app.use(prefix, handler)` of Express does, and of Connect, @fastify/middie and NestJS on Express with it: takes the prefix away from
 * `url`, which keeps a slash, and leaves the whole in `originalUrl`.
 */
function mounted(prefix: string, handler: RequestListener): Middleware {
  return (request, response, next) => {
    const whole = request.url ?? '/';
    const rest = whole.slice(prefix.length);
    if (!whole.startsWith(prefix) || !/^([/?]|$)/.test(rest)) return next();
    Object.assign(request, { originalUrl: whole, baseUrl: prefix, url: rest.startsWith('/') ? rest : `/${rest}` });
    handler(request, response);
  };
}

/** What a router of Express does for `app.all('/admin/*splat', handler)`, and Fastify for a route: `url` stays as it is. */
function routed(handler: RequestListener, isExpress: boolean): Middleware {
  return (request, response) => {
    if (isExpress) Object.assign(request, { originalUrl: request.url, baseUrl: '' });
    handler(request, response);
  };
}

/** What `express.json()` and Fastify's own parser do: read the body before the handler is called. */
const bodyParser: Middleware = (request, _, next) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString() || '{}') });
    next();
  });
};

const inOrder = (...middlewares: readonly Middleware[]): RequestListener => {
  return (request, response) => {
    const step = (index: number): void => {
      const middleware = middlewares[index];
      if (middleware === undefined) response.writeHead(404).end('the framework has nothing there');
      else middleware(request, response, () => step(index + 1));
    };
    step(0);
  };
};

const MOUNTS: readonly (readonly [
  string,
  string,
  (admin: Console['listener']) => RequestListener,
  string | undefined,
])[] = [
  ['plain http at the root', '', (listener) => listener, undefined],
  ['plain http below a path', '/admin/quartz', (listener) => listener, '/admin/quartz'],
  ['app.use of Express', '/admin/quartz', (listener) => inOrder(mounted('/admin/quartz', listener)), undefined],
  ['app.use of Express, told its path', '/admin', (listener) => inOrder(mounted('/admin', listener)), 'admin/'],
  ['app.use of Express at /api', '/api', (listener) => inOrder(mounted('/api', listener)), '/api'],
  [
    'a router below a router of Express',
    '/a/b',
    (listener) => inOrder(mounted('/a', inOrder(mounted('/b', listener)))),
    undefined,
  ],
  ['a route of Express', '/admin', (listener) => inOrder(routed(listener, true)), '/admin'],
  ['a route of Fastify with the raw request', '/admin', (listener) => inOrder(routed(listener, false)), '/admin'],
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
    expect(await drained.json()).toEqual({ drained: true });
    const unknown = await fetch(`${url}/api/nothing`);
    expect(await unknown.json()).toMatchObject({ code: 'NO_SUCH_PATH' });
  });

  it('shows its page below a slash, to which it sends whoever left it out', async () => {
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

  it('says what is wrong, and works where there was nothing to read or its bytes were kept', async () => {
    const { listener } = testConsole(await testScheduler());
    const explained = await post(inOrder(bodyParser, mounted('', listener)), '{}');
    expect(explained).toMatchObject({ status: 500, body: { code: 'BODY_CONSUMED' } });
    expect(explained.body.detail).toMatch(/before body parsers: in Express before express\.json\(\), in NestJS/);
    expect(await post(inOrder(bodyParser, mounted('', listener)), '')).toMatchObject({ status: 200 });
    const keeps: Middleware = (request, response, next) =>
      bodyParser(request, response, () => {
        Object.assign(request, { rawBody: Buffer.from('{}') });
        next();
      });
    expect(await post(inOrder(keeps, mounted('', listener)), '{}')).toMatchObject({ status: 200 });
  });
});

describe('the listener', () => {
  afterEach(closeAll);

  it('leaves what is global as it is', async () => {
    const before = [globalThis.Request, globalThis.Response];
    testConsole(await testScheduler());
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('answers requests that are none with a problem', async () => {
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

  it('tells an operation that whoever asked has gone away', async () => {
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
