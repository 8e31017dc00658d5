import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createConsole } from '../../dist/console.mjs';

const READERS = fileURLToPath(new URL('../nodes/event-readers.mjs', import.meta.url));

/** So many clients, of another process, are told what happens to the scheduler, over HTTP. Resolves with what ends that, when all are. */
export async function watchedBy(scheduler, count) {
  const actor = { name: 'bench', role: 'viewer', via: 'http', from: null };
  const shown = createConsole(scheduler, { auth: { authenticate: async () => actor } });
  const server = createServer(shown.listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/api/schedulers/${scheduler.getSchedulerName()}/events`;
  const readers = spawn(process.execPath, [READERS, url, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(readers.stdout, 'data');
  return async () => {
    readers.stdin.end();
    await once(readers, 'exit');
    await shown.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}
