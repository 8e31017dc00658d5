import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scheduler } from '../api/scheduler';
import { SystemClock } from '../base/clock';
import { systemRandom } from '../base/ids';
import { settlesWithin } from '../base/sleep';
import { createConsole } from '../console/create-console';
import { oneToken } from '../console/one-token';
import { CommandFailure } from './exit-codes';

/** How long requests may take that are being answered when the console closes. */
const CLOSE_GRACE_MS = 1_000;

/** 40 characters of base 36: more than 200 bits. */
const TOKEN_LENGTH = 40;

export interface ServedConsole {
  readonly url: string;
  /** What requests are to bring along. Made anew each time, and nowhere stored. */
  readonly token: string;
  /** Ends streams of events, waits a second for other answers, and closes all connections. */
  close(): Promise<void>;
}

/** Offers the console of a scheduler on a port of its own. Rejects with CommandFailure when it cannot be opened. */
export async function serveConsole(
  scheduler: Scheduler,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<ServedConsole> {
  const token = systemRandom.token(TOKEN_LENGTH);
  const shown = createConsole(scheduler, { auth: oneToken(token) });
  const server = createServer(shown.listener);
  await listen(server, port, host);
  const { address, family, port: opened } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}/`,
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

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new CommandFailure('USAGE', `--http: cannot listen there: ${error.message}.`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}
