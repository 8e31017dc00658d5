import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Scheduler } from '../api/scheduler';
import { SystemClock } from '../base/clock';
import { settlesWithin } from '../base/sleep';
import { hashToken, newToken } from '../console/auth/secret-hash';
import { createConsole } from '../console/create-console';
import { CommandFailure } from './exit-codes';

/** How long requests may take that are being answered when the console closes. */
const CLOSE_GRACE_MS = 1_000;

/** How a console is offered. */
export interface ServeOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly host: string;
  /** By whom what is done with the token is recorded. */
  readonly tokenName: string;
  readonly readOnly?: boolean;
}

export interface ServedConsole {
  readonly url: string;
  /** The same, with the token behind the hash, which no server and no log sees: it opens the page. */
  readonly pageUrl: string;
  /** What requests are to bring along. Made anew each time, and nowhere stored. */
  readonly token: string;
  /** Ends streams of events, waits a second for other answers, and closes all connections. */
  close(): Promise<void>;
}

/** Offers the console of a scheduler on a port of its own. Rejects with CommandFailure when it cannot be opened. */
export async function serveConsole(
  scheduler: Scheduler,
  { port, host, tokenName, readOnly = false }: ServeOptions,
): Promise<ServedConsole> {
  if (!isLoopback(host)) throw new CommandFailure('USAGE', NOT_LOOPBACK);
  const token = newToken();
  const tokens = { [tokenName]: `admin ${hashToken(token)}` };
  const shown = createConsole(scheduler, { tokens, readOnly, allowedHosts: isIP(host) === 0 ? [host] : [] });
  const server = createServer(shown.listener);
  await listen(server, port, host);
  const { address, family, port: opened } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}/`;
  return {
    url,
    pageUrl: `${url}#token=${token}`,
    token,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await shown.close();
      await settlesWithin(new SystemClock(), CLOSE_GRACE_MS, closed);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Whoever can reach the port is one guess away from the token, and reads it on the way: the connection is not encrypted. */
const NOT_LOOPBACK =
  '--http-host: expected an address that only this machine reaches (127.0.0.1, ::1, localhost). For others, serve createConsole with accounts ' +
  'of your own behind TLS.';

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new CommandFailure('USAGE', `--http: cannot listen there: ${error.message}.`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}
