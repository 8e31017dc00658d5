// A network of its own between nodes and a database server: node delay-proxy.mjs host=… port=… delay=MS. Prints PORT n, and ends with its input.

import { connect, createServer } from 'node:net';
import { settings } from '../lib/options.mjs';

const given = settings(process.argv.slice(2));
const delay = given.number('delay');

const listener = createServer({ noDelay: true }, (client) => {
  const server = connect({ host: given.text('host'), port: given.number('port'), noDelay: true });
  deliver(client, server);
  deliver(server, client);
});
listener.listen(0, '127.0.0.1', () => console.log(`PORT ${listener.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume();

/** Writes what arrives on one socket to the other one, `delay` ms later. Timers of equal length fire in order, so the bytes keep theirs. */
function deliver(from, to) {
  from.on('data', (bytes) => setTimeout(() => to.destroyed || to.write(bytes), delay));
  from.on('close', () => setTimeout(() => to.destroy(), delay));
  from.on('error', () => {}); // followed by close
}
