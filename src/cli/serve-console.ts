import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import type { Scheduler } from '../api/scheduler';
import { SystemClock } from '../base/clock';
import { toError } from '../base/errors';
import { isLoopback } from '../base/host';
import { hashToken, newToken } from '../base/secret-hash';
import { completesWithin } from '../base/sleep';
import type { ConsoleConfig } from '../config/scheduler-config';
import { createConsole } from '../console/create-console';
import { CommandFailure, usageError } from './exit-codes';

/** Time in milliseconds for which open requests may continue when the console closes. */
const CLOSE_GRACE_MS = 1_000;

export interface ServeOptions
  extends Pick<ConsoleConfig, 'allowedHosts' | 'basePath' | 'host' | 'keepAliveTimeoutMs' | 'tls'> {
  /** Port to listen on. 0: any free port. */
  readonly port: number;
  readonly readOnly: boolean;
  /** Name of the holder, in the action log, of a token created for this process. Null: none is created, as the configuration defines accounts. */
  readonly tokenName: string | null;
}

export interface ServedConsole {
  readonly url: string;
  /** URL that opens the page. A created token follows the `#`, because browsers do not send that part of a URL to servers. */
  readonly pageUrl: string;
  /** Token that was created for this process and is stored nowhere. Null: accounts are defined in the configuration. */
  readonly token: string | null;
  /** True if other machines can connect without TLS, so that the traffic can be read on the network. */
  readonly isOpen: boolean;
  /** Ends event streams, waits at most 1 s for other requests, and closes all connections. */
  close(): Promise<void>;
}

/**
 * Serves the console of a scheduler on its own port. Rejects with CommandFailure if the console cannot listen, if its
 * TLS files are invalid, or if it would create a token for an address that other machines can reach.
 */
export async function serveConsole(scheduler: Scheduler, options: ServeOptions): Promise<ServedConsole> {
  const { host, port, tokenName, readOnly, basePath, allowedHosts, tls, keepAliveTimeoutMs } = options;
  if (tokenName !== null && !isLoopback(host)) throw usageError(NO_ACCOUNTS);
  const token = tokenName === null ? null : newToken();
  const shown = createConsole(scheduler, {
    ...{ readOnly, basePath },
    ...(tokenName === null || token === null ? {} : { tokens: { [tokenName]: `admin ${hashToken(token)}` } }),
    allowedHosts: isIP(host) === 0 ? [host, ...allowedHosts] : allowedHosts,
  });
  const server = tls === null ? createServer(shown.listener) : secureServer(tls).on('request', shown.listener);
  server.keepAliveTimeout = keepAliveTimeoutMs;
  await listen(server, port, host);
  const url = addressOf(server, { basePath, isSecure: tls !== null });
  return {
    url,
    pageUrl: token === null ? url : `${url}#token=${token}`,
    token,
    isOpen: tls === null && !isLoopback(host),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await shown.close();
      await completesWithin(new SystemClock(), CLOSE_GRACE_MS, closed);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The token is printed, and may end up in a log. It must therefore not grant access from other machines. */
const NO_ACCOUNTS =
  '--http-host: expected an address that only this machine can reach (127.0.0.1, ::1, localhost), because the configuration has no tokens or ' +
  'users. For other addresses, set console.tokens or console.users; quartz console token creates a token.';

function addressOf(server: Server, { basePath, isSecure }: { readonly basePath: string; readonly isSecure: boolean }) {
  const { address, family, port } = server.address() as AddressInfo;
  const place = `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const path = basePath.replace(/^\/+|\/+$/g, '');
  return `${isSecure ? 'https' : 'http'}://${place}/${path === '' ? '' : `${path}/`}`;
}

function secureServer({ cert, key }: NonNullable<ConsoleConfig['tls']>) {
  const files = { cert: fileOf('cert', cert), key: fileOf('key', key) };
  try {
    return createSecureServer(files);
  } catch (error) {
    const message = `console.tls: expected a certificate and its private key in PEM: ${toError(error).message}.`;
    throw new CommandFailure('CONFIGURATION', message, { cause: error });
  }
}

function fileOf(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandFailure('CONFIGURATION', `console.tls.${name}: cannot read the file: ${toError(error).message}.`, {
      cause: error,
    });
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new CommandFailure('USAGE', `--http: cannot listen on this address: ${error.message}.`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}
