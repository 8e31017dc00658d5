import { z } from 'zod';
import type { Console } from '../../src/console/console-options';
import { allOperations } from '../../src/operations/operations';
import { closeAll, testConsole, testScheduler } from '../console/support';
import { IS_LONG } from '../support/long-forms';

/** Texts that vulnerable programs interpret as code, markup, paths or patterns. */
const PAYLOADS = [
  '<img src=x onerror=alert(1)>',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  './jobs/evil.js',
  'node:child_process',
  "'; DROP TABLE QRTZ_TRIGGERS; --",
  '%_\\%',
  '\u0024{jndi:ldap://x}',
  '{{7*7}}',
  '\u0000\u0007\u001b[2J\r\nset-cookie: a=b',
  '\ud800',
  '\u202eevil',
  'x'.repeat(20_000),
  '* '.repeat(5_000),
  '(a+)+$'.repeat(30),
];

/** Values of unexpected types. */
const VALUES: readonly unknown[] = [
  ...PAYLOADS,
  1e308,
  -1,
  Number.MAX_SAFE_INTEGER,
  0.1,
  true,
  null,
  [],
  [[]],
  {},
  { name: { toString: 'x' }, group: ['x'] },
  { $ne: null },
  { toJSON: 'x', length: -1 },
];

/** Input fields of each operation, without path parameters. */
const FIELDS = new Map(
  allOperations().map(([name, { http, input }]) => {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
    return [name, Object.keys(properties).filter((field) => !new RegExp(`:${field}\\b`).test(http.path))];
  }),
);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

async function send(to: Console, { method, path, body }: Asked) {
  const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  const response = await to.fetch(new Request(`http://localhost/api/schedulers/Reports${path}`, { method, ...init }));
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

type Store = 'memory' | 'sqlite';

/** The short form tries every twelfth value in each field, and starts at another value for the next field. */
const STEP = IS_LONG ? 1 : 12;
const FIRST: Readonly<Record<Store, number>> = { memory: 0, sqlite: IS_LONG ? 0 : 6 };

/** Requests for every operation with the value as body, in each field, and in all fields. `turn`: index of the value. */
function* requestsWith(store: Store, value: unknown, turn: number): Generator<Asked & { readonly name: string }> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const written = encodeURIComponent(Buffer.from(text).toString()).slice(0, 4_000).replace(/%.?$/, '');
  for (const [name, { http }] of allOperations()) {
    const path = http.path.replace(/:\w+/g, written || '%20');
    const fields = FIELDS.get(name) ?? [];
    const tried = fields.filter((_, index) => (index + turn) % STEP === FIRST[store]);
    const hasBody = http.method === 'POST' || http.method === 'PUT';
    if (!hasBody) {
      yield { name, method: http.method, path };
      for (const field of tried) yield { name, method: http.method, path: `${path}?${field}=${written}` };
      continue;
    }
    yield { name, method: http.method, path, body: JSON.stringify(value) };
    for (const field of tried) yield { name, method: http.method, path, body: JSON.stringify({ [field]: value }) };
    const all = Object.fromEntries(fields.map((field) => [field, value]));
    yield { name, method: http.method, path, body: JSON.stringify(all) };
  }
}

/* Most requests are refused before they reach a store, so the short form uses one store. */
describe.each<Store>(IS_LONG ? ['memory', 'sqlite'] : ['sqlite'])('hostile requests, with a store in %s', (store) => {
  afterEach(closeAll);

  it('are refused or answered without an internal error', async () => {
    const shown = testConsole(await testScheduler({ store }));
    const before = Object.getOwnPropertyNames(Object.prototype).length;
    let count = 0;
    for (const [turn, value] of VALUES.entries()) {
      for (const { name, ...asked } of requestsWith(store, value, turn)) {
        const { status, type, text } = await send(shown, asked);
        const found = { name, path: asked.path.slice(0, 200), body: asked.body?.slice(0, 200), status };
        if (status >= 500) expect({ ...found, text }).toEqual('no failure');
        // A browser must not interpret the response as a page.
        if (text !== '')
          expect([found, type]).toEqual([found, expect.stringMatching(/^application\/(problem\+)?json$/)]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(500);
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(before);
  }, 120_000);

  it('store no job whose type is a path or a module', async () => {
    const scheduler = await testScheduler({ store });
    const shown = testConsole(scheduler);
    for (const type of ['./evil.js', '/tmp/evil.js', 'node:child_process', 'constructor', 'data:text/javascript,1']) {
      const body = JSON.stringify({ job: { name: 'evil', type, durable: true }, type, name: 'evil', durable: true });
      for (const [, { http }] of allOperations()) {
        if (http.method !== 'POST' && http.method !== 'PUT') continue;
        const { status } = await send(shown, { method: http.method, path: http.path.replace(/:\w+/g, 'evil'), body });
        expect(status).toBeLessThan(500);
      }
    }
    expect((await scheduler.listJobs()).items.map(({ key }) => key.name)).not.toContain('evil');
  });
});

describe('request bodies', () => {
  afterEach(closeAll);

  it('are refused in bounded time, whatever their shape and size', async () => {
    const shown = testConsole(await testScheduler());
    const [, post] = allOperations().find(([, { http }]) => http.method === 'POST') ?? [];
    const path = (post?.http.path ?? '').replace(/:\w+/g, 'x');
    const bodies = [
      `{"a":"${'x'.repeat(10_485_760)}"}`,
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      '['.repeat(900_000),
      `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":0`).join()}}`,
      `{"n":${'9'.repeat(900_000)}}`,
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"isAdmin":true}}}',
      '{"a":1}{"a":2}',
      '\u0000',
    ];
    const start = performance.now();
    for (const body of bodies) {
      const { status } = await send(shown, { method: 'POST', path, body });
      expect([body.slice(0, 30), [400, 413].includes(status)]).toEqual([body.slice(0, 30), true]);
    }
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
