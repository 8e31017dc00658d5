import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { hashToken, newToken } from '../../src/base/secret-hash';
import { runProgram } from '../../src/cli/program';
import { newJob } from '../../src/index';
import type { Operation } from '../../src/operations/operation';
import { allOperations } from '../../src/operations/operations';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { closeAll, serve, testConsole } from '../console/support';
import { memoryOutput } from '../support/memory-output';
import { until } from '../support/until';

/** Part of every planted secret; the number of its input follows. */
const MARK = 'm4rk3d';

let planted = 0;
const places = new Map<string, string>();

/** A different secret for each input, so that a leak can be attributed to its input. */
function secret(place: string): string {
  const text = `${MARK}-${++planted}-s3cr3t`;
  places.set(text, place);
  return text;
}

/** Secrets in the forms that occur in text: in a URL, a parameter and a header. */
const inText = (place: string) =>
  `mysql://app:${secret(`${place}, address`)}@db/x password=${secret(`${place}, parameter`)} Authorization: Bearer ${secret(`${place}, header`)}`;

const inData = (place: string) => ({
  password: secret(`${place}, password`),
  nested: { deeper: [{ apiKey: secret(`${place}, nested`) }] },
  credentials: { any: secret(`${place}, below a secret name`) },
  url: `https://app:${secret(`${place}, address`)}@db/x?token=${secret(`${place}, parameter`)}`,
  headers: [{ name: 'Authorization', value: secret(`${place}, name and value`) }],
  pairs: [['cookie', secret(`${place}, pair`)]],
  pin: 90_210_117,
  note: inText(`${place}, text`),
});

const SHARD_PARAMS = [inData('shard parameter 0'), inText('shard parameter 1')] as const;
const FAILURE = inText('error');
const LINE = { message: inText('line'), data: inData('line data') };
const PROGRESS = inText('progress');
const SUMMARY = inText('summary');
const RETURNED = { rows: 3, answer: inData('returned value'), note: inText('returned text') };
const METRIC = `https://app:${secret('name of a metric')}@h/x`;

const JOBS = {
  works: async ({ log, progress }: JobExecutionContext) => {
    log.info(LINE.message, LINE.data);
    progress(0.5, PROGRESS);
    return { summary: SUMMARY, metrics: { [METRIC]: 1, tokens: 1_200 }, ...RETURNED };
  },
  fails: async () => {
    throw new Error(FAILURE, { cause: new Error(inText('cause of an error')) });
  },
  part: async () => {},
  stays: async ({ log, progress, signal }: JobExecutionContext) => {
    log.warn(LINE.message, LINE.data);
    progress(0.25, PROGRESS);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  },
};

const fileText = (place: string, interval: string) => `
calendars:
  declared: { type: weekly, excludedDays: [SUN], description: "see https://app:${secret(`${place}, calendar`)}@h/x" }
jobs:
  - name: declared
    type: works
    description: "see https://app:${secret(`${place}, description`)}@h/x"
    data: { password: ${secret(`${place}, data`)}, headers: [{ name: cookie, value: ${secret(`${place}, pair`)} }] }
    triggers:
      - { name: declared, simple: { interval: ${interval} }, startAt: "2100-01-01T00:00", data: { jwt: ${secret(`${place}, trigger data`)} } }
`;

interface Planted {
  readonly scheduler: Scheduler;
  readonly config: string;
  readonly logged: readonly string[];
  request(
    role: 'viewer' | 'operator' | 'admin',
    path: string,
    init?: { method?: string; body?: unknown },
  ): Promise<Response>;
}

let folder: string;
let world: Planted;
const logged: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quartz-planted-'));
  world = await plant();
}, 60_000);
afterAll(async () => {
  await closeAll();
  await world.scheduler.shutdown({ waitForJobs: false });
  rmSync(folder, { recursive: true });
});

/** Starts a node with a secret in every input that a person or a program can set. */
async function plant(): Promise<Planted> {
  const file = join(folder, 'planted.db');
  const settings = { instanceName: 'S', timeZone: 'UTC' };
  const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  const scheduler = await createScheduler(
    { scheduler: settings, jobStore: { class: 'sqlite', path: file, storeThread: false, history: 'all' } } as never,
    { jobs: JOBS, logger },
  );
  const config = join(folder, 'quartz.yaml');
  writeFileSync(config, `scheduler: ${JSON.stringify(settings)}\njobStore: { class: sqlite, path: ${file} }\n`);
  const tokens = { viewer: newToken(), operator: newToken(), admin: newToken() };
  const hashes = Object.entries(tokens).map(([role, token]) => [role, `${role} ${hashToken(token)}`]);
  const { url } = await serve(
    testConsole(scheduler, { auth: undefined as never, tokens: Object.fromEntries(hashes) }).listener,
  );
  const request: Planted['request'] = (role, path, { method = 'GET', body } = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokens[role]}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const act = async (role: 'operator' | 'admin', path: string, body: unknown, method = 'POST') =>
    (await request(role, `/api/schedulers/S${path}`, { method, body })).status;

  for (const name of ['works', 'fails', 'stays', 'part'] as const) {
    const job = newJob(name)
      .withIdentity(name)
      .withDescription(inText(`description of ${name}`).slice(0, 250));
    await scheduler.addJob(
      job
        .storeDurably()
        .usingJobData(inData(`data of ${name}`))
        .build(),
    );
  }
  const due = { simple: { interval: 'PT24H' } };
  for (const name of ['works', 'fails', 'stays']) {
    const given = {
      name,
      job: name,
      ...due,
      data: inData(`trigger data of ${name}`),
      description: inText(`trigger of ${name}`),
      ...(name === 'fails' && { retry: { max: 1, delay: 1 } }),
    };
    expect(await act('admin', '/triggers', given)).toBe(200);
  }
  expect(
    await act('admin', '/triggers', { name: 'part', job: 'part', ...due, spread: { shards: 2, params: SHARD_PARAMS } }),
  ).toBe(200);
  expect(
    await act('admin', '/calendars', {
      name: 'works',
      type: 'weekly',
      excludedDays: ['SUN'],
      description: inText('description of a calendar'),
    }),
  ).toBe(200);
  expect(await act('admin', '/schedule/apply', { text: fileText('file', 'PT1H'), file: 's.yaml' })).toBe(200);
  expect(await act('admin', '/schedule/apply', { text: fileText('refused file', 'PT!H'), file: 's.yaml' })).toBe(422);
  for (const [place, given] of [
    ['/jobs/DEFAULT/declared', { data: inData('override of a job'), description: inText('override') }],
    ['/triggers/DEFAULT/declared', { data: inData('override of a trigger'), description: inText('override') }],
    ['/calendars/declared', { type: 'weekly', excludedDays: ['SAT'], description: inText('override of a calendar') }],
  ] as const)
    expect(await act('admin', place, given, 'PUT')).toBe(200);
  expect(await act('operator', '/jobs/DEFAULT/works/fire', { data: inData('data of a firing') })).toBe(200);
  expect(await act('operator', '/jobs/DEFAULT/none/fire', { data: inData('data of a firing of nothing') })).toBe(404);
  expect(await act('admin', '/jobs/DEFAULT/part', { data: inData('edited data') }, 'PUT')).toBe(200);
  expect(await act('admin', '/jobs/DEFAULT/part', { timeout: 'for ever', data: inData('refused data') }, 'PUT')).toBe(
    400,
  );
  expect(await act('operator', '/triggers/DEFAULT/declared/pause', { reason: inText('reason of a pause') })).toBe(200);
  const stream = await request('viewer', '/api/schedulers/S/events');
  void collect(stream, streamed);
  await scheduler.start();
  await until(
    async () => [(await scheduler.listRuns()).items.length, (await scheduler.listExecutingJobs()).length],
    ([runs = 0, running]) => runs >= 6 && running === 1,
  );
  return { scheduler, config, logged, request };
}

const streamed: string[] = [];

async function collect({ body }: Response, texts: string[]): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) texts.push(decoder.decode(bytes));
  } catch {
    // The stream ends with the console.
  }
}

/** Inputs whose secrets the text contains. */
function leaksIn(text: string): readonly string[] {
  const found = text.match(new RegExp(`${MARK}-\\d+-s3cr3t`, 'g')) ?? [];
  const cut = text.replace(new RegExp(`${MARK}-\\d+-s3cr3t`, 'g'), '').includes(MARK) ? ['part of a secret'] : [];
  return [
    ...new Set(found.map((each) => places.get(each) ?? each)),
    ...cut,
    ...(text.includes('90210117') ? ['pin'] : []),
  ];
}

type Given = Readonly<Record<string, string | number>>;

/** Inputs for an operation: one for each stored key, and an unknown key. */
async function inputsOf(name: string, { http }: Pick<Operation, 'http'>): Promise<readonly Given[]> {
  const runs = (await world.scheduler.listRuns()).items;
  const firings = await world.scheduler.listExecutingJobs();
  if (http.path.includes(':runId')) return [...runs, ...firings].map(({ runId }) => ({ runId }));
  if (http.path.includes(':year')) return [{ name: 'works', year: 2026 }];
  if (name.startsWith('schedule.')) return [{ text: fileText('planned file', 'PT2H'), file: 's.yaml' }];
  if (http.path.includes(':name'))
    return ['works', 'fails', 'stays', 'part', 'declared', 'unknown'].map((each) => ({ name: each }));
  if (name === 'timeline.show') return [{ from: '2100-01-01T00:00:00.000Z', to: '2100-01-03T00:00:00.000Z' }];
  return [{}];
}

const READING = allOperations().filter(([, { effect }]) => effect === 'reads');

describe('a secret planted in every input', () => {
  it.each(
    READING.filter(([, { role }]) => role === 'viewer'),
  )('is not shown to a viewer by %s', async (name, operation) => {
    const { method, path } = operation.http;
    let answered = 0;
    for (const input of await inputsOf(name, operation)) {
      const place = path.replace(/:(\w+)/g, (_, field: string) =>
        encodeURIComponent(String(input[field] ?? 'DEFAULT')),
      );
      const body = method === 'POST' ? { body: name === 'cron.preview' ? { cron: '0 0 6 * * ?' } : input } : {};
      const query = method === 'GET' && name === 'timeline.show' ? `?${new URLSearchParams(input as never)}` : '';
      const response = await world.request('viewer', `/api/schedulers/S${place}${query}`, { method, ...body });
      expect(response.status).toBeLessThan(500);
      if (response.ok) answered++;
      expect([name, leaksIn(await response.text()), leaksIn(JSON.stringify([...response.headers]))]).toEqual([
        name,
        [],
        [],
      ]);
    }
    expect(answered).toBeGreaterThan(0);
  });

  it('is not in the log of actions, which contains every action', async () => {
    const text = await (await world.request('admin', '/api/schedulers/S/actions')).text();
    expect(JSON.parse(text).items.length).toBeGreaterThan(11);
    expect(leaksIn(text)).toEqual([]);
  });

  it.each(['/metrics', '/api/openapi.json', '/api/session', '/', '/health/ready'])('is not in %s', async (path) => {
    const response = await world.request('viewer', path);
    expect(leaksIn(await response.text())).toEqual([]);
  });

  it('is in no event and in no streamed log line', async () => {
    const [firing] = await world.scheduler.listExecutingJobs();
    const lines: string[] = [];
    void collect(await world.request('viewer', `/api/schedulers/S/firings/${firing?.runId}/lines`), lines);
    await until(
      () => lines.join(''),
      (text) => text.includes('event: progress'),
    );
    expect(lines.join('')).toContain('event: line');
    expect(leaksIn(lines.join(''))).toEqual([]);
    expect(streamed.join('').length).toBeGreaterThan(100);
    expect(leaksIn(streamed.join(''))).toEqual([]);
  });

  it.each(READING)('is not printed by the command of %s', async (name, operation) => {
    if (name === 'cron.preview') return;
    const { words, arguments: positions = [], textField } = operation.command;
    for (const input of await inputsOf(name, operation)) {
      if (textField !== undefined) writeFileSync(join(folder, 's.yaml'), String(input.text));
      const given = positions.map((field) => String(input[field] ?? ''));
      for (const json of [[], ['--json']]) {
        const { output, stdout, stderr } = memoryOutput();
        await runProgram([...words, ...json, '--config', world.config, '--', ...given], { output, env: {}, folder });
        expect(stdout() + stderr()).not.toBe('');
        expect([name, leaksIn(stdout() + stderr())]).toEqual([name, []]);
      }
    }
  });

  it('is not in the result of a job that is shown with its run', async () => {
    const { items } = await world.scheduler.listRuns({ job: 'works' });
    const runId = items[0]?.runId ?? '';
    const response = await world.request('viewer', `/api/schedulers/S/runs/${runId}`);
    const { output, stdout } = memoryOutput();
    await runProgram(['runs', 'show', '--json', '--config', world.config, runId], { output, env: {}, folder });
    for (const run of [await response.json(), JSON.parse(stdout())]) {
      expect(run.result).toMatchObject({
        rows: 3,
        answer: { password: '***', nested: { deeper: [{ apiKey: '***' }] } },
      });
      expect(leaksIn(JSON.stringify(run))).toEqual([]);
    }
  });

  it('is in no line of the log, at any level', () => {
    expect(logged.some((line) => line.includes('QTZ308'))).toBe(true);
    expect(leaksIn(logged.join('\n'))).toEqual([]);
  });

  it('is in the store and in the results of the scheduler, so that a leak would be found', async () => {
    const { data } = (await world.scheduler.getJobDetail({ name: 'works', group: 'DEFAULT' })) ?? { data: {} };
    expect(leaksIn(JSON.stringify(data)).length).toBeGreaterThan(8);
    expect(leaksIn(JSON.stringify((await world.scheduler.listRuns()).items)).length).toBeGreaterThan(20);
    const results = (await world.scheduler.listRuns({ job: 'works' })).items.map(({ result }) => result);
    expect(leaksIn(JSON.stringify(results)).length).toBeGreaterThan(10);
    expect(leaksIn(JSON.stringify((await world.scheduler.listDeadLetters()).items)).length).toBeGreaterThan(2);
    const shown = (await (await world.request('viewer', '/api/schedulers/S/overrides')).json()) as {
      items: { what: string; override: { declared: object } }[];
    };
    expect(
      shown.items.map(({ what, override }) => [
        what,
        'description' in override.declared || 'data' in override.declared,
      ]),
    ).toEqual([
      ['calendar', true],
      ['job', true],
      ['trigger', true],
    ]);
  });
});
