import { contest, interleaved } from '../lib/contest.mjs';
import { fireUntil } from '../lib/line-node.mjs';
import { options } from '../lib/options.mjs';
import { costs, print, reportOf } from '../lib/report.mjs';
import { startNodes, stopNodes, warmRound } from '../lib/rounds.mjs';

export const usage = `  latency [--node both|same|other] [--n 300] [--gap 250] [--threads 25] [--batch N]
         time from the call that schedules a job for now to the first line of the job. same: on the called node. other: on another
         node, while the called node is in standby (n / 2 jobs, --gap ms apart).`;

/** A real Quartz looks into the table after 30 s at the latest. */
const TIMEOUT_SECONDS = 60;

const FIGURES = [
  ['p50', 'call to first line p50, ms', 1],
  ['p99', 'call to first line p99, ms', 1],
  ['max', 'call to first line max, ms', 1],
  ['callP50', 'of which the call p50, ms', 1],
  ...costs('job'),
];

export async function run(args) {
  const chosen = options(args, { node: ['both', 'same', 'other'], n: 300, gap: 250 });
  const parts = { same: sameNode, other: otherNode };
  // In memory there is no other node.
  const names = chosen.store === 'memory' ? ['same'] : chosen.node === 'both' ? ['same', 'other'] : [chosen.node];
  const reports = await contest(chosen, async ({ server, sides }) => {
    const contestants = await sides();
    const all = [];
    for (const name of names) {
      const measure = (side) => parts[name](side, chosen);
      const seen = await interleaved({
        label: `latency, ${name} node`,
        rounds: chosen.rounds,
        sides: contestants,
        measure,
      });
      const title = `Latency: from the call to the job's first line, on ${name === 'same' ? 'the same' : 'another'} node`;
      all.push(
        reportOf({ workload: 'latency', title, server, seen, figures: FIGURES, main: 'p99', lessIsBetter: true }),
      );
    }
    return all;
  });
  print(reports, chosen);
}

async function sameNode(side, { n, threads, batch }) {
  await side.tables.clear();
  await side.tables.settle();
  return warmRound(side, side.node('latency', { n, threads, batch }));
}

/** By the clock that both processes share: from the trigger's start time, which is when it was built. */
async function otherNode(side, { n, gap, threads, batch }) {
  await side.tables.clear();
  await side.tables.settle();
  const count = Math.ceil(n / 2);
  const [runs] = await startNodes(side, 1, { threads, batch });
  const asks = side.node('client', { id: 'n2', n: count, gap, threads: 1 });
  await asks.ready();
  const toSchedule = async () => {
    await runs.hear((line) => line.startsWith('STARTED'));
    asks.say();
    await asks.exit();
  };
  const finished = fireUntil([runs], count, (count * gap) / 1_000 + TIMEOUT_SECONDS);
  const [all] = await Promise.all([finished, toSchedule()]);
  const { lateP50: p50, lateP99: p99, lateMax: max } = await stopNodes([runs]);
  return { count, p50, p99, max, cut: !all };
}
