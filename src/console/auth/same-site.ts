import { isIP } from 'node:net';
import { Problem } from '../../operations/problem';
import { hostOf } from './sessions';

/** Names of this machine. */
const LOOPBACK_NAMES = ['localhost'] as const;

/**
 * Refuses what was asked for by a name that is not known: a page of somebody else whose name suddenly leads to this machine (DNS rebinding)
 * would have the same origin. Addresses need no name, and are let through. Throws FORBIDDEN.
 */
export function checkHost(request: Request, allowedHosts: readonly string[]): void {
  if (isKnownHost(request, allowedHosts)) return;
  const name = nameIn(hostOf(request));
  throw new Problem(
    'FORBIDDEN',
    `The host ${JSON.stringify(name.slice(0, 100))} is not known here. The option allowedHosts of createConsole lists those that are.`,
  );
}

/** Whether it was asked for by an address, a name of this machine, or one of those that are allowed. */
export function isKnownHost(request: Request, allowedHosts: readonly string[]): boolean {
  const name = nameIn(hostOf(request));
  return isIP(name) !== 0 || [...LOOPBACK_NAMES, ...allowedHosts].includes(name);
}

/** Refuses what the page of another site has sent, whoever is logged in. Reading is let through. Throws FORBIDDEN. */
export function checkOrigin(request: Request, allowedHosts: readonly string[]): void {
  if (isReading(request)) return;
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isOwn = origin === null || isOwnOrigin(origin, request, allowedHosts);
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return;
  throw new Problem('FORBIDDEN', 'The request came from a page of another site, which is not allowed.');
}

/** Whether it changes nothing. */
export function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isOwnOrigin(origin: string, request: Request, allowedHosts: readonly string[]): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
  return host !== undefined && (host === hostOf(request) || allowedHosts.includes(nameIn(host)));
}

/** Without the port, and without the brackets of IPv6. */
function nameIn(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
