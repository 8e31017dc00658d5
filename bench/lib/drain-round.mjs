import { setTimeout as pause } from 'node:timers/promises';
import { perFiring, together } from './figures.mjs';
import { fireUntil } from './line-node.mjs';
import { dueRows, rest } from './rows.mjs';

/** How long the last completions may take. */
const PATIENCE = 5_000;

/** Of triggers that repeat: each fires once while it is measured. */
const INTERVAL = 3_600_000;

/**
 * One drain: `n` triggers that are due are loaded, `nodes` nodes started, and measured until nothing is left. Cut off after
 * `max-seconds`. Throws when something fired twice, or was left.
 */
export async function drainRound(side, { n, kind, jobs, nodes, threads, batch, 'max-seconds': maxSeconds }) {
  const { tables } = side;
  await tables.clear();
  await tables.load(dueRows({ n, jobs, at: Date.now(), interval: kind === 'repeat' ? INTERVAL : 0 }));
  await tables.settle();
  const started = await startNodes(side, nodes, { threads, batch });
  const before = await tables.counters();
  const finished = await fireUntil(started, n, maxSeconds);
  if (finished) await completed(tables, rest(kind));
  const after = await tables.counters();
  const fired = await stopNodes(started);
  if (finished && fired.count !== n) throw new Error(`${side.label} fired ${fired.count} times instead of ${n}.`);
  return { ...fired, ...perFiring(before, after, fired.count), cut: !finished };
}

/** Nodes that are READY: they have all they need, and wait for the word. */
export async function startNodes(side, nodes, values) {
  const started = Array.from({ length: nodes }, (_, index) => side.node('fire', { ...values, id: `n${index + 1}` }));
  await Promise.all(started.map((node) => node.ready()));
  return started;
}

/** What they have fired, as one. */
export async function stopNodes(nodes) {
  const results = await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(nodes.map((node) => node.exit()));
  return together(results);
}

async function completed(tables, question) {
  for (const end = Date.now() + PATIENCE; ; await pause(10)) {
    const [left] = await tables.query(question);
    if (Object.values(left).every((count) => Number(count) === 0)) return;
    if (Date.now() > end) throw new Error(`Left of the drain: ${JSON.stringify(left)}.`);
  }
}
