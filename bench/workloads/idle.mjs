import { setTimeout as pause } from 'node:timers/promises';
import { contest, interleaved } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { print, reportOf } from '../lib/report.mjs';
import { startNodes, stopNodes } from '../lib/rounds.mjs';
import { cpuMs } from '../lib/server.mjs';
import { farRows } from '../lib/tables.mjs';
import { inMemory } from './memory.mjs';

export const usage = `  idle [--seconds 30] [--nodes 1] [--far 1000]
         cost of nodes whose next trigger is days away: queries per second, CPU.`;

/** After the start, before it counts: a node idles for hours, and compilers work on it for the first seconds of them. */
const SETTLING_MS = 70_000;

const FIGURES = [
  ['queries', 'queries a second and node', 1],
  ['commits', 'COMMITs a second and node', 1],
  ['bytesOut', 'bytes from the server a second and node', 0],
  ['nodeCpu', 'CPU of a node, % of a core', 2],
  ['databaseCpu', 'CPU of the database a node, % of a core', 2],
];

export async function run(args) {
  const chosen = options(args, { seconds: 30, far: 1_000 });
  if (chosen.store === 'memory') return inMemory(chosen, 'idle');
  const report = await contest(chosen, async ({ server, sides }) => {
    const contestants = await sides();
    for (const { tables } of contestants) await tables.load(farRows(chosen.far, Date.now()));
    const measure = (side) => idleRound(side, chosen);
    const seen = await interleaved({ label: 'idle', rounds: chosen.rounds, sides: contestants, measure });
    const title = `Idle: ${chosen.nodes} ${chosen.nodes === 1 ? 'node' : 'nodes'}, over ${chosen.seconds} s`;
    return reportOf({ workload: 'idle', title, server, seen, figures: FIGURES, main: 'nodeCpu', lessIsBetter: true });
  });
  print([report], chosen);
}

async function idleRound(side, { nodes, seconds, threads, batch }) {
  await side.tables.clear();
  await side.tables.settle();
  const started = await startNodes(side, nodes, { threads, batch, report: 3_600_000 });
  for (const node of started) node.say();
  await pause(SETTLING_MS);
  const reading = async () => ({
    ...(await side.tables.counters()),
    nodesCpuMs: started.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    time: performance.now(),
  });
  const before = await reading();
  await pause(seconds * 1_000);
  const after = await reading();
  await stopNodes(started);
  const each = (name) => (after[name] - before[name]) / nodes / ((after.time - before.time) / 1_000);
  return {
    queries: each('Questions'),
    commits: each('Com_commit'),
    bytesOut: each('Bytes_sent'),
    nodeCpu: each('nodesCpuMs') / 10,
    databaseCpu: after.cpuMs === null ? undefined : each('cpuMs') / 10,
  };
}
