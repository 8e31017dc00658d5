import { setTimeout as pause } from 'node:timers/promises';
import { checkFiredOnce } from './fired-once.mjs';
import { fireUntil } from './line-node.mjs';
import { perFiring, together } from './report.mjs';
import { DUE, dueRows, REST } from './tables.mjs';

/** How long the last completions may take. */
const COMPLETION_TIMEOUT_MS = 5_000;

/**
 * One drain: loads `n` due triggers, starts `nodes` nodes, and measures until all have fired, or until `max-seconds` have passed. `more`:
 * statements that change the loaded rows. Throws if a trigger fired twice or rows are left. `list=1`: checks the firings of each trigger.
 */
export async function drainRound(side, { n, jobs, nodes, more = [], 'max-seconds': maxSeconds, ...values }) {
  const { tables } = side;
  const { threads, batch, list } = values;
  const at = Date.now();
  await tables.clear();
  await tables.load([...dueRows({ n, jobs, at }), ...more]);
  await tables.settle();
  const started = await startNodes(side, nodes, { threads, batch, list });
  const before = await tables.counters();
  const finished = await fireUntil(started, n, maxSeconds);
  if (finished) await completed(tables);
  const after = await tables.counters();
  const { list: all = [], ...fired } = await stopNodes(started);
  if (list === 1) checkFiredOnce(side.label, all, oneOffTimes(n, at));
  if (finished && fired.count !== n) throw new Error(`${side.label} fired ${fired.count} times instead of ${n}.`);
  return { ...fired, ...perFiring(before, after, fired.count), cut: !finished };
}

/** Fire time of each trigger of a drain. */
const oneOffTimes = (n, at) => Array.from({ length: n }, (_, i) => [`t${i}`, [at]]);

async function completed(tables) {
  for (const end = Date.now() + COMPLETION_TIMEOUT_MS; ; await pause(10)) {
    const [left] = await tables.query(REST);
    if (Object.values(left).every((count) => Number(count) === 0)) return;
    if (Date.now() > end) throw new Error(`Left of the drain: ${JSON.stringify(left)}.`);
  }
}

/** Starts nodes, in as many processes or in `processes`. They are READY, and wait for a line. */
export async function startNodes(side, nodes, { processes = nodes, ...values }) {
  const started = Array.from({ length: processes }, (_, index) => {
    const together = Math.floor((nodes + processes - 1 - index) / processes);
    return side.node('fire', { ...values, together, id: `n${index + 1}` });
  });
  await Promise.all(started.map((node) => node.ready()));
  return started;
}

/** Stops nodes and adds up their results. `list`: every firing, of nodes that list them. */
export async function stopNodes(nodes) {
  const results = await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(nodes.map((node) => node.exit()));
  const list = results.flatMap(({ fired = [] }) => fired);
  return { ...together(results), ...(list.length > 0 && { list }) };
}

/** Time from the start of the nodes to the first fire time. */
const HEAD_START_MS = 1_500;
/** Additional time for each node, because all start on few cores. */
const START_OF_ONE_MS = 300;
/** Time for loading, and for the server to settle. */
const LOADING_MS = 4_000;

/**
 * `k` triggers with an interval of 1 s, each at a pseudo-random instant, or with `scattered: false` evenly spread. Measured for `millis` after
 * `warm` ms. `more`: statements that change the loaded rows. `list=1`: throws unless every fire time was fired once.
 */
export async function spreadRound(side, { k, nodes, warm, millis, scattered = true, more = [], ...values }) {
  const { tables } = side;
  const headStart = HEAD_START_MS + nodes * START_OF_ONE_MS;
  await tables.clear();
  const started = await startNodes(side, nodes, { ...values, warm: headStart + warm });
  const at = Date.now() + headStart + LOADING_MS;
  await tables.load([...dueRows({ n: k, at, spread: 1_000, scattered, interval: 1_000 }), ...more]);
  await tables.settle();
  const left = at - headStart - Date.now();
  if (left < 0) throw new Error(`Loading took ${-left} ms too long for ${side.label}.`);
  await pause(left);
  for (const node of started) node.say();
  await pause(at + warm - Date.now());
  const before = await reading(tables, started);
  await pause(millis);
  const after = await reading(tables, started);
  const { list = [], ...fired } = await stopNodes(started);
  if (values.list === 1) checkFiredOnce(side.label, list, await fireTimes(tables));
  const count = after.count - before.count;
  const perSecond = (count * 1_000) / (after.time - before.time);
  return { k, ...fired, count, perSecond, ...perFiring(before, after, count) };
}

async function reading(tables, started) {
  const count = started.reduce((sum, node) => sum + node.count, 0);
  return { ...(await tables.counters()), count, time: performance.now() };
}

/** Fire times of each trigger with an interval of 1 s, before its next one. */
async function fireTimes(tables) {
  const rows = await tables.query(
    `SELECT TRIGGER_NAME, START_TIME, NEXT_FIRE_TIME FROM QRTZ_TRIGGERS WHERE TRIGGER_GROUP = '${DUE}'`,
  );
  return rows.map(({ TRIGGER_NAME: name, START_TIME: start, NEXT_FIRE_TIME: next }) => [
    name,
    Array.from({ length: (Number(next) - Number(start)) / 1_000 }, (_, i) => Number(start) + i * 1_000),
  ]);
}

/** One round of a node that warms up first (READY, a line, WARM, a line, R {json}) on empty tables: its result, and the cost of each of its `count` calls. */
export async function warmRound({ tables, node: start }, mode, values) {
  await tables.clear();
  await tables.settle();
  const node = start(mode, values);
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
