import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobExecutionContext, Scheduler } from '../../src/api/scheduler';
import { SystemClock } from '../../src/base/clock';
import { systemRandom } from '../../src/base/ids';
import { MAX_BEHIND_BYTES } from '../../src/console/events/event-client';
import { KEPT_LINE_BYTES, MAX_FOLLOWERS, RunFeed } from '../../src/console/events/run-feeds';
import { controlOf } from '../../src/scheduler/control';
import type { RunNews } from '../../src/scheduler/tail-run';
import { ask, closeAll, serve, testConsole, testScheduler } from './support';

const TIMEOUT_MS = 30_000;

/** An executing run. The test logs with its context, and ends it. */
interface Talking {
  readonly scheduler: Scheduler;
  readonly context: JobExecutionContext;
  /** Path of the stream of its lines. */
  readonly path: string;
  readonly end: () => void;
}

async function talking(
  options: { readonly store?: 'memory' | 'sqlite'; readonly file?: string } = {},
): Promise<Talking> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begin: (context: JobExecutionContext) => void = () => undefined;
  const begun = new Promise<JobExecutionContext>((resolve) => {
    begin = resolve;
  });
  const talk = (context: JobExecutionContext) => {
    begin(context);
    return ended;
  };
  const scheduler = await testScheduler({ ...options, jobs: { talk } });
  await scheduler.schedule('talk', { at: new Date(0) });
  await scheduler.start();
  const context = await begun;
  return { scheduler, context, end, path: `api/schedulers/Reports/firings/${context.runId}/lines` };
}

/** A client of a stream over a real connection, which collects all text. */
class Client {
  text = '';
  isEnded = false;
  readonly #response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8').on('data', (part: string) => {
      this.text += part;
    });
    response.on('close', () => {
      this.isEnded = true;
    });
  }

  static async open(address: string, lastEventId?: number): Promise<Client> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const [response] = (await once(get(address, { headers }), 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`Expected a stream, found ${response.statusCode}.`);
    return new Client(response);
  }

  async until(pattern: RegExp): Promise<void> {
    const end = Date.now() + TIMEOUT_MS;
    while (!pattern.test(this.text)) {
      if (this.isEnded || Date.now() > end) throw new Error(`Expected ${pattern}, found ${this.text.slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Resolves when the server has ended the stream. */
  async untilEnd(): Promise<void> {
    if (!this.isEnded) await once(this.#response, 'close');
  }

  leave(): void {
    this.#response.destroy();
  }

  /** Name, id and data of all messages so far. */
  get messages(): readonly (readonly [string, string | null, unknown])[] {
    return this.text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block) => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
        return [field('event') as string, field('id'), JSON.parse(field('data') ?? 'null')];
      });
  }

  get lines(): readonly string[] {
    return this.messages.flatMap(([name, , data]) => (name === 'line' ? (data as { message: string }).message : []));
  }
}

describe.each(['memory', 'sqlite'] as const)('the lines of a run in %s over HTTP', (store) => {
  afterEach(closeAll);

  it('arrive while the run executes, with its progress, and end with the run', async () => {
    const { scheduler, context, path, end } = await talking({ store });
    context.log.info('before', { rows: 1 });
    const { url } = await serve(testConsole(scheduler).listener);
    const client = await Client.open(`${url}/${path}`);
    await client.until(/before/);
    context.log.warn('later');
    context.progress(0.5, 'half');
    await client.until(/half/);
    context.log.info('last');
    end();
    await client.untilEnd();
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(client.messages).toEqual([
      ['line', '1', { at, level: 'info', message: 'before', data: { rows: 1 } }],
      ['line', '2', { at, level: 'warn', message: 'later', data: null }],
      ['progress', null, { fraction: 0.5, message: 'half', at }],
      ['line', '3', { at, level: 'info', message: 'last', data: null }],
      ['end', null, {}],
    ]);
  });
});

describe('the lines of a run over HTTP', () => {
  afterEach(closeAll);

  it('continue after the last line of a client, also if the run has ended, and report missing lines', async () => {
    const { scheduler, context, path, end } = await talking();
    for (let n = 0; n < 100; n++) context.log.info(`${n} ${'x'.repeat(1_000)}`);
    const { url } = await serve(testConsole(scheduler).listener);
    const first = await Client.open(`${url}/${path}`);
    await first.until(/"99 /);
    const given = first.lines.length;
    expect(given).toBeLessThan(17);
    expect(first.messages[0]).toEqual(['gap', String(100 - given), { lines: 100 - given }]);
    first.leave();
    for (let n = 100; n < 140; n++) context.log.info(`${n} ${'x'.repeat(1_000)}`);
    end();
    const second = await Client.open(`${url}/${path}`, 99);
    await second.untilEnd();
    expect(second.lines.map((line) => Number(line.split(' ')[0]))).toEqual(
      Array.from({ length: 41 }, (_, n) => 99 + n),
    );
    expect(second.messages.at(-1)).toEqual(['end', null, {}]);
    const late = await Client.open(`${url}/${path}?after=139`);
    await late.untilEnd();
    expect(late.messages.map(([name, id]) => [name, id])).toEqual([
      ['line', '140'],
      ['end', null],
    ]);
  });

  it('are read from the store once for all clients, also by another node', async () => {
    const file = join(tmpdir(), `quartz-ts-lines-${systemRandom.token(12)}.db`);
    const { context, path, end } = await talking({ store: 'sqlite', file });
    const elsewhere = await testScheduler({ store: 'sqlite', file });
    const control = controlOf(elsewhere) as { followRun: NonNullable<ReturnType<typeof controlOf>>['followRun'] };
    const follow = control.followRun;
    let followed = 0;
    control.followRun = (...given) => {
      followed++;
      return follow(...given);
    };
    const { url } = await serve(testConsole(elsewhere).listener);
    const clients = await Promise.all(Array.from({ length: 20 }, () => Client.open(`${url}/${path}`)));
    context.log.info('seen by all');
    context.progress(0.25);
    await Promise.all(clients.map((client) => client.until(/"fraction":0.25/)));
    end();
    await Promise.all(clients.map((client) => client.untilEnd()));
    expect(clients.map(({ lines }) => lines)).toEqual(clients.map(() => ['seen by all']));
    expect(clients.every(({ text }) => text.endsWith('event: end\ndata: {}\n\n'))).toBe(true);
    expect(followed).toBe(1);
  });

  it('are kept up to a limit, and a client that does not read them is disconnected', async () => {
    let look: (news: RunNews) => void = () => undefined;
    const feed = new RunFeed({
      clock: new SystemClock({ keepsAlive: false }),
      follow: (onNews, signal) => {
        look = onNews;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(true)));
      },
      onOver: () => undefined,
    });
    const isStillAllowed = async () => true;
    look({ first: 0, lines: [], progress: null });
    expect(await feed.isFound).toBe(true);
    let cuts = 0;
    feed.open({ after: 0, actor: 'ann', isStillAllowed, disconnect: () => cuts++ });
    const reading = new Response(feed.open({ after: 0, actor: 'ann', isStillAllowed })).text();
    const message = 'x'.repeat(4_000);
    const count = Math.ceil((2 * MAX_BEHIND_BYTES) / message.length);
    for (let first = 0; first < count; first++) {
      look({ first, lines: [{ at: new Date(0), level: 'info', message, data: null }], progress: null });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([cuts, feed.clients.size]).toEqual([1, 1]);
    const back = new Response(feed.open({ after: 1, actor: 'ann', isStillAllowed })).text();
    feed.close();
    expect((await reading).match(/^event: line$/gm)).toHaveLength(count);
    const got = await back;
    const missed = Number(/^event: gap\nid: \d+\ndata: \{"lines":(\d+)\}$/m.exec(got)?.[1]);
    expect(got.match(/^event: line$/gm)).toHaveLength(count - 1 - missed);
    expect(Buffer.byteLength(got)).toBeLessThan(KEPT_LINE_BYTES + 1_000);
    expect(Buffer.byteLength(got)).toBeGreaterThan(KEPT_LINE_BYTES / 2);
  });

  it('have a maximum number of clients, and exist only for executing runs', async () => {
    const { scheduler, path, end } = await talking();
    const shown = testConsole(scheduler, {}, { clock: new SystemClock({ keepsAlive: false }) });
    const address = `http://localhost/${path}`;
    const open = await Promise.all(Array.from({ length: MAX_FOLLOWERS }, () => shown.fetch(new Request(address))));
    expect(await ask(shown, path)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
    await open[0]?.body?.cancel();
    expect((await shown.fetch(new Request(address))).status).toBe(200);
    expect(await ask(shown, 'api/schedulers/Reports/firings/nothing/lines')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect((await shown.fetch(new Request(address, { method: 'HEAD' }))).body).toBeNull();
    end();
  });

  it('end when the console closes', async () => {
    const { scheduler, path, end } = await talking();
    const shown = testConsole(scheduler);
    const { url } = await serve(shown.listener);
    const client = await Client.open(`${url}/${path}`);
    await shown.close();
    await client.untilEnd();
    expect(client.messages).toEqual([]);
    expect(await ask(shown, path)).toMatchObject({ body: { code: 'SCHEDULER_STATE' } });
    end();
  });
});
