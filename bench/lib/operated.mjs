import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LineNode } from './line-node.mjs';
import { argumentsOf } from './options.mjs';
import { SCHEDULER } from './our-scheduler.mjs';
import { percentile } from './statistics.mjs';

const require = createRequire(import.meta.url);
const { createClient } = require('../../build/operations/client.js');
const { routeManifest } = require('../../build/operations/route-manifest.js');

const NODE = fileURLToPath(new URL('../nodes/operated-node.mjs', import.meta.url));

/** How long starts are waited for that a window should have had. */
const STARTS_TIMEOUT_MS = 5_000;

/** A node with a console, in a process of its own, and a client of its console. */
export async function operatedNode(values) {
  const node = new LineNode(process.execPath, [NODE, ...argumentsOf(values)]);
  const line = await node.hear((text) => text.startsWith('URL '));
  return { node, client: createClient({ url: line.slice(4), scheduler: SCHEDULER, routes: routeManifest() }) };
}

/**
 * The starts that were scheduled between two times, how late each was, as the node reports them; `expected`: so many are waited for, and what is
 * missing after that counts as `missing`.
 */
export async function startsBetween(node, { from, to, expected }) {
  const late = [];
  const end = Date.now() + STARTS_TIMEOUT_MS;
  do {
    const { starts } = await node.stop();
    for (const [scheduled, started] of starts) if (scheduled >= from && scheduled < to) late.push(started - scheduled);
    if (late.length >= expected) break;
    await pause(100);
  } while (Date.now() < end);
  return { late, missing: Math.max(0, expected - late.length) };
}

/** Starts that are missing are later than any that was seen. */
export function latenessOf({ late, missing }) {
  const all = [...late, ...new Array(missing).fill(STARTS_TIMEOUT_MS)];
  if (all.length === 0) return { starts: 0 };
  return { starts: late.length, missing, p50: percentile(all, 0.5), p99: percentile(all, 0.99), max: Math.max(...all) };
}
