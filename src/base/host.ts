import { isIP } from 'node:net';

/** Returns true if the host name or address refers to this machine, so that the network cannot intercept connections to it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Pattern of a host name or IPv4 address, without scheme, port and path. */
export const HOST_NAME = /^[a-z0-9._-]{1,253}$/i;

export const BASE_PATH = /^[^?#%\s]*$/;
