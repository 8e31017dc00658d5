import fc from 'fast-check';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { CronCalendar } from '../../src/domain/calendars/cron-calendar';
import { cronSchedule, newJob, newTrigger } from '../../src/index';
import { IS_LONG } from '../support/long-forms';
import { ENDPOINTS, type Endpoint, resolved, type Schema, validatorOf } from './openapi-document';
import { closeAll, type Store, testConsole, testScheduler } from './support';

/** Number of requests for each operation. */
const CASES: Readonly<Record<Store, number>> = IS_LONG ? { memory: 100, sqlite: 100 } : { memory: 15, sqlite: 6 };
const MAX_ANSWER_BYTES = 4_000_000;

/** Names of stored objects, and names that are not stored. */
const NAMES = ['daily', 'failing', 'long', 'g', 'DEFAULT', 'nights', 'nothing', '*', 'a/b', 'ü %2F', '<b>', '$1'];
const TEXTS = [
  '0 0 12 * * ?',
  '2026-01-01T00:00:00.000Z',
  '2026-02-30',
  'PT5S',
  'Europe/Berlin',
  '1h',
  'UTC',
  '-1',
  'true',
  '',
];

/** Stores jobs, triggers, a calendar, a pause, runs and a dead letter, and starts a run. */
async function furnish(store: Store): Promise<Scheduler> {
  let begun: (() => void) | undefined;
  const isRunning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const jobs = {
    fails: async () => {
      throw new Error('as it must');
    },
    long: ({ signal }: JobExecutionContext) => {
      begun?.();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  };
  const scheduler = await testScheduler({ store, jobs });
  await scheduler.addCalendar('nights', new CronCalendar({ cronExpression: '* * 0-6 * * ?' }));
  const job = (name: string, type: string) => newJob(type).withIdentity(name, 'g').withHistory('all').storeDurably();
  const trigger = (name: string) => newTrigger().withIdentity(name, 'g');
  await scheduler.scheduleJob(
    job('daily', 'noop').usingJobData({ a: 1, password: 'p' }).build(),
    trigger('daily').withSchedule(cronSchedule('0 0 12 * * ?')).build(),
  );
  await scheduler.pauseTrigger({ group: 'g', name: 'daily' }, { reason: 'a test' });
  const failed = new Promise<void>((resolve) => {
    scheduler.subscribe((event) => event.type === 'retriesExhausted' && resolve());
  });
  await scheduler.scheduleJob(
    job('failing', 'fails').withRetry({ max: 1, delay: 1 }).build(),
    trigger('failing').build(),
  );
  await scheduler.scheduleJob(job('long', 'long').build(), trigger('long').build());
  await scheduler.start();
  await Promise.all([isRunning, failed]);
  return scheduler;
}

/** Values of which most match a schema. */
function valuesOf(given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  if (depth > 4) return fc.constantFrom(null, 'deep', 1);
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((each) => valuesOf(each, depth + 1));
  const fitting = choices.length > 0 ? fc.oneof(...choices) : valuesOfType(schema, depth);
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
}

function valuesOfType(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  switch (schema.type) {
    case 'string':
      return fc.oneof(
        fc.constantFrom(...NAMES),
        fc.constantFrom(...TEXTS),
        fc.string({ unit: 'grapheme', maxLength: 12 }),
      );
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({ min: -2, max: 50 }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 2 ** 40),
        fc.double(),
      );
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, depth + 1), { maxLength: 3 });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([name, field]) => [name, valuesOf(field, depth + 1)] as const,
      );
      if (fields.length === 0)
        return fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
    }
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** Requests for an operation, generated from its entry in the document. */
function requestsFor({ path, method, operation }: Endpoint): fc.Arbitrary<Request> {
  const parameters = operation.parameters
    .map(resolved)
    .filter(({ name, in: place }) => place !== 'header' && name !== 'scheduler');
  const names = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
  const needed = parameters.filter(({ required }) => required);
  const fieldsOf = (some: typeof parameters) =>
    fc.record(Object.fromEntries(some.map(({ name, schema }) => [name, valuesOf(schema)])), {
      requiredKeys: needed.map(({ name }) => name),
    });
  // Most generated cursors are refused, so some requests have only the required parameters.
  const values = fc.oneof({ weight: 2, arbitrary: fieldsOf(parameters) }, { weight: 1, arbitrary: fieldsOf(needed) });
  const schema = operation.requestBody?.content['application/json'].schema;
  const bodies = schema === undefined ? fc.constant(null) : valuesOf(schema).map((body) => JSON.stringify(body));
  return fc.tuple(values, bodies).map(([given, body]) => {
    const filled = path
      .replace('{scheduler}', 'Reports')
      .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(given[name])) || 'x');
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given).filter(([name]) => !names.includes(name)))
      for (const each of [value].flat()) query.append(name, textOf(each));
    const headers: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' };
    const init = { method: method.toUpperCase(), headers, ...(body === null ? {} : { body }) };
    return new Request(`http://localhost${filled}?${query}`.replace(/\?$/, ''), init);
  });
}

const textOf = (value: unknown): string => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A URL cannot contain a lone surrogate.
  return /\p{Surrogate}/u.test(text) ? 'ill-formed' : text;
};

const OPERATIONS = ENDPOINTS.filter(({ operation }) => !operation.tags.includes('events'));
const READING = OPERATIONS.filter(({ operation }) => operation['x-effect'] === 'reads');
const CHANGING = OPERATIONS.filter(({ operation }) => operation['x-effect'] !== 'reads');
const named = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [each.operation.operationId, each] as const);

const answerOf = ({ operation }: Endpoint, status: string, type: string) => {
  const { content } = resolved(operation.responses[status] as { content: Record<string, { schema: Schema }> });
  return validatorOf(content[type]?.schema as Schema);
};

async function expectDocumented(endpoint: Endpoint, scheduler: Scheduler, store: Store): Promise<void> {
  const errors: unknown[] = [];
  const unsubscribe = scheduler.subscribe((event) => {
    if (event.type === 'schedulerError' && /^answering/.test(event.during)) errors.push(event.error);
  });
  const shown = testConsole(scheduler);
  const isAnswer = answerOf(endpoint, '200', 'application/json');
  const isProblem = answerOf(endpoint, 'default', 'application/problem+json');
  await fc.assert(
    fc.asyncProperty(requestsFor(endpoint), async (request) => {
      const asked = `${request.method} ${request.url}`;
      const response = await shown.fetch(request);
      const text = await response.text();
      expect([asked, errors]).toEqual([asked, []]);
      expect(text.length).toBeLessThan(MAX_ANSWER_BYTES);
      const isValid = response.status === 200 ? isAnswer : isProblem;
      const body = JSON.parse(text);
      expect([asked, isValid(body) ? [] : isValid.errors]).toEqual([asked, []]);
      if (response.status !== 200) expect(body).toMatchObject({ status: response.status });
      expect(response.status).not.toBe(500);
      expect(text).not.toMatch(/"password":"p"|node_modules|\.ts:\d/);
    }),
    { numRuns: CASES[store] },
  );
  unsubscribe();
}

/* Responses have the same form on both stores, so the short form uses one. */
describe.each<Store>(IS_LONG ? ['memory', 'sqlite'] : ['sqlite'])('responses with a store in %s', (store) => {
  describe('to reading operations', () => {
    let scheduler: Scheduler;
    beforeAll(async () => {
      scheduler = await furnish(store);
    });
    afterAll(closeAll);

    it.each(named(READING))('match the OpenAPI document: %s', (_, endpoint) =>
      expectDocumented(endpoint, scheduler, store));
  });

  describe('to changing operations', () => {
    afterEach(closeAll);

    it.each(named(CHANGING))('match the OpenAPI document: %s', async (_, endpoint) =>
      expectDocumented(endpoint, await furnish(store), store));
  });
});
