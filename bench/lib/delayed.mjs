import { fileURLToPath } from 'node:url';
import { LineNode } from './line-node.mjs';
import { argumentsOf } from './options.mjs';

const PROXY = fileURLToPath(new URL('../nodes/delay-proxy.mjs', import.meta.url));
const DEFAULT_PORT = 3_306;

/**
 * Sides whose nodes reach the server `delay` ms later, each way, through a process in between. What the harness itself queries is not delayed.
 * Without a delay there is nothing in between. The process ends with this one.
 */
export async function delayed(sides, delay) {
  if (delay === 0) return sides;
  const { hostname, port } = new URL(sides[0].tables.url);
  const proxy = new LineNode(process.execPath, [
    PROXY,
    ...argumentsOf({ host: hostname, port: port || DEFAULT_PORT, delay }),
  ]);
  const line = await proxy.hear((text) => text.startsWith('PORT '));
  return sides.map((side) => {
    const url = new URL(side.tables.url);
    url.host = `127.0.0.1:${line.slice('PORT '.length)}`;
    return { ...side, node: (mode, values) => side.node(mode, { ...values, url: url.href }) };
  });
}
