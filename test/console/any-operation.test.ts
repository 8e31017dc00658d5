import { ENDPOINTS, type Endpoint, resolved } from './openapi-document';
import { ask, closeAll, testConsole, testScheduler } from './support';

/* Requests to every operation that do not match the document. Each is refused and changes nothing. */

const OPERATIONS = ENDPOINTS.filter(({ operation }) => !operation.tags.includes('events'));
const named = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [each.operation.operationId, each] as const);
const WITH_BODY = named(OPERATIONS.filter(({ operation }) => operation.requestBody !== undefined));
const WITHOUT_BODY = named(OPERATIONS.filter(({ operation }) => operation.requestBody === undefined));

/** The path of an operation with a value for each parameter, and its required query. */
function addressOf({ path, operation }: Endpoint): string {
  const filled = path
    .replace('{scheduler}', 'Reports')
    .replace('{year}', '2027')
    .replace(/\{\w+\}/g, 'x');
  const needed = operation.parameters.map(resolved).filter(({ required, in: at }) => required && at === 'query');
  const query = new URLSearchParams(Object.fromEntries(needed.map(({ name }) => [name, TIMES[name] ?? 'x'])));
  return query.size === 0 ? filled : `${filled}?${query}`;
}

const TIMES: Readonly<Record<string, string>> = { from: '2027-01-01T00:00:00.000Z', to: '2027-01-02T00:00:00.000Z' };

async function shown() {
  const scheduler = await testScheduler();
  const console = testConsole(scheduler);
  const send = async (method: string, address: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await console.fetch(
      new Request(`http://localhost${address}`, { method, headers, ...(body && { body }) }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, code: text && JSON.parse(text).code };
  };
  return { console, send };
}

const JSON_TYPE = { 'content-type': 'application/json' };

const LARGE = `{"a":"${'x'.repeat(1_048_576)}"}`;

describe('an operation', () => {
  // All tests share one store, because no request changes it.
  let send: Awaited<ReturnType<typeof shown>>['send'];
  beforeAll(async () => {
    ({ send } = await shown());
  });
  afterAll(closeAll);

  test('is in the OpenAPI document once, with or without a body', () => {
    expect(OPERATIONS).toHaveLength(WITH_BODY.length + WITHOUT_BODY.length);
    expect(WITH_BODY.length).toBeGreaterThan(20);
    expect(WITHOUT_BODY.length).toBeGreaterThan(20);
  });

  test.each(WITH_BODY)('%s accepts only a JSON object of limited size as its body', async (_, endpoint) => {
    const post = (body: string | undefined, headers?: Record<string, string>) =>
      send(endpoint.method.toUpperCase(), addressOf(endpoint), body, headers).then(({ code }) => code);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/yaml'])
      expect([type, await post('{}', { 'content-type': type })]).toEqual([type, 'NOT_JSON']);
    expect(await post(undefined)).toBe('NOT_JSON');
    for (const body of ['[]', 'null', '1', '{', '{"a":1}}', '{"__proto__":{}}'])
      expect([body, await post(body, JSON_TYPE)]).toEqual([body, 'INVALID_INPUT']);
    expect(await post(LARGE, JSON_TYPE)).toBe('TOO_LARGE');
    expect(await post('{}', { ...JSON_TYPE, 'content-length': '9999999999' })).toBe('TOO_LARGE');
    expect(await post(`{"a":${'['.repeat(65)}${']'.repeat(65)}}`, JSON_TYPE)).toBe('INVALID_INPUT');
    expect((await send(endpoint.method.toUpperCase(), `${addressOf(endpoint)}?a=1`, '{}', JSON_TYPE)).code).toBe(
      'INVALID_INPUT',
    );
  });

  test.each(WITHOUT_BODY)('%s reads only its query, and answers HEAD as GET', async (_, endpoint) => {
    const [method, address] = [endpoint.method.toUpperCase(), addressOf(endpoint)];
    const mark = address.includes('?') ? '&' : '?';
    expect((await send(method, `${address}${mark}nothing=x`)).code).toBe('INVALID_INPUT');
    expect((await send(method, `${address}${mark}name=y&name=z&group=y`)).code).toBe('INVALID_INPUT');
    if (method === 'DELETE')
      expect((await send(method, address, '{"ifVersion":"1"}', { ...JSON_TYPE, 'content-length': '17' })).code).toBe(
        'INVALID_INPUT',
      );
    if (method !== 'GET') return;
    const [got, head] = [await send('GET', address), await send('HEAD', address)];
    expect([head.status, head.text]).toEqual([got.status, '']);
    expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'));
  });

  test.each(
    named(ENDPOINTS),
  )('%s refuses other methods with a list of the supported methods, and sends no CORS headers', async (_, endpoint) => {
    const address = addressOf(endpoint).replace(/\?.*/, '');
    for (const method of ['OPTIONS', 'PATCH']) {
      const { status, code, headers } = await send(method, address, undefined, {
        origin: 'https://elsewhere.example',
        'access-control-request-method': endpoint.method.toUpperCase(),
      });
      expect([method, status, code]).toEqual([method, 405, 'NO_SUCH_METHOD']);
      expect(headers.get('allow')?.split(', ')).toContain(endpoint.method.toUpperCase());
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('paths other than operations also list their supported methods', async () => {
    const places = ['/', '/assets/x', '/health/ready', '/metrics', '/api/openapi.json', '/api/session'];
    const allowed = places.map(async (place) => (await send('OPTIONS', place)).headers.get('allow'));
    expect(await Promise.all(allowed)).toEqual(['GET', 'GET', 'GET', 'GET', 'GET', 'POST, DELETE, GET']);
    for (const place of ['/health', '/assets', '/api/none', '/none'])
      expect([place, (await send('OPTIONS', place)).code]).toEqual([place, 'NO_SUCH_PATH']);
  });

  test('accepts a version as If-Match or as a field, but not both', async () => {
    const { console } = await shown();
    const job = 'api/schedulers/Reports/jobs';
    await ask(console, job, { method: 'POST', body: { name: 'daily', type: 'noop', durable: true } });
    const { headers, body } = await ask(console, `${job}/DEFAULT/daily`);
    const etag = headers.get('etag') ?? '';
    expect(etag).toBe(`"${body.version}"`);
    const put = (given: object, ifMatch: string) =>
      ask(console, `${job}/DEFAULT/daily`, { method: 'PUT', body: given, headers: { 'if-match': ifMatch } });
    expect(await put({ description: 'mine', ifVersion: body.version }, etag)).toMatchObject({ status: 400 });
    expect(await put({ description: 'mine' }, etag)).toMatchObject({ status: 200 });
    expect(await put({ description: 'late' }, etag)).toMatchObject({
      status: 412,
      body: { code: 'CHANGED_MEANWHILE' },
    });
    const remove = { method: 'DELETE', headers: { 'if-match': etag } };
    expect(await ask(console, `${job}/DEFAULT/daily`, remove)).toMatchObject({ status: 412 });
    expect((await ask(console, `${job}/DEFAULT/daily`)).body.description).toBe('mine');
  });
});
