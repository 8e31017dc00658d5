import { setTimeout as pause } from 'node:timers/promises';
import { contest, interleaved } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { print, reportOf } from '../lib/report.mjs';

export const usage = `  failover [--checkin 1000] [--grace 2000] [--jobs 10] [--apart]
         kill -9 of a node whose jobs request recovery, at a random time: ms until the other node starts the first and the last of
         them. The real Quartz has the same check-in interval; its grace is fixed. --apart: our node that is killed runs under another
         host name (Linux, as root), so the other one cannot see that its process has ended.`;

const TIMEOUT_MS = 60_000;

const FIGURES = [
  ['first', 'the first runs again after, ms', 0],
  ['last', 'the last, ms', 0],
];

export async function run(args) {
  const chosen = options(args, { store: ['mysql', 'sqlite'], checkin: 1_000, grace: 2_000, jobs: 10, apart: false });
  const { checkin, grace, jobs, rounds, apart } = chosen;
  const report = await contest(chosen, async ({ server, sides }) => {
    const measure = (side) => failoverRound(side, { checkin, grace, jobs, apart });
    const seen = await interleaved({ label: 'failover', rounds, sides: await sides(), measure });
    const title = `Failover${apart ? ' to another host' : ''}: kill -9, check-in every ${checkin} ms, grace ${grace} ms, ${jobs} jobs`;
    return reportOf({ workload: 'failover', title, server, seen, figures: FIGURES, main: 'first', lessIsBetter: true });
  });
  print([report], chosen);
}

async function failoverRound(side, { jobs, apart, ...beat }) {
  await side.tables.clear();
  const dies = side.node('failover', { ...beat, id: 'dies', jobs, ...(apart && { host: 'elsewhere' }) });
  const began = beginnings(dies, jobs);
  await dies.ready();
  await began;
  const survives = side.node('failover', { ...beat, id: 'survives' });
  await survives.ready();
  await pause(beat.checkin * (1.2 + Math.random())); // any phase of the survivor's check-in
  const again = beginnings(survives, jobs);
  const killed = Date.now();
  dies.kill();
  const times = (await again).map((line) => Number(line.split(' ')[3]) - killed);
  survives.kill();
  return { first: Math.min(...times), last: Math.max(...times) };
}

/** The lines with which so many jobs begin; rejects when they do not. */
function beginnings(node, count) {
  const lines = new Map();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${lines.size} of ${count} jobs began within ${TIMEOUT_MS} ms.`)),
      TIMEOUT_MS,
    );
  });
  const all = node.hear((line) => {
    if (line.startsWith('X ')) lines.set(line.split(' ')[1], line);
    return lines.size === count;
  });
  return Promise.race([all.then(() => [...lines.values()]), late]).finally(() => clearTimeout(timer));
}
