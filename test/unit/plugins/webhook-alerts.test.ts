import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type Plugin,
  type PluginHost,
  type RandomSource,
  type SchedulerEvent,
  type WebhookAlertsOptions,
  webhookAlertsPlugin,
} from '../../../src';
import { DEFAULT_EVENTS } from '../../../src/plugins/webhook-alerts';
import type { TestScheduler } from '../../../src/testing';
import { codeOf, START, shutdownAll, testScheduler } from '../scheduler/support';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TIMEOUT = 9_999;

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A server that records webhooks. It answers with `answers` in turn, and repeats the last one. */
class Receiver {
  readonly received: Received[] = [];
  answers: Answer[] = [status(204)];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body };
      this.received.push(received);
      const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
      answer?.(response, received);
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/alerts?token=t0k3n`;
  }

  get alerts() {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => response.writeHead(code, headers).end();
}

const hang: Answer = () => {};

/** Random tokens that count up: each pause is half of its maximum, and ids differ. */
function counted(): RandomSource {
  let count = 0;
  return { token: (length) => (++count).toString(36).padStart(length, '0') };
}

async function until(isSo: () => unknown, patience = 5_000): Promise<void> {
  const start = performance.now();
  while (!isSo()) {
    if (performance.now() - start > patience) throw new Error(`Expected within ${patience} ms: ${isSo}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const receivers: Receiver[] = [];
async function receiver(): Promise<Receiver> {
  const started = await new Receiver().start();
  receivers.push(started);
  return started;
}
afterEach(async () => {
  for (const each of receivers) each.answers = [status(204)];
  await shutdownAll();
  await Promise.all(receivers.splice(0).map((each) => each.stop()));
});

const broken = () => {
  throw new Error('no paper');
};

interface World extends TestScheduler {
  publish: PluginHost['publish'];
  /** Messages of `schedulerError`. */
  readonly errors: readonly string[];
  /** Pending pauses before the next attempt, in milliseconds. */
  pauses(): readonly number[];
  /** Waits for the pause before the next attempt, advances the clock over it and returns its length. */
  passPause(): Promise<number>;
}

async function world(to: Receiver, options: Partial<WebhookAlertsOptions> = {}): Promise<World> {
  let publish: PluginHost['publish'] = () => {};
  const errors: string[] = [];
  const probe: Plugin = {
    name: 'probe',
    install(host) {
      publish = (event) => host.publish(event);
      host.scheduler.subscribe((event) => {
        if (event.type === 'schedulerError') errors.push(event.error.message);
      });
    },
  };
  const settings = {
    url: to.url,
    secret: SECRET,
    allowHosts: ['127.0.0.1'],
    allowPrivateAddresses: true,
    timeout: TIMEOUT,
    random: counted(),
    ...options,
  };
  const made = await testScheduler({ plugins: [probe, webhookAlertsPlugin(settings)] });
  const { clock } = made;
  const pauses = () => clock.wakeTimes.map((time) => time - clock.now()).filter((pause) => pause !== TIMEOUT);
  return Object.assign(made, {
    publish,
    errors,
    pauses,
    async passPause() {
      await until(() => pauses().length > 0);
      const [pause = 0] = pauses();
      clock.advanceBy(pause);
      return pause;
    },
  });
}

const nodeFailed = (instanceId: string): SchedulerEvent => ({
  type: 'nodeFailed',
  at: START.getTime(),
  instanceId,
  lastCheckInTime: START.getTime() - 9_000,
});

/** Signature by Standard Webhooks: HMAC-SHA256 of id, timestamp and body with the decoded secret. */
function signatureOf({ headers, body }: Received): string {
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const hmac = createHmac('sha256', key);
  hmac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`);
  hmac.update(body);
  return `v1,${hmac.digest('base64')}`;
}

describe('webhook alerts', () => {
  it('report a failed job with a signature, keys and error, but without job data', async () => {
    const to = await receiver();
    const { scheduler, runDue } = await world(to);
    await scheduler.schedule('nightly', { at: START, data: { password: 'h1dd3n' } }, broken);
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['failed']);
    await until(() => to.received.length > 0);
    const [first] = to.received as [Received];
    expect(JSON.parse(first.body)).toEqual({
      id: first.headers['webhook-id'],
      type: 'jobFailed',
      at: START.toISOString(),
      scheduler: scheduler.getSchedulerName(),
      instanceId: scheduler.getSchedulerInstanceId(),
      code: 'QTZ308',
      level: 'warn',
      message: 'Job failed',
      data: {
        trigger: 'DEFAULT/nightly',
        job: 'DEFAULT/nightly',
        runId: expect.any(String),
        attempt: 1,
        refireCount: 0,
        retryTime: null,
        error: 'no paper',
      },
      suppressed: 0,
      dropped: 0,
    });
    expect(first.path).toBe('/alerts?token=t0k3n');
    expect(first.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(first.body)),
      'webhook-timestamp': String(START.getTime() / 1_000),
      'webhook-signature': signatureOf(first),
    });
    expect(first.body).not.toContain('h1dd3n');
  });

  it('report the events listed in the guide by default', async () => {
    const guide = readFileSync(join(__dirname, '../../../docs/guides/alerts.md'), 'utf8');
    const [, sentence = ''] = /By default these events are sent: ([^.]*)\./.exec(guide) ?? [];
    expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(DEFAULT_EVENTS);
    const to = await receiver();
    const { publish } = await world(to);
    const at = START.getTime();
    publish({ type: 'nodeStalled', at, instanceId: 'two', stalledFor: 9_000, holdsBackUntil: at + 9_000, runs: [] });
    await until(() => to.received.length > 0);
    const data = { instanceId: 'two', stalledFor: 9_000, holdsBackUntil: new Date(at + 9_000).toISOString(), runs: [] };
    expect(to.alerts).toMatchObject([{ type: 'nodeStalled', code: 'QTZ515', level: 'warn', data }]);
  });

  it('report only the selected events', async () => {
    const to = await receiver();
    const { scheduler, publish } = await world(to, { events: ['schedulerInStandbyMode', 'nodeFailed'] });
    publish({ type: 'storeUnavailable', at: START.getTime(), instanceId: 'here' });
    publish(nodeFailed('other'));
    await scheduler.standby();
    await until(() => to.received.length === 2);
    expect(to.alerts.map(({ type }) => type)).toEqual(['nodeFailed', 'schedulerInStandbyMode']);
    expect(to.alerts[0]).toMatchObject({
      instanceId: scheduler.getSchedulerInstanceId(),
      data: { instanceId: 'other', lastCheckInTime: '2025-12-31T23:59:51.000Z' },
    });
  });

  it('are not signed without a secret', async () => {
    const to = await receiver();
    const { publish } = await world(to, { secret: undefined as never });
    publish(nodeFailed('other'));
    await until(() => to.received.length > 0);
    expect(to.received[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  it.each([408, 429, 500, 503])('are retried after %d, with the same id and body', async (code) => {
    const to = await receiver();
    to.answers = [status(code), status(code), status(204)];
    const { publish, passPause, clock, errors } = await world(to);
    publish(nodeFailed('other'));
    const pauses = [await passPause(), await passPause()];
    await until(() => to.received.length === 3);
    expect(pauses[0]).toBeGreaterThanOrEqual(5_000);
    expect(pauses[1]).toBeGreaterThanOrEqual(10_000);
    expect(new Set(to.received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    const [last] = to.received.slice(-1) as [Received];
    expect(last.headers['webhook-timestamp']).toBe(String(Math.floor(clock.now() / 1_000)));
    expect(last.headers['webhook-signature']).toBe(signatureOf(last));
    expect(errors).toEqual([]);
  });

  it('wait as long as the receiver requests, between 1 s and 300 s', async () => {
    const to = await receiver();
    const tenMinutesLater = new Date(START.getTime() + 600_000).toUTCString();
    const asked = ['17', '0', '86400', tenMinutesLater];
    to.answers = [...asked.map((after) => status(429, { 'retry-after': after })), status(204)];
    const { publish, passPause } = await world(to);
    publish(nodeFailed('other'));
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) pauses.push(await passPause());
    expect(pauses).toEqual([17_000, 1_000, 300_000, 600_000 - 318_000]);
  });

  it('are abandoned after five retries, which is reported once and counted in the next alert', async () => {
    const to = await receiver();
    to.answers = [status(500)];
    const { publish, passPause, errors } = await world(to, { events: ['nodeFailed', 'schedulerError'] });
    for (const name of ['one', 'two']) {
      publish(nodeFailed(name));
      for (let retry = 0; retry < 5; retry++) await passPause();
    }
    await until(() => to.received.length === 12);
    to.answers = [status(204)];
    publish(nodeFailed('three'));
    await until(() => to.received.length === 13);
    expect(errors).toEqual([`The alert for nodeFailed was abandoned: 127.0.0.1:${to.port} answered 500.`]);
    expect(to.alerts.slice(-2).map(({ type, data, dropped }) => [type, data.instanceId, dropped])).toEqual([
      ['nodeFailed', 'two', 1],
      ['nodeFailed', 'three', 2],
    ]);
  });

  it.each([400, 404, 410, 302])('are abandoned immediately after %d', async (code) => {
    const to = await receiver();
    to.answers = [status(code, { location: '/elsewhere' }), status(204)];
    const { publish, errors } = await world(to);
    publish(nodeFailed('one'));
    publish(nodeFailed('two'));
    await until(() => to.received.length === 2);
    expect(to.alerts.map(({ data, dropped }) => [data.instanceId, dropped])).toEqual([
      ['one', 0],
      ['two', 1],
    ]);
    expect(errors).toEqual([expect.stringContaining(`answered ${code}`)]);
    expect(errors.join()).not.toContain('t0k3n');
  });

  it('are retried if the receiver times out, closes the connection or is unreachable', async () => {
    const to = await receiver();
    to.answers = [hang, (response) => response.destroy(), status(204)];
    const { publish, passPause, clock } = await world(to);
    publish(nodeFailed('other'));
    await until(() => to.received.length === 1);
    clock.advanceBy(TIMEOUT);
    await passPause();
    await until(() => to.received.length === 2);
    await passPause();
    await until(() => to.received.length === 3);
    await to.stop();
    publish(nodeFailed('another'));
    expect(await passPause()).toBeGreaterThanOrEqual(5_000);
  });

  it('are limited per minute, and the next one counts the omitted ones', async () => {
    const to = await receiver();
    const { publish, clock } = await world(to, { maxPerMinute: 3 });
    for (let count = 1; count <= 5; count++) publish(nodeFailed(`n${count}`));
    await until(() => to.received.length === 3 && clock.wakeTimes.length === 0);
    clock.advanceBy(59_000);
    publish(nodeFailed('early'));
    clock.advanceBy(1_001);
    publish(nodeFailed('later'));
    await until(() => to.received.length === 4);
    expect(to.alerts.map(({ data, suppressed }) => [data.instanceId, suppressed])).toEqual([
      ['n1', 2],
      ['n2', 0],
      ['n3', 0],
      ['later', 1],
    ]);
  });

  it('wait in a queue of a thousand, which drops the oldest ones first', async () => {
    const to = await receiver();
    let answer = () => {};
    to.answers = [
      (response) => {
        answer = () => status(204)(response, {} as Received);
      },
      status(204),
    ];
    const { publish } = await world(to, { maxPerMinute: 10_000 });
    publish(nodeFailed('first'));
    await until(() => to.received.length === 1);
    for (let count = 1; count <= 1_005; count++) publish(nodeFailed(`n${count}`));
    answer();
    await until(() => to.received.length >= 3);
    expect(to.alerts.slice(0, 3).map(({ data, dropped }) => [data.instanceId, dropped])).toEqual([
      ['first', 0],
      ['n6', 5],
      ['n7', 0],
    ]);
  });

  it('in the queue are tried once more on shutdown', async () => {
    const to = await receiver();
    to.answers = [status(500)];
    const { publish, scheduler, pauses, errors } = await world(to);
    publish(nodeFailed('one'));
    await until(() => pauses().length > 0);
    publish(nodeFailed('two'));
    to.answers = [status(204)];
    await scheduler.shutdown();
    expect(to.alerts.map(({ data }) => data.instanceId)).toEqual(['one', 'one', 'two']);
    expect(errors).toEqual([]);
  });

  it('that cannot be sent on shutdown are counted, and do not delay it', async () => {
    const to = await receiver();
    to.answers = [hang];
    const { publish, scheduler, clock, errors } = await world(to);
    publish(nodeFailed('one'));
    publish(nodeFailed('two'));
    await until(() => to.received.length === 1);
    const ended = scheduler.shutdown();
    await until(() => clock.wakeTimes.some((time) => time === clock.now() + 5_000));
    clock.advanceBy(5_000);
    await ended;
    expect(errors).toEqual(['Alerts not sent before the shutdown: 2 (the scheduler was shut down).']);
  });

  it('do not delay jobs while the receiver hangs', async () => {
    const to = await receiver();
    to.answers = [hang];
    const { scheduler, runDue } = await world(to);
    for (const name of ['a', 'b']) await scheduler.schedule(name, { at: START }, broken);
    expect((await runDue()).map(({ job }) => job.name).sort()).toEqual(['a', 'b']);
  });
});

describe('settings of webhook alerts', () => {
  const refused: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['url', {}],
    ['url', { url: 'not a url t0k3n' }],
    ['url', { url: 'http://example.com/t0k3n' }],
    ['url', { url: 'ftp://example.com/t0k3n', allowHosts: ['example.com'] }],
    ['url', { url: 'https://127.0.0.1/t0k3n' }],
    ['url', { url: 'https://[::1]/t0k3n' }],
    ['url', { url: 'https://0x7f.1/t0k3n' }],
    ['secret', { url: 'https://example.com', secret: '' }],
    ['secret', { url: 'https://example.com', secret: 'whsec_t0k3n!' }],
    ['secret', { url: 'https://example.com', secret: ['t0k3n'] }],
    ['events', { url: 'https://example.com', events: [] }],
    ['events', { url: 'https://example.com', events: ['jobFialed'] }],
    ['allowHosts', { url: 'https://example.com', allowHosts: 'example.com' }],
    ['allowPrivateAddresses', { url: 'https://example.com', allowPrivateAddresses: 'yes' }],
    ['maxPerMinute', { url: 'https://example.com', maxPerMinute: 0 }],
    ['timeout', { url: 'https://example.com', timeout: 99 }],
  ];

  it.each(refused)('with a wrong %s are refused without showing a possible secret: %j', async (setting, options) => {
    const create = async () => testScheduler({ plugins: [webhookAlertsPlugin(options as never)] });
    expect(await codeOf(create)).toBe('INVALID_ARGUMENT');
    const error = await create().catch((thrown: Error) => thrown);
    expect((error as Error).message).toContain(` as ${setting} of the plugin 'webhookAlerts'`);
    expect((error as Error).message).not.toContain('t0k3n');
  });
});
