import { createServer } from 'node:http';
import { createConsole } from '../../dist/console.mjs';

/** Serves a console of the scheduler on a free port, to an administrator without a login. */
export async function serveConsole(scheduler) {
  const actor = { name: 'bench', role: 'admin', via: 'http', from: null };
  const shown = createConsole(scheduler, { auth: { authenticate: async () => actor } });
  const server = createServer(shown.listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      await shown.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
