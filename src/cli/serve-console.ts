import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import type { Scheduler } from '../api/scheduler';
import { SystemClock } from '../base/clock';
import { toError } from '../base/errors';
import { isLoopback } from '../base/host';
import { hashToken, newToken } from '../base/secret-hash';
import { settlesWithin } from '../base/sleep';
import type { ConsoleConfig } from '../config/scheduler-config';
import { createConsole } from '../console/create-console';
import { CommandFailure } from './exit-codes';

/** How long requests may take that are being answered when the console closes. */
const CLOSE_GRACE_MS = 1_000;

/** How a console is offered. */
export interface ServeOptions extends Pick<ConsoleConfig, 'allowedHosts' | 'basePath' | 'host' | 'tls'> {
  /** 0: any that is free. */
  readonly port: number;
  readonly readOnly: boolean;
  /**
   * By whom what is done with a token is recorded that is made for this process alone; null: the configuration says who may come in.
   */
  readonly tokenName: string | null;
}

export interface ServedConsole {
  readonly url: string;
  /** The same, with the token, if there is one, behind the hash, which no server and no log sees: it opens the page. */
  readonly pageUrl: string;
  /** What requests are to bring along. Made anew each time, and nowhere stored. Null: whoever comes in has one, or a password. */
  readonly token: string | null;
  /** Whether others could listen on the way to it. */
  readonly isOpen: boolean;
  /** Ends streams of events, waits a second for other answers, and closes all connections. */
  close(): Promise<void>;
}

/** Offers the console of a scheduler on a port of its own. Rejects with CommandFailure when it cannot be opened. */
export async function serveConsole(scheduler: Scheduler, options: ServeOptions): Promise<ServedConsole> {
  const { host, port, tokenName, readOnly, basePath, allowedHosts, tls } = options;
  if (tokenName !== null && !isLoopback(host)) throw new CommandFailure('USAGE', NOBODY_NAMED);
  const token = tokenName === null ? null : newToken();
  const shown = createConsole(scheduler, {
    ...{ readOnly, basePath },
    ...(tokenName === null || token === null ? {} : { tokens: { [tokenName]: `admin ${hashToken(token)}` } }),
    allowedHosts: isIP(host) === 0 ? [host, ...allowedHosts] : allowedHosts,
  });
  const server = tls === null ? createServer(shown.listener) : secureServer(tls).on('request', shown.listener);
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
      await settlesWithin(new SystemClock(), CLOSE_GRACE_MS, closed);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whoever can reach the port is one guess away from a token that stands in the log of a process. */
const NOBODY_NAMED =
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
