import { Agent, createServer, request } from 'node:http';
import { createConsole } from '../../dist/console.mjs';
import { SCHEDULER } from './our-scheduler.mjs';

/** A console of the scheduler on a free port, and what asks it over one connection at a time. */
export async function consoleServer(scheduler) {
  const actor = { name: 'bench', role: 'admin', via: 'http', from: null };
  const shown = createConsole(scheduler, { auth: { authenticate: async () => actor } });
  const server = createServer(shown.listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true });
  const { port } = server.address();
  return {
    ask: (path) => ask({ agent, port, path: `/api/schedulers/${SCHEDULER}${path}` }),
    async close() {
      agent.destroy();
      await shown.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The text of the answer. Rejects when it is no success. */
function ask(options) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', ...options }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${options.path}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}
