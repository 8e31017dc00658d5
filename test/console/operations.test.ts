import { SchedulerError } from '../../src/base/errors';
import type { Authenticator } from '../../src/console/authenticator';
import { createConsole } from '../../src/console/create-console';
import { allOperations } from '../../src/operations/operations';
import { Problem } from '../../src/operations/problem';
import { ask, closeAll, everybodyIs, testConsole, testScheduler } from './support';

const NODES = 'api/schedulers/Reports/nodes';

describe('operations over HTTP', () => {
  afterEach(closeAll);

  it('respond with JSON that is not cached, and with security headers', async () => {
    const scheduler = await testScheduler();
    await scheduler.start();
    const { status, headers, body } = await ask(testConsole(scheduler), NODES);
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'application/json' });
    expect(body.items).toMatchObject([{ instanceId: scheduler.getSchedulerInstanceId(), isThisNode: true }]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('all have a path', async () => {
    const shown = testConsole(await testScheduler());
    for (const [name, { http }] of allOperations()) {
      const path = http.path.replace(/:\w+/g, 'x');
      const options = http.method === 'GET' || http.method === 'DELETE' ? {} : { body: { nothing: 'known' } };
      const { body } = await ask(shown, `api/schedulers/Reports${path}`, { method: http.method, ...options });
      expect({ name, code: body.code }).not.toEqual({ name, code: expect.stringMatching(/^NO_SUCH_/) });
    }
  });

  it('refuse every unauthenticated request, also for unknown paths', async () => {
    const scheduler = await testScheduler();
    for (const address of [NODES, 'api/session', 'api/openapi.json', 'api/schedulers/Reports/events', 'api/nothing']) {
      const { status, headers, body } = await ask(createConsole(scheduler), address);
      expect({ address, status, code: body.code }).toEqual({ address, status: 401, code: 'UNAUTHENTICATED' });
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(headers.get('www-authenticate')).toBeNull();
    }
  });

  it('refuse requests if the authenticator fails, and return its problems and its challenge', async () => {
    const scheduler = await testScheduler();
    const errors: unknown[] = [];
    scheduler.subscribe((event) => errors.push(event), ['schedulerError']);
    const by = (auth: Authenticator) => ask(testConsole(scheduler, { auth }), NODES);
    const failing = await by({ authenticate: () => Promise.reject(new Error('the directory does not answer')) });
    expect(failing).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    expect(failing.text).not.toContain('directory');
    expect(errors).toMatchObject([{ during: expect.stringContaining(failing.body.id) }]);
    const slow = await by({ authenticate: () => Promise.reject(new Problem('TOO_MANY_REQUESTS', 'Wait a minute.')) });
    expect(slow).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS', detail: 'Wait a minute.' } });
    const asked = await by({ authenticate: async () => null, challenge: 'Bearer' });
    expect(asked.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('are refused if the role does not allow them, or the console is read-only', async () => {
    const scheduler = await testScheduler();
    const drain = { method: 'POST', body: {} };
    const viewer = testConsole(scheduler, { auth: everybodyIs('viewer') });
    expect(await ask(viewer, `${NODES}/x/drain`, drain)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const readOnly = testConsole(scheduler, { readOnly: true });
    expect(await ask(readOnly, `${NODES}/x/drain`, drain)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await ask(readOnly, NODES)).toMatchObject({ status: 200 });
    expect(await ask(readOnly, 'api/session')).toMatchObject({
      body: { name: 'somebody', role: 'admin', isReadOnly: true, schedulers: ['Reports'], csrf: null },
    });
  });

  it('report the problems of an input, field by field', async () => {
    const { status, body } = await ask(testConsole(await testScheduler()), `${NODES}?colour=red`);
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'urn:quartz-ts:problem:invalid-input',
      code: 'INVALID_INPUT',
      title: expect.any(String),
      status: 400,
      detail: expect.stringContaining('colour'),
      errors: [{ field: '', message: expect.stringContaining('colour') }],
    });
  });

  it('accept a body only as a JSON object that is not too large or too deep', async () => {
    const shown = testConsole(await testScheduler());
    const post = (body: string, type: string | null = 'application/json') =>
      shown
        .fetch(
          new Request(`http://localhost/${NODES}/x/drain`, {
            method: 'POST',
            body: new TextEncoder().encode(body),
            headers: type === null ? {} : { 'content-type': type },
          }),
        )
        .then(async (response) => ((await response.json()) as { code?: string }).code ?? response.status);
    expect(await post('{}', 'text/plain')).toBe('NOT_JSON');
    expect(await post('', null)).toBe('NOT_JSON');
    // The body is accepted, but the node does not exist.
    expect(await post('{}', 'application/json; charset=utf-8')).toBe('NOT_FOUND');
    expect(await post('')).toBe('NOT_FOUND');
    for (const text of ['[]', '"text"', 'null', '{"a"', '{"__proto__":{"a":1}}', '{"a":{"__proto__":1}}', '\u0000'])
      expect([text, await post(text)]).toEqual([text, 'INVALID_INPUT']);
    expect(await post(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).toBe('INVALID_INPUT');
    expect(await post(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)).toBe('INVALID_INPUT');
    expect(await post(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toBe('TOO_LARGE');
    // Commas and brackets inside strings do not count as values.
    expect(await post(`{"a":"${',[{'.repeat(20_000)}","b":"\\","c":"\\"${','.repeat(20_000)}"}`)).toBe('INVALID_INPUT');
    expect(await post(`{"a":[${'1,'.repeat(10_000)}1]}`)).toBe('TOO_LARGE');
    expect(await post(`{"a":"${'x'.repeat(1_048_576)}"}`)).toBe('TOO_LARGE');
    expect(await post('{"instanceId":"y"}')).toBe('INVALID_INPUT');
  });

  it('stop reading a body of unknown length when it becomes too large', async () => {
    const shown = testConsole(await testScheduler());
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } };
    const response = await shown.fetch(new Request(`http://localhost/${NODES}/x/drain`, init as RequestInit));
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(25);
  });

  it('respond to unknown paths, methods and schedulers with problems', async () => {
    const shown = testConsole(await testScheduler());
    expect(await ask(shown, 'api/nothing')).toMatchObject({ status: 404, body: { code: 'NO_SUCH_PATH' } });
    expect(await ask(shown, 'nothing')).toMatchObject({ status: 404, body: { code: 'NO_SUCH_PATH' } });
    expect(await ask(shown, 'api/schedulers/Other/nodes')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const wrong = await ask(shown, NODES, { method: 'PUT', body: {} });
    expect(wrong).toMatchObject({ status: 405, body: { code: 'NO_SUCH_METHOD' } });
    expect(wrong.headers.get('allow')).toBe('GET');
    expect((await ask(shown, NODES, { method: 'HEAD' })).status).toBe(200);
  });

  it('respond to unexpected errors only with an id that is in the log', async () => {
    const scheduler = await testScheduler();
    const shown = testConsole(scheduler);
    const errors: { during: string; error: Error }[] = [];
    scheduler.subscribe((event) => event.type === 'schedulerError' && errors.push(event));
    scheduler.listNodes = () => Promise.reject(new TypeError('secret-of-the-inside'));
    const { status, text, body } = await ask(shown, NODES);
    expect({ status, code: body.code, keys: Object.keys(body).sort() }).toEqual({
      status: 500,
      code: 'INTERNAL',
      keys: ['code', 'id', 'status', 'title', 'type'],
    });
    expect(text).not.toContain('secret');
    expect(errors).toMatchObject([{ during: expect.stringContaining(body.id), error: { message: /inside/ } }]);
    scheduler.listNodes = () => Promise.reject(new SchedulerError('STORE_FAILURE', 'connect 10.1.2.3'));
    const down = await ask(shown, NODES);
    expect(down).toMatchObject({ status: 503, body: { code: 'STORE_FAILURE', id: expect.any(String) } });
    expect(down.text).not.toContain('10.1.2.3');
    expect(errors).toHaveLength(2);
  });

  it('serve several schedulers by their names', async () => {
    const schedulers = [await testScheduler({ name: 'one' }), await testScheduler({ name: 'zwei/2 %41ü' })];
    const shown = testConsole(schedulers);
    for (const scheduler of schedulers) {
      await scheduler.start();
      const name = encodeURIComponent(scheduler.getSchedulerName());
      const { body } = await ask(shown, `api/schedulers/${name}/nodes`);
      expect(body.items[0].instanceId).toBe(scheduler.getSchedulerInstanceId());
    }
    expect(() => testConsole([...schedulers, schedulers[0] as never])).toThrow(/two named one/);
    expect(() => testConsole([])).toThrow(/at least one/);
    expect(() => testConsole({ getSchedulerName: () => 'x' } as never)).toThrow(/createScheduler/);
    expect(() => testConsole(schedulers, { readonly: true } as never)).toThrow(
      "There is no option 'readonly'. Did you mean 'readOnly'?",
    );
  });
});
