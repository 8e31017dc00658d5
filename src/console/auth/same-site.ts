import { isIP } from 'node:net';
import { Problem } from '../../operations/problem';
import { hostOf } from './sessions';

/** Host names of this machine. */
const LOOPBACK_NAMES = ['localhost'] as const;

/**
 * Rejects requests for an unknown host name. With DNS rebinding, a malicious page whose name suddenly resolves to this machine would have
 * the same origin. Requests for IP addresses are accepted. Throws FORBIDDEN.
 */
export function checkHost(request: Request, allowedHosts: readonly string[]): void {
  if (isKnownHost(request, allowedHosts)) return;
  const name = nameIn(hostOf(request));
  throw new Problem(
    'FORBIDDEN',
    `The host ${JSON.stringify(name.slice(0, 100))} is not allowed. Add it to the option allowedHosts of createConsole.`,
  );
}

/** True if the request's host is an IP address, a name of this machine, or an allowed name. */
export function isKnownHost(request: Request, allowedHosts: readonly string[]): boolean {
  const name = nameIn(hostOf(request));
  return isIP(name) !== 0 || [...LOOPBACK_NAMES, ...allowedHosts].includes(name);
}

/** Rejects changes that the page of another site sends, even for a logged-in user. Reads are accepted. Throws FORBIDDEN. */
export function checkOrigin(request: Request, allowedHosts: readonly string[]): void {
  if (isReading(request)) return;
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isOwn = origin === null || isOwnOrigin(origin, request, allowedHosts);
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return;
  throw new Problem('FORBIDDEN', 'Requests from pages of other sites are not allowed.');
}

/** True if the request cannot change anything. */
export function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isOwnOrigin(origin: string, request: Request, allowedHosts: readonly string[]): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
  return host !== undefined && (host === hostOf(request) || allowedHosts.includes(nameIn(host)));
}

/** Returns a host without its port and without the brackets of IPv6. */
function nameIn(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
