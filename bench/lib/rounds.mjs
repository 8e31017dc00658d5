import { setTimeout as pause } from 'node:timers/promises';
import { checkFiredOnce } from './fired-once.mjs';
import { fireUntil } from './line-node.mjs';
import { perFiring, together } from './report.mjs';
import { BACKLOG, backlogRows, DUE, dueRows, rest } from './tables.mjs';

/** How long the last completions may take. */
const COMPLETION_TIMEOUT_MS = 5_000;

/** Of triggers that repeat: each fires once while it is measured. */
const REPEAT_INTERVAL_MS = 3_600_000;

/**
 * One drain: `n` triggers that are due are loaded, `nodes` nodes started, and measured until nothing is left. Cut off after
 * `max-seconds`. `more`: statements that change what was loaded. Throws when something fired twice, or was left. `list=1`: checks the firings of
 * each trigger.
 */
export async function drainRound(side, { n, kind, jobs, nodes, more = [], 'max-seconds': maxSeconds, ...values }) {
  const { tables } = side;
  const { threads, batch, watchers, list } = values;
  await tables.clear();
  const at = Date.now();
  await tables.load(dueRows({ n, jobs, at, interval: kind === 'repeat' ? REPEAT_INTERVAL_MS : 0 }));
  await tables.load(more);
  await tables.settle();
  const started = await startNodes(side, nodes, { threads, batch, watchers, list });
  const before = await tables.counters();
  const finished = await fireUntil(started, n, maxSeconds);
  if (finished) await completed(tables, rest(kind));
  const after = await tables.counters();
  const { list: all = [], ...fired } = await stopNodes(started);
  if (list === 1) checkFiredOnce(side.label, all, oneOffTimes(n, at));
  if (finished && fired.count !== n) throw new Error(`${side.label} fired ${fired.count} times instead of ${n}.`);
  return { ...fired, ...perFiring(before, after, fired.count), cut: !finished };
}

/** Fire time of each trigger of a drain. */
const oneOffTimes = (n, at) => Array.from({ length: n }, (_, i) => [`t${i}`, [at]]);

/** Nodes that are READY: they have all they need, and wait for the word. In as many processes, or in `processes`. */
export async function startNodes(side, nodes, { processes = nodes, ...values }) {
  const started = Array.from({ length: processes }, (_, index) => {
    const together = Math.floor((nodes + processes - 1 - index) / processes);
    return side.node('fire', { ...values, together, id: `n${index + 1}` });
  });
  await Promise.all(started.map((node) => node.ready()));
  return started;
}

/** What they have fired, as one; `list`: every firing, of nodes that list them. */
export async function stopNodes(nodes) {
  const results = await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(nodes.map((node) => node.exit()));
  const list = results.flatMap(({ fired = [] }) => fired);
  return { ...together(results), ...(list.length > 0 && { list }) };
}

async function completed(tables, question) {
  for (const end = Date.now() + COMPLETION_TIMEOUT_MS; ; await pause(10)) {
    const [left] = await tables.query(question);
    if (Object.values(left).every((count) => Number(count) === 0)) return;
    if (Date.now() > end) throw new Error(`Left of the drain: ${JSON.stringify(left)}.`);
  }
}

/** Between loading and the first fire time: for the server to settle, nodes to start, and a real Quartz to make its threads. */
const LEAD_MS = 6_000;
/** How long before that the nodes are told to go. */
const HEAD_START_MS = 1_500;
/** What each node more needs, where all start on few cores. */
const START_OF_ONE_MS = 300;
/** Between the nodes' start and the head start: for loading, and for the server to settle. */
const LOADING_MS = 4_000;

/** `n` one-shot triggers on one instant that is still to come, and how late their jobs start. */
export async function burstRound(side, { n, nodes, ...values }) {
  const at = await loaded(side, { n });
  const started = await startedBefore(at, side, nodes, values);
  const beforeIt = pause(at - 500 - Date.now()).then(() => side.tables.counters());
  const [finished, before] = await Promise.all([fireUntil(started, n, LEAD_MS / 1_000 + 30), beforeIt]);
  await pause(300); // for the last completions
  const after = await side.tables.counters();
  const fired = await stopNodes(started);
  return { ...fired, ...perFiring(before, after, fired.count), cut: !finished };
}

/** `k` triggers that repeat every second, spread evenly over it; measured for `millis` after `warm` ms. */
export async function repeatRound(side, { k, nodes, warm, millis, ...values }) {
  const at = await loaded(side, { n: k, spread: 1_000, interval: 1_000 });
  const started = await startedBefore(at, side, nodes, { ...values, warm: HEAD_START_MS + warm });
  for (const node of started) node.say();
  return { k, ...(await measured(side, started, at + warm, millis)) };
}

/**
 * The same, each trigger at an instant as if by chance, or with `scattered: false` evenly. However long many nodes take to start, they are there
 * before it begins. `behind`: so many of the lowest priority are due then, and each takes `busy` ms. `more`: statements that change what was loaded.
 * `list=1`: throws unless every fire time was fired once.
 */
export async function spreadRound(side, { k, warm, millis, behind = 0, busy, scattered = true, more = [], ...values }) {
  const { nodes, list, ...settings } = values;
  const headStart = HEAD_START_MS + nodes * START_OF_ONE_MS;
  await side.tables.clear();
  const beside = behind > 0 ? { beside: BACKLOG, busy } : {};
  const started = await startNodes(side, nodes, { ...settings, list, ...beside, warm: headStart + warm });
  const at = Date.now() + headStart + LOADING_MS;
  await side.tables.load(dueRows({ n: k, at, spread: 1_000, scattered, interval: 1_000 }));
  await side.tables.load(more);
  if (behind > 0) await side.tables.load(backlogRows(behind, at));
  await side.tables.settle();
  await waitUntil(at - headStart, side);
  for (const node of started) node.say();
  const { list: all = [], ...fired } = await measured(side, started, at + warm, millis);
  if (list === 1) checkFiredOnce(side.label, all, await fireTimes(side.tables));
  return { k, ...fired };
}

/** Fire times of each trigger with an interval of 1 s, up to the one that is next. */
async function fireTimes(tables) {
  const rows = await tables.query(
    `SELECT TRIGGER_NAME, START_TIME, NEXT_FIRE_TIME FROM QRTZ_TRIGGERS WHERE TRIGGER_GROUP = '${DUE}'`,
  );
  return rows.map(({ TRIGGER_NAME: name, START_TIME: start, NEXT_FIRE_TIME: next }) => [
    name,
    Array.from({ length: (Number(next) - Number(start)) / 1_000 }, (_, i) => Number(start) + i * 1_000),
  ]);
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
  const at = Date.now() + LEAD_MS;
  await tables.clear();
  await tables.load(dueRows({ ...rows, at }));
  await tables.settle();
  return at;
}

/** Nodes that only wait for the word, at the moment when it has to be given. */
async function startedBefore(at, side, nodes, values) {
  const started = await startNodes(side, nodes, values);
  await waitUntil(at - HEAD_START_MS, side);
  return started;
}

async function waitUntil(time, side) {
  const left = time - Date.now();
  if (left < 0) throw new Error(`Loading and starting took ${-left} ms too long for ${side.label}.`);
  await pause(left);
}

/**
 * One round of a node that warms itself up first (READY, a line, WARM, a line, R {json}): what it answers, and what that cost,
 * for each of the `count` things it did.
 */
export async function warmRound({ tables }, node) {
  await node.ready();
  const warm = node.hear((line) => line === 'WARM');
  node.say();
  await warm;
  const before = await tables.counters();
  const { cpuMs, ...result } = await node.stop();
  const after = await tables.counters();
  await node.exit();
  return { ...result, nodesCpuMs: cpuMs / result.count, ...perFiring(before, after, result.count) };
}
