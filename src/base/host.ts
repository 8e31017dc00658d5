import { isIP } from 'node:net';

/**
 * True if a host name or address refers to this machine, so that connections to it cannot be intercepted on the
 * network.
 */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Matches a host name or an IPv4 address, without scheme, port and path. */
export const HOST_NAME = /^[a-z0-9._-]{1,253}$/i;

/** Matches the path of a URL, without query and fragment. */
export const BASE_PATH = /^[^?#%\s]*$/;
