import { scryptSync } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scheduler } from '../../src/api/scheduler';
import { ManualClock } from '../../src/base/manual-clock';
import { hashPassword, hashToken, newToken } from '../../src/base/secret-hash';
import type { Console, ConsoleOptions } from '../../src/console/console-options';
import type { SchedulerEvent } from '../../src/domain/scheduler-event';
import { controlOf, type SchedulerControl } from '../../src/scheduler/control';
import { ask, closeAll, serve, testConsole, testScheduler } from './support';

const NODES = 'api/schedulers/Reports/nodes';
const DRAIN = `${NODES}/NON_CLUSTERED/drain`;
const TOKEN = newToken();
const MINUTE = 60_000;

/** A password hash with a low cost, so that tests are fast. */
function quickHash(password: string): string {
  return `scrypt:16:1:1:saltsalt:${scryptSync(password, 'saltsalt', 32, { N: 16, r: 1, p: 1 }).toString('hex')}`;
}

const tokens = { deploy: `operator ${hashToken(TOKEN)}` };
const users = { ann: `admin ${quickHash('correct horse')}`, vic: `viewer ${quickHash('viewing')}` };

async function shown(options: ConsoleOptions = { tokens, users }) {
  const clock = new ManualClock(Date.parse('2026-03-01T10:00:00Z'));
  return { clock, console: testConsole(await testScheduler(), { auth: undefined as never, ...options }, { clock }) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

/** Logs in, and returns the cookie and the session. */
async function login(to: Console, body: object, headers: Record<string, string> = {}) {
  const { status, headers: answered } = await ask(to, 'api/session', { method: 'POST', body, headers });
  const [cookie = ''] = (answered.get('set-cookie') ?? '').split(';');
  if (status !== 204) throw new Error(`expected 204, found ${status}`);
  const { body: session } = await ask(to, 'api/session', { headers: { cookie, ...headers } });
  return { cookie, session, setCookie: answered.get('set-cookie') ?? '' };
}

describe('a caller', () => {
  afterEach(closeAll);

  it('has a token or a password, and may do what its role allows', async () => {
    const { console } = await shown();
    const may = async (headers: Record<string, string>) => ({
      see: (await ask(console, NODES, { headers })).status,
      drain: (await ask(console, DRAIN, { method: 'POST', body: {}, headers })).status,
    });
    expect(await may(bearer(TOKEN))).toEqual({ see: 200, drain: 403 });
    expect(await may(basic('ann', 'correct horse'))).toEqual({ see: 200, drain: 200 });
    expect(await may(basic('vic', 'viewing'))).toEqual({ see: 200, drain: 403 });
  });

  it('is refused with any other credentials', async () => {
    const { console } = await shown();
    const wrong = [
      {},
      bearer('x'),
      bearer(TOKEN.slice(1)),
      bearer(hashToken(TOKEN)),
      bearer('x'.repeat(5_000)),
      basic('ann', 'viewing'),
      basic('deploy', TOKEN),
      basic('__proto__', 'x'),
      basic('', ''),
      { authorization: 'Basic ****' },
      { authorization: 'Digest x' },
      { cookie: 'quartz_session=x.y' },
      { cookie: `quartz_session=${Buffer.from('{"kind":"user","name":"ann"}').toString('base64url')}.` },
    ];
    for (const headers of wrong) {
      const { status, headers: answered } = await ask(console, NODES, { headers: headers as never });
      expect([headers, status]).toEqual([headers, 401]);
      expect(answered.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('needs valid options: the console refuses weak hashes, unknown roles and conflicting users', async () => {
    const scheduler = await testScheduler();
    const withOptions = (options: object) => () => testConsole(scheduler, { auth: undefined, ...options } as never);
    expect(withOptions({ tokens: { a: 'admin secret' } })).toThrow(/the token a to be a role and a hash/);
    expect(withOptions({ users: { a: `admin ${hashToken('weak')}` } })).toThrow(/the user a/);
    expect(withOptions({ tokens: { a: `root ${hashToken(TOKEN)}` } })).toThrow(/a role and a hash/);
    expect(withOptions({ users: { a: 'admin scrypt:1048576:99:1:saltsalt:00' } })).toThrow(/the user a/);
    expect(withOptions({ tokens, users: { deploy: users.ann } })).toThrow(/named deploy/);
    expect(withOptions({ tokens, auth: async () => null })).toThrow(/found both/);
    expect(withOptions({ tokens, allowedHosts: ['https://x'] })).toThrow(/without scheme/);
    expect(withOptions({ tokens, sessionLifetimeMs: 1 })).toThrow(/sessionLifetimeMs/);
    expect(withOptions({ auth: {} })).toThrow(/authenticate/);
    try {
      withOptions({ tokens: { a: 'admin my-own-secret' } })();
    } catch (error) {
      expect(String(error)).not.toContain('my-own-secret');
    }
  });

  it('has a password hash with its own salt', async () => {
    const [one, other] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(one).not.toBe(other);
    const { console } = await shown({ users: { ann: `viewer ${one}` } });
    expect(await ask(console, NODES, { headers: basic('ann', 'correct horse') })).toMatchObject({ status: 200 });
    expect(await ask(console, NODES, { headers: basic('ann', 'correct horsf') })).toMatchObject({ status: 401 });
    await expect(hashPassword('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('is identified by a function that receives the properties of earlier middleware', async () => {
    const auth = (_: Request, incoming: IncomingMessage | null) => {
      const { user } = (incoming ?? {}) as { readonly user?: string };
      return user === undefined ? null : ({ name: user, role: 'viewer' } as const);
    };
    const { console } = await shown({ auth });
    const { url } = await serve((incoming, outgoing) => {
      // Passport does the same with the `req` of Express, which is this object.
      if (incoming.headers.cookie === 'sid=1') Object.assign(incoming, { user: 'ann' });
      console.listener(incoming, outgoing);
    });
    const session = (headers: Record<string, string>) => fetch(`${url}/api/session`, { headers });
    expect(await (await session({ cookie: 'sid=1' })).json()).toMatchObject({ name: 'ann', role: 'viewer' });
    expect((await session({})).status).toBe(401);
    expect((await ask(console, 'api/session')).status).toBe(401); // without a server there is no incoming message
  });

  it('can be identified by a function of the program alone', async () => {
    const hook = (request: Request) => {
      const name = request.headers.get('x-user');
      return name === null ? null : { name, role: name === 'odd' ? ('root' as never) : ('admin' as const) };
    };
    const { console } = await shown({ auth: hook });
    const as = (headers: Record<string, string>) => ask(console, DRAIN, { method: 'POST', body: {}, headers });
    expect(await as({})).toMatchObject({ status: 401 });
    expect(await as({ 'x-user': 'ann' })).toMatchObject({ status: 200 });
    expect(await as({ 'x-user': 'odd' })).toMatchObject({ status: 500 });
    expect(await as({ 'x-user': 'ann', origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await as({ 'x-user': 'ann', 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
    expect(await ask(console, 'api/session', { method: 'POST', body: {} })).toMatchObject({ status: 404 });
  });
});

describe('a session', () => {
  afterEach(closeAll);

  it('is a cookie that no script can read and no other site sends', async () => {
    const { console } = await shown();
    const { cookie, session, setCookie } = await login(console, { name: 'ann', secret: 'correct horse' });
    expect(setCookie).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(session).toEqual({
      name: 'ann',
      role: 'admin',
      isReadOnly: false,
      schedulers: ['Reports'],
      csrf: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await ask(console, NODES, { headers: { cookie } })).toMatchObject({ status: 200 });
    const { body: document } = await ask(console, 'api/openapi.json', { headers: { cookie } });
    expect(document).toMatchObject({ security: [{ bearer: [] }, { session: [] }] });
    expect(`${document.components.securitySchemes.session.name}=`).toBe(cookie.slice(0, cookie.indexOf('=') + 1));
    const [name, id = ''] = cookie.split('=');
    for (const other of [id.slice(1), `${id}x`, [...id].reverse().join(''), '', '%00', 'x'.repeat(5_000)])
      expect(await ask(console, NODES, { headers: { cookie: `${name}=${other}` } })).toMatchObject({ status: 401 });
  });

  it.each([
    'memory',
    'sqlite',
  ] as const)('is valid on all nodes with the same users, and ends on all of them (%s)', async (store) => {
    const file = join(tmpdir(), `quartz-ts-sessions-${newToken()}.db`);
    const first = await testScheduler({ store, file });
    const second = store === 'memory' ? first : await testScheduler({ store, file });
    const clock = new ManualClock(Date.now());
    const on = (scheduler: Scheduler, options: ConsoleOptions = { tokens, users }) =>
      testConsole(scheduler, { auth: undefined as never, ...options }, { clock });
    const [one, two] = [on(first), on(second)];
    const ann = await login(one, { name: 'ann', secret: 'correct horse' });
    const deploy = await login(two, { secret: TOKEN });
    const statusOn = async (console: Console, { cookie }: { readonly cookie: string }) =>
      (await ask(console, NODES, { headers: { cookie } })).status;
    const drain = {
      method: 'POST',
      body: {},
      headers: { cookie: ann.cookie, 'x-csrf-token': ann.session.csrf },
    } as const;
    expect([await statusOn(two, ann), await statusOn(one, deploy)]).toEqual([200, 200]);
    expect(await ask(two, DRAIN, drain)).not.toMatchObject({ status: 403 });

    const changed = on(second, { tokens, users: { ann: `admin ${quickHash('another horse')}` } });
    const without = on(second, { users });
    const moved = on(second, { tokens: { ann: tokens.deploy }, users: { deploy: users.ann } });
    expect([await statusOn(changed, ann), await statusOn(changed, deploy)]).toEqual([401, 200]);
    expect([await statusOn(without, ann), await statusOn(without, deploy)]).toEqual([200, 401]);
    expect([await statusOn(moved, ann), await statusOn(moved, deploy)]).toEqual([401, 401]);

    await ask(one, 'api/session', { method: 'DELETE', headers: { cookie: ann.cookie } });
    expect(await statusOn(one, ann)).toBe(401);
    clock.advanceTo(clock.now() + 5_000);
    expect([await statusOn(two, ann), await statusOn(two, deploy)]).toEqual([401, 200]);
  });

  it('is stored without its id, its CSRF token, the password and the password hash', async () => {
    const scheduler = await testScheduler();
    const console = testConsole(scheduler, { auth: undefined as never, tokens, users });
    const begun = jest.spyOn(controlOf(scheduler) as SchedulerControl, 'beginSession');
    const { cookie, session } = await login(console, { name: 'ann', secret: 'correct horse' });
    const stored = JSON.stringify(begun.mock.calls);
    for (const secret of [cookie.split('=')[1] ?? '', session.csrf, 'correct horse', users.ann.split(':').at(-1) ?? ''])
      expect({ secret, isStored: stored.includes(secret) }).toEqual({ secret, isStored: false });
    expect(stored).toContain('ann');
  });

  it('can begin with a token and no name, and its cookie is secure if it began over HTTPS', async () => {
    const { console } = await shown();
    const { session, setCookie } = await login(console, { secret: TOKEN }, { 'x-forwarded-proto': 'https' });
    expect(session).toMatchObject({ name: 'deploy', role: 'operator' });
    expect(setCookie).toMatch(/; Secure$/);
  });

  it('changes nothing without its CSRF token', async () => {
    const { console } = await shown();
    const { cookie, session } = await login(console, { name: 'ann', secret: 'correct horse' });
    const drain = (headers: Record<string, string>) =>
      ask(console, DRAIN, { method: 'POST', body: {}, headers: { cookie, ...headers } });
    expect(await drain({})).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await drain({ 'x-csrf-token': `${session.csrf.slice(1)}x` })).toMatchObject({ status: 403 });
    const second = await login(console, { name: 'ann', secret: 'correct horse' });
    expect(await drain({ 'x-csrf-token': second.session.csrf })).toMatchObject({ status: 403 });
    expect(await drain({ 'x-csrf-token': session.csrf })).toMatchObject({ status: 200 });
  });

  it('ends at logout, for every copy of its cookie, and after its lifetime', async () => {
    const { console, clock } = await shown();
    const first = await login(console, { secret: TOKEN });
    const second = await login(console, { secret: TOKEN });
    const { headers } = await ask(console, 'api/session', { method: 'DELETE', headers: { cookie: first.cookie } });
    expect(headers.get('set-cookie')).toContain('quartz_session=; Path=/; Max-Age=0');
    expect(await ask(console, NODES, { headers: { cookie: first.cookie } })).toMatchObject({ status: 401 });
    clock.advanceTo(clock.now() + 12 * 60 * MINUTE - 1);
    expect(await ask(console, NODES, { headers: { cookie: second.cookie } })).toMatchObject({ status: 200 });
    clock.advanceTo(clock.now() + 1);
    expect(await ask(console, NODES, { headers: { cookie: second.cookie } })).toMatchObject({ status: 401 });
  });

  it('begins only with valid credentials in a valid JSON body of the same site', async () => {
    const { console } = await shown();
    const begin = async (body: unknown, headers: Record<string, string> = {}) =>
      (await ask(console, 'api/session', { method: 'POST', body, headers })).status;
    expect(await begin({ name: 'ann', secret: 'wrong' })).toBe(401);
    for (const body of [{}, { secret: 1 }, { secret: TOKEN, name: ['x'] }, { secret: TOKEN, more: 1 }, [], '{'])
      expect([body, await begin(body)]).toEqual([body, 400]);
    expect(await begin({ secret: TOKEN }, { 'content-type': 'text/plain' })).toBe(415);
    expect(await begin({ secret: 'x'.repeat(2_000_000) })).toBe(413);
    expect(await begin({ secret: TOKEN }, { origin: 'https://evil.example' })).toBe(403);
  });

  it('has a cookie name with the port, because browsers send cookies to all ports', async () => {
    const { console } = await shown();
    const { cookie } = await login(console, { secret: TOKEN }, { host: 'localhost:8080' });
    expect(cookie).toMatch(/^quartz_session_8080=/);
    const at = (host: string) => ask(console, NODES, { headers: { cookie, host } });
    const { body } = await ask(console, 'api/openapi.json', { headers: { cookie, host: 'localhost:8080' } });
    expect(body.components.securitySchemes.session.name).toBe('quartz_session_8080');
    expect(await at('localhost:8080')).toMatchObject({ status: 200 });
    expect(await at('localhost:8081')).toMatchObject({ status: 401 });
  });
});

describe('a client', () => {
  afterEach(closeAll);

  it('waits after ten failures, but clients with a token at the same address do not', async () => {
    const { console, clock } = await shown();
    for (let attempt = 0; attempt < 10; attempt++)
      expect(await ask(console, NODES, { headers: bearer(`x${attempt}`) })).toMatchObject({ status: 401 });
    const refused = await ask(console, 'api/session', {
      method: 'POST',
      body: { name: 'ann', secret: 'correct horse' },
    });
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
    expect(refused.headers.get('retry-after')).toBe('300');
    expect(await ask(console, NODES, { headers: bearer(TOKEN) })).toMatchObject({ status: 200 });
    clock.advanceTo(clock.now() + 5 * MINUTE);
    expect(await ask(console, NODES, { headers: basic('ann', 'correct horse') })).toMatchObject({ status: 200 });
  });

  it('can try at most ten passwords at once, and does not lock out other addresses', async () => {
    const scheduler = await testScheduler();
    const failed: SchedulerEvent[] = [];
    scheduler.subscribe((event) => void failed.push(event), ['loginFailed']);
    const console = testConsole(scheduler, { auth: undefined as never, tokens, users });
    const counted = async () =>
      (await ask(console, 'metrics', { headers: bearer(TOKEN) })).text.match(
        /^quartz_logins_failed_total\S* (\d+)$/m,
      )?.[1];
    const { server } = await serve(console.listener);
    const { port } = server.address() as AddressInfo;
    const attempt = (localAddress: string, secret: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', connection: 'close' };
        const given = { host: '127.0.0.1', port, localAddress, path: '/api/session', method: 'POST', headers };
        const sent = request(given, (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
        sent.end(JSON.stringify({ name: 'ann', secret }));
      });
    const burst = await Promise.all(Array.from({ length: 30 }, (_, each) => attempt('127.0.0.1', `guess ${each}`)));
    expect(burst.filter((status) => status === 401)).toHaveLength(10);
    expect(burst.filter((status) => status === 429)).toHaveLength(20);
    expect(await attempt('127.0.0.1', 'correct horse')).toBe(429);
    expect(await attempt('127.0.0.2', 'correct horse')).toBe(204);
    expect(failed).toHaveLength(10);
    expect(failed[0]).toMatchObject({ name: 'ann', from: '127.0.0.1' });
    expect(await counted()).toBe('10');
  });

  it('stays logged out, however many other sessions end later', async () => {
    const { console } = await shown();
    const first = await login(console, { name: 'ann', secret: 'correct horse' });
    const end = (cookie: string) => ask(console, 'api/session', { method: 'DELETE', headers: { cookie } });
    const other = await login(console, { secret: TOKEN });
    await end(first.cookie);
    for (let count = 0; count < 20; count++) {
      const { headers } = await ask(console, 'api/session', { method: 'POST', body: { secret: TOKEN } });
      await end((headers.get('set-cookie') ?? '').split(';')[0] ?? '');
    }
    const statusOf = async (cookie: string) => (await ask(console, 'api/session', { headers: { cookie } })).status;
    expect([await statusOf(first.cookie), await statusOf(other.cookie)]).toEqual([401, 200]);
  });

  it('over TLS gets a cookie of this host only, and must keep using TLS', async () => {
    const { console } = await shown();
    const tls = { 'x-forwarded-proto': 'https' };
    const { setCookie } = await login(console, { name: 'ann', secret: 'correct horse' }, tls);
    expect(setCookie).toMatch(/^__Host-quartz_session=[^;]+; Path=\/; .*; Secure$/);
    const { headers } = await ask(console, 'api/session', { headers: { ...bearer(TOKEN), ...tls } });
    expect(headers.get('strict-transport-security')).toBe('max-age=15552000');
    expect(
      (await ask(console, 'api/session', { headers: bearer(TOKEN) })).headers.get('strict-transport-security'),
    ).toBeNull();
  });

  it('is identified by the connected address, not by a header', async () => {
    const { console } = await shown();
    const { url } = await serve(console.listener);
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 12; attempt++) {
      const headers = { ...bearer('x'), 'x-forwarded-for': `192.0.2.${attempt}` };
      statuses.add((await fetch(`${url}/${NODES}`, { headers })).status);
    }
    expect([...statuses]).toEqual([401, 429]);
  });
});

describe('a console', () => {
  afterEach(closeAll);

  it('responds only under known host names, against DNS rebinding', async () => {
    const { console } = await shown({ tokens, allowedHosts: ['Quartz.Example'] });
    const by = (host: string) =>
      ask(console, NODES, { headers: { ...bearer(TOKEN), host } }).then(({ status }) => status);
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:8080', '10.0.0.1', 'quartz.example:443'])
      expect([host, await by(host)]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'evil-quartz.example',
      '127.0.0.1.evil.example',
      'x@y',
    ])
      expect([host, await by(host)]).toEqual([host, 403]);
  });

  it('accepts changes only from pages of its own host names', async () => {
    const { console } = await shown({ users, allowedHosts: ['quartz.example'] });
    const from = (origin: string) =>
      ask(console, DRAIN, {
        method: 'POST',
        body: {},
        headers: { ...basic('ann', 'correct horse'), host: 'localhost:8080', origin },
      }).then(({ status }) => status);
    expect(await from('http://localhost:8080')).toBe(200);
    expect(await from('https://quartz.example')).toBe(200);
    for (const origin of [
      'http://localhost:9090',
      'null',
      'https://evil.example',
      'https://quartz.example.evil.example',
    ])
      expect([origin, await from(origin)]).toEqual([origin, 403]);
  });
});
