import { JobExecutionException } from '../api/job-execution-exception';
import type { Plugin, PluginHost } from '../api/plugin';
import { isError } from '../base/error-values';
import { type SchedulerError, toError } from '../base/errors';
import { type RandomSource, systemRandom } from '../base/ids';
import { withPrintableTexts } from '../base/printable';
import { backoffDelay } from '../base/retry';
import { maskValue } from '../base/secrets';
import { sleepFor } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import { checkOptions } from '../domain/check-options';
import { describeValue, unmet } from '../domain/check-text';
import type { SchedulerEvent } from '../domain/scheduler-event';
import type { EventType } from '../events/event-bus';
import { EVENT_TYPES, LOG_LINES, type LogLine } from '../events/log-subscriber';
import type { Delivery, sendWebhook, WebhookTarget } from './webhook-request';

/** Options of `webhookAlertsPlugin`. */
export interface WebhookAlertsOptions {
  /** Name of the plugin, used in messages. Default: `webhookAlerts`. */
  readonly name?: string;
  /** URL to which each alert is sent, as a POST request with JSON. Must use https, unless `allowHosts` contains the host. */
  readonly url: string;
  /**
   * Secret that signs alerts according to Standard Webhooks: any string, or `whsec_` followed by base64. Never shown in messages. Default: alerts are
   * not signed.
   */
  readonly secret?: string;
  /** Event types to send. Default: the events that need attention, as listed in the guide on alerts. */
  readonly events?: readonly SchedulerEvent['type'][];
  /** Hosts (`name` or `name:port`) for which http is allowed. If set, redirects go only to these and to the host of `url`. Default: none. */
  readonly allowHosts?: readonly string[];
  /** Allows addresses of this machine and of private networks, for the URL and for redirects. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Maximum number of alerts per minute, from 1 to 10,000. Default: 30. Further events are not sent; the next alert contains their number. */
  readonly maxPerMinute?: number;
  /** Timeout of one attempt in milliseconds, from 100 to 120,000. Default: 10,000. */
  readonly timeout?: number;
  /** Random source for message ids and retry delays. Default: the random source of the operating system. */
  readonly random?: RandomSource;
}

const OPTIONS = {
  ...({ name: true, url: true, secret: true, events: true, random: true } as const),
  ...({ allowHosts: true, allowPrivateAddresses: true, maxPerMinute: true, timeout: true } as const),
};

export const DEFAULT_EVENTS: readonly EventType[] = [
  'jobFailed',
  'retriesExhausted',
  'waitingRunsDeleted',
  'firingSkipped',
  'overdue',
  'firingLate',
  'jobStuck',
  'nodeFailed',
  'nodeFenced',
  'nodeStalled',
  'workersHeld',
  'storeUnavailable',
];

const DEFAULT_MAX_PER_MINUTE = 30;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Maximum number of queued alerts. When the queue is full, the oldest alert is dropped. */
const MAX_QUEUED = 1_000;
const MINUTE_MS = 60_000;

const MAX_RETRIES = 5;
const BACKOFF_MS = { firstDelay: 10_000, maxDelay: 120_000 } as const;
/** Bounds of the delay that a receiver requests with Retry-After. */
const RETRY_AFTER_MS = { min: 1_000, max: 300_000 } as const;

/** Maximum time that a shutdown waits for unsent alerts. */
const LAST_ATTEMPTS_MS = 5_000;

const MAX_TEXT_LENGTH = 1_000;
const MAX_LIST_LENGTH = 100;

/**
 * Creates a plugin that sends events as signed webhooks. Sending never delays a firing: alerts wait in a separate queue. Each alert is attempted up
 * to six times. Delays between attempts are 5 to 120 s, or as requested by the receiver, at most 300 s.
 *
 * The first alert that cannot be delivered is reported as a `schedulerError`. Further failures are reported only after another alert was delivered.
 * Throws INVALID_ARGUMENT for invalid options.
 */
export function webhookAlertsPlugin(options: WebhookAlertsOptions): Plugin {
  const settings = readSettings(options);
  let unsubscribe = () => {};
  let alerts: AlertQueue | null = null;
  return {
    name: settings.name,
    async install(host) {
      // Imported on demand, so that Node's http and TLS modules are not loaded unless the plugin is installed.
      const { refusalOf, sendWebhook } = await import('./webhook-request');
      const refusal = refusalOf(settings.target.url, settings.target);
      if (refusal !== null) throw badSetting(settings.name, 'url', 'an allowed URL for alerts', `that ${refusal}`);
      const queue = new AlertQueue(settings, host, sendWebhook);
      alerts = queue;
      unsubscribe = host.scheduler.subscribe((event) => queue.add(event), settings.events);
    },
    async stop() {
      unsubscribe();
      await alerts?.close();
    },
  };
}

/** Returns the reason why alerts cannot be sent with these options, or null. Checks only the options, without sending a request. */
export async function problemOfWebhook(options: WebhookAlertsOptions): Promise<string | null> {
  try {
    const { name, target } = readSettings(options);
    const { refusalOf } = await import('./webhook-request');
    const refusal = refusalOf(target.url, target);
    return refusal && badSetting(name, 'url', 'an allowed URL for alerts', `that ${refusal}`).message;
  } catch (error) {
    return toError(error).message;
  }
}

interface Settings {
  readonly name: string;
  readonly target: WebhookTarget;
  readonly events: readonly EventType[];
  readonly maxPerMinute: number;
  readonly timeoutMs: number;
  readonly random: RandomSource;
}

/** Numbers of events that were not sent, since the last alert that contained such numbers. */
interface Omitted {
  /** Number of events that exceeded `maxPerMinute`. */
  readonly suppressed: number;
  /** Number of alerts that could not be delivered, or that were dropped because the queue was full. */
  readonly dropped: number;
}

const NONE_OMITTED: Omitted = { suppressed: 0, dropped: 0 };

interface Alert {
  readonly id: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Numbers of omitted events to include in this alert. Set at the first attempt, so that all attempts have the same body. */
  omitted?: Omitted;
}

/** Sends alerts one at a time, in the order of their events. */
class AlertQueue {
  readonly #settings: Settings;
  readonly #host: PluginHost;
  readonly #queue: Alert[] = [];
  /** Monotonic times at which alerts were queued in the last minute. */
  readonly #times: number[] = [];
  /** Aborts when `close` is called. Each queued alert then has one last attempt. */
  readonly #closing = new AbortController();
  /** Aborts when the time for the last attempts has elapsed. */
  readonly #closed = new AbortController();
  readonly #deliver: typeof sendWebhook;
  #omitted = NONE_OMITTED;
  #isSending = false;
  #sending: Promise<void> = Promise.resolve();
  #isReporting = false;
  #isReported = false;

  constructor(settings: Settings, host: PluginHost, deliver: typeof sendWebhook) {
    this.#settings = settings;
    this.#host = host;
    this.#deliver = deliver;
  }

  /** Queues an alert for the event, with its current fields. Sends it later, in the background. */
  add(event: SchedulerEvent): void {
    // A failed job is already reported by `jobFailed`. Failures to send alerts must not cause further alerts.
    if (this.#isReporting || (event.type === 'schedulerError' && event.error instanceof JobExecutionException)) return;
    if (!this.#isWithinRate()) {
      this.#omit({ suppressed: 1, dropped: 0 });
      return;
    }
    if (this.#queue.length >= MAX_QUEUED) this.#drop(this.#queue.shift());
    this.#queue.push({ id: `msg_${this.#settings.random.token(24)}`, facts: factsOf(event) });
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sending = this.#sendAll();
  }

  /** Attempts each queued alert once more, for at most 5 s in total. Reports alerts that could not be sent. */
  async close(): Promise<void> {
    const { clock } = this.#host;
    this.#closing.abort();
    const ended = new AbortController();
    const limit = sleepFor(clock, LAST_ATTEMPTS_MS, ended.signal).then(() => {
      this.#closed.abort(new Error('the scheduler was shut down'));
    });
    await this.#sending;
    let reason = '';
    const unsent: Alert[] = [];
    for (const alert of this.#queue.splice(0)) {
      const delivery = await this.#attempt(alert);
      if (delivery.isDelivered) continue;
      unsent.push(alert);
      reason = delivery.reason;
    }
    ended.abort();
    await limit;
    if (unsent.length > 0) this.#report(`Alerts not sent before the shutdown: ${unsent.length} (${reason}).`);
  }

  #isWithinRate(): boolean {
    const now = this.#host.clock.monotonic();
    while (this.#times[0] !== undefined && this.#times[0] <= now - MINUTE_MS) this.#times.shift();
    if (this.#times.length >= this.#settings.maxPerMinute) return false;
    this.#times.push(now);
    return true;
  }

  async #sendAll(): Promise<void> {
    await yieldToEventLoop(); // lets the current code of the publisher finish first
    while (!this.#closing.signal.aborted) {
      const alert = this.#queue.shift();
      if (alert === undefined) break;
      await this.#send(alert);
    }
    this.#isSending = false;
  }

  async #send(alert: Alert): Promise<void> {
    const { random } = this.#settings;
    for (let attempt = 1; ; attempt++) {
      const delivery = await this.#attempt(alert);
      if (delivery.isDelivered) {
        this.#isReported = false;
        return;
      }
      if (!delivery.mayRepeat || attempt > MAX_RETRIES) {
        this.#abandon(alert, delivery.reason);
        return;
      }
      const delay = boundedRetryAfter(delivery) ?? backoffDelay(attempt, { ...BACKOFF_MS, random });
      await sleepFor(this.#host.clock, delay, this.#closing.signal);
      if (this.#closing.signal.aborted) {
        this.#queue.unshift(alert);
        return;
      }
    }
  }

  async #attempt(alert: Alert): Promise<Delivery> {
    const { clock } = this.#host;
    const { target, timeoutMs } = this.#settings;
    const body = this.#bodyOf(alert);
    const [ended, expired] = [new AbortController(), new AbortController()];
    const timeout = sleepFor(clock, timeoutMs, ended.signal).then(() => {
      expired.abort(new Error(`${target.url.host} did not answer within ${timeoutMs} ms`));
    });
    const signal = AbortSignal.any([expired.signal, this.#closed.signal]);
    try {
      return await this.#deliver({ id: alert.id, body }, target, { now: clock.now(), signal });
    } finally {
      ended.abort();
      await timeout;
    }
  }

  #bodyOf(alert: Alert): string {
    if (alert.omitted === undefined) {
      alert.omitted = this.#omitted;
      this.#omitted = NONE_OMITTED;
    }
    const { scheduler } = this.#host;
    const { type, at, ...facts } = alert.facts;
    const from = { scheduler: scheduler.getSchedulerName(), instanceId: scheduler.getSchedulerInstanceId() };
    return JSON.stringify({ id: alert.id, type, at, ...from, ...facts, ...alert.omitted });
  }

  #abandon(alert: Alert, reason: string): void {
    this.#drop(alert);
    if (this.#isReported) return;
    this.#isReported = true;
    this.#report(`The alert for ${alert.facts.type} was abandoned: ${reason}.`);
  }

  #drop(alert: Alert | undefined): void {
    const { suppressed, dropped } = alert?.omitted ?? NONE_OMITTED;
    this.#omit({ suppressed, dropped: dropped + 1 });
  }

  #omit({ suppressed, dropped }: Omitted): void {
    this.#omitted = { suppressed: this.#omitted.suppressed + suppressed, dropped: this.#omitted.dropped + dropped };
  }

  #report(message: string): void {
    const { publish, clock } = this.#host;
    const during = `sending alerts of the plugin '${this.#settings.name}'`;
    this.#isReporting = true;
    publish({ type: 'schedulerError', at: clock.now(), during, error: new Error(message) });
    this.#isReporting = false;
  }
}

/** Returns the alert's content, with the fields of the event's log line. Masks secrets and shortens long values. Contains no job data. */
function factsOf(event: SchedulerEvent): Readonly<Record<string, unknown>> {
  const { code, level, message, fields } = LOG_LINES[event.type] as LogLine<SchedulerEvent>;
  const data: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(Object(maskValue(withPrintableTexts(fields(event)))))) {
    if (isError(value)) data.error = shortened(value.message);
    else data[name] = shortened(value);
  }
  return { type: event.type, at: new Date(event.at).toISOString(), code, level, message, data };
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT_LENGTH);
  return Array.isArray(value) ? value.slice(0, MAX_LIST_LENGTH) : value;
}

function boundedRetryAfter({ retryAfter }: Delivery & { readonly isDelivered: false }): number | null {
  return retryAfter === null ? null : Math.min(RETRY_AFTER_MS.max, Math.max(RETRY_AFTER_MS.min, retryAfter));
}

function readSettings(options: WebhookAlertsOptions): Settings {
  checkOptions(options, OPTIONS);
  const { name = 'webhookAlerts', secret, allowHosts = [], events = DEFAULT_EVENTS, random = systemRandom } = options;
  const refuse = (setting: string, expected: string, found: string) => badSetting(name, setting, expected, found);
  const isTexts = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((each) => typeof each === 'string' && each !== '');
  if (!isTexts(allowHosts)) throw refuse('allowHosts', 'a list of host names', describeValue(allowHosts));
  if (!isTexts(events) || events.length === 0) throw refuse('events', 'a list of event types', describeValue(events));
  const unknown = events.find((type) => !EVENT_TYPES.includes(type));
  if (unknown !== undefined)
    throw refuse('events', 'known event types (docs/reference/events.md)', describeValue(unknown));
  const {
    maxPerMinute = DEFAULT_MAX_PER_MINUTE,
    timeout = DEFAULT_TIMEOUT_MS,
    allowPrivateAddresses = false,
  } = options;
  if (typeof allowPrivateAddresses !== 'boolean')
    throw refuse('allowPrivateAddresses', 'true or false', describeValue(allowPrivateAddresses));
  for (const [setting, value, min, max] of [
    ['maxPerMinute', maxPerMinute, 1, 10_000],
    ['timeout', timeout, 100, 120_000],
  ] as const) {
    const isFine = Number.isInteger(value) && value >= min && value <= max;
    if (!isFine) throw refuse(setting, `a whole number from ${min} to ${max}`, describeValue(value));
  }
  // Secret and URL are not shown, because many receivers authenticate senders by a token in the URL.
  const key = keyOf(secret);
  if (key === undefined)
    throw refuse('secret', 'a non-empty string, or whsec_ followed by base64,', 'another value (hidden)');
  if (typeof options.url !== 'string' || !URL.canParse(options.url))
    throw refuse('url', 'a URL', 'another value (hidden)');
  const url = new URL(options.url);
  const target = { url, key, allowHosts: allowHosts.map((host) => host.toLowerCase()), allowPrivateAddresses };
  return { name, target, events, maxPerMinute, timeoutMs: timeout, random };
}

function badSetting(plugin: string, setting: string, expected: string, found: string): SchedulerError {
  return unmet(`${expected} as ${setting} of the plugin '${plugin}'`, found);
}

/** Returns the signing key of a secret. Returns null if there is no secret, and undefined if the secret is invalid. */
function keyOf(secret: unknown): Buffer | null | undefined {
  if (secret === undefined) return null;
  if (typeof secret !== 'string' || secret === '') return undefined;
  if (!secret.startsWith('whsec_')) return Buffer.from(secret, 'utf8');
  const encoded = secret.slice('whsec_'.length);
  const isBase64 = encoded !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  return isBase64 ? Buffer.from(encoded, 'base64') : undefined;
}
