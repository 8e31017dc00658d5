import { isIP } from 'node:net';

/** Whether a name or address leads to this machine alone, so that nobody else could listen on the way. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The name of a host, or an address of IPv4: no scheme, no port, no path. */
export const HOST_NAME = /^[a-z0-9._-]{1,253}$/i;

/** A path of an address, without what begins a query or a fragment. */
export const BASE_PATH = /^[^?#%\s]*$/;
