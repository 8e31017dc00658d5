import { setTimeout as pause } from 'node:timers/promises';
import { startNodes, stopNodes } from './drain-round.mjs';
import { perFiring } from './figures.mjs';
import { fireUntil } from './line-node.mjs';
import { dueRows } from './rows.mjs';

/** Between loading and the first fire time: for the server to settle, nodes to start, and a real Quartz to make its threads. */
const LEAD = 6_000;
/** How long before that the nodes are told to go. */
const HEAD_START = 1_500;
/** What each node more needs, where all start on few cores. */
const START_OF_ONE = 300;
/** Between the nodes' start and the head start: for loading, and for the server to settle. */
const LOADING = 4_000;

/** `n` one-shot triggers on one instant that is still to come, and how late their jobs start. */
export async function burstRound(side, { n, nodes, ...values }) {
  const at = await loaded(side, { n });
  const started = await startedBefore(at, side, nodes, values);
  const beforeIt = pause(at - 500 - Date.now()).then(() => side.tables.counters());
  const [finished, before] = await Promise.all([fireUntil(started, n, LEAD / 1_000 + 30), beforeIt]);
  await pause(300); // for the last completions
  const after = await side.tables.counters();
  const fired = await stopNodes(started);
  return { ...fired, ...perFiring(before, after, fired.count), cut: !finished };
}

/** `k` triggers that repeat every second, spread evenly over it; measured for `millis` after `warm` ms. */
export async function repeatRound(side, { k, nodes, warm, millis, ...values }) {
  const at = await loaded(side, { n: k, spread: 1_000, interval: 1_000 });
  const started = await startedBefore(at, side, nodes, { ...values, warm: HEAD_START + warm });
  for (const node of started) node.say();
  return { k, ...(await measured(side, started, at + warm, millis)) };
}

/** The same, each trigger at an instant as if by chance. However long many nodes take to start, they are there before it begins. */
export async function spreadRound(side, { k, nodes, together, warm, millis, ...values }) {
  const headStart = HEAD_START + nodes * START_OF_ONE;
  await side.tables.clear();
  const started = await startNodes(side, nodes / together, { ...values, together, warm: headStart + warm });
  const at = Date.now() + headStart + LOADING;
  await side.tables.load(dueRows({ n: k, at, spread: 1_000, scattered: true, interval: 1_000 }));
  await side.tables.settle();
  await waitUntil(at - headStart, side);
  for (const node of started) node.say();
  return { k, ...(await measured(side, started, at + warm, millis)) };
}

async function measured({ tables }, started, from, millis) {
  await pause(from - Date.now());
  const counted = () => started.reduce((sum, node) => sum + node.count, 0);
  const before = { ...(await tables.counters()), count: counted(), time: performance.now() };
  await pause(millis);
  const after = { ...(await tables.counters()), count: counted(), time: performance.now() };
  const { count: _, ...fired } = await stopNodes(started);
  const count = after.count - before.count;
  const perSecond = (count * 1_000) / (after.time - before.time);
  return { ...fired, count, perSecond, ...perFiring(before, after, count) };
}

async function loaded({ tables }, rows) {
  const at = Date.now() + LEAD;
  await tables.clear();
  await tables.load(dueRows({ ...rows, at }));
  await tables.settle();
  return at;
}

/** Nodes that only wait for the word, at the moment when it has to be given. */
async function startedBefore(at, side, nodes, values) {
  const started = await startNodes(side, nodes, values);
  await waitUntil(at - HEAD_START, side);
  return started;
}

async function waitUntil(time, side) {
  const left = time - Date.now();
  if (left < 0) throw new Error(`Loading and starting took ${-left} ms too long for ${side.label}.`);
  await pause(left);
}
