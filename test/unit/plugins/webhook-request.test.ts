import type { LookupAddress } from 'node:dns';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isPublicAddress, sendWebhook, type WebhookTarget } from '../../../src/plugins/webhook-request';

const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
const KEY = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const NOW = 1_614_265_330_000;

let server: Server;
let requests: { readonly method: string; readonly host: string; readonly body: string; readonly signature: unknown }[];
let answer: (response: ServerResponse, path: string) => void;

beforeEach(async () => {
  requests = [];
  answer = (response) => response.writeHead(200).end();
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, host: headers.host ?? '', body, signature: headers['webhook-signature'] });
      answer(response, url);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const port = () => (server.address() as AddressInfo).port;

/** A DNS lookup that returns these lists of addresses in turn. */
function names(...lists: readonly (readonly string[])[]): NonNullable<WebhookTarget['lookup']> {
  const left = [...lists];
  const look = (
    _host: string,
    _options: object,
    callback: (error: null, addresses: readonly LookupAddress[]) => void,
  ) => {
    const list = (left.length > 1 ? left.shift() : left[0]) ?? [];
    callback(
      null,
      list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return look as never;
}

function send(options: Partial<WebhookTarget> & { readonly to?: string } = {}) {
  const { to = `http://127.0.0.1:${port()}/`, ...target } = options;
  return sendWebhook(
    MESSAGE,
    { url: new URL(to), key: KEY, allowHosts: ['127.0.0.1'], allowPrivateAddresses: true, ...target },
    { now: NOW, signal: new AbortController().signal },
  );
}

const failure = (reason: RegExp, mayRepeat: boolean) => ({
  isDelivered: false,
  reason: expect.stringMatching(reason),
  mayRepeat,
  retryAfter: null,
});

describe('a webhook request', () => {
  it('is signed like the example of Standard Webhooks', async () => {
    expect(await send()).toEqual({ isDelivered: true });
    expect(requests).toEqual([
      {
        method: 'POST',
        host: `127.0.0.1:${port()}`,
        body: MESSAGE.body,
        signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    ]);
  });

  it.each([307, 308])('follows a redirect with status %d with the same body and signature', async (status) => {
    answer = (response, path) =>
      path === '/there' ? response.end() : response.writeHead(status, { location: '/there' }).end();
    expect(await send()).toEqual({ isDelivered: true });
    expect(requests).toHaveLength(2);
    expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1);
  });

  it('fails after three redirects', async () => {
    answer = (response) => response.writeHead(307, { location: '/again' }).end();
    expect(await send()).toEqual(failure(/redirects more than 3 times/, false));
    expect(requests).toHaveLength(4);
  });

  it.each([
    ['http://localhost:1/', /localhost:1 uses http but is not in allowHosts/],
    ['https://example.com/', /example.com is not in allowHosts/],
    ['file:///etc/passwd', /file: is not https or http/],
  ])('does not follow a redirect to a host that is not allowed: %s', async (location, reason) => {
    answer = (response) => response.writeHead(307, { location }).end();
    expect(await send()).toEqual(failure(reason, false));
  });

  it.each(['127.0.0.2', 'inner.example'])('does not follow a redirect to a private address: %s', async (host) => {
    await new Promise((resolve) => server.close(resolve));
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    answer = (response, path) =>
      path === '/there'
        ? response.end()
        : response.writeHead(307, { location: `http://${host}:${port()}/there` }).end();
    const lookup = names(['127.0.0.2']);
    const target = { lookup, allowHosts: ['127.0.0.1', '127.0.0.2', 'inner.example'] };
    // Treats the first host as a public address.
    const isPublic = (address: string) => address === '127.0.0.1';
    expect(await send({ ...target, allowPrivateAddresses: false, isPublic })).toEqual(
      failure(/requires allowPrivateAddresses/, false),
    );
    expect(requests).toHaveLength(1);
    expect(await send(target)).toEqual({ isDelivered: true });
  });

  it('is checked by the address of its connection, not by an earlier lookup', async () => {
    const lookup = names(['93.184.216.34'], ['127.0.0.1']);
    lookup('rebind.example', { all: true }, () => {});
    const target = { lookup, allowHosts: ['rebind.example'], to: `http://rebind.example:${port()}/` };
    expect(await send({ ...target, allowPrivateAddresses: false })).toEqual(
      failure(/rebind.example is an address of this machine or of a private network/, false),
    );
    expect(requests).toEqual([]);
    expect(await send(target)).toEqual({ isDelivered: true });
  });

  it('fails if all of several addresses are private', async () => {
    const lookup = names(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
    const target = { lookup, allowHosts: ['mixed.example'], to: `http://mixed.example:${port()}/` };
    expect(await send({ ...target, allowPrivateAddresses: false })).toEqual(failure(/private network/, false));
    expect(requests).toEqual([]);
  });

  it('can be retried if the host is unreachable or its name unknown', async () => {
    const gone = port();
    await new Promise((resolve) => server.close(resolve));
    expect(await send({ to: `http://127.0.0.1:${gone}/` })).toEqual(failure(/ECONNREFUSED/, true));
    const unknown = ((_: string, __: object, callback: (error: Error) => void) =>
      callback(new Error('getaddrinfo ENOTFOUND nobody.example'))) as never;
    const to = 'https://nobody.example/';
    expect(await send({ to, lookup: unknown, allowHosts: [] })).toEqual(failure(/ENOTFOUND/, true));
    server = createServer().listen(0);
  });

  it('uses TLS for https, and does not reach a receiver without TLS', async () => {
    expect(await send({ to: `https://127.0.0.1:${port()}/` })).toEqual(failure(/SSL|TLS|wrong version/i, true));
    expect(requests).toEqual([]);
  });

  it('does not wait for the end of an endless response', async () => {
    answer = (response) => {
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(more));
      };
      more();
    };
    expect(await send()).toEqual({ isDelivered: true });
  });

  it('treats a timeout as a temporary failure', async () => {
    answer = () => {};
    const timeout = new AbortController();
    const sending = sendWebhook(
      MESSAGE,
      {
        url: new URL(`http://127.0.0.1:${port()}/`),
        key: null,
        allowHosts: ['127.0.0.1'],
        allowPrivateAddresses: true,
      },
      { now: NOW, signal: timeout.signal },
    );
    timeout.abort(new Error('did not answer'));
    expect(await sending).toEqual(failure(/^did not answer$/, true));
  });
});

describe('the check for public addresses', () => {
  it.each([
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81a::200e',
  ])('accepts %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'localhost',
    '',
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false));
});
