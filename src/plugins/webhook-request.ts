import { createHmac } from 'node:crypto';
import { lookup as lookupAddresses } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { EpochMs } from '../base/clock';
import { toError } from '../base/errors';
import { VERSION } from '../base/version';

export interface WebhookTarget {
  readonly url: URL;
  /** Key that signs messages. Null: messages are not signed. */
  readonly key: Buffer | null;
  /** Hosts (`name` or `name:port`, lower case) for which http is allowed. If not empty, redirects go only to these and to the host of `url`. */
  readonly allowHosts: readonly string[];
  /** True if addresses of this machine and of private networks are allowed. */
  readonly allowPrivateAddresses: boolean;
  /** Function that resolves host names. Default: the system's resolver. */
  readonly lookup?: typeof lookupAddresses;
  /** Function that returns true for public addresses. Default: `isPublicAddress`. */
  readonly isPublic?: (address: string) => boolean;
}

export interface WebhookMessage {
  /** Id of the message, equal for all attempts. */
  readonly id: string;
  readonly body: string;
}

/** Result of an attempt. `mayRepeat`: a later attempt may succeed. `retryAfter`: delay requested by the receiver, in milliseconds, or null. */
export type Delivery =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      readonly reason: string;
      readonly mayRepeat: boolean;
      readonly retryAfter: number | null;
    };

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

const MAX_REDIRECTS = 3;

/** Maximum number of response body bytes to read. The body is ignored. */
const MAX_ANSWER_BYTES = 65_536;

/** Status codes that redirect a POST request unchanged. After other redirects, clients send a GET request, which would not deliver the message. */
const REPEATING_REDIRECTS: readonly number[] = [307, 308];

/** Attempts once to send a message. Follows up to three redirects. Never rejects. `reason` contains only the URL's host: the rest may be secret. */
export async function sendWebhook(
  message: WebhookMessage,
  target: WebhookTarget,
  { now, signal }: { readonly now: EpochMs; readonly signal: AbortSignal },
): Promise<Delivery> {
  const headers = headersOf(message, target.key, now);
  try {
    let { url } = target;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const refusal = refusalOf(url, target);
      if (refusal !== null) return failed(refusal, false);
      const answer = await post(url, { headers, body: message.body, target, signal });
      const next = redirectOf(answer, url);
      if (next === null) return deliveryOf(answer, url, now);
      url = next;
    }
    return failed(`${url.host} redirects more than ${MAX_REDIRECTS} times`, false);
  } catch (thrown) {
    const error = toError(signal.aborted ? signal.reason : thrown);
    return failed(error.message, !(error instanceof RefusedAddressError));
  }
}

/** Returns the reason why the URL is not allowed, or null if it is allowed. Checks only the URL, not the addresses of its host name. */
export function refusalOf(url: URL, target: Omit<WebhookTarget, 'key'>): string | null {
  const { allowHosts, allowPrivateAddresses, isPublic = isPublicAddress } = target;
  const { protocol, hostname, port } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return `${protocol} is not https or http`;
  const withPort = `${hostname}:${port === '' ? DEFAULT_PORTS[protocol] : port}`;
  const isListed = allowHosts.includes(hostname) || allowHosts.includes(withPort);
  if (protocol === 'http:' && !isListed) return `${url.host} uses http but is not in allowHosts`;
  const isOwnHost = url.host === target.url.host;
  if (allowHosts.length > 0 && !isListed && !isOwnHost) return `${url.host} is not in allowHosts`;
  const address = hostname.replace(/^\[|\]$/g, '');
  // A URL with an IP address needs no lookup, so `checkedLookup` is not called for it.
  if (allowPrivateAddresses || isIP(address) === 0 || isPublic(address)) return null;
  return privateAddress(url.host);
}

const DEFAULT_PORTS = { 'https:': 443, 'http:': 80 } as const;

/** Returns the headers of Standard Webhooks, by which the receiver verifies the sender, the content and the age of the message. */
function headersOf({ id, body }: WebhookMessage, key: Buffer | null, now: EpochMs): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': `quartz-ts/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  };
  if (key === null) return headers;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly target: WebhookTarget;
  readonly signal: AbortSignal;
}

/** Sends a POST request on a new connection. A reused connection would skip the check of the address. */
function post(url: URL, { headers, body, target, signal }: Post): Promise<Answer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = { method: 'POST', headers, agent: false, lookup: checkedLookup(target), signal } as const;
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      // Resolves even if the response is cut off, because only its status and headers are used.
      response.once('close', () => resolve({ status, headers }));
      response.on('error', () => {});
      discard(response);
    });
    request.once('error', reject);
    request.end(body);
  });
}

function discard(response: IncomingMessage): void {
  let length = 0;
  response.on('data', (part: Buffer) => {
    length += part.length;
    if (length > MAX_ANSWER_BYTES) response.destroy();
  });
}

/** Returns a lookup that resolves a host name to allowed addresses only. The connection uses it too, so later DNS changes cannot bypass the check. */
function checkedLookup(target: WebhookTarget): LookupFunction {
  const { allowPrivateAddresses, lookup = lookupAddresses, isPublic = isPublicAddress } = target;
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = allowPrivateAddresses ? found : found.filter(({ address }) => isPublic(address));
      const [first] = allowed;
      if (first === undefined) return callback(new RefusedAddressError(privateAddress(hostname)), []);
      if (options.all === true) callback(null, [...allowed]);
      else callback(null, first.address, first.family);
    });
  };
}

class RefusedAddressError extends Error {}

function privateAddress(host: string): string {
  return `${host} is an address of this machine or of a private network, which requires allowPrivateAddresses`;
}

/** IP ranges that are not public: local, private, link-local, shared, test, multicast and reserved addresses. */
const RESERVED = new BlockList();
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  addTo(RESERVED, network, 'ipv4');
}
// Includes ranges that embed an IPv4 address, because a gateway may forward them to a private one.
for (const network of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) addTo(RESERVED, network, 'ipv6');

const GLOBAL_UNICAST = new BlockList();
addTo(GLOBAL_UNICAST, '2000::/3', 'ipv6');

function addTo(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', prefix] = network.split('/');
  list.addSubnet(address, Number(prefix), family);
}

export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%'); // removes the zone index
  const family = isIP(plain);
  if (family === 4) return !RESERVED.check(plain, 'ipv4');
  return family === 6 && GLOBAL_UNICAST.check(plain, 'ipv6') && !RESERVED.check(plain, 'ipv6');
}

/** Returns the URL to which the response redirects the same request. Returns null if the response is no such redirect. */
function redirectOf({ status, headers: { location } }: Answer, url: URL): URL | null {
  if (!REPEATING_REDIRECTS.includes(status) || location === undefined || !URL.canParse(location, url.href)) return null;
  return new URL(location, url);
}

function deliveryOf({ status, headers }: Answer, url: URL, now: EpochMs): Delivery {
  if (status >= 200 && status < 300) return { isDelivered: true };
  const mayRepeat = status === 408 || status === 429 || status >= 500;
  return failed(`${url.host} answered ${status}`, mayRepeat, retryAfterOf(headers['retry-after'], now));
}

/** Converts a Retry-After header (seconds or a date) to milliseconds. Returns null if there is none, or if it is invalid. */
function retryAfterOf(header: string | undefined, now: EpochMs): number | null {
  if (header === undefined) return null;
  const delay = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(delay) ? null : delay;
}

function failed(reason: string, mayRepeat: boolean, retryAfter: number | null = null): Delivery {
  return { isDelivered: false, reason, mayRepeat, retryAfter };
}
