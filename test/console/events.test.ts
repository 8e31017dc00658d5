import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scheduler } from '../../src/api/scheduler';
import { ManualClock } from '../../src/base/manual-clock';
import type { Authenticator } from '../../src/console/authenticator';
import type { Console } from '../../src/console/console-options';

import { EventClient, MAX_BEHIND_BYTES, MAX_CLIENTS_OF_ACTOR } from '../../src/console/events/event-client';
import { MAX_CLIENTS } from '../../src/console/events/event-hub';
import { MAX_PER_FLUSH } from '../../src/console/events/reported-events';
import { nodeListener } from '../../src/console/node-listener';
import type { Connection } from '../../src/console/place';
import { newJob, newTrigger } from '../../src/index';
import { controlOf } from '../../src/scheduler/control';
import { ask, closeAll, everybodyIs, serve, testConsole, testScheduler } from './support';

const EVENTS = 'http://localhost/api/schedulers/Reports/events';

/** A reader of a stream that waits for expected text. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  text = '';
  isEnded = false;

  constructor(response: Response) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  /** Reads until the text matches. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found !== null) return found;
      if (!(await this.#read())) throw new Error(`The stream ended without ${pattern}: ${this.text}`);
    }
  }

  async untilEnd(): Promise<void> {
    while (await this.#read());
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }

  /** The data of all messages so far. */
  get data(): readonly Record<string, unknown>[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  }

  /** The id of the last message. */
  get lastId(): string {
    return [...this.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? 'none';
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.isEnded = done;
    if (value !== undefined) this.text += Buffer.from(value).toString();
    return !done;
  }
}

async function watch({ fetch }: Console, lastEventId?: string): Promise<Reader> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const reader = new Reader(await fetch(new Request(EVENTS, { headers })));
  await reader.until(/retry: \d+\n\n/);
  return reader;
}

const addJob = (scheduler: Scheduler, name: string) =>
  scheduler.addJob(newJob('noop').withIdentity(name, 'g').usingJobData({ password: 'never' }).storeDurably().build());

/** Runs pending callbacks and then advances the clock by a second, `times` times. */
async function pass(clock: ManualClock, times: number): Promise<void> {
  for (let second = 0; second < times; second++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advanceBy(1_000);
  }
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the stream of events', () => {
  afterEach(closeAll);

  it('sends events without job data and error texts', async () => {
    const scheduler = await testScheduler({
      jobs: {
        bad: async () => {
          throw new Error('never');
        },
      },
    });
    const reader = await watch(testConsole(scheduler));
    await scheduler.start();
    await addJob(scheduler, 'added');
    const trigger = newTrigger().withIdentity('now', 'g').usingJobData({ token: 'never' }).build();
    await scheduler.scheduleJob(newJob('bad').withIdentity('bad', 'g').build(), trigger);
    await reader.until(/"type":"triggerCompleted".*\n\n/);
    expect(reader.data).toEqual(
      expect.arrayContaining([
        { type: 'jobAdded', at: expect.stringMatching(/^\d{4}-.*Z$/), job: { group: 'g', name: 'added' } },
        {
          ...{ type: 'triggerCompleted', at: expect.any(String), failed: true, jobRunTime: expect.any(Number) },
          ...{ job: { group: 'g', name: 'bad' }, trigger: { group: 'g', name: 'now' } },
          ...{ runId: expect.any(String), scheduledFireTime: expect.any(String) },
        },
      ]),
    );
    expect(reader.text).not.toContain('never');
  });

  it('has headers that keep proxies and browsers from buffering it', async () => {
    const shown = testConsole(await testScheduler());
    const response = await shown.fetch(new Request(EVENTS));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await response.body?.cancel();
    const head = await shown.fetch(new Request(EVENTS, { method: 'HEAD' }));
    expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: null });
  });

  it('continues after the last event of a client, and reports a gap if that event is no longer known', async () => {
    const scheduler = await testScheduler();
    const shown = testConsole(scheduler);
    const first = await watch(shown);
    await addJob(scheduler, 'one');
    await first.until(/"name":"one"/);
    const id = first.lastId;
    await first.leave();
    await addJob(scheduler, 'two');
    await addJob(scheduler, 'three');
    const second = await watch(shown, id);
    await second.until(/"name":"three"/);
    expect(second.data.map(({ job }) => (job as { name: string }).name)).toEqual(['two', 'three']);
    const upToDate = await watch(shown, second.lastId);
    expect(upToDate.data).toEqual([]);
    for (const unknown of ['other-1', `${second.lastId}0`, 'x', '', '-1', `${second.lastId.split('-')[0]}-0x1`]) {
      const reader = await watch(shown, unknown);
      expect([unknown, await reader.until(/event: changed\nid: .*\ndata: (.*)\n\n/)]).toMatchObject([
        unknown,
        { 1: '{"reason":"missed"}' },
      ]);
    }
  });

  it('sends a poll event to all clients at the same time, and less often when nothing happens', async () => {
    const scheduler = await testScheduler();
    const clock = new ManualClock();
    const shown = testConsole(scheduler, {}, { clock });
    const [one, other] = [await watch(shown), await watch(shown)];
    await pass(clock, 160);
    await addJob(scheduler, 'the last one');
    await pass(clock, 1);
    for (const reader of [one, other]) {
      await reader.until(/"type":"jobAdded"/);
      expect(reader.text.match(/^event: time$/gm)).toHaveLength(60 / 5 + 100 / 10);
    }
  });

  it('sends a limited number of events at a time, and counts the omitted ones', async () => {
    const scheduler = await testScheduler();
    const reader = await watch(testConsole(scheduler));
    await Promise.all(Array.from({ length: 3 * MAX_PER_FLUSH }, (_, index) => addJob(scheduler, `j${index}`)));
    const [, leftOut] = await reader.until(/"reason":"many","leftOut":(\d+)\}/);
    const told = reader.data.filter(({ type }) => type === 'jobAdded');
    expect(told.length % MAX_PER_FLUSH).toBe(0);
    expect(told.length + Number(leftOut)).toBeLessThanOrEqual(3 * MAX_PER_FLUSH);
  });

  it('ends its subscription 30 s after the last client has left', async () => {
    const scheduler = await testScheduler();
    const clock = new ManualClock();
    let subscribers = 0;
    const subscribe = scheduler.subscribe.bind(scheduler);
    scheduler.subscribe = (...given) => {
      subscribers++;
      const end = subscribe(...given);
      return () => {
        subscribers--;
        end();
      };
    };
    const shown = testConsole(scheduler, {}, { clock });
    // The metrics are always subscribed.
    const idle = subscribers;
    const readers = [await watch(shown), await watch(shown)];
    expect(subscribers).toBe(idle + 1);
    for (const reader of readers) await reader.leave();
    await pass(clock, 29);
    expect(subscribers).toBe(idle + 1);
    await pass(clock, 1);
    expect(subscribers).toBe(idle);
  });

  it('is kept open by a comment every 15 s, and ends when the client loses its permission', async () => {
    const clock = new ManualClock();
    let allowed = true;
    const known = everybodyIs('viewer');
    const auth: Authenticator = {
      authenticate: async (...given) => (allowed ? known.authenticate(...given) : null),
    };
    const shown = testConsole(await testScheduler(), { auth }, { clock });
    const reader = await watch(shown);
    await pass(clock, 14);
    expect(reader.text).not.toContain('ping');
    await pass(clock, 1);
    await reader.until(/: ping\n\n$/);
    allowed = false;
    await pass(clock, 44);
    expect(reader.isEnded).toBe(false);
    await pass(clock, 1);
    await reader.untilEnd();
  });

  it('reports changes by other nodes, with at most one read a second for all clients', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-events-'));
    const file = join(folder, 'shared.db');
    const here = await testScheduler({ store: 'sqlite', file });
    const there = await testScheduler({ store: 'sqlite', file });
    const control = controlOf(here) as { readChangeMark: () => Promise<string> };
    const read = control.readChangeMark;
    const readings: Promise<string>[] = [];
    control.readChangeMark = () => {
      readings.push(read());
      return readings.at(-1) as Promise<string>;
    };
    const clock = new ManualClock();
    const shown = testConsole(here, {}, { clock });
    const readers = await Promise.all(Array.from({ length: 5 }, () => watch(shown)));
    const look = async () => {
      await pass(clock, 1);
      return readings.at(-1);
    };
    const before = await look();
    expect(await look()).toBe(before);
    const inAnHour = newTrigger()
      .startAt(new Date(Date.now() + 3_600_000))
      .build();
    await there.scheduleJob(newJob('noop').build(), inAnHour);
    expect(await look()).not.toBe(before);
    for (const reader of readers) {
      await reader.until(/event: changed\n.*\ndata: (.*)\n\n/);
      expect(reader.data).toEqual([{ reason: 'store' }]);
    }
    expect(readings).toHaveLength(3);
    for (let second = 0; second < 59; second++) await look();
    expect(readings).toHaveLength(62);
    for (let second = 0; second < 30; second++) await look();
    expect(readings).toHaveLength(72); // less often, because nothing has changed for a minute
    for (const reader of readers) await reader.leave();
    await pass(clock, 3);
    expect(readings).toHaveLength(72);
    // A change while the only client is disconnected is reported when it reconnects.
    await there.pauseAll();
    const again = await watch(shown, readers[0]?.lastId);
    for (let second = 0; second < 3; second++) await look();
    await again.until(/event: changed\n.*\ndata: {"reason":"store"}\n\n/);
    await again.leave();
    await closeAll();
    rmSync(folder, { recursive: true });
  });

  it('has a maximum number of clients', async () => {
    let count = 0;
    const actor = async () => ({ name: `somebody ${++count}`, role: 'viewer', via: 'http', from: null }) as const;
    const shown = testConsole(await testScheduler(), { auth: { authenticate: actor } });
    const readers = await Promise.all(Array.from({ length: MAX_CLIENTS }, () => watch(shown)));
    const refused = await ask(shown, 'api/schedulers/Reports/events');
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
    await readers[0]?.leave();
    await (await watch(shown)).leave();
  });

  it('limits the streams of one user', async () => {
    const scheduler = await testScheduler();
    let name = 'ann';
    const actor = async () => ({ name, role: 'viewer', via: 'http', from: null }) as const;
    const shown = testConsole(scheduler, { auth: { authenticate: actor } });
    await Promise.all(Array.from({ length: MAX_CLIENTS_OF_ACTOR }, () => watch(shown)));
    expect(await ask(shown, 'api/schedulers/Reports/events')).toMatchObject({ status: 429 });
    name = 'bob';
    await (await watch(shown)).leave();
  });

  it('ends when the console closes or the scheduler shuts down', async () => {
    const scheduler = await testScheduler();
    const shown = testConsole(scheduler);
    const reader = await watch(shown);
    await shown.close();
    await reader.untilEnd();
    expect(await ask(shown, 'api/schedulers/Reports/events')).toMatchObject({ body: { code: 'SCHEDULER_STATE' } });
    expect(await ask(shown, 'api/session')).toMatchObject({ status: 200 });
    const another = testConsole(scheduler);
    const last = await watch(another);
    await scheduler.shutdown();
    await last.untilEnd();
    expect(last.data.map(({ type }) => type)).toContain('schedulerShutdown');
    expect(await ask(another, 'api/schedulers/Reports/events')).toMatchObject({ body: { code: 'SCHEDULER_STATE' } });
  });
});

describe('a client of the stream', () => {
  afterEach(closeAll);

  const clientWith = (disconnect?: () => void) => {
    const gone: EventClient[] = [];
    const options = {
      actor: 'ann',
      isStillAllowed: async () => true,
      onGone: (client: EventClient) => void gone.push(client),
    };
    return { gone, client: new EventClient(disconnect === undefined ? options : { ...options, disconnect }) };
  };
  const chunk = new Uint8Array(MAX_BEHIND_BYTES / 4);

  it('that does not read is disconnected before it uses much memory', async () => {
    let cuts = 0;
    const { client, gone } = clientWith(() => cuts++);
    for (let count = 0; count < 4; count++) client.send(chunk);
    expect([cuts, gone.length]).toEqual([0, 0]);
    for (let count = 0; count < 4; count++) client.send(chunk);
    expect([cuts, gone]).toEqual([1, [client]]);
    client.end();
    expect(gone).toHaveLength(1);
    const other = clientWith();
    for (let count = 0; count < 5; count++) other.client.send(chunk);
    await expect(other.client.stream.getReader().read()).rejects.toThrow('too slow');
  });

  it('that does not read its socket is disconnected, and the program prints nothing', async () => {
    const said = jest.spyOn(console, 'error');
    const clients: EventClient[] = [];
    const answer = async (_: Request, { outgoing }: Connection) => {
      const { client } = clientWith(() => void outgoing?.destroy());
      clients.push(client);
      client.send(new Uint8Array(1));
      return new Response(client.stream);
    };
    const { url } = await serve(
      nodeListener(answer, () => {
        throw new Error('every request can be read');
      }),
    );
    const slow = await new Promise<IncomingMessage>((resolve) => get(url, resolve));
    slow.pause();
    const cut = new Promise((resolve) => slow.socket.once('close', resolve));
    slow.on('error', () => {});
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const [client] = clients;
    for (let round = 0; round < 2_000 && !slow.socket.destroyed; round++) {
      client?.send(chunk);
      await turn();
    }
    slow.resume();
    await cut;
    expect(said).not.toHaveBeenCalled();
    said.mockRestore();
  });

  it('that closes its connection is removed, and a server closes once the console has', async () => {
    const scheduler = await testScheduler();
    const shown = testConsole(scheduler);
    const { url, server } = await serve(shown.listener);
    const address = `${url}/api/schedulers/Reports/events`;
    const leaving = await new Promise<IncomingMessage>((resolve) => get(address, resolve));
    leaving.on('error', () => {});
    leaving.destroy();
    const staying = new Reader(await fetch(address));
    await staying.until(/retry/);
    const closed = new Promise((resolve) => server.close(resolve));
    await shown.close();
    await staying.untilEnd();
    server.closeIdleConnections();
    await closed;
  });
});
