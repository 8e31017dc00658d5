import { isIP } from 'node:net';
import { Problem } from '../../operations/problem';
import { hostOf } from './sessions';

const LOOPBACK_NAMES = ['localhost'] as const;

/**
 * Throws FORBIDDEN if the request is for an unknown host name; IP addresses are allowed. Protects against DNS rebinding: a malicious page whose host
 * name suddenly resolves to this machine would have the same origin as the console.
 */
export function checkHost(request: Request, allowedHosts: readonly string[]): void {
  if (isKnownHost(request, allowedHosts)) return;
  const name = nameIn(hostOf(request));
  throw new Problem(
    'FORBIDDEN',
    `The host ${JSON.stringify(name.slice(0, 100))} is not allowed. Add it to the option allowedHosts of createConsole.`,
  );
}

export function isKnownHost(request: Request, allowedHosts: readonly string[]): boolean {
  const name = nameIn(hostOf(request));
  return isIP(name) !== 0 || [...LOOPBACK_NAMES, ...allowedHosts].includes(name);
}

/** Throws FORBIDDEN if a page on another site sends a change, even for a logged-in user. GET and HEAD are always allowed. */
export function checkOrigin(request: Request, allowedHosts: readonly string[]): void {
  if (isReading(request)) return;
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isOwn = origin === null || isOwnOrigin(origin, request, allowedHosts);
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return;
  throw new Problem('FORBIDDEN', 'Requests from pages of other sites are not allowed.');
}

/** True if the method is GET or HEAD. Requests with these methods cannot change anything. */
export function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isOwnOrigin(origin: string, request: Request, allowedHosts: readonly string[]): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
  return host !== undefined && (host === hostOf(request) || allowedHosts.includes(nameIn(host)));
}

/** Returns the name of a host: without the port, without the brackets of IPv6, and without a final dot. */
function nameIn(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
