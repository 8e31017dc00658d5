import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Prints the flavours of the servers of a run, as JSON. A separate process, because a test file needs them synchronously while it is loaded.
 *
 *   node ask-flavours.mjs SOCKET
 */

const START_TIMEOUT_MS = 20_000;

async function opened(path) {
  for (const end = Date.now() + START_TIMEOUT_MS; ; await delay(20)) {
    const socket = connect(path);
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return socket;
    if (Date.now() > end) throw new Error(`The supervisor of the test databases does not answer on ${path}.`);
  }
}

const socket = await opened(process.argv[2]);
socket.write(`${JSON.stringify({ id: 0, request: 'flavours' })}\n`);
for await (const line of createInterface({ input: socket })) {
  process.stdout.write(line);
  break;
}
socket.destroy();
