import fc from 'fast-check';
import { hashToken, newToken } from '../../src/base/secret-hash';
import { createClient } from '../../src/operations/client';
import type { Problem } from '../../src/operations/problem';
import { routeManifest } from '../../src/operations/route-manifest';
import { closeAll, serve, testConsole, testScheduler } from './support';

describe('the typed client', () => {
  afterEach(closeAll);

  const started = async (name = 'Reports') => {
    const scheduler = await testScheduler({ name });
    await scheduler.start();
    const { url } = await serve(testConsole(scheduler, { basePath: '/admin' }).listener);
    const client = (options: { token?: string; fetch?: typeof fetch; url?: string } = {}) =>
      createClient({ url: `${url}/admin`, scheduler: name, routes: routeManifest(), ...options });
    return { scheduler, client, url };
  };

  it('calls operations like local functions, also of a scheduler with an unusual name', async () => {
    const { scheduler, client, url } = await started('täglich/nachts %2F?#');
    const instanceId = scheduler.getSchedulerInstanceId();
    for (const each of [client(), client({ url: `${url}/admin/` }), client({ url: `${url}/admin/?x#/jobs` })]) {
      expect((await each.call('nodes.list', {})).items).toMatchObject([{ instanceId, isDraining: false }]);
    }
    expect(await client().call('nodes.drain', { instanceId })).toMatchObject({ drained: true, running: 0 });
    expect((await client().call('nodes.list', {})).items).toMatchObject([{ instanceId, isDraining: true }]);
  });

  it('rejects with the problem of the response', async () => {
    const { client } = await started();
    const call = client().call('nodes.drain', { instanceId: 'x'.repeat(191) });
    await expect(call).rejects.toMatchObject({
      name: 'Problem',
      code: 'INVALID_INPUT',
      fields: [{ field: 'instanceId', message: expect.any(String) }],
    });
  });

  it('reports the seconds to wait, if the console or a proxy sends them', async () => {
    const scheduler = await testScheduler();
    const tokens = { deploy: `operator ${hashToken(newToken())}` };
    const { url } = await serve(testConsole(scheduler, { auth: undefined as never, tokens }).listener);
    const asked = (options: { token?: string; fetch?: typeof fetch } = {}) =>
      createClient({ url, scheduler: 'Reports', routes: routeManifest(), token: 'wrong', ...options })
        .call('nodes.list', {})
        .catch((problem: unknown) => problem);
    for (let attempt = 0; attempt < 10; attempt++) expect(await asked()).toMatchObject({ retryAfterS: null });
    const refused = (await asked()) as Problem;
    expect([refused.code, refused.retryAfterS]).toEqual(['TOO_MANY_REQUESTS', expect.any(Number)]);
    expect(refused.retryAfterS).toBeGreaterThan(0);
    const behind = (retryAfter: string) => async () =>
      new Response('<html>', { status: 503, headers: { 'retry-after': retryAfter } });
    expect(await asked({ fetch: behind('7') })).toMatchObject({ code: 'INTERNAL', retryAfterS: 7 });
    expect(await asked({ fetch: behind('Wed, 21 Oct 2026 07:28:00 GMT') })).toMatchObject({ retryAfterS: null });
  });

  it('rejects names that cannot be in a path, and responses that are not from a console', async () => {
    const { client, url } = await started();
    for (const instanceId of ['', '.', '..', undefined as never])
      await expect(client().call('nodes.drain', { instanceId })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(client({ url: `${url}/elsewhere` }).call('nodes.list', {})).rejects.toMatchObject({
      code: 'NO_SUCH_PATH',
    });
    const foreign = async () => new Response('<html>', { status: 502 });
    await expect(client({ fetch: foreign }).call('nodes.list', {})).rejects.toThrow('found status 502');
    await expect(client({ url: 'http://127.0.0.1:1' }).call('nodes.list', {})).rejects.toThrow('fetch failed');
  });

  it('yields the messages of a stream after the last known one', async () => {
    const { scheduler, client } = await started();
    const ended = new AbortController();
    const opened = new Promise<void>((onOpen) => {
      void (async () => {
        for await (const { name, id, data } of client().listen('events', { signal: ended.signal, onOpen })) {
          messages.push([name, id, (data as { readonly type: string }).type]);
          if (messages.length === 2) ended.abort();
        }
      })().catch(() => undefined);
    });
    const messages: [string, string | null, string][] = [];
    await opened;
    const drained = new Promise((resolve) => ended.signal.addEventListener('abort', resolve));
    await scheduler.drain();
    await scheduler.undrain();
    await drained;
    const [first, second] = messages;
    expect([first?.[2], second?.[2]]).toEqual(['nodeDraining', 'nodeUndrained']);
    for await (const message of client().listen('events', { lastEventId: first?.[1] as string })) {
      expect([message.name, message.id, (message.data as { readonly type: string }).type]).toEqual(second);
      break;
    }
    const lines = client().listen({ runId: 'nothing' });
    await expect(lines.next()).rejects.toMatchObject({ name: 'Problem', code: 'NOT_FOUND' });
  });

  it('sends its token, and follows no redirect with it', async () => {
    const requests: RequestInit[] = [];
    const { client } = await started();
    const recording: typeof fetch = (address, init) => {
      requests.push(init ?? {});
      return fetch(address, init);
    };
    await client({ token: 'abc', fetch: recording }).call('nodes.list', {});
    expect(requests).toMatchObject([{ redirect: 'error', headers: { authorization: 'Bearer abc' } }]);
  });

  it('passes every name to the operation unchanged', async () => {
    const { scheduler, client } = await started();
    const seen: string[] = [];
    scheduler.drain = async (id = '') => seen.push(id) > 0;
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const isName = (name: string) => name !== '.' && name !== '..';
    await fc.assert(
      fc.asyncProperty(names.filter(isName), async (instanceId) => {
        await client().call('nodes.drain', { instanceId });
        expect(seen.pop()).toBe(instanceId);
      }),
      { numRuns: 150, examples: [['a/b'], ['100%'], ['%2F'], ['a?b#c'], ['…'], ['a+b c'], ['\\'], ['%25'], ['a\tb']] },
    );
  });
});
