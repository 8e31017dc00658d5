import { createHmac } from 'node:crypto';
import { lookup as lookupAddresses } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { EpochMs } from '../base/clock';
import { toError } from '../base/errors';
import { VERSION } from '../base/version';

/** Where messages go, and where they must not. */
export interface WebhookTarget {
  readonly url: URL;
  /** What messages are signed with; null: they are not. */
  readonly key: Buffer | null;
  /** `name` or `name:port`, in lower case: may be reached by http; unless it is empty, redirects lead nowhere else. */
  readonly allowHosts: readonly string[];
  /** Whether an address of this machine or of its own networks may be connected to. */
  readonly allowPrivateAddresses: boolean;
  /** How names become addresses; the system's way without it. */
  readonly lookup?: typeof lookupAddresses;
  /** Which addresses are of the internet; `isPublicAddress` without it. */
  readonly isPublic?: (address: string) => boolean;
}

export interface WebhookMessage {
  /** The same at each attempt. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** How one attempt ended. `mayRepeat`: a later one may succeed. `retryAfter`: when the receiver wants it, in milliseconds; null: it does not say. */
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

/** Nobody reads what the receiver answers. */
const MAX_ANSWER_BYTES = 65_536;

/** These repeat the request as it is; after the others a client asks with GET, which delivers nothing. */
const REPEATING_REDIRECTS: readonly number[] = [307, 308];

/** Sends a message once, following redirects. Never rejects; no reason names more of a URL than its host, the rest may be a secret. */
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

/** Why nothing may be sent there, as far as the URL tells; null: it may. */
export function refusalOf(url: URL, target: Omit<WebhookTarget, 'key'>): string | null {
  const { allowHosts, allowPrivateAddresses, isPublic = isPublicAddress } = target;
  const { protocol, hostname, port } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return `${protocol} is neither https nor http`;
  const withPort = `${hostname}:${port === '' ? DEFAULT_PORTS[protocol] : port}`;
  const isListed = allowHosts.includes(hostname) || allowHosts.includes(withPort);
  if (protocol === 'http:' && !isListed) return `${url.host} is asked for by http and is not in allowHosts`;
  const isOwnHost = url.host === target.url.host;
  if (allowHosts.length > 0 && !isListed && !isOwnHost) return `${url.host} is not in allowHosts`;
  const address = hostname.replace(/^\[|\]$/g, '');
  // A connection to an address asks nobody for one, so that the lookup below would not see it.
  if (allowPrivateAddresses || isIP(address) === 0 || isPublic(address)) return null;
  return privateAddress(url.host);
}

const DEFAULT_PORTS = { 'https:': 443, 'http:': 80 } as const;

/** The headers of Standard Webhooks: the receiver checks who sent it, that nothing was changed, and that it is not an old one. */
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

/** Each on a connection of its own: one that was kept open would not be looked up and checked again. */
function post(url: URL, { headers, body, target, signal }: Post): Promise<Answer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = { method: 'POST', headers, agent: false, lookup: checkedLookup(target), signal } as const;
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      // The status counts, also where the rest is cut off.
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

/** Looks a name up and hands on only addresses that may be connected to: what a name meant at an earlier look is of no use to anybody. */
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
  return `${host} is an address of this machine or of a private network; allowPrivateAddresses would permit it`;
}

/** Addresses by which nobody is reached over the internet: of this machine, private, link-local, shared, for tests, multicast, reserved. */
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
// Those that carry an IPv4 address, too: what it would lead to is up to a gateway.
for (const network of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) addTo(RESERVED, network, 'ipv6');

/** Of IPv6, all that is public. */
const GLOBAL_UNICAST = new BlockList();
addTo(GLOBAL_UNICAST, '2000::/3', 'ipv6');

function addTo(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', prefix] = network.split('/');
  list.addSubnet(address, Number(prefix), family);
}

/** Whether the address is one of the internet. */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%'); // without the zone of a link-local one
  const family = isIP(plain);
  if (family === 4) return !RESERVED.check(plain, 'ipv4');
  return family === 6 && GLOBAL_UNICAST.check(plain, 'ipv6') && !RESERVED.check(plain, 'ipv6');
}

/** Where the receiver sends us with the same request; null: nowhere. */
function redirectOf({ status, headers: { location } }: Answer, url: URL): URL | null {
  if (!REPEATING_REDIRECTS.includes(status) || location === undefined || !URL.canParse(location, url.href)) return null;
  return new URL(location, url);
}

function deliveryOf({ status, headers }: Answer, url: URL, now: EpochMs): Delivery {
  if (status >= 200 && status < 300) return { isDelivered: true };
  const mayRepeat = status === 408 || status === 429 || status >= 500;
  return failed(`${url.host} answered ${status}`, mayRepeat, retryAfterOf(headers['retry-after'], now));
}

/** Seconds or a date. */
function retryAfterOf(header: string | undefined, now: EpochMs): number | null {
  if (header === undefined) return null;
  const delay = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(delay) ? null : delay;
}

function failed(reason: string, mayRepeat: boolean, retryAfter: number | null = null): Delivery {
  return { isDelivered: false, reason, mayRepeat, retryAfter };
}
